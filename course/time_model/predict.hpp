/// \file
/// The time of launches on a device, and what binds them.
#pragma once

#include "simulate.hpp"

#include <map>

namespace model {

/// From a time divided by this to a time multiplied by it: nine in ten kernels are within, see
/// docs/time_model.md. A test holds it.
constexpr double band = 1.9;

/// What the L2 holds when a launch begins.
enum class L2State { warm, cold };

struct Prediction {
  std::string refused; // why there is no time; empty: there is one
  std::string assumes; // what it takes for granted; empty: nothing out of the ordinary
  double ms = 0, low = 0, high = 0;
  std::string binds; // as a phrase for people
  std::string term; // the key in `terms` of what binds
  std::map<std::string, double> terms; // ms that each would take alone
  Simulated simulated;
  double from_memory = 0; // of what it loads, the part that the L2 does not hold
  int registers = 0; // of a thread, estimated
  int blocks_per_sm = 0;
};

/// One launch, without what the launch itself costs the host.
Prediction predict_launch(const LaunchTrace &launch, const Device &device, L2State l2);

/// All launches of a part of a program, one after the other, as events around them would time it on a GPU that
/// has other work to do until all are queued.
Prediction
predict_part(const std::vector<const LaunchTrace *> &launches, const Device &device, L2State l2);

/// One launch, as events around it time it in a program that waits for each: the first event is over before the
/// host has launched the kernel.
Prediction predict_alone(const LaunchTrace &launch, const Device &device);

/// A change to a kernel.
struct Advice {
  std::string change; // as a phrase; empty: none of them helps
  double ms = 0; // with it
};

/// Of several changes to a kernel, the one that would help it most, according to the model.
Advice what_helps_most(const LaunchTrace &launch, const Device &device, L2State l2, double ms_now);

} // namespace model
