// Surfaces.
#pragma once

#include "emu/textures/textures.hpp"
