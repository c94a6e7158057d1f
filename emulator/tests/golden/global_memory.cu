// Global memory: a request costs the distinct sectors of 32 bytes that its lanes touch.
#include "golden.hpp"

namespace golden {
namespace {

__device__ unsigned thread_number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// 4 blocks of 256 threads: 32 warps. The store is always contiguous: 128 bytes, 4 sectors.
constexpr Expected contiguous_stores = alike(What::global_store, 32, 32, 4);

// --------------------------------------------------------------------- strides, offsets, gathers

// A warp spans 128 * STRIDE bytes. Up to a stride of 8 floats every sector of it is touched; from
// there on each lane has a sector of its own.
template <unsigned STRIDE> __global__ void strided(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i * STRIDE];
}

template <unsigned STRIDE> void launch_strided(const Memory &m) {
  strided<STRIDE><<<4, 256>>>(m.in, m.out);
}

template <unsigned STRIDE> std::vector<Expected> expect_strided() {
  return {alike(What::global_load, 32, 32, STRIDE < 8 ? 4 * STRIDE : 32), contiguous_stores};
}

const Case stride_1("stride_1", "contiguous", launch_strided<1>, expect_strided<1>());
const Case stride_2("stride_2", "half used", launch_strided<2>, expect_strided<2>());
const Case stride_3("stride_3", "odd", launch_strided<3>, expect_strided<3>());
const Case stride_5("stride_5", "odd", launch_strided<5>, expect_strided<5>());
const Case stride_7("stride_7", "odd", launch_strided<7>, expect_strided<7>());
const Case stride_8("stride_8", "a sector each", launch_strided<8>, expect_strided<8>());
const Case stride_9("stride_9", "a sector each", launch_strided<9>, expect_strided<9>());
const Case stride_32("stride_32", "a sector each", launch_strided<32>, expect_strided<32>());

// 128 bytes that begin in the middle of a sector end in the middle of a fifth one.
template <unsigned OFFSET> __global__ void shifted(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i + OFFSET];
}

const Case offset_1("offset_1",
                    "shifted by one float: five sectors",
                    [](const Memory &m) { shifted<1><<<4, 256>>>(m.in, m.out); },
                    {alike(What::global_load, 32, 32, 5), contiguous_stores});
const Case offset_8("offset_8",
                    "shifted by a sector: four again",
                    [](const Memory &m) { shifted<8><<<4, 256>>>(m.in, m.out); },
                    {alike(What::global_load, 32, 32, 4), contiguous_stores});

// The order of the lanes does not matter, only which sectors they touch.
__global__ void mirrored(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i ^ 31];
}
const Case reversed("reversed",
                    "neighbours in reverse order",
                    [](const Memory &m) { mirrored<<<4, 256>>>(m.in, m.out); },
                    {alike(What::global_load, 32, 32, 4), contiguous_stores});

__global__ void one_for_all(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i / 32];
}
const Case broadcast("broadcast",
                     "one word for all lanes of a warp",
                     [](const Memory &m) { one_for_all<<<4, 256>>>(m.in, m.out); },
                     {alike(What::global_load, 32, 32, 1), contiguous_stores});

// Two lanes share a word, each pair has a sector of its own.
__global__ void in_pairs(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i / 2 * 8];
}
const Case gather_pairs("gather_pairs",
                        "sixteen pairs",
                        [](const Memory &m) { in_pairs<<<4, 256>>>(m.in, m.out); },
                        {alike(What::global_load, 32, 32, 16), contiguous_stores});

// The squares modulo 64 of 0 to 31 are 0 1 4 9 16 25 36 49 17 57 41 33: of the eight sectors that
// these 64 words lie in, each is touched.
__global__ void squares(const float *in, float *out) {
  const unsigned i = thread_number(), lane = i % 32;
  out[i] = in[i / 32 * 64 + lane * lane % 64];
}
const Case gather_squares("gather_squares",
                          "a scattered gather within 256 bytes",
                          [](const Memory &m) { squares<<<4, 256>>>(m.in, m.out); },
                          {alike(What::global_load, 32, 32, 8), contiguous_stores});

__global__ void scattered(const float *in, float *out) {
  const unsigned i = thread_number();
  out[i % 32 * 1024 + i / 32] = in[i];
}
const Case scatter("scatter",
                   "each lane writes a sector of its own",
                   [](const Memory &m) { scattered<<<4, 256>>>(m.in, m.out); },
                   {alike(What::global_load, 32, 32, 4), alike(What::global_store, 32, 32, 32)});

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
  return {alike(What::global_load, 32, 32, sizeof(T)),
          alike(What::global_store, 32, 32, sizeof(T))};
}

const Case copy_char("copy_char", "1 byte", launch_copied<char>, expect_copied<char>());
const Case copy_short("copy_short", "2 bytes", launch_copied<short>, expect_copied<short>());
const Case copy_char4("copy_char4", "4 x 1 byte", launch_copied<char4>, expect_copied<char4>());
const Case copy_float2("copy_float2", "8 bytes", launch_copied<float2>, expect_copied<float2>());
const Case copy_double("copy_double", "8 bytes", launch_copied<double>, expect_copied<double>());
const Case copy_float4("copy_float4", "16 bytes", launch_copied<float4>, expect_copied<float4>());
const Case
    copy_double2("copy_double2", "16 bytes", launch_copied<double2>, expect_copied<double2>());

// 12 bytes aligned to 4 cannot be moved at once: three requests of 4 bytes at a stride of 12,
// each of which touches all 12 sectors of the 384 bytes.
const Case copy_float3("copy_float3",
                       "three requests",
                       launch_copied<float3>,
                       {alike(What::global_load, 96, 32, 12),
                        alike(What::global_store, 96, 32, 12)});

// The same with 8 and 16 bytes that are aligned to 4 only: two and four requests of 4 bytes.
struct Pair {
  float x, y;
};
const Case copy_pair("copy_pair",
                     "8 bytes without the alignment of float2: two requests",
                     launch_copied<Pair>,
                     {alike(What::global_load, 64, 32, 8), alike(What::global_store, 64, 32, 8)});
struct Quad {
  float x, y, z, w;
};
const Case copy_quad("copy_quad",
                     "16 bytes without the alignment of float4: four requests",
                     launch_copied<Quad>,
                     {alike(What::global_load, 128, 32, 16),
                      alike(What::global_store, 128, 32, 16)});

// 32 bytes aligned to 16: two requests of 16 bytes at a stride of 32, a sector for each lane.
struct alignas(16) Octet {
  float4 low, high;
};
const Case copy_octet("copy_octet",
                      "32 bytes: two requests of 16",
                      launch_copied<Octet>,
                      {alike(What::global_load, 64, 32, 32),
                       alike(What::global_store, 64, 32, 32)});

__global__ void doubles_apart(const double *in, double *out) {
  const unsigned i = thread_number();
  out[i] = in[2 * i];
}
const Case double_stride_2("double_stride_2",
                           "every second double",
                           [](const Memory &m) {
                             doubles_apart<<<4, 256>>>(m.in_as<double>(), m.out_as<double>());
                           },
                           {alike(What::global_load, 32, 32, 16),
                            alike(What::global_store, 32, 32, 8)});

__global__ void bytes_apart(const unsigned char *in, unsigned char *out) {
  const unsigned i = thread_number();
  out[i] = in[5 * i];
}
const Case
    byte_stride_5("byte_stride_5",
                  "bytes at an odd stride: 160 bytes",
                  [](const Memory &m) {
                    bytes_apart<<<4, 256>>>(m.in_as<unsigned char>(), m.out_as<unsigned char>());
                  },
                  {alike(What::global_load, 32, 32, 5), alike(What::global_store, 32, 32, 1)});

// One field of a structure of eight floats: the other 28 bytes of each sector are moved in vain.
struct Particle {
  float position[3], velocity[3], mass, charge;
};
__global__ void masses(const Particle *in, float *out) {
  const unsigned i = thread_number();
  out[i] = in[i].mass;
}
const Case array_of_structures("array_of_structures",
                               "one field of each",
                               [](const Memory &m) {
                                 masses<<<4, 256>>>(m.in_as<Particle>(), m.out);
                               },
                               {alike(What::global_load, 32, 32, 32), contiguous_stores});

// --------------------------------------------------------------------------------- matrices, tails

// Rows of 256 floats, blocks of 32 x 8: a warp reads 32 floats of a row, and writes 32 of a column.
__global__ void transposed(const float *in, float *out, unsigned n) {
  const unsigned col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  out[col * n + row] = in[row * n + col];
}
const Case transpose_naive("transpose_naive",
                           "rows read, columns written",
                           [](const Memory &m) {
                             transposed<<<dim3(8, 32), dim3(32, 8)>>>(m.in, m.out, 256);
                           },
                           {alike(What::global_load, 2048, 32, 4),
                            alike(What::global_store, 2048, 32, 32)});

// In a block of 8 x 8 a warp is four rows of 8 floats: a sector each, as many as in one row of 32.
__global__ void row_major(const float *in, float *out, unsigned n) {
  const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * n + col] = in[row * n + col];
}
const Case
    square_blocks_8("square_blocks_8",
                    "a warp covers four rows of 8",
                    [](const Memory &m) { row_major<<<dim3(8, 8), dim3(8, 8)>>>(m.in, m.out, 64); },
                    {alike(What::global_load, 128, 32, 4), alike(What::global_store, 128, 32, 4)});
// Of a row of 4 floats only half a sector is used: eight rows, eight sectors.
const Case
    square_blocks_4("square_blocks_4",
                    "a warp covers eight rows of 4",
                    [](const Memory &m) { row_major<<<dim3(8, 8), dim3(4, 8)>>>(m.in, m.out, 64); },
                    {alike(What::global_load, 64, 32, 8), alike(What::global_store, 64, 32, 8)});

__global__ void guarded(const float *in, float *out, unsigned n) {
  const unsigned i = thread_number();
  if (i < n)
    out[i] = in[i];
}
// 1000 = 31 * 32 + 8: the last warp has 8 lanes, one sector.
const Case ragged_tail("ragged_tail",
                       "1000 elements in 1024 threads",
                       [](const Memory &m) { guarded<<<4, 256>>>(m.in, m.out, 1000); },
                       {{What::global_load, 32, 1000, 125}, {What::global_store, 32, 1000, 125}});
// A block of 48 threads is a warp and a half.
const Case half_a_warp("half_a_warp",
                       "blocks that are no multiple of 32",
                       [](const Memory &m) { guarded<<<3, 48>>>(m.in, m.out, 1000); },
                       {{What::global_load, 6, 144, 18}, {What::global_store, 6, 144, 18}});

__global__ void grid_stride(const float *in, float *out, unsigned n) {
  for (unsigned i = thread_number(); i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i];
}
// 1000 elements by 64 threads: fifteen full rounds of two warps, then one warp and 8 lanes.
const Case grid_stride_loop("grid_stride_loop",
                            "each thread takes several elements",
                            [](const Memory &m) { grid_stride<<<2, 32>>>(m.in, m.out, 1000); },
                            {{What::global_load, 32, 1000, 125},
                             {What::global_store, 32, 1000, 125}});

__global__ void increment(float *out) { out[thread_number()] += 1; }
const Case read_modify_write("read_modify_write",
                             "a load and a store on one line",
                             [](const Memory &m) { increment<<<4, 256>>>(m.out); },
                             {alike(What::global_load, 32, 32, 4), contiguous_stores});

__global__ void hinted(const float *in, float *out) {
  const unsigned i = thread_number();
  __stcs(out + i, __ldg(in + i) + __ldcs(in + i + 8));
}
const Case cache_hints("cache_hints",
                       "hinted loads and stores cost the same",
                       [](const Memory &m) { hinted<<<4, 256>>>(m.in, m.out); },
                       {alike(What::global_load, 64, 32, 4), contiguous_stores});

} // namespace
} // namespace golden
