/// @file
/// The chapter's streams and events, made once.
#pragma once

#include "problem.hpp"

/// Four streams, three of which v4 gives a job of its own each, and events for two buffers.
struct Engines {
  Engines();
  ~Engines();
  Engines(const Engines &) = delete;
  Engines &operator=(const Engines &) = delete;

  cudaStream_t streams[4];
  cudaStream_t there, back, work; // the first three: to the device, to the host, kernels
  cudaEvent_t arrived[2], computed[2], returned[2]; // what has become of each buffer
};

/// The only one of its kind.
Engines &engines();
