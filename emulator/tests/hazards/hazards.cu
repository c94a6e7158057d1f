#include "hazards.hpp"

#include <cstdio>
#include <cstdlib>

namespace hazards {

namespace {

std::vector<Case> &registered() {
  static std::vector<Case> all;
  return all;
}

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "hazards: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

} // namespace

const std::vector<Case> &cases() { return registered(); }

bool add(const Case &c) {
  registered().push_back(c);
  return true;
}

Memory fresh_memory() {
  Memory m{};
  constexpr size_t bytes = elements * sizeof(int);
  for (int **buffer : {&m.in, &m.out, &m.raw})
    check(cudaMalloc(buffer, bytes), "cudaMalloc");
  std::vector<int> numbers(elements);
  for (int i = 0; i < elements; ++i)
    numbers[i] = i;
  check(cudaMemcpy(m.in, numbers.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemset(m.out, 0, bytes), "cudaMemset");
  return m;
}

void release(const Memory &m) {
  for (int *buffer : {m.in, m.out, m.raw})
    check(cudaFree(buffer), "cudaFree");
}

} // namespace hazards
