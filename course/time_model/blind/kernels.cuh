// Kernels of kinds that people write, none of which is in the course: the sixth blind set, and behind it the
// seventh. blind.cu tries and times them.
#pragma once

#include <cmath>
#include <cooperative_groups.h>
#include <cstdint>

namespace cg = cooperative_groups;

// Elements.

__global__ void axpby(float a, const float *x, float b, const float *y, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a * x[i] + b * y[i];
}

__global__ void every_seventh(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[7 * i];
}

// n is a power of two.
__global__ void gather_doubles(const uint32_t *index, const double *table, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = table[index[i] & (n - 1)];
}

__global__ void sine_series(const double *in, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const double x = in[i];
  double term = x, sum = x;
  for (int k = 2; k < 24; k += 2) {
    term *= -x * x * (1.0 / (k * (k + 1)));
    sum += term;
  }
  out[i] = sum;
}

__global__ void divisors(const uint32_t *in, uint32_t *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t a = in[i], b = in[n + i];
  while (b != 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  out[i] = a;
}

__device__ float normal_cdf(float x) { return 0.5f * erfcf(-0.70710678f * x); }

__global__ void
call_prices(const float *spot, const float *strike, const float *years, float *price, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float rate = 0.02f, sigma = 0.3f, t = years[i], width = sigma * sqrtf(t);
  const float d = (logf(spot[i] / strike[i]) + (rate + 0.5f * sigma * sigma) * t) / width;
  price[i] = spot[i] * normal_cdf(d) - strike[i] * expf(-rate * t) * normal_cdf(d - width);
}

constexpr int window = 25;

// What is indexed by data lies in local memory.
__global__ void median_of_window(const float *in, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sorted[window];
  for (int k = 0; k < window; ++k) {
    const float value = in[i + k];
    int at = k;
    for (; at > 0 && sorted[at - 1] > value; --at)
      sorted[at] = sorted[at - 1];
    sorted[at] = value;
  }
  out[i] = sorted[window / 2];
}

__global__ void bitonic_step(const uint64_t *in, uint64_t *out, int distance, int run, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
  if (i >= n)
    return;
  const uint64_t a = in[i], b = in[other];
  const bool ascending = (i & run) == 0, first = i < other;
  out[i] = (ascending == first) ? min(a, b) : max(a, b);
}

// Stencils and transposes.

constexpr int radius = 4, tile_x = 32, tile_y = 16;

__global__ void star_shared(const float *in, float *out, int rows, int cols) {
  __shared__ float s_in[tile_y + 2 * radius][tile_x + 2 * radius];
  const int col = blockIdx.x * tile_x + threadIdx.x, row = blockIdx.y * tile_y + threadIdx.y;
  for (int y = threadIdx.y; y < tile_y + 2 * radius; y += tile_y)
    for (int x = threadIdx.x; x < tile_x + 2 * radius; x += tile_x) {
      const int from_row = min(max(int(blockIdx.y) * tile_y + y - radius, 0), rows - 1);
      const int from_col = min(max(int(blockIdx.x) * tile_x + x - radius, 0), cols - 1);
      s_in[y][x] = in[from_row * cols + from_col];
    }
  __syncthreads();
  float sum = 0;
  for (int r = 0; r <= 2 * radius; ++r)
    sum +=
        s_in[threadIdx.y + r][threadIdx.x + radius] + s_in[threadIdx.y + radius][threadIdx.x + r];
  if (row < rows && col < cols)
    out[row * cols + col] = sum / (4 * radius + 2);
}

__global__ void laplace_3d(const float *u, float *out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z, i = (z * ny + y) * nx + x, plane = nx * ny;
  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
    out[i] = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - plane] + u[i + plane] - 6 * u[i];
}

__global__ void transpose_doubles(const double *in, double *out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols)
    out[col * rows + row] = in[row * cols + col];
}

// Whole sectors on both sides, and 32 lanes at one bank in between. Rows and cols are multiples of 32.
__global__ void transpose_one_bank(const float *in, float *out, int rows, int cols) {
  __shared__ float s_tile[32][32];
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int y = 0; y < 32; y += 8)
    s_tile[threadIdx.y + y][threadIdx.x] = in[(row + y) * cols + col];
  __syncthreads();
  const int to_col = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32 + threadIdx.y;
  for (int y = 0; y < 32; y += 8)
    out[(to_row + y) * rows + to_col] = s_tile[threadIdx.x][threadIdx.y + y];
}

// Rows and columns.

__global__ void row_norms(const float *in, float *out, int rows, int cols) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int col = warp.thread_rank(); col < cols; col += 32)
    sum += in[row * cols + col] * in[row * cols + col];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += warp.shfl_down(sum, offset);
  if (warp.thread_rank() == 0)
    out[row] = sqrtf(sum);
}

__global__ void column_means(const float *in, float *out, int rows, int cols) {
  __shared__ float s_sum[8][32];
  const int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int row = threadIdx.y; col < cols && row < rows; row += 8)
    sum += in[row * cols + col];
  s_sum[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && col < cols) {
    for (int y = 1; y < 8; ++y)
      sum += s_sum[y][threadIdx.x];
    out[col] = sum / rows;
  }
}

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class Op> __device__ float over_block(float value, Op op) {
  __shared__ float s_warp[32];
  for (int offset = 16; offset > 0; offset /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  __syncthreads(); // what the last call left has been read
  if (threadIdx.x % 32 == 0)
    s_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = s_warp[0];
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
    value = op(value, s_warp[warp]);
  return value;
}

__global__ void log_softmax(const float *in, float *out, int cols) {
  const size_t row = size_t(blockIdx.x) * cols;
  float largest = -INFINITY, sum = 0;
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    largest = fmaxf(largest, in[row + col]);
  largest = over_block(largest, Largest());
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    sum += expf(in[row + col] - largest);
  const float shift = largest + logf(over_block(sum, Sum()));
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    out[row + col] = in[row + col] - shift;
}

// Rows of 768, three of each thread's.
__global__ void layer_norm(const float *in, const float *weight, float *out) {
  const size_t row = size_t(blockIdx.x) * 768;
  float x[3], sum = 0, squares = 0;
  for (int k = 0; k < 3; ++k)
    sum += x[k] = in[row + k * 256 + threadIdx.x];
  const float mean = over_block(sum, Sum()) / 768;
  for (int k = 0; k < 3; ++k)
    squares += (x[k] - mean) * (x[k] - mean);
  const float scale = rsqrtf(over_block(squares, Sum()) / 768 + 1e-5f);
  for (int k = 0; k < 3; ++k)
    out[row + k * 256 + threadIdx.x] = (x[k] - mean) * scale * weight[k * 256 + threadIdx.x];
}

// Atomics and scans.

constexpr int buckets = 4096;

__global__ void histogram_bytes(const uint8_t *in, uint32_t *bins, int n) {
  __shared__ uint32_t s_bins[64];
  if (threadIdx.x < 64)
    s_bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s_bins[in[i] / 4], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&bins[threadIdx.x], s_bins[threadIdx.x]);
}

__host__ __device__ inline uint32_t mixed(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

__global__ void count_hashes(const uint32_t *keys, uint32_t *counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[mixed(keys[i]) % buckets], 1u);
}

// Each block's at the front of where they were.
__global__ void compact_in_blocks(const float *in, float *out, int n) {
  __shared__ int s_scan[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  const float value = i < n ? in[i] : 0;
  s_scan[tid] = value > 1;
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int before = tid >= distance ? s_scan[tid - distance] : 0;
    __syncthreads();
    s_scan[tid] += before;
    __syncthreads();
  }
  if (value > 1)
    out[blockIdx.x * 256 + s_scan[tid] - 1] = value;
}

// Matrices and bodies.

__global__ void rows_times_rows(const float *a, const float *b, float *c, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[col * n + k];
  c[row * n + col] = sum;
}

// n is a multiple of 16.
__global__ void dgemm_tiled(const double *a, const double *b, double *c, int n) {
  __shared__ double s_a[16][16], s_b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  double sum = 0;
  for (int first = 0; first < n; first += 16) {
    s_a[y][x] = a[row * n + first + x];
    s_b[y][x] = b[(first + y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += s_a[y][k] * s_b[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// A block for each matrix of 64 x 64, a thread for each row.
__global__ void batched_gemv(const float *matrices, const float *x, float *y) {
  __shared__ float s_x[64];
  const float *row = matrices + (size_t(blockIdx.x) * 64 + threadIdx.x) * 64;
  s_x[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += row[k] * s_x[k];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Eight lanes for each row.
__global__ void csr_by_eights(
    const int *begin, const int *cols, const float *values, const float *x, float *y, int rows) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, row = thread / 8, lane = thread % 8;
  float sum = 0;
  if (row < rows)
    for (int i = begin[row] + lane; i < begin[row + 1]; i += 8)
      sum += values[i] * x[cols[i]];
  for (int offset = 4; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset, 8);
  if (row < rows && lane == 0)
    y[row] = sum;
}

// n is a multiple of 256.
__global__ void potential(const float4 *bodies, float *out, int n) {
  __shared__ float4 s_bodies[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 own = bodies[i];
  float sum = 0;
  for (int first = 0; first < n; first += 256) {
    s_bodies[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      const float4 b = s_bodies[k];
      const float x = b.x - own.x, y = b.y - own.y, z = b.z - own.z;
      sum += b.w * rsqrtf(x * x + y * y + z * z + 1e-3f);
    }
    __syncthreads();
  }
  out[i] = -own.w * sum;
}

// ------------------------------------------------------------------------------------ the seventh set

// Along the columns.
__global__ void slopes(const double *in, double *out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y, i = row * cols + col;
  if (col < cols && row >= 2 && row < rows - 2)
    out[i] = (in[i - 2 * cols] - 8 * in[i - cols] + 8 * in[i + cols] - in[i + 2 * cols]) / 12;
}

__host__ __device__ inline int segment_of(int i) { return (i + i / 7 * 5) / 11; }

// Neighbours of one segment are added up in their warp.
__global__ void segment_sums(const float *in, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int segment = i < n ? segment_of(i) : -1;
  float sum = i < n ? in[i] : 0;
  for (int distance = 1; distance < 32; distance *= 2) {
    const float before = __shfl_up_sync(~0u, sum, distance);
    const int its = __shfl_up_sync(~0u, segment, distance);
    if (lane >= distance && its == segment)
      sum += before;
  }
  const int next = __shfl_down_sync(~0u, segment, 1);
  if (segment >= 0 && (lane == 31 || next != segment))
    atomicAdd(&sums[segment], sum);
}

// The last stage: each block's 1024 words rise and fall, and then rise.
__global__ void bitonic_merge(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t s_words[1024];
  const int tid = threadIdx.x, first = blockIdx.x * 1024;
  s_words[tid] = in[first + tid];
  s_words[1023 - tid] = in[first + 512 + tid];
  for (int distance = 512; distance > 0; distance /= 2) {
    __syncthreads();
    const int low = 2 * tid - (tid & (distance - 1)), high = low + distance;
    const uint32_t a = s_words[low], b = s_words[high];
    s_words[low] = min(a, b);
    s_words[high] = max(a, b);
  }
  __syncthreads();
  out[first + tid] = s_words[tid];
  out[first + 512 + tid] = s_words[512 + tid];
}

// A warp for each row, of which many lanes have nothing to do.
__global__ void csr_by_warps(
    const int *begin, const int *cols, const float *values, const float *x, float *y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const int i = begin[row] + lane;
  float sum = i < begin[row + 1] ? values[i] * x[cols[i]] : 0;
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0)
    y[row] = sum;
}

// Rows and cols are multiples of 32.
__global__ void transpose_bytes(const uint8_t *in, uint8_t *out, int rows, int cols) {
  __shared__ uint8_t s_tile[32][36];
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int y = 0; y < 32; y += 8)
    s_tile[threadIdx.y + y][threadIdx.x] = in[(row + y) * cols + col];
  __syncthreads();
  const int to_col = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32 + threadIdx.y;
  for (int y = 0; y < 32; y += 8)
    out[(to_row + y) * rows + to_col] = s_tile[threadIdx.x][threadIdx.y + y];
}

// Sums so far within each 256, eight of each lane's.
__global__ void prefix_of_eights(const uint4 *in, uint4 *out) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x), lane = threadIdx.x % 32;
  uint4 a = in[i], b = in[i + 1];
  a.y += a.x, a.z += a.y, a.w += a.z, b.x += a.w, b.y += b.x, b.z += b.y, b.w += b.z;
  uint32_t before = b.w;
  for (int distance = 1; distance < 32; distance *= 2) {
    const uint32_t its = __shfl_up_sync(~0u, before, distance);
    before += lane >= distance ? its : 0;
  }
  before -= b.w;
  out[i] = make_uint4(a.x + before, a.y + before, a.z + before, a.w + before);
  out[i + 1] = make_uint4(b.x + before, b.y + before, b.z + before, b.w + before);
}

__host__ __device__ inline uint32_t spread(uint32_t x) { // a gap behind each of 16 bits
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}

// From Morton order to rows.
__global__ void from_morton(const float *in, float *out, int edge) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < edge && y < edge)
    out[y * edge + x] = in[spread(x) | spread(y) << 1];
}

// The red half of the places, as of a chess board.
__global__ void red_step(const float *u, float *out, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x,
            row = blockIdx.y * blockDim.y + threadIdx.y, i = row * cols + col;
  if (row > 0 && row < rows - 1 && col > 0 && col < cols - 1 && (row + col) % 2 == 0)
    out[i] = u[i] + 0.4f * (u[i - 1] + u[i + 1] + u[i - cols] + u[i + cols] - 4 * u[i]);
}

struct Point {
  float x, y, z;
};

__global__ void rotate_points(const Point *in, Point *out, float sine, float cosine, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Point p = in[i];
  out[i] = {cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z};
}

__host__ __device__ inline uint32_t crc_of_byte(uint32_t crc) {
  for (int bit = 0; bit < 8; ++bit)
    crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  return crc;
}

// Of 16 words each.
__global__ void crc32(const uint32_t *in, uint32_t *out, int n) {
  __shared__ uint32_t s_table[256];
  s_table[threadIdx.x] = crc_of_byte(threadIdx.x);
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  uint32_t crc = ~0u;
  for (int word = 0; word < 16; ++word) {
    crc ^= in[word * n + i];
    for (int byte = 0; byte < 4; ++byte)
      crc = crc >> 8 ^ s_table[crc & 255];
  }
  out[i] = ~crc;
}

// The first pass of a Fourier transform by fours, n points apart.
__global__ void fourier_pass(const float2 *in, float2 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float2 a = in[i], b = in[i + n], c = in[i + 2 * n], d = in[i + 3 * n];
  const float2 sums[4] = {{a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y},
                          {a.x + b.y - c.x - d.y, a.y - b.x - c.y + d.x},
                          {a.x - b.x + c.x - d.x, a.y - b.y + c.y - d.y},
                          {a.x - b.y - c.x + d.y, a.y + b.x - c.y - d.x}};
  for (int k = 0; k < 4; ++k) {
    float sine, cosine;
    sincospif(-0.5f * i * k / n, &sine, &cosine);
    out[4 * i + k] = {sums[k].x * cosine - sums[k].y * sine, sums[k].x * sine + sums[k].y * cosine};
  }
}

constexpr int unknowns = 32;

// A system of equations for each thread, 3 on the diagonal and -1 beside it, with its neighbours' beside it.
__global__ void tridiagonal(const float *right, float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float upper[unknowns], value = 0, above = 0;
  for (int k = 0; k < unknowns; ++k) {
    const float pivot = 1 / (3 + above);
    value = (right[k * n + i] + value) * pivot;
    x[k * n + i] = value;
    upper[k] = above = -pivot;
  }
  for (int k = unknowns - 2; k >= 0; --k)
    x[k * n + i] = value = x[k * n + i] - upper[k] * value;
}
