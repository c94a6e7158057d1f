/// @file
/// Everything a chapter's program needs, in one include. Each header also stands on its own.
#pragma once

#include "lab/buffer.hpp"
#include "lab/ceiling.hpp"
#include "lab/check.hpp"
#include "lab/compare.hpp"
#include "lab/device.hpp"
#include "lab/ladder.hpp"
#include "lab/observe.hpp"
#include "lab/random.hpp"
#include "lab/timer.hpp"
