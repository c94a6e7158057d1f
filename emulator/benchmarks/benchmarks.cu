// How fast the emulator itself is: million elements a second on this machine's cores.
// The best of several runs, because the question is what the code costs, not what else runs here.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "switch_costs.hpp"

namespace {

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

__global__ void reduce_interleaved(const int *in, int *out, int n) {
  extern __shared__ int s_data[];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < static_cast<int>(blockDim.x); s *= 2) {
    if (tid % (2 * s) == 0)
      s_data[tid] += s_data[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

__global__ void reduce_sequential(const int *in, int *out, int n) {
  extern __shared__ int s_data[];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s)
      s_data[tid] += s_data[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_data[0];
}

__device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void reduce_shuffle(const int *in, int *out, int n) {
  __shared__ int s_warp[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0)
    s_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? s_warp[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      out[blockIdx.x] = sum;
  }
}

__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i)
    __syncthreads();
}

__global__ void shuffles(int *out, int count) {
  int value = threadIdx.x;
  for (int i = 0; i < count; ++i)
    value = __shfl_xor_sync(0xffffffffu, value, 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <class Work> double best_seconds(Work work) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

bool all_right = true;

void print_rate(const char *name, double elements, double seconds, bool right) {
  std::printf("%-34s %9.1f Melem/s%s\n", name, elements / seconds * 1e-6, right ? "" : "  WRONG");
  all_right = all_right && right;
}

void print_cost(const char *name, double nanoseconds) {
  std::printf("%-34s %9.1f ns\n", name, nanoseconds);
}

} // namespace

int main() {
  constexpr int n = 1 << 24, block = 256, grid = n / block;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  std::vector<int> in(n, 1), out(grid);
  const auto sum_is_right = [&](int blocks) {
    return std::accumulate(out.begin(), out.begin() + blocks, 0) == n;
  };
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  std::printf("2^24 elements, blocks of %d threads, %d cores\n", block, cores);

  double seconds =
      best_seconds([&] { vector_add<<<grid, block>>>(a.data(), b.data(), c.data(), n); });
  print_rate("vector add", n, seconds, std::count(c.begin(), c.end(), 3.0f) == n);
  seconds = best_seconds(
      [&] { reduce_interleaved<<<grid, block, block * sizeof(int)>>>(in.data(), out.data(), n); });
  print_rate("reduction, interleaved (barriers)", n, seconds, sum_is_right(grid));
  seconds = best_seconds(
      [&] { reduce_sequential<<<grid, block, block * sizeof(int)>>>(in.data(), out.data(), n); });
  print_rate("reduction, sequential (barriers)", n, seconds, sum_is_right(grid));
  seconds = best_seconds([&] { reduce_shuffle<<<1024, block>>>(in.data(), out.data(), n); });
  print_rate("reduction, grid-stride + shuffles", n, seconds, sum_is_right(1024));

  constexpr int rounds = 200, blocks = 64;
  const double times = 1e9 / (double{rounds} * blocks * block) * cores;
  print_cost("barrier, per thread and core",
             best_seconds([&] { barriers<<<blocks, block>>>(rounds); }) * times);
  print_cost("shuffle, per thread and core",
             best_seconds([&] { shuffles<<<blocks, block>>>(out.data(), rounds); }) * times);
  for (const SwitchCost &cost : measure_switch_costs())
    print_cost(cost.name, cost.nanoseconds);
  return all_right ? 0 : 1;
}
