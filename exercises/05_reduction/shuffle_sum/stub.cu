// 05.5 · The longest dry spell
//
// How many days in a row were without rain, at most? Lanes of a warp can read each other's registers: no shared
// memory, no barrier. Only what the warps have found out still meets in shared memory.
#include <cuda_runtime.h>

// What is known of some days that follow each other.
struct Days {
  int all; // how many they are
  int front; // dry ones at their beginning, before the first rain
  int back; // dry ones at their end, after the last rain
  int best; // the longest dry spell among them
}; // of the days dry, dry, rain, dry: 4, 2, 1, 2

// TODO 1: what is known of a's days with b's behind them.
__device__ Days join(Days a, Days b) {
  return {a.all + b.all, a.front, b.back, max(a.best, b.best)};
}
// end of TODO

// TODO 2: the days of all 32 lanes; lane 0 has to know them. __shfl_down_sync(mask, number, distance) is `number` of the
// lane `distance` further up; all 32 lanes take part. Who has to be joined with whom first?
__device__ Days warp_days(Days mine) { return mine; }
// end of TODO

// Day i had rain[i] mm. out[b]: the longest dry spell among the days of block b. blockDim.x is a multiple of 32, at most 1024.
__global__ void dry_spell(const int *rain, int n, int *out) {
  __shared__ Days s_days[32]; // one for each warp
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int day = blockIdx.x * blockDim.x + tid;
  const int dry = day < n && rain[day] == 0;
  Days days = warp_days({1, dry, dry, dry});

  // TODO 3: each warp leaves its days in s_days, and then the first warp joins these in the same way. There may be fewer
  // than 32 warps.
  s_days[warp] = days;
  // end of TODO

  if (tid == 0)
    out[blockIdx.x] = days.best;
}
