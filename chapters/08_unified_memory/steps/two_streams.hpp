/// @file
/// Two streams for the two directions of the link, made once.
#pragma once

#include "problem.hpp"

/// `there`: to the device; `back`: kernels and what goes to the host; `come`: from one to the other.
struct TwoStreams {
  TwoStreams() {
    LAB_CHECK(cudaStreamCreate(&there));
    LAB_CHECK(cudaStreamCreate(&back));
    LAB_CHECK(cudaEventCreateWithFlags(&come, cudaEventDisableTiming));
  }
  ~TwoStreams() {
    cudaEventDestroy(come);
    cudaStreamDestroy(back);
    cudaStreamDestroy(there);
  }
  TwoStreams(const TwoStreams &) = delete;
  TwoStreams &operator=(const TwoStreams &) = delete;

  cudaStream_t there = nullptr, back = nullptr;
  cudaEvent_t come = nullptr;
};

/// The chapter's two streams.
inline TwoStreams &two_streams() {
  static TwoStreams streams;
  return streams;
}

/// Elements of one part: an eighth of n, in whole pages of 2 MiB, so that no page is in two parts.
inline size_t part_of(size_t n) {
  const size_t page = (2u << 20) / sizeof(double);
  const size_t pages = (n / 8 + page - 1) / page;
  return (pages > 0 ? pages : 1) * page;
}
