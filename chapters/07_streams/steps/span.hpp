/// @file
/// How long streams are busy: measured on a GPU, by the emulator's model where its instruments look on.
#pragma once

#include "problem.hpp"

#include <string>
#include <vector>

/// Something that a stream did. Times are microseconds.
struct Bar {
  std::string engine; // to_device, sms, to_host …
  double begin_us, end_us;
};

/// What streams did while it lived, by the emulator's model. Elsewhere it sees nothing.
class ModelTimeline {
public:
  ModelTimeline();
  /// Waits for the device; in the order of submission, from 0 µs.
  std::vector<Bar> bars() const;

private:
  size_t before_; // bars of the time before
};

/// Whether span_us() can tell.
inline bool can_tell_spans() { return !lab::on_emulator() || lab::being_observed(); }

/// Microseconds until all streams are done with `work`, the median of five on a GPU. 0: cannot tell.
template <class Work> double span_us(Work &&work) {
  if (lab::on_emulator()) {
    const ModelTimeline timeline;
    work();
    double end = 0;
    for (const Bar &bar : timeline.bars())
      end = bar.end_us > end ? bar.end_us : end;
    return end;
  }
  LAB_CHECK(cudaDeviceSynchronize());
  return 1e3 * lab::median_of(5, 1, [&] {
           return lab::host_ms([&] {
             work();
             LAB_CHECK(cudaDeviceSynchronize());
           });
         });
}
