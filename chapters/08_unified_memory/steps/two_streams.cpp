#include "steps/two_streams.hpp"

TwoStreams::TwoStreams() {
  LAB_CHECK(cudaStreamCreate(&there));
  LAB_CHECK(cudaStreamCreate(&back));
  LAB_CHECK(cudaEventCreateWithFlags(&come, cudaEventDisableTiming));
}

TwoStreams::~TwoStreams() {
  cudaEventDestroy(come);
  cudaStreamDestroy(back);
  cudaStreamDestroy(there);
}

TwoStreams &two_streams() {
  static TwoStreams streams;
  return streams;
}

size_t part_of(size_t n) {
  const size_t page = (2u << 20) / sizeof(double);
  const size_t pages = (n / 8 + page - 1) / page;
  return (pages > 0 ? pages : 1) * page;
}
