// Boxes of tensors between global and shared memory, by maps that the host makes.
#include "clusters.cuh"
#include "phases.cuh"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>
#include <numeric>

using conformance::DeviceArray;
using conformance::in_shared;
using conformance::wait_for;

namespace {

PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  CHECK_OK(cudaGetDriverEntryPointByVersion(
      "cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
  CHECK(result == cudaDriverEntryPointSuccess);
  REQUIRE(found != nullptr);
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
}

/// What a map says: a matrix of ints, row by row, and boxes of it.
struct Matrix {
  cuuint64_t extent[2] = {}; // columns, rows
  cuuint64_t stride[1] = {}; // bytes
  cuuint32_t box[2] = {};
  cuuint32_t step[2] = {1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
};
CUresult encode(CUtensorMap *map, int *memory, const Matrix &m) {
  return encoder()(map,
                   CU_TENSOR_MAP_DATA_TYPE_INT32,
                   2,
                   memory,
                   m.extent,
                   m.stride,
                   m.box,
                   m.step,
                   CU_TENSOR_MAP_INTERLEAVE_NONE,
                   m.swizzle,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

__device__ void make_ready_for_bytes(uint64_t *barrier, unsigned bytes) {
  conformance::make_ready(barrier, 1);
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(in_shared(barrier)), "r"(bytes)
               : "memory");
}

constexpr int columns = 32, rows = 8; // of a box

/// Hands out a box as it lies in shared memory.
__global__ void load_box(const __grid_constant__ CUtensorMap map, int *out, int column, int row) {
  __shared__ alignas(1024) int s_box[rows * columns];
  __shared__ uint64_t s_full;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" : : "l"(&map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"
                 :
                 : "l"(&map), "r"(column), "r"(row)
                 : "memory");
    make_ready_for_bytes(&s_full, sizeof s_box);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(in_shared(s_box)), "l"(&map), "r"(column), "r"(row), "r"(in_shared(&s_full))
                 : "memory");
  }
  __syncthreads();
  wait_for(&s_full, 0);
  for (unsigned i = threadIdx.x; i < rows * columns; i += blockDim.x)
    out[i] = s_box[i];
}

/// The first block of each cluster of two brings a box for both.
__global__ void share_box(const __grid_constant__ CUtensorMap map, int *out, int column, int row) {
  __shared__ alignas(1024) int s_box[rows * columns];
  __shared__ uint64_t s_full;
  if (threadIdx.x == 0)
    make_ready_for_bytes(&s_full, sizeof s_box);
  const auto cluster = cooperative_groups::this_cluster();
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                 :
                 : "r"(in_shared(s_box)),
                   "l"(&map),
                   "r"(column),
                   "r"(row),
                   "r"(in_shared(&s_full)),
                   "h"(static_cast<uint16_t>(3))
                 : "memory");
  wait_for(&s_full, 0);
  for (unsigned i = threadIdx.x; i < rows * columns; i += blockDim.x)
    out[blockIdx.x * rows * columns + i] = s_box[i];
  cluster.sync();
}

/// A box of numbers that tell their place.
__global__ void store_box(const __grid_constant__ CUtensorMap map, int column, int row) {
  __shared__ alignas(1024) int s_box[rows * columns];
  for (unsigned i = threadIdx.x; i < rows * columns; i += blockDim.x)
    s_box[i] = static_cast<int>(i) + 1000;
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :
                 : "l"(&map), "r"(column), "r"(row), "r"(in_shared(s_box))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
  }
}

/// A box of 4 x 3 x 2 elements of 8 bytes.
__global__ void
load_cuboid(const __grid_constant__ CUtensorMap map, double *out, int x, int y, int z) {
  __shared__ alignas(128) double s_box[24];
  __shared__ uint64_t s_full;
  if (threadIdx.x == 0) {
    make_ready_for_bytes(&s_full, sizeof s_box);
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(in_shared(s_box)), "l"(&map), "r"(x), "r"(y), "r"(z), "r"(in_shared(&s_full))
                 : "memory");
  }
  __syncthreads();
  wait_for(&s_full, 0);
  if (threadIdx.x < 24)
    out[threadIdx.x] = s_box[threadIdx.x];
}

// A matrix of 20 rows of 50 columns, each row of 52 in memory; element (r, c) is 100 r + c.
constexpr int height = 20, width = 50, pitch = 52;
std::vector<int> numbers() {
  std::vector<int> values(height * pitch, -1);
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      values[r * pitch + c] = 100 * r + c;
  return values;
}
Matrix matrix(CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  Matrix m;
  m.extent[0] = width;
  m.extent[1] = height;
  m.stride[0] = pitch * sizeof(int);
  m.box[0] = columns;
  m.box[1] = rows;
  m.swizzle = swizzle;
  return m;
}
int element(int row, int column) {
  const bool inside = row >= 0 && row < height && column >= 0 && column < width;
  return inside ? 100 * row + column : 0;
}

} // namespace

TEST_CASE("a box of a matrix comes with zeros for what lies outside") {
  DeviceArray<int> memory(numbers());
  DeviceArray<int> out(rows * columns);
  CUtensorMap map;
  REQUIRE(encode(&map, memory.data(), matrix()) == CUDA_SUCCESS);
  const int corners[][2] = {
      {0, 0}, {4, 3}, {-8, -4}, {40, 15}, {-4, 18}, {60, 2}, {0, -9}, {-32, 0}};
  for (const auto &corner : corners) {
    CAPTURE(corner[0]);
    CAPTURE(corner[1]);
    load_box<<<1, 64>>>(map, out.data(), corner[0], corner[1]);
    CHECK_OK(cudaDeviceSynchronize());
    const std::vector<int> got = out.to_host();
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        REQUIRE(got[r * columns + c] == element(corner[1] + r, corner[0] + c));
  }
}

TEST_CASE("a box comes to several blocks of a cluster") {
  DeviceArray<int> memory(numbers());
  DeviceArray<int> out(4 * rows * columns);
  CUtensorMap map;
  REQUIRE(encode(&map, memory.data(), matrix()) == CUDA_SUCCESS);
  CHECK_OK(conformance::launch_clusters(2, 4, 64, share_box, map, out.data(), 40, 15));
  const std::vector<int> got = out.to_host();
  for (int i = 0; i < 4 * rows * columns; ++i)
    REQUIRE(got[i] == element(15 + i / columns % rows, 40 + i % columns));
}

TEST_CASE("swizzled boxes have their pieces of 16 bytes elsewhere in each row") {
  DeviceArray<int> memory(numbers());
  DeviceArray<int> out(rows * columns);
  const CUtensorMapSwizzle swizzles[] = {
      CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  for (int bits = 1; bits <= 3; ++bits) {
    Matrix m = matrix(swizzles[bits - 1]);
    m.box[0] = static_cast<cuuint32_t>(4 << bits); // a row of a box is what pieces trade places in
    m.box[1] = static_cast<cuuint32_t>(rows * columns) / m.box[0];
    CUtensorMap map;
    REQUIRE(encode(&map, memory.data(), m) == CUDA_SUCCESS);
    load_box<<<1, 64>>>(map, out.data(), 4, 2);
    const std::vector<int> got = out.to_host();
    for (int i = 0; i < rows * columns; ++i) {
      const int piece = i / 4, there = piece ^ (i / 32 & ((1 << bits) - 1));
      const int row = i / static_cast<int>(m.box[0]), column = i % static_cast<int>(m.box[0]);
      REQUIRE(got[there * 4 + i % 4] == element(2 + row, 4 + column));
    }
  }
}

// In pieces of 16 bytes: where the last one of a row is in the tensor in part, all of it is written.
TEST_CASE("a box is stored as far as it lies in the tensor") {
  CUtensorMap map;
  const int corners[][2] = {{8, 4}, {36, 4}, {36, 16}};
  for (const auto &corner : corners) {
    DeviceArray<int> memory(numbers());
    REQUIRE(encode(&map, memory.data(), matrix()) == CUDA_SUCCESS);
    store_box<<<1, 64>>>(map, corner[0], corner[1]);
    std::vector<int> expected = numbers();
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        if (const int row = corner[1] + r, column = corner[0] + c;
            row >= 0 && row < height && column >= 0 && column - column % 4 < width)
          expected[row * pitch + column] = 1000 + r * columns + c;
    CHECK(memory.to_host() == expected);
  }
}

TEST_CASE("tensors have up to five dimensions") {
  std::vector<double> values(6 * 5 * 4);
  std::iota(values.begin(), values.end(), 1);
  DeviceArray<double> memory(values), out(24);
  const cuuint64_t extent[] = {6, 5, 4}, stride[] = {6 * 8, 30 * 8};
  const cuuint32_t box[] = {4, 3, 2}, step[] = {1, 1, 1};
  CUtensorMap map;
  REQUIRE(encoder()(&map,
                    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
                    3,
                    memory.data(),
                    extent,
                    stride,
                    box,
                    step,
                    CU_TENSOR_MAP_INTERLEAVE_NONE,
                    CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  load_cuboid<<<1, 32>>>(map, out.data(), 4, 3, 2);
  const std::vector<double> got = out.to_host();
  for (int i = 0; i < 24; ++i) {
    const int x = 4 + i % 4, y = 3 + i / 4 % 3, z = 2 + i / 12;
    CHECK(got[i] == (x < 6 && y < 5 && z < 4 ? x + 6 * y + 30 * z + 1 : 0));
  }
}

TEST_CASE("maps that the hardware cannot follow are refused") {
  DeviceArray<int> memory(numbers());
  CUtensorMap map;
  const auto refused = [&](auto change) {
    Matrix m = matrix();
    change(m);
    return encode(&map, memory.data(), m) == CUDA_ERROR_INVALID_VALUE;
  };
  CHECK(!refused([](Matrix &) {}));
  CHECK(refused([](Matrix &m) { m.stride[0] = 51 * sizeof(int); }));
  CHECK(refused([](Matrix &m) { m.box[0] = 30; })); // 120 bytes
  CHECK(refused([](Matrix &m) { m.box[1] = 257; }));
  CHECK(refused([](Matrix &m) { m.box[1] = 0; }));
  CHECK(refused([](Matrix &m) { m.extent[0] = 0; }));
  CHECK(refused([](Matrix &m) { m.step[1] = 9; }));
  CHECK(refused([](Matrix &m) { m.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; })); // a row has 128 bytes
  CHECK(encode(&map, memory.data() + 1, matrix()) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a function that the driver does not have is not found") {
  void *found = &found;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
  CHECK_OK(cudaGetDriverEntryPointByVersion(
      "cuNoSuchFunction", &found, 12000, cudaEnableDefault, &result));
  CHECK(result == cudaDriverEntryPointSymbolNotFound);
  CHECK(found == nullptr);
}
