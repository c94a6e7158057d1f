#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

#include <cstring>
#include <memory>

namespace demo_first_call {

// A kernel that nobody has launched before: CUDA loads it when it is needed first.
__global__ void never_used_before(const Word *in, Word *out, size_t n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = multiplier * in[i] + increment;
}

// Memory that is made when it is needed first, as in many programs.
struct Scratch {
  explicit Scratch(size_t n) : h_in(n), h_out(n), d_in(n), d_out(n) {}
  lab::PinnedBuffer<Word> h_in, h_out;
  lab::DeviceBuffer<Word> d_in, d_out;
};

// All words in so many streams. Milliseconds by the host's clock, once, as it is often done.
inline double milliseconds(Batch &p, std::unique_ptr<Scratch> &scratch, size_t streams) {
  LAB_CHECK(cudaDeviceSynchronize());
  const lab::HostTimer timer;
  if (!scratch)
    scratch = std::make_unique<Scratch>(p.n);
  const size_t part = part_of(p.n, streams);
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const cudaStream_t stream = engines().streams[k];
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = scratch->d_in.data() + first, *d_out = scratch->d_out.data() + first;
    Word *h_in = scratch->h_in.data() + first, *h_out = scratch->h_out.data() + first;
    std::memcpy(h_in, p.h_in.data() + first, bytes);
    LAB_CHECK(cudaMemcpyAsync(d_in, h_in, bytes, cudaMemcpyHostToDevice, stream));
    never_used_before<<<blocks_for(n), block, 0, stream>>>(d_in, d_out, n);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaMemcpyAsync(h_out, d_out, bytes, cudaMemcpyDeviceToHost, stream));
  }
  LAB_CHECK(cudaDeviceSynchronize());
  const double ms = timer.ms();
  std::memcpy(p.h_out.data(), scratch->h_out.data(), p.bytes());
  return ms;
}

inline void run(lab::Demo &demo) {
  Batch p({.n = demo.timed() ? size_t{1} << 20 : 4096});
  p.set_steps(1);
  std::unique_ptr<Scratch> scratch;
  struct Row {
    const char *what, *key;
    size_t streams;
  };
  for (const Row &row : {Row{"one stream, timed first", "one_first_ms", 1},
                         Row{"four streams, timed after it", "four_ms", 4},
                         Row{"one stream, once more", "one_again_ms", 1}}) {
    p.prepare();
    const double ms = milliseconds(p, scratch, row.streams);
    if (demo.timed()) {
      demo.say("%-30s %8.3f ms\n", row.what, ms);
      demo.value(row.key, ms);
    } else {
      demo.say("%s\n", row.what);
    }
    p.result = p.h_out.data();
    demo.expect(p.check());
  }
  if (!demo.timed())
    demo.say("\nOn a GPU this prints how long each took.\n");
}

} // namespace demo_first_call
