// Global memory: a request costs the distinct sectors of 32 bytes that its lanes touch.
#include "golden.hpp"

namespace golden {
namespace {

__device__ unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Whole warps load and store as often, each request so many sectors. (4 blocks of 256 threads are 32 warps;
// 128 contiguous bytes are 4 sectors.)
std::vector<Expected> copies(unsigned requests, unsigned sectors_in, unsigned sectors_out) {
  return {alike(What::global_load, requests, 32, sectors_in),
          alike(What::global_store, requests, 32, sectors_out)};
}

// --------------------------------------------------------------------- strides, offsets, gathers

// A warp spans 128 * STRIDE bytes. Up to a stride of 8 floats every sector of it is touched; from
// there on each lane has a sector of its own.
template <unsigned STRIDE> __global__ void strided(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i * STRIDE];
}

std::vector<Expected> expect_strided(unsigned stride) {
  return copies(32, stride < 8 ? 4 * stride : 32, 4);
}

GOLDEN(stride_1, "contiguous", expect_strided(1)) { strided<1><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_2, "half used", expect_strided(2)) { strided<2><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_3, "odd", expect_strided(3)) { strided<3><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_5, "odd", expect_strided(5)) { strided<5><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_7, "odd", expect_strided(7)) { strided<7><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_8, "a sector each", expect_strided(8)) { strided<8><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_9, "a sector each", expect_strided(9)) { strided<9><<<4, 256>>>(m.in, m.out); }
GOLDEN(stride_32, "a sector each", expect_strided(32)) { strided<32><<<4, 256>>>(m.in, m.out); }

// 128 bytes that begin in the middle of a sector end in the middle of a fifth one.
template <unsigned OFFSET> __global__ void shifted(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i + OFFSET];
}

GOLDEN(offset_1, "shifted by one float: five sectors", copies(32, 5, 4)) {
  shifted<1><<<4, 256>>>(m.in, m.out);
}
GOLDEN(offset_8, "shifted by a sector: four again", copies(32, 4, 4)) {
  shifted<8><<<4, 256>>>(m.in, m.out);
}

// The order of the lanes does not matter, only which sectors they touch.
__global__ void mirrored(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i ^ 31];
}
GOLDEN(reversed, "neighbours in reverse order", copies(32, 4, 4)) {
  mirrored<<<4, 256>>>(m.in, m.out);
}

__global__ void one_for_all(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i / 32];
}
GOLDEN(broadcast, "one word for all lanes of a warp", copies(32, 1, 4)) {
  one_for_all<<<4, 256>>>(m.in, m.out);
}

// Two lanes share a word, each pair has a sector of its own.
__global__ void in_pairs(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i / 2 * 8];
}
GOLDEN(gather_pairs, "sixteen pairs", copies(32, 16, 4)) { in_pairs<<<4, 256>>>(m.in, m.out); }

// The squares modulo 64 of 0 to 31 are 0 1 4 9 16 25 36 49 17 57 41 33: of the eight sectors that
// these 64 words lie in, each is touched.
__global__ void squares(const float *in, float *out) {
  const unsigned i = thread_number(), lane = i % 32;
  out[i] = in[i / 32 * 64 + lane * lane % 64];
}
GOLDEN(gather_squares, "a scattered gather within 256 bytes", copies(32, 8, 4)) {
  squares<<<4, 256>>>(m.in, m.out);
}

__global__ void scattered(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i % 32 * 1024 + i / 32] = in[i];
}
GOLDEN(scatter, "each lane writes a sector of its own", copies(32, 4, 32)) {
  scattered<<<4, 256>>>(m.in, m.out);
}

// ------------------------------------------------------------------------- types of other widths

template <class T> __global__ void copied(const T *in, T *out) {
  const unsigned i = thread_number();
  out[i] = in[i];
}

// 32 * sizeof(T) contiguous bytes, in one request.
template <class T> void launch_copied(const Memory &m) {
  copied<<<4, 256>>>(m.in_as<T>(), m.out_as<T>());
}
template <class T> std::vector<Expected> expect_copied() {
  return copies(32, sizeof(T), sizeof(T));
}

GOLDEN(copy_char, "1 byte", expect_copied<char>()) { launch_copied<char>(m); }
GOLDEN(copy_short, "2 bytes", expect_copied<short>()) { launch_copied<short>(m); }
GOLDEN(copy_char4, "4 x 1 byte", expect_copied<char4>()) { launch_copied<char4>(m); }
GOLDEN(copy_float2, "8 bytes", expect_copied<float2>()) { launch_copied<float2>(m); }
GOLDEN(copy_double, "8 bytes", expect_copied<double>()) { launch_copied<double>(m); }
GOLDEN(copy_float4, "16 bytes", expect_copied<float4>()) { launch_copied<float4>(m); }
GOLDEN(copy_double2, "16 bytes", expect_copied<double2>()) { launch_copied<double2>(m); }

// 12 bytes aligned to 4 cannot be moved at once: three requests of 4 bytes at a stride of 12,
// each of which touches all 12 sectors of the 384 bytes.
GOLDEN(copy_float3, "three requests", copies(96, 12, 12)) { launch_copied<float3>(m); }

// The same with 8 and 16 bytes that are aligned to 4 only: two and four requests of 4 bytes.
struct Pair {
  float x, y;
};
GOLDEN(copy_pair, "8 bytes without the alignment of float2: two requests", copies(64, 8, 8)) {
  launch_copied<Pair>(m);
}
struct Quad {
  float x, y, z, w;
};
GOLDEN(copy_quad, "16 bytes without the alignment of float4: four requests", copies(128, 16, 16)) {
  launch_copied<Quad>(m);
}

// 32 bytes aligned to 16: two requests of 16 bytes at a stride of 32, a sector for each lane.
struct alignas(16) Octet {
  float4 low, high;
};
GOLDEN(copy_octet, "32 bytes: two requests of 16", copies(64, 32, 32)) { launch_copied<Octet>(m); }

__global__ void doubles_apart(const double *in, double *out) {
  const unsigned i = thread_number();
  out[i] = in[2 * i];
}
GOLDEN(double_stride_2, "every second double", copies(32, 16, 8)) {
  doubles_apart<<<4, 256>>>(m.in_as<double>(), m.out_as<double>());
}

__global__ void bytes_apart(const unsigned char *in, unsigned char *out) {
  const unsigned i = thread_number();
  out[i] = in[5 * i];
}
GOLDEN(byte_stride_5, "bytes at an odd stride: 160 bytes", copies(32, 5, 1)) {
  bytes_apart<<<4, 256>>>(m.in_as<unsigned char>(), m.out_as<unsigned char>());
}

// One field of a structure of eight floats: the other 28 bytes of each sector are moved in vain.
struct Particle {
  float position[3], velocity[3], mass, charge;
};
__global__ void masses(const Particle *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i].mass;
}
GOLDEN(array_of_structures, "one field of each", copies(32, 32, 4)) {
  masses<<<4, 256>>>(m.in_as<Particle>(), m.out);
}

// --------------------------------------------------------------------------------- matrices, tails

// Rows of 256 floats, blocks of 32 x 8: a warp reads 32 floats of a row, and writes 32 of a column.
__global__ void transposed(const float *in, float *out, unsigned n) {
  const unsigned col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  out[col * n + row] = in[row * n + col];
}
GOLDEN(transpose_naive, "rows read, columns written", copies(2048, 4, 32)) {
  transposed<<<dim3(8, 32), dim3(32, 8)>>>(m.in, m.out, 256);
}

// In a block of 8 x 8 a warp is four rows of 8 floats: a sector each, as many as in one row of 32.
__global__ void row_major(const float *in, float *out, unsigned n) {
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * n + col] = in[row * n + col];
}
GOLDEN(square_blocks_8, "a warp covers four rows of 8", copies(128, 4, 4)) {
  row_major<<<dim3(8, 8), dim3(8, 8)>>>(m.in, m.out, 64);
}
// Of a row of 4 floats only half a sector is used: eight rows, eight sectors.
GOLDEN(square_blocks_4, "a warp covers eight rows of 4", copies(64, 8, 8)) {
  row_major<<<dim3(8, 8), dim3(4, 8)>>>(m.in, m.out, 64);
}

__global__ void guarded(const float *in, float *out, unsigned n) {
  const unsigned i = thread_number();
  if (i < n)
    out[i] = in[i];
}
// 1000 = 31 * 32 + 8: the last warp has 8 lanes, one sector.
GOLDEN(ragged_tail,
       "1000 elements in 1024 threads",
       {{What::global_load, 32, 1000, 125}, {What::global_store, 32, 1000, 125}}) {
  guarded<<<4, 256>>>(m.in, m.out, 1000);
}
// A block of 48 threads is a warp and a half.
GOLDEN(half_a_warp,
       "blocks that are no multiple of 32",
       {{What::global_load, 6, 144, 18}, {What::global_store, 6, 144, 18}}) {
  guarded<<<3, 48>>>(m.in, m.out, 1000);
}

__global__ void grid_stride(const float *in, float *out, unsigned n) {
  for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}
// 1000 elements by 64 threads: fifteen full rounds of two warps, then one warp and 8 lanes.
GOLDEN(grid_stride_loop,
       "each thread takes several elements",
       {{What::global_load, 32, 1000, 125}, {What::global_store, 32, 1000, 125}}) {
  grid_stride<<<2, 32>>>(m.in, m.out, 1000);
}

__global__ void increment(float *out) { out[thread_number()] += 1; }
GOLDEN(read_modify_write, "a load and a store on one line", copies(32, 4, 4)) {
  increment<<<4, 256>>>(m.out);
}

__global__ void hinted(const float *in, float *out) {
  const unsigned i = thread_number();
  __stcs(out + i, __ldg(in + i) + __ldcs(in + i + 8));
}
GOLDEN(cache_hints,
       "hinted loads and stores cost the same",
       {alike(What::global_load, 64, 32, 4), alike(What::global_store, 32, 32, 4)}) {
  hinted<<<4, 256>>>(m.in, m.out);
}

} // namespace
} // namespace golden
