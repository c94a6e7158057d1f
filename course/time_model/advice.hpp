/// \file
/// Of several changes to a kernel, the one that would help it most, according to the model.
#pragma once

#include "predict.hpp"

namespace model {

struct Advice {
  std::string change; // as a phrase; empty: none of them helps
  double ms = 0; // with it
};

Advice what_helps_most(const LaunchTrace &launch, const Device &device, L2State l2, double ms_now);

} // namespace model
