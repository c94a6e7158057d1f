// One atomic for all lanes of a warp that have the same key: __match_any_sync finds them.
#pragma once

#include "problem.hpp"

namespace demo_match {

__global__ void an_atomic_each(const Byte *in, unsigned n, unsigned *counts) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[in[i]], 1u);
}

__global__ void an_atomic_per_key(const Byte *in, unsigned n, unsigned *counts) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned with_bytes = __ballot_sync(0xffffffffu, i < n);
  if (i >= n)
    return;
  const unsigned key = in[i];
  const unsigned same = __match_any_sync(with_bytes, key); // bit k: lane k has my key
  if (threadIdx.x % 32 == static_cast<unsigned>(__ffs(static_cast<int>(same))) - 1)
    atomicAdd(&counts[key], static_cast<unsigned>(__popc(same)));
}

inline void run(lab::Demo &demo) {
  const unsigned n = static_cast<unsigned>(demo.n_or(demo.timed() ? 1u << 26 : 100003)),
                 block = 256;
  demo.say("%10s%s\n", "keys", demo.timed() ? "    an atomic each   an atomic per key" : "");
  for (const unsigned keys : {1u, 4u, 16u, 64u, 256u}) {
    Histogram p({.n = n, .block = static_cast<int>(block), .seed = demo.seed()});
    for (Byte &byte : p.h_in)
      byte = static_cast<Byte>(byte % keys);
    p.expected = count_bytes(p.h_in);
    p.d_in.upload(p.h_in);
    double times[2] = {};
    for (int way = 0; way < 2; ++way) {
      const auto kernel = way == 0 ? an_atomic_each : an_atomic_per_key;
      const auto work = [&] {
        empty_bins(p);
        kernel<<<blocks_for(n, block), block>>>(p.d_in.data(), n, p.d_bins.data());
      };
      demo.check(p, work);
      if (demo.timed())
        times[way] = lab::measure(work, {.reps = 7}).median_ms;
    }
    demo.say("%10u", keys);
    if (demo.timed()) {
      demo.say(" %14.3f ms %16.3f ms", times[0], times[1]);
      demo.value("each_" + std::to_string(keys), times[0]);
      demo.value("match_" + std::to_string(keys), times[1]);
    } else {
      demo.say(" both ways right");
    }
    demo.say("\n");
  }
}

} // namespace demo_match
