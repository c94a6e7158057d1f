// Boxes of tensors: wrong uses, and the same kernels as they should be.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "hazards.hpp"

namespace {

using namespace cuda::ptx;
constexpr int columns = 32, rows = 8, side = 64; // of a box, and of a square tensor
constexpr unsigned box_bytes = rows * columns * sizeof(int);

CUtensorMap map_of(int *memory, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  const cuuint64_t extent[] = {side, side}, stride[] = {side * sizeof(int)};
  const cuuint32_t box[] = {columns, rows}, step[] = {1, 1};
  CUtensorMap map;
  cuTensorMapEncodeTiled(&map,
                         CU_TENSOR_MAP_DATA_TYPE_INT32,
                         2,
                         memory,
                         extent,
                         stride,
                         box,
                         step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE,
                         swizzle,
                         CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

enum class Wrong { nothing, no_wait, no_fence };

// A box comes from one tensor, is worked on, and goes to another one.
template <Wrong wrong>
__global__ void moved_kernel(const __grid_constant__ CUtensorMap from,
                             const __grid_constant__ CUtensorMap to,
                             int column,
                             int row) {
  __shared__ alignas(1024) int s_box[rows * columns];
  __shared__ uint64_t s_full;
  const int corner[] = {column, row};
  if (threadIdx.x == 0) {
    mbarrier_init(&s_full, 1);
    fence_proxy_async(space_shared);
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &s_full, unsigned{box_bytes});
    cp_async_bulk_tensor(space_cluster, space_global, s_box, &from, corner, &s_full); // other
  }
  __syncthreads();
  if (wrong != Wrong::no_wait)
    while (!mbarrier_try_wait_parity(&s_full, 0)) {
    }
  s_box[threadIdx.x] += 1; // here other
  if (wrong != Wrong::no_fence)
    fence_proxy_async(space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor(space_global, space_shared, &to, corner, s_box); // here
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group(n32_t<0>());
  }
}
template <Wrong wrong> void move(const hazards::Memory &m, int column, int row) {
  moved_kernel<wrong><<<1, rows * columns>>>(map_of(m.in), map_of(m.out), column, row);
}
HAZARD_WITH(box_not_waited_for, shared_race, unfinished_copy) { move<Wrong::no_wait>(m, 4, 3); }
HAZARD(box_stored_without_proxy_fence, proxy_fence) { move<Wrong::no_fence>(m, 4, 3); }
CORRECT(box_within_a_tensor) { move<Wrong::nothing>(m, 4, 3); }
CORRECT(box_over_the_edges_of_a_tensor) {
  move<Wrong::nothing>(m, 48, 60);
  move<Wrong::nothing>(m, 64, 0);
}

// A box of ones.
__global__ void stored_kernel(const __grid_constant__ CUtensorMap to, int row) {
  __shared__ alignas(1024) int s_box[rows * columns];
  const int corner[] = {4, row};
  s_box[threadIdx.x] = 1;
  fence_proxy_async(space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor(space_global, space_shared, &to, corner, s_box); // here
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group(n32_t<0>());
  }
}
HAZARD(box_stored_from_a_negative_row_on, misplaced_box) {
  stored_kernel<<<1, rows * columns>>>(map_of(m.out), -3);
}

// One box, and whoever waits for it.
__global__ void
loaded_kernel(const __grid_constant__ CUtensorMap from, int *out, unsigned bytes, int column) {
  __shared__ alignas(128) int s_box[rows * columns];
  __shared__ uint64_t s_full;
  const int corner[] = {column, 2};
  if (threadIdx.x == 0) {
    mbarrier_init(&s_full, 1);
    fence_proxy_async(space_shared);
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &s_full, bytes);
    cp_async_bulk_tensor(space_cluster, space_global, s_box, &from, corner, &s_full); // here
  }
  __syncthreads();
  while (!mbarrier_try_wait_parity(&s_full, 0)) { // here
  }
  out[threadIdx.x] = s_box[threadIdx.x];
}
HAZARD(box_of_more_bytes_than_expected, deadlock) {
  loaded_kernel<<<1, rows * columns>>>(map_of(m.in), m.out, box_bytes - 128, 4);
}
HAZARD(box_that_begins_at_an_odd_column, misplaced_box) {
  loaded_kernel<<<1, rows * columns>>>(map_of(m.in), m.out, box_bytes, 3);
}
CORRECT(box_of_as_many_bytes_as_expected) {
  loaded_kernel<<<1, rows * columns>>>(map_of(m.in), m.out, box_bytes, -4);
}

// Swizzled, each lane reads where its element has come to lie.
__global__ void swizzled_kernel(const __grid_constant__ CUtensorMap from, int *out) {
  __shared__ alignas(1024) int s_box[rows * columns];
  __shared__ uint64_t s_full;
  const int corner[] = {32, 5};
  if (threadIdx.x == 0) {
    mbarrier_init(&s_full, 1);
    fence_proxy_async(space_shared);
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &s_full, unsigned{box_bytes});
    cp_async_bulk_tensor(space_cluster, space_global, s_box, &from, corner, &s_full);
  }
  __syncthreads();
  while (!mbarrier_try_wait_parity(&s_full, 0)) {
  }
  const int row = static_cast<int>(threadIdx.x) / columns,
            column = static_cast<int>(threadIdx.x) % columns;
  out[threadIdx.x] = s_box[row * columns + ((column / 4 ^ row) * 4 + column % 4)];
}
CORRECT(a_swizzled_box) {
  swizzled_kernel<<<1, rows * columns>>>(map_of(m.in, CU_TENSOR_MAP_SWIZZLE_128B), m.out);
}

} // namespace
