/// @file
/// Counts and hazards of kernels, for checkers: what a GPU's profiler and sanitizer would tell.
///
/// Only programs built by bf_add_observed_executable() (on the CPU backend) have the instruments.
/// Elsewhere the same code compiles, and gets no observation:
/// @code
/// const auto seen = lab::observe([&] { kernel<<<grid, block>>>(...); });
/// if (seen) { // else: measure instead
///   CHECK_FALSE(seen->has_errors());
///   CHECK(seen->kernels[0].total(emu::Access::global_load).sectors_per_request() <= 4);
/// }
/// @endcode
#pragma once

#include "common/device.hpp"
#include <observation/observe.hpp>

#include <optional>
#include <string>

namespace lab {

/// Whether this program has the emulator's instruments built in.
bool can_observe();

/// Whether somebody looks on from the start of this program to its end: EMU_OBSERVE is set, as the
/// tutor does to observe a chapter. Then each step runs once, and nothing is timed.
bool being_observed();
/// Whether the program runs for the time model: each step's launches are looked at, and nothing is
/// computed or checked.
bool being_modelled();
/// Whether sizes and amounts of work are those for a GPU: on one, or for the time model.
inline bool at_full_size() { return !on_emulator() || being_modelled(); }

/// What the kernels launched by `work` did: runs it, waits for the device, and tells. Nothing where
/// there are no instruments; `work` runs all the same. Not to be used while being_observed() is true:
/// the observation of the whole program would end here.
///
/// A launch that failed after a hazard may leave an error that only cudaDeviceReset() ends.
///
/// @throws CudaError when a launch failed for a reason that is no hazard; what `work` throws
template <class Work> std::optional<emu::Observation> observe(Work &&work);

/// Names the launches in its scope in reports: a step of a ladder. On a GPU it is an NVTX range, which
/// Nsight Systems shows and `ncu --nvtx --nvtx-include "NAME/"` chooses.
class ObservedPart {
public:
  explicit ObservedPart(const std::string &name);
  ~ObservedPart();
  ObservedPart(const ObservedPart &) = delete;
  ObservedPart &operator=(const ObservedPart &) = delete;
};

namespace detail {

/// Observes from its construction until stop(), or until it is destroyed.
class ObservedScope {
public:
  ObservedScope();
  ~ObservedScope();
  ObservedScope(const ObservedScope &) = delete;
  ObservedScope &operator=(const ObservedScope &) = delete;
  /// Waits for the device first.
  std::optional<emu::Observation> stop();

private:
  bool on_;
};

} // namespace detail

template <class Work> std::optional<emu::Observation> observe(Work &&work) {
  detail::ObservedScope scope;
  work();
  return scope.stop();
}

} // namespace lab
