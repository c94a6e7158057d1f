// Lanes that go different ways: how a warp's requests come apart and together again.
//
// Loops are kept as written (no unrolling), because unrolled ones have other requests.
#include "golden.hpp"

namespace golden {
namespace {

__global__ void branches(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float value;
  if (lane % 2 == 0)
    value = in[lane];
  else
    value = in[lane + 1024];
  out[lane] = value;
}
// Each branch is a request of 16 lanes; together again for the store.
GOLDEN(if_else, "two requests of half a warp", {alike(What::global_load, 2, 16, 4), results}) {
  branches<<<1, 32>>>(m.in, m.out);
}

__global__ void four_ways(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float value = 0;
  switch (lane / 8) {
  case 0:
    value = in[lane];
    break;
  case 1:
    value = in[lane + 1024] + 1;
    break;
  case 2:
    value = in[lane + 2048] * 2;
    break;
  default:
    value = in[lane + 4096] - 3;
  }
  out[lane] = value;
}
GOLDEN(four_cases,
       "a request of 8 lanes for each case",
       {alike(What::global_load, 4, 8, 1), results}) {
  four_ways<<<1, 32>>>(m.in, m.out);
}

__global__ void leaves(const float *in, float *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 1)
    return;
  out[i] = in[i];
}
// Even lanes only: 16 lanes in the same 4 sectors. Blocks of 64: two warps each.
GOLDEN(early_exit,
       "every second lane has left",
       {alike(What::global_load, 4, 16, 4), alike(What::global_store, 4, 16, 4)}) {
  leaves<<<2, 64>>>(m.in, m.out);
}

// Lane l goes round l + 1 times. In round i the lanes i to 31 read row i: 32 - i lanes, and the
// sectors that their words lie in. Eight rounds lose a sector: 8 * (4 + 3 + 2 + 1).
__global__ void triangle(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= lane; ++i)
    sum += in[i * 32 + lane];
  out[lane] = sum;
}
GOLDEN(loop_of_lane_length,
       "lanes leave a loop one by one",
       {{What::global_load, 32, 528, 80}, results}) {
  triangle<<<1, 32>>>(m.in, m.out);
}

// Outer rounds i <= l % 4, inner rounds j <= l / 8. The inner loop brings its lanes together again
// before the next outer round. For each (i, j) of 4 x 4 one request, of the lanes with l % 4 >= i
// and l / 8 >= j: (4 - i) * 2 lanes in each of 4 - j groups of 8, a sector a group. 16 requests,
// 20 * 10 = 200 lanes, 4 * (4 + 3 + 2 + 1) = 40 sectors.
__global__ void nested(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= lane % 4; ++i)
#pragma unroll 1
    for (unsigned j = 0; j <= lane / 8; ++j)
      sum += in[(i * 8 + j) * 32 + lane];
  out[lane] = sum;
}
GOLDEN(nested_loops,
       "loops in loops, both of lane's length",
       {{What::global_load, 16, 200, 40}, results}) {
  nested<<<1, 32>>>(m.in, m.out);
}

// As above, but only lanes whose round is even take the inner load. Outer rounds i <= l / 8, so
// round i has the lanes from 8 * i on; of these, those with (l + i) even: half of each group of 8,
// all four groups' sectors. 4 requests, 4 * (4 + 3 + 2 + 1) = 40 lanes, 10 sectors.
__global__ void nested_test(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= lane / 8; ++i) {
    if ((lane + i) % 2 == 0)
      sum += in[i * 32 + lane];
    sum *= 2;
  }
  out[lane] = sum;
}
GOLDEN(test_in_loop, "a branch inside a loop", {{What::global_load, 4, 40, 10}, results}) {
  nested_test<<<1, 32>>>(m.in, m.out);
}

// Lane l leaves the loop in round l % 8: rounds 0 to 7 have 32, 28, … 4 lanes. The lanes of a
// round's row are spread over all four sectors.
__global__ void breaks(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) {
    sum += in[i * 32 + lane];
    if (i == lane % 8)
      break;
  }
  out[lane] = sum;
}
GOLDEN(break_out, "lanes break out of a loop", {{What::global_load, 8, 144, 32}, results}) {
  breaks<<<1, 32>>>(m.in, m.out);
}

__device__ __noinline__ float look_up(const float *in, unsigned i) { return in[i]; }

// Called from two branches: two requests of one instruction.
__global__ void calls(const float *in, float *out) {
  const unsigned lane = threadIdx.x;
  float value;
  if (lane < 8)
    value = look_up(in, lane) + 1;
  else
    value = look_up(in, lane * 8) * 2;
  out[lane] = value;
}
GOLDEN(call_in_branches,
       "one function called from two branches",
       {{What::global_load, 2, 32, 25}, results}) {
  calls<<<1, 32>>>(m.in, m.out);
}

// Warps go different ways, lanes do not: full requests, whoever makes them.
__global__ void by_warp(const float *in, float *out) {
  const unsigned tid = threadIdx.x;
  if (tid / 32 % 2 == 0)
    out[tid] = in[tid];
  else
    out[tid] = in[tid + 1024] + in[tid + 2048];
}
GOLDEN(warps_apart,
       "branches along warps cost nothing",
       {alike(What::global_load, 6, 32, 4), alike(What::global_store, 4, 32, 4)}) {
  by_warp<<<1, 128>>>(m.in, m.out);
}

// A barrier between rounds, lanes at work halved each time: 32, 16, 8, 4, 2, 1 of two warps.
__global__ void fewer_and_fewer(float *out) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
  for (unsigned active = 32; active > 0; active /= 2) {
    if (lane < active)
      out[threadIdx.x * 8] = 1;
    __syncthreads();
  }
}
GOLDEN(rounds_with_barriers,
       "divergence between barriers",
       {{What::global_store, 12, 126, 126}},
       6) {
  fewer_and_fewer<<<1, 64>>>(m.out);
}

} // namespace
} // namespace golden
