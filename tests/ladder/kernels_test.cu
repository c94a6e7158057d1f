// What needs a kernel: random numbers that are the same on both sides, and the ceilings.
#include "common/buffer.hpp"
#include "common/compare.hpp"
#include "common/device.hpp"
#include "common/random.hpp"
#include "ladder/ceiling.hpp"
#include "ladder/detail/ladder_check.hpp"

#include <doctest/doctest.h>

namespace {

__global__ void draw(unsigned *bits, float *floats, int *ints, int n, unsigned long long seed) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    bits[i] = lab::random_u32(seed, i);
    floats[i] = lab::random_float(seed, i, -1.0f, 3.0f);
    ints[i] = lab::random_int(seed, i, -3, 7);
  }
}

__global__ void fill(int *out, int n) {
  if (threadIdx.x < static_cast<unsigned>(n))
    out[threadIdx.x] = 7;
}

// What it finds in shared memory that it never writes.
__global__ void find_leftovers(float *found) {
  __shared__ float s_static[64];
  extern __shared__ float s_dynamic[];
  found[threadIdx.x] = s_static[threadIdx.x];
  found[64 + threadIdx.x] = s_dynamic[threadIdx.x];
}

} // namespace

TEST_CASE("what is written behind a buffer is told, once") {
  lab::guard_buffers();
  lab::DeviceBuffer<int> d_first(3), d_second(33);
  fill<<<1, 64>>>(d_second.data(), 33);
  CHECK(lab::written_behind_buffers().empty());
  fill<<<1, 64>>>(d_second.data(), 34);
  CHECK(lab::written_behind_buffers() ==
        "something was written behind a buffer of 132 bytes, from its byte 132 on");
  CHECK(lab::written_behind_buffers().empty());
}

TEST_CASE("spoiled shared memory is spoiled, static and dynamic") {
  lab::DeviceBuffer<float> d_found(128);
  lab::spoil_shared_memory();
  find_leftovers<<<1, 64, 256>>>(d_found.data());
  CHECK(lab::compare(d_found.download(), std::vector<float>(128, 1000.0f)).ok);
}

TEST_CASE("host and device draw the same numbers, bit for bit") {
  const int n = 10000;
  lab::DeviceBuffer<unsigned> d_bits(n);
  lab::DeviceBuffer<float> d_floats(n);
  lab::DeviceBuffer<int> d_ints(n);
  draw<<<(n + 127) / 128, 128>>>(d_bits.data(), d_floats.data(), d_ints.data(), n, 5);
  LAB_CHECK_LAUNCH();
  std::vector<unsigned> bits(n);
  std::vector<float> floats(n);
  std::vector<int> ints(n);
  lab::fill_random(bits.data(), n, 5);
  lab::fill_random(floats.data(), n, 5, -1.0f, 3.0f);
  lab::fill_random(ints.data(), n, 5, -3, 7);
  CHECK(lab::compare(d_bits.download(), bits).ok);
  CHECK(lab::compare(d_floats.download(), floats).ok);
  CHECK(lab::compare(d_ints.download(), ints).ok);

  bool low = false, high = false;
  for (int value : ints) {
    CHECK((value >= -3 && value <= 7));
    low = low || value == -3;
    high = high || value == 7;
  }
  CHECK((low && high));
}

TEST_CASE("the streams are the ones recorded results were made with") {
  // SplitMix64 with seed 0 and gamma 0x9E3779B97F4A7C15 begins with this number.
  CHECK(lab::random_u64(0, 0) == 0xE220A8397B1DCDAFull);
  CHECK(lab::random_u64(1, 0) != lab::random_u64(0, 0));
  CHECK(lab::random_float(3, 4) >= 0.0f);
  CHECK(lab::random_float(3, 4) < 1.0f);
}

TEST_CASE("the ceiling of the arithmetic is measured") { CHECK(lab::measure_fma_tflops(2) > 0.0); }

TEST_CASE("both ceilings are measured") {
  const lab::Ceilings ceilings = lab::measure_ceilings(std::size_t{1} << 20, 2);
  CHECK(ceilings.copy_gbps > 0.0);
  CHECK(ceilings.read_gbps > 0.0);
  CHECK(ceilings.bytes == std::size_t{1} << 20);
}
