/// @file
/// NCCL's operations, on a few numbers that can be read.
#pragma once

#include "problem.hpp"

namespace demo_nccl {

void run(lab::Demo &demo);

} // namespace demo_nccl
