#include "ladder/ceiling.hpp"

#include "common/buffer.hpp"
#include "common/check.hpp"
#include "common/device.hpp"
#include "common/timer.hpp"

namespace lab {
namespace {

constexpr unsigned copy_threads = 256;
constexpr unsigned read_threads = 1024;

__global__ void copy_float4(const float4 *__restrict__ in, float4 *__restrict__ out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}

// Four loads in flight per thread. The sum keeps the compiler from dropping them; the store that
// never happens (the host passes a value that the sum cannot have) keeps it from dropping the sum.
__global__ void
read_int4(const int4 *__restrict__ in, size_t n, unsigned impossible, unsigned *out) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (; i + 3 * stride < n; i += 4 * stride) {
    const int4 a = __ldcs(in + i);
    const int4 b = __ldcs(in + i + stride);
    const int4 c = __ldcs(in + i + 2 * stride);
    const int4 d = __ldcs(in + i + 3 * stride);
    sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    sum += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
  }
  for (; i < n; i += stride) {
    const int4 a = in[i];
    sum += a.x + a.y + a.z + a.w;
  }
  if (sum == impossible)
    *out = sum;
}

constexpr unsigned fma_threads = 256;
constexpr int fma_rounds = 1 << 15;

// Eight chains: a chain's next step has to wait for the one before, and four would just fill that
// time. The store never happens, as above.
__global__ void chains_of_fma(int rounds, float factor, float term, float impossible, float *out) {
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(threadIdx.x + i);
  for (int round = 0; round < rounds; round += 16) {
#pragma unroll
    for (int i = 0; i < 8 * 16; ++i)
      x[i % 8] = fmaf(x[i % 8], factor, term);
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum += x[i];
  if (sum == impossible)
    *out = sum;
}

double gbps(double bytes, const Timing &timing) {
  // The best run: a ceiling is what the memory can do, not what it does on average.
  return timing.best_ms > 0.0 ? bytes / timing.best_ms * 1e-6 : 0.0;
}

} // namespace

Ceilings measure_ceilings(std::size_t bytes, int reps) {
  const std::size_t n = bytes / sizeof(float4);
  DeviceBuffer<float4> source(n);
  DeviceBuffer<float4> target(n);
  DeviceBuffer<unsigned> result(1);
  // All bytes zero: every sum of them is 0, so 1 is impossible.
  LAB_CHECK(cudaMemset(source.data(), 0, source.bytes()));

  const MeasureOptions options{.reps = reps, .warm_up = 2};
  const unsigned copy_grid = static_cast<unsigned>((n + copy_threads - 1) / copy_threads);
  const Timing kernel = measure(
      [&] {
        copy_float4<<<copy_grid, copy_threads>>>(source.data(), target.data(), n);
        LAB_CHECK_LAUNCH();
      },
      options);
  const Timing memcpy_timing = measure(
      [&] {
        LAB_CHECK(cudaMemcpyAsync(
            target.data(), source.data(), n * sizeof(float4), cudaMemcpyDeviceToDevice));
      },
      options);
  const unsigned read_grid =
      static_cast<unsigned>(choose_device().resident_blocks(static_cast<int>(read_threads)));
  const int4 *words = reinterpret_cast<const int4 *>(source.data());
  const Timing read = measure(
      [&] {
        read_int4<<<read_grid, read_threads>>>(words, n, 1u, result.data());
        LAB_CHECK_LAUNCH();
      },
      options);

  Ceilings found;
  found.bytes = n * sizeof(float4);
  const double size = static_cast<double>(found.bytes);
  const double by_kernel = gbps(2.0 * size, kernel);
  const double by_memcpy = gbps(2.0 * size, memcpy_timing);
  found.copy_gbps = by_kernel > by_memcpy ? by_kernel : by_memcpy;
  found.read_gbps = gbps(size, read);
  return found;
}

const Ceilings &ceilings() {
  static const Ceilings measured = [] {
    // At least 16 times the L2 and 4 GiB, as far as a quarter of the free memory allows: what a
    // launch costs must not show.
    std::size_t free_bytes = 0, total_bytes = 0;
    LAB_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    std::size_t bytes = 16 * choose_device().l2_bytes;
    if (bytes < (std::size_t{4} << 30))
      bytes = std::size_t{4} << 30;
    if (bytes > free_bytes / 4)
      bytes = free_bytes / 4;
    return measure_ceilings(bytes / 256 * 256);
  }();
  return measured;
}

double measure_fma_tflops(int reps) {
  DeviceBuffer<float> result(1);
  const Device &device = choose_device();
  const unsigned grid =
      static_cast<unsigned>(device.resident_blocks(static_cast<int>(fma_threads)));
  const int rounds = on_emulator() ? 16 : fma_rounds;
  // No sum of the chains, which all stay above 0, is negative.
  const Timing timing = measure(
      [&] {
        chains_of_fma<<<grid, fma_threads>>>(rounds, 0.5f, 1.0f, -1.0f, result.data());
        LAB_CHECK_LAUNCH();
      },
      {.reps = reps, .warm_up = 2});
  const double flops = 2.0 * 8.0 * rounds * fma_threads * grid;
  return timing.best_ms > 0.0 ? flops / timing.best_ms * 1e-9 : 0.0;
}

double fma_tflops() {
  static const double measured = measure_fma_tflops();
  return measured;
}

} // namespace lab
