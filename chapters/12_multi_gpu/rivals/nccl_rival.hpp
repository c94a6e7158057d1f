/// @file
/// The vendor's way: NVIDIA's library for exactly this.
#pragma once

#include "problem.hpp"

/// Adds the rival to the ladder, or the reason why it is not there.
void register_rival(lab::Ladder<Vectors> &ladder);

/// The rival's run; null where it is not there.
void (*nccl_all_reduce())(Vectors &);
