// Correct kernels whose threads work together within their block: none may raise an alarm.
#include "hazards.hpp"

#include <cuda/barrier>
#include <vector>

namespace {

__global__ void reverse_kernel(int *out) {
  __shared__ int s_data[64];
  s_data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s_data[63 - threadIdx.x];
}
CORRECT(reversed_with_barrier) { reverse_kernel<<<1, 64>>>(m.raw); }

__global__ void tree_kernel(const int *in, int *out) {
  extern __shared__ int s_sum[];
  const unsigned tid = threadIdx.x;
  s_sum[tid] = in[tid];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half)
      s_sum[tid] += s_sum[tid + half];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = s_sum[0];
}
CORRECT(tree_reduction) { tree_kernel<<<4, 256, 256 * sizeof(int)>>>(m.in, m.out); }

// A lock that is taken often: each holder comes after all before it.
__global__ void lock_kernel(int *out, int *lock) {
  for (int round = 0; round < 200; ++round) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    out[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
CORRECT(lock_that_is_taken_often) { lock_kernel<<<16, 1>>>(m.out, m.out + 100); }

// The last warp goes on alone; __syncwarp() orders its lanes.
__global__ void warp_tail_kernel(const int *in, int *out) {
  __shared__ int s_sum[64];
  const unsigned tid = threadIdx.x;
  s_sum[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    int sum = s_sum[tid] + s_sum[tid + 32];
    for (unsigned half = 16; half > 0; half /= 2) {
      s_sum[tid] = sum;
      __syncwarp();
      sum += s_sum[(tid + half) % 32];
      __syncwarp();
    }
    if (tid == 0)
      *out = sum;
  }
}
CORRECT(warp_tail_with_syncwarp) { warp_tail_kernel<<<1, 64>>>(m.in, m.out); }

__global__ void shuffles_kernel(const int *in, int *out) {
  __shared__ int s_sums[32];
  const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  int sum = in[tid];
  for (unsigned offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    s_sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? s_sums[lane] : 0;
    for (unsigned offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (lane == 0)
      out[blockIdx.x] = sum;
  }
}
CORRECT(shuffle_reduction) { shuffles_kernel<<<2, 256>>>(m.in, m.out); }

// A shuffle orders lanes as __syncwarp() does.
__global__ void ordered_by_vote_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  s_data[lane] = lane;
  const unsigned all = __ballot_sync(0xffffffffu, 1);
  out[lane] = s_data[31 - lane] + (all != 0);
}
CORRECT(ordered_by_a_vote) { ordered_by_vote_kernel<<<1, 32>>>(m.out); }

__global__ void bytes_kernel(char *out) {
  __shared__ char s_bytes[130];
  const unsigned tid = threadIdx.x;
  s_bytes[tid + 1] = static_cast<char>(tid); // neighbours share words, not bytes
  s_bytes[tid + 1] += 1;
  if (tid == 0)
    s_bytes[0] = s_bytes[129] = 0;
  __syncthreads();
  out[tid] = static_cast<char>(s_bytes[tid] + s_bytes[tid + 2]);
}
CORRECT(char_arrays) { bytes_kernel<<<1, 128>>>(reinterpret_cast<char *>(m.out)); }

__global__ void halves_of_words_kernel(unsigned short *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<unsigned short>(i);
  out[i] += 1;
}
CORRECT(halves_of_words) {
  halves_of_words_kernel<<<4, 33>>>(reinterpret_cast<unsigned short *>(m.out));
}

// One barrier a round is enough for two buffers in turn.
__global__ void double_buffer_kernel(const int *in, int *out) {
  __shared__ int s_tile[2][64];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  s_tile[0][tid] = in[tid];
  for (int round = 0; round < 8; ++round) {
    __syncthreads();
    if (round + 1 < 8)
      s_tile[(round + 1) % 2][tid] = in[(round + 1) * 64 + tid];
    sum += s_tile[round % 2][63 - tid];
  }
  out[tid] = sum;
}
CORRECT(double_buffering) { double_buffer_kernel<<<1, 64>>>(m.in, m.out); }

__global__ void scan_two_buffers_kernel(int *out) {
  __shared__ int s_sum[2][128];
  const unsigned tid = threadIdx.x;
  int now = 0;
  s_sum[now][tid] = 1;
  __syncthreads();
  for (unsigned step = 1; step < 128; step *= 2) {
    s_sum[1 - now][tid] = s_sum[now][tid] + (tid >= step ? s_sum[now][tid - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[tid] = s_sum[now][tid];
}
CORRECT(scan_with_two_buffers) { scan_two_buffers_kernel<<<1, 128>>>(m.out); }

// Blelloch's scan: up the tree, down the tree.
__global__ void scan_tree_kernel(const int *in, int *out) {
  __shared__ int s_tree[128];
  const unsigned tid = threadIdx.x;
  s_tree[2 * tid] = in[2 * tid];
  s_tree[2 * tid + 1] = in[2 * tid + 1];
  unsigned gap = 1;
  for (unsigned active = 64; active > 0; active /= 2, gap *= 2) {
    __syncthreads();
    if (tid < active)
      s_tree[gap * (2 * tid + 2) - 1] += s_tree[gap * (2 * tid + 1) - 1];
  }
  if (tid == 0)
    s_tree[127] = 0;
  for (unsigned active = 1; active < 128; active *= 2) {
    gap /= 2;
    __syncthreads();
    if (tid < active) {
      const unsigned left = gap * (2 * tid + 1) - 1, right = gap * (2 * tid + 2) - 1;
      const int value = s_tree[left];
      s_tree[left] = s_tree[right];
      s_tree[right] += value;
    }
  }
  __syncthreads();
  out[2 * tid] = s_tree[2 * tid];
  out[2 * tid + 1] = s_tree[2 * tid + 1];
}
CORRECT(scan_on_a_tree) { scan_tree_kernel<<<1, 64>>>(m.in, m.out); }

__global__ void private_histogram_kernel(const int *in, int *out) {
  __shared__ int s_bins[16];
  const unsigned tid = threadIdx.x;
  if (tid < 16)
    s_bins[tid] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + tid; i < 1024; i += gridDim.x * blockDim.x)
    atomicAdd(&s_bins[in[i] % 16], 1);
  __syncthreads();
  if (tid < 16)
    atomicAdd(out + tid, s_bins[tid]);
}
CORRECT(histogram_privatised) { private_histogram_kernel<<<4, 64>>>(m.in, m.out); }

__global__ void transpose_kernel(const int *in, int *out) {
  __shared__ int s_tile[32][33];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  for (unsigned row = y; row < 32; row += 8)
    s_tile[row][x] = in[(blockIdx.x * 32 + row) * 32 + x];
  __syncthreads();
  for (unsigned row = y; row < 32; row += 8)
    out[(blockIdx.x * 32 + row) * 32 + x] = s_tile[x][row];
}
CORRECT(tiled_transpose) { transpose_kernel<<<4, dim3(32, 8)>>>(m.in, m.out); }

__global__ void matmul_kernel(const int *in, int *out) {
  __shared__ int s_a[8][8], s_b[8][8];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  int sum = 0;
  for (unsigned tile = 0; tile < 4; ++tile) {
    s_a[y][x] = in[row * 32 + tile * 8 + x];
    s_b[y][x] = in[(tile * 8 + y) * 32 + col];
    __syncthreads();
    for (unsigned k = 0; k < 8; ++k)
      sum += s_a[y][k] * s_b[k][x];
    __syncthreads();
  }
  out[row * 32 + col] = sum;
}
CORRECT(tiled_matmul) { matmul_kernel<<<dim3(4, 4), dim3(8, 8)>>>(m.in, m.out); }

__global__ void stencil_kernel(const int *in, int *out) {
  __shared__ int s_tile[66];
  const unsigned tid = threadIdx.x, i = blockIdx.x * 64 + tid + 1;
  s_tile[tid + 1] = in[i];
  if (tid == 0) {
    s_tile[0] = in[i - 1];
    s_tile[65] = in[i + 64];
  }
  __syncthreads();
  out[i] = s_tile[tid] + s_tile[tid + 1] + s_tile[tid + 2];
}
CORRECT(stencil_with_halo) { stencil_kernel<<<4, 64>>>(m.in, m.out); }

// __syncthreads_or and _count are barriers too.
__global__ void counting_barrier_kernel(const int *in, int *out) {
  __shared__ int s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = in[tid];
  const int even = __syncthreads_count(in[tid] % 2 == 0);
  out[tid] = s_data[63 - tid] + even;
}
CORRECT(counting_barrier) { counting_barrier_kernel<<<1, 64>>>(m.in, m.out); }

// One warp fills, the others use, in turns.
__global__ void specialised_warps_kernel(const int *in, int *out) {
  __shared__ int s_data[32];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (tid < 32)
      s_data[tid] = in[round * 32 + tid];
    __syncthreads();
    if (tid >= 32)
      sum += s_data[tid % 32];
    __syncthreads();
  }
  out[tid] = sum;
}
CORRECT(specialised_warps) { specialised_warps_kernel<<<1, 96>>>(m.in, m.out); }

// Two arrays in one stretch of dynamic shared memory.
__global__ void two_arrays_kernel(int *out) {
  extern __shared__ int s_both[];
  int *first = s_both;
  float *second = reinterpret_cast<float *>(s_both + 64);
  first[threadIdx.x] = threadIdx.x;
  second[threadIdx.x] = 1.5f;
  __syncthreads();
  out[threadIdx.x] = first[63 - threadIdx.x] + static_cast<int>(second[63 - threadIdx.x]);
}
CORRECT(two_dynamic_arrays) { two_arrays_kernel<<<1, 64, 128 * sizeof(int)>>>(m.out); }

struct Padded {
  char tag; // three bytes behind it are never written
  int value;
};
__global__ void padded_kernel(int *out) {
  __shared__ Padded s_items[64];
  const unsigned tid = threadIdx.x;
  s_items[tid].tag = 'x';
  s_items[tid].value = tid;
  __syncthreads();
  const Padded theirs = s_items[63 - tid];
  out[tid] = theirs.value + theirs.tag;
}
CORRECT(structures_with_gaps) { padded_kernel<<<1, 64>>>(m.out); }

__global__ void cube_kernel(const int *in, int *out) {
  __shared__ int s_cube[4][4][4];
  s_cube[threadIdx.z][threadIdx.y][threadIdx.x] =
      in[(threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x];
  __syncthreads();
  out[(threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x] =
      s_cube[threadIdx.x][threadIdx.y][threadIdx.z];
}
CORRECT(three_dimensions) { cube_kernel<<<1, dim3(4, 4, 4)>>>(m.in, m.out); }

// Lanes of one half-warp work with each other only.
__global__ void half_warps_kernel(int *out) {
  __shared__ int s_data[32];
  const unsigned lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  s_data[lane] = lane;
  __syncwarp(mask);
  out[lane] = s_data[lane ^ 15];
}
CORRECT(half_warps) { half_warps_kernel<<<1, 32>>>(m.out); }

// What a barrier in shared memory was before it is made ready is nobody's business.
__global__ void cuda_barrier_kernel(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> s_ready;
  __shared__ int s_data[64];
  if (threadIdx.x == 0)
    init(&s_ready, blockDim.x);
  __syncthreads();
  s_data[threadIdx.x] = threadIdx.x;
  s_ready.arrive_and_wait();
  out[threadIdx.x] = s_data[63 - threadIdx.x];
}
CORRECT(cuda_barrier_in_shared_memory) { cuda_barrier_kernel<<<1, 64>>>(m.out); }

// Objects that one kernel makes, another uses and a third destroys.
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};
__global__ void make_kernel(Shape **shapes) { shapes[threadIdx.x] = new Square(threadIdx.x); }
__global__ void measure_kernel(Shape *const *shapes, int *out) {
  int *mine = static_cast<int *>(malloc(2 * sizeof(int)));
  mine[0] = mine[1] = shapes[threadIdx.x]->area();
  out[threadIdx.x] = mine[0] + mine[1];
  free(mine);
}
__global__ void destroy_kernel(Shape **shapes) { delete shapes[threadIdx.x]; }
CORRECT(objects_of_kernels) {
  Shape **shapes;
  cudaMalloc(&shapes, 32 * sizeof *shapes);
  make_kernel<<<1, 32>>>(shapes);
  measure_kernel<<<1, 32>>>(shapes, m.out);
  destroy_kernel<<<1, 32>>>(shapes);
  cudaFree(shapes);
}

// What lanes hand to each other lies in each one's local memory meanwhile, and that is nobody's business, either.
__global__ void matrices_kernel(int *out) {
  __shared__ __align__(16) short s_rows[32 * 8];
  for (unsigned i = threadIdx.x; i < 32 * 8; i += 32)
    s_rows[i] = static_cast<short>(i);
  __syncthreads();
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(s_rows + threadIdx.x * 8));
  unsigned a = 0, b = 0, c = 0, d = 0;
  for (int round = 0; round < 20; ++round) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(row)
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};"
                 :
                 : "r"(a), "r"(b), "r"(c), "r"(d), "r"(row)
                 : "memory");
  }
  out[threadIdx.x] = static_cast<int>(a + b + c + d);
}
CORRECT(matrices_of_a_warp) { matrices_kernel<<<1, 32>>>(m.out); }

// The host's own memory, of which kernels have been told.
__global__ void add_one_kernel(int *data) { data[threadIdx.x] += 1; }
CORRECT(registered_memory) {
  std::vector<int> data(32, 1);
  cudaHostRegister(data.data(), data.size() * sizeof(int), cudaHostRegisterMapped);
  int *d_data = nullptr;
  cudaHostGetDevicePointer(reinterpret_cast<void **>(&d_data), data.data(), 0);
  add_one_kernel<<<1, 32>>>(d_data);
  cudaDeviceSynchronize();
  cudaHostUnregister(data.data());
  data[0] = 0; // as it was the host's before
}

} // namespace
