/// @file
/// A small model of a pipeline of three stages, and the times that it needs to know.
#pragma once

#include "problem.hpp"

/// Milliseconds that a batch needs in each stage, on its own, and what each part costs besides.
struct Stages {
  double to_device_ms = 0, kernel_ms = 0, to_host_ms = 0;
  double both_ms = 0; ///< both copies at once: a link may be slower then in each direction
  double fixed_ms = 0; ///< for a part in a stage, whatever its size

  double sum_ms() const { return to_device_ms + kernel_ms + to_host_ms; }
  double longest_ms() const; ///< of the three, alone
  double limit_ms() const; ///< no pipeline is faster: the kernel, or both copies at once
  /// Milliseconds of the pipeline with the batch in so many parts.
  double total_ms(size_t parts) const;
  /// The number of parts, up to 512, for which total_ms() is least.
  size_t best_parts() const;
};

/// The times of a batch, measured when they are asked for first; then the batch is prepare()d anew. On
/// the emulator they come from its model, or are those of an invented machine.
/// @param kernel_streams 1, or 2 if the parts' kernels are in two streams, in turn
const Stages &stages_of(Batch &p, size_t kernel_streams);
