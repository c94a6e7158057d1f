// Atomics: a request's lanes at one address are served one after the other, unless nvcc sees that it is
// one and has a lane do it for all.
#include "golden.hpp"

namespace golden {
namespace {

__global__ void count_all(unsigned *out) { atomicAdd(out, 1u); }
GOLDEN(atomic_one_counter, "all lanes at one address", {alike(What::global_atomic, 4, 32, 1, 32)}) {
  count_all<<<2, 64>>>(m.out_as<unsigned>());
}

__global__ void count_each(unsigned *out) { atomicAdd(out + threadIdx.x, 1u); }
GOLDEN(atomic_own_counters, "an address for each lane", {alike(What::global_atomic, 4, 32, 4, 1)}) {
  count_each<<<2, 64>>>(m.out_as<unsigned>());
}

// The old values are used, so this cannot become a reduction without an answer.
__global__ void tickets(unsigned *out) {
  out[1024 + blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(out + threadIdx.x % 4, 1u);
}
GOLDEN(atomic_tickets,
       "four counters, eight lanes at each",
       {alike(What::global_atomic, 4, 32, 8, 8), // eight turns for one sector
        alike(What::global_store, 4, 32, 4)}) {
  tickets<<<2, 64>>>(m.out_as<unsigned>());
}

// A block's histogram of 16 bins in shared memory, added to the global one at the end.
__global__ void histogram(const unsigned *in, unsigned *out) {
  __shared__ unsigned s_bins[16];
  const unsigned tid = threadIdx.x;
  if (tid < 16)
    s_bins[tid] = 0;
  __syncthreads();
  atomicAdd(&s_bins[(in[tid] + tid) % 16], 1u);
  __syncthreads();
  if (tid < 16)
    atomicAdd(out + tid, s_bins[tid]);
}
// The input is zero: lane l counts in bin l % 16, two lanes of a warp at each bin.
GOLDEN(atomic_histogram,
       "private bins, then the global ones",
       {alike(What::global_load, 4, 32, 4),
        alike(What::shared_store, 2, 16, 1),
        {What::shared_atomic, 4, 128, 4, 2},
        alike(What::shared_load, 2, 16, 1),
        alike(What::global_atomic, 2, 16, 2, 1)},
       4) {
  histogram<<<2, 64>>>(m.in_as<unsigned>(), m.out_as<unsigned>());
}

} // namespace
} // namespace golden
