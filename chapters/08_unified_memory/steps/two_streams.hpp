/// @file
/// Two streams for the two directions of the link, made once.
#pragma once

#include "problem.hpp"

/// `there`: to the device; `back`: kernels and what goes to the host; `come`: from one to the other.
struct TwoStreams {
  TwoStreams();
  ~TwoStreams();
  TwoStreams(const TwoStreams &) = delete;
  TwoStreams &operator=(const TwoStreams &) = delete;

  cudaStream_t there = nullptr, back = nullptr;
  cudaEvent_t come = nullptr;
};

/// The chapter's two streams.
TwoStreams &two_streams();

/// Elements of one part: an eighth of n, in whole pages of 2 MiB, so that no page is in two parts.
size_t part_of(size_t n);
