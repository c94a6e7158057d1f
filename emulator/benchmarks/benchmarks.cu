// How fast the emulator is. With an argument, only the kernels of that name.
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels.hpp"

namespace {

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// Chapter 05, v2.
__global__ void reduce_sequential(const int *in, int *out, int n) {
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

__device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void reduce_shuffles(const int *in, int *out, int n) {
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

__global__ void histogram(const int *in, int *out, int n) {
  __shared__ int s_bins[block];
  s_bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s_bins[in[i] & (block - 1)], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], s_bins[threadIdx.x]);
}

__global__ void nothing() {}

struct Arrays {
  explicit Arrays(size_t n) {
    for (void **array : {reinterpret_cast<void **>(&a),
                         reinterpret_cast<void **>(&b),
                         reinterpret_cast<void **>(&c),
                         reinterpret_cast<void **>(&in),
                         reinterpret_cast<void **>(&out)})
      cudaMalloc(array, n * sizeof(int));
    cudaMemset(a, 0, n * sizeof(int));
    cudaMemset(b, 0, n * sizeof(int));
    std::vector<int> ones(n, 1);
    cudaMemcpy(in, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * sizeof(int));
  }
  float *a, *b, *c;
  int *in, *out;
};

long sum_of(const int *d_out, int n) {
  std::vector<int> out(static_cast<size_t>(n));
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  return std::accumulate(out.begin(), out.end(), 0l);
}

void check(bool right, const char *name) {
  if (right && cudaGetLastError() == cudaSuccess)
    return;
  std::fprintf(stderr, "emulator_benchmarks: %s computes something wrong\n", name);
  std::exit(1);
}

} // namespace

int main(int argc, char **argv) {
  const auto wanted = [&](const char *name) { return argc < 2 || std::strcmp(argv[1], name) == 0; };
  // Under the instruments each takes some hundred times as long.
  const int fewer = std::getenv("EMU_OBSERVE") ? 32 : 1;
  const int streamed = streaming_elements / fewer, n = elements / fewer, blocks = n / block;
  const Arrays d(static_cast<size_t>(streamed));
  if (wanted("vector_add"))
    measure("vector_add", streamed, [&] {
      vector_add<<<streamed / block, block>>>(d.a, d.b, d.c, streamed);
    });
  if (wanted("reduce_sequential")) {
    measure("reduce_sequential", n, [&] { reduce_sequential<<<blocks, block>>>(d.in, d.out, n); });
    check(sum_of(d.out, blocks) == n, "reduce_sequential");
  }
  if (wanted("reduce_shuffles")) {
    measure("reduce_shuffles", n, [&] { reduce_shuffles<<<blocks / 16, block>>>(d.in, d.out, n); });
    check(sum_of(d.out, blocks / 16) == n, "reduce_shuffles");
  }
  if (wanted("histogram")) {
    cudaMemset(d.out, 0, block * sizeof(int));
    measure("histogram", n, [&] { histogram<<<blocks / 64, block>>>(d.in, d.out, n); });
    check(sum_of(d.out, block) % n == 0, "histogram");
  }
  constexpr int launches = 2000;
  if (wanted("launches"))
    measure("launches", launches, [] {
      for (int i = 0; i < launches; ++i)
        nothing<<<1, 32>>>();
    });
  if (wanted("launches_of_many_blocks"))
    measure("launches_of_many_blocks", launches, [] {
      for (int i = 0; i < launches; ++i)
        nothing<<<64, 64>>>();
    });
  return 0;
}
