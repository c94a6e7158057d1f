/// @file
/// Everything a chapter's program needs, in one include. Each header also stands on its own.
#pragma once

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/compare.hpp"
#include "common/device.hpp"
#include "common/random.hpp"
#include "common/timer.hpp"
#include "ladder/ceiling.hpp"
#include "ladder/ladder.hpp"
#include "ladder/observe.hpp"
