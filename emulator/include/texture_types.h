// Textures and arrays.
#pragma once

#include "emu/textures/textures.hpp"
