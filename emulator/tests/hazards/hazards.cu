#include "hazards.hpp"

#include <cstdio>
#include <cstdlib>

namespace hazards {

namespace {

std::vector<const Case *> &registered() {
  static std::vector<const Case *> all;
  return all;
}

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "hazards: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
  }
}

} // namespace

Case::Case(const char *case_name,
           const char *hazard_kind,
           const char *source_file,
           void (*run_it)(const Memory &),
           bool only_warned,
           const char *also_kind)
    : name(case_name), kind(hazard_kind), file(source_file), run(run_it), warning(only_warned),
      also(also_kind) {
  registered().push_back(this);
}

const std::vector<const Case *> &cases() { return registered(); }

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
