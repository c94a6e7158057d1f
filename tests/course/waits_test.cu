// Chapter 09's first steps with asynchronous copies, each of their waits left out in turn: the product is wrong, and the
// instruments name the copy that nobody has waited for.
#include "common/buffer.hpp"
#include "ladder/observe.hpp"

#include <cuda_pipeline.h>
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

__device__ int left_out; // the line of a wait; 0: none

__device__ inline void wait_prior(int but, int line) {
  if (line != left_out)
    __pipeline_wait_prior(but);
}

} // namespace

#define __pipeline_wait_prior(but) wait_prior(but, __LINE__)
#include "steps/v10_warp_tiles.cuh"
#include "steps/v11_operands_ahead.cuh"
#include "steps/v9_async_copies.cuh"
#undef __pipeline_wait_prior

namespace {

std::vector<int> lines_of_waits(const std::string &file) {
  std::ifstream source(STEPS_FOLDER "/" + file);
  std::vector<int> lines;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find("__pipeline_wait_prior(") != std::string::npos)
      lines.push_back(number);
  return lines;
}

template <class Kernel> std::vector<float> product(Kernel kernel, int without_line) {
  constexpr int n = 128, K = 40; // one block, five rounds
  std::vector<float> numbers(n * K);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(i % 17) + 1.0f;
  const lab::DeviceBuffer<float> A(numbers), B(numbers);
  const lab::DeviceBuffer<float> C(static_cast<size_t>(n) * n);
  LAB_CHECK(cudaMemcpyToSymbol(left_out, &without_line, sizeof without_line));
  kernel<<<1, v9::BLOCK>>>(Operands{n, n, K, K, n, n, A.data(), B.data(), C.data()});
  LAB_CHECK_LAUNCH();
  return C.download();
}

bool same(const std::vector<float> &a, const std::vector<float> &b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0; // NaN is NaN
}

template <class Kernel> void check(const std::string &file, Kernel kernel, size_t waits) {
  CAPTURE(file);
  const std::vector<float> right = product(kernel, 0);
  REQUIRE(right[0] > 0);
  const auto clean = lab::observe([&] { product(kernel, 0); });
  if (clean)
    CHECK(clean->hazards.empty());
  const std::vector<int> lines = lines_of_waits(file);
  REQUIRE(lines.size() == waits);
  for (const int line : lines) {
    CAPTURE(line);
    CHECK_FALSE(same(product(kernel, line), right));
    const auto seen = lab::observe([&] { product(kernel, line); });
    if (!seen)
      continue;
    REQUIRE_FALSE(seen->hazards.empty());
    for (const emu::Hazard &hazard : seen->hazards) {
      CHECK(hazard.kind == "shared_race");
      CHECK(hazard.message.find("an asynchronous copy still brings") != std::string::npos);
      CHECK(hazard.other.where.file.ends_with("steps/async_tiles.cuh"));
    }
  }
}

} // namespace

TEST_CASE("no wait of chapter 09's asynchronous steps can be left out") {
  check("v9_async_copies.cuh", v9::matmul, 1);
  check("v10_warp_tiles.cuh", v10::matmul, 1);
  check("v11_operands_ahead.cuh", v11::matmul, 2);
}
