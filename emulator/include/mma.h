// Products of small matrices by the lanes of a warp.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "emu/warp/wmma.hpp"
