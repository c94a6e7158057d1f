#include "golden.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace golden {

namespace {

std::vector<const Case *> &registered() {
  static std::vector<const Case *> all;
  return all;
}

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "golden: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

} // namespace

Case::Case(const char *case_name,
           const char *reason,
           void (*launch_it)(const Memory &),
           std::vector<Expected> report,
           unsigned barrier_count)
    : name(case_name), why(reason), launch(launch_it), expected(std::move(report)),
      barriers(barrier_count) {
  registered().push_back(this);
}

const std::vector<const Case *> &cases() {
  static const bool sorted = [] {
    std::sort(registered().begin(), registered().end(), [](const Case *a, const Case *b) {
      return std::strcmp(a->name, b->name) < 0;
    });
    return true;
  }();
  static_cast<void>(sorted);
  return registered();
}

Memory fresh_memory() {
  Memory memory{};
  for (float **buffer : {&memory.in, &memory.out}) {
    check(cudaMalloc(buffer, elements * sizeof(float)), "cudaMalloc");
    check(cudaMemset(*buffer, 0, elements * sizeof(float)), "cudaMemset");
  }
  return memory;
}

void release(const Memory &memory) {
  check(cudaFree(memory.in), "cudaFree");
  check(cudaFree(memory.out), "cudaFree");
}

void run(const Case &golden_case, const Memory &memory) {
  golden_case.launch(memory);
  check(cudaGetLastError(), golden_case.name);
  check(cudaDeviceSynchronize(), golden_case.name);
}

} // namespace golden
