// Formats of texture elements.
#pragma once

#include "emu/textures/textures.hpp"
