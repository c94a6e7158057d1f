// One request of a warp, made again and again: what the banks charge for it.
#pragma once

#include "ladder/chapter.hpp"
#include "steps/banks.hpp"

namespace walk {

constexpr unsigned elements = 32 * 33 + 4; // room for lane 31 at stride 33, and three more

inline __device__ unsigned sum_of(unsigned v) { return v; }
inline __device__ unsigned sum_of(const uint2 &v) { return v.x + v.y; }
inline __device__ unsigned sum_of(const uint4 &v) { return v.x + v.y + v.z + v.w; }

// All words hold `zero`, which is 0. The compiler doesn't know that, so it has to load each element
// before it knows the next index. The four loads of a turn are independent: they lie 0 to 3
// elements further on, for all lanes alike, which moves the whole pattern round the banks.
template <class Element>
__global__ void
repeat(const unsigned *index, unsigned turns, unsigned zero, unsigned *last, long long *cycles) {
  __shared__ Element s_data[elements];
  unsigned *s_words = reinterpret_cast<unsigned *>(s_data);
  for (unsigned i = threadIdx.x; i < elements * sizeof(Element) / 4; i += blockDim.x)
    s_words[i] = zero;
  __syncthreads();

  unsigned at = index[threadIdx.x % 32];
  const long long start = clock64();
  if (at != Request::idle)
    for (unsigned turn = 0; turn < turns; ++turn) {
      const Element a = s_data[at];
      const Element b = s_data[at + 1];
      const Element c = s_data[at + 2];
      const Element d = s_data[at + 3];
      at += sum_of(a) + sum_of(b) + sum_of(c) + sum_of(d);
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *cycles = clock64() - start;
  last[threadIdx.x] = at;
}

/// What a request costs.
struct Cost {
  unsigned predicted = 0; // rounds, by arithmetic: see banks.hpp
  double cycles = 0; // if timed: measured, for each request
  double counted = 0; // under observation: wavefronts, for each request
  bool walked = false; // every lane ended where it should
};

/// Makes the request and reports what it cost. To be timed, on a GPU, one block fills the SM: 32
/// warps make the same request, so there is always one to serve, and the time is the banks' alone.
Cost cost_of(const Request &request, unsigned element_bytes, bool timed);

} // namespace walk
