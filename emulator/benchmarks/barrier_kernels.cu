// Two reductions that wait at a barrier in every round: on the emulator, and on HIP-CPU when compiled
// with -DUSE_HIP_CPU. against_hip_cpu.sh builds both and compares them.
#ifdef USE_HIP_CPU
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include <chrono>
#include <cstdio>
#include <numeric>
#include <sys/resource.h>
#include <vector>

namespace {

constexpr int block = 256;

__global__ void interleaved(const int *in, int *out, int n) {
  __shared__ int s_data[block];
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

__global__ void sequential(const int *in, int *out, int n) {
  __shared__ int s_data[block];
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

// The launch syntax of each, and nothing else.
#ifdef USE_HIP_CPU
#define LAUNCH(kernel, in, out, n) \
  hipLaunchKernelGGL(kernel, dim3((n) / block), dim3(block), 0, 0, in, out, n); \
  (void)hipDeviceSynchronize()
#else
#define LAUNCH(kernel, in, out, n) \
  kernel<<<(n) / block, block>>>(in, out, n); \
  (void)cudaDeviceSynchronize()
#endif

void run(bool first, const int *in, int *out, int n) {
  if (first) {
    LAUNCH(interleaved, in, out, n);
  } else {
    LAUNCH(sequential, in, out, n);
  }
}

double seconds_of_cpu() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

int main() {
  constexpr int n = 1 << 22;
  const std::vector<int> in(n, 1);
  std::vector<int> out(n / block);
  for (const bool first : {true, false}) {
    run(first, in.data(), out.data(), n / 16); // threads and stacks are made
    const double cpu = seconds_of_cpu();
    const auto begin = std::chrono::steady_clock::now();
    run(first, in.data(), out.data(), n);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    std::printf("%s %.3f %.3f\n",
                first ? "interleaved" : "sequential",
                1e-6 * n / (seconds_of_cpu() - cpu),
                1e-6 * n / wall.count());
    if (std::accumulate(out.begin(), out.end(), 0) != n)
      return 1;
  }
  return 0;
}
