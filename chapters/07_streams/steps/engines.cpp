#include "steps/engines.hpp"

Engines::Engines() {
  for (cudaStream_t &stream : streams)
    LAB_CHECK(cudaStreamCreate(&stream));
  there = streams[0];
  back = streams[1];
  work = streams[2];
  for (cudaEvent_t *event : {arrived, computed, returned})
    for (int buffer = 0; buffer < 2; ++buffer)
      LAB_CHECK(cudaEventCreateWithFlags(&event[buffer], cudaEventDisableTiming));
}

Engines::~Engines() {
  for (cudaEvent_t *event : {arrived, computed, returned})
    for (int buffer = 0; buffer < 2; ++buffer)
      cudaEventDestroy(event[buffer]);
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
}

Engines &engines() {
  static Engines made;
  return made;
}
