// cuRAND's generators for device code: XORWOW and Philox.
#pragma once
#include "cuda_runtime.h"
#include "emu/math/random.hpp"
