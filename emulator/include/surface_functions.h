// Reading and writing surfaces.
#pragma once

#include "emu/textures/textures.hpp"
