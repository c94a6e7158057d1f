#include "golden.hpp"

#include <cstdio>
#include <cstdlib>

namespace golden {

namespace {

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "golden: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

} // namespace

std::map<std::string, Case> &cases() {
  static std::map<std::string, Case> all;
  return all;
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

void run(const std::string &name, const Case &golden_case, const Memory &memory) {
  golden_case.launch(memory);
  check(cudaGetLastError(), name.c_str());
  check(cudaDeviceSynchronize(), name.c_str());
}

} // namespace golden
