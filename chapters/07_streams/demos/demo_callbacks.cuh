#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace demo_callbacks {

constexpr size_t parts = 4;

// A part that has come back, and what the host shall do with it.
struct Arrival {
  const Word *words;
  size_t n;
  Word sum;
  int *place; // counts the arrivals
  int arrived_as;
};

// Runs on a thread of CUDA's, when the stream gets there. It must not call CUDA.
inline void CUDART_CB add_up(void *data) {
  Arrival &part = *static_cast<Arrival *>(data);
  for (size_t i = 0; i < part.n; ++i)
    part.sum += part.words[i];
  part.arrived_as = ++*part.place;
}

inline void run(lab::Demo &demo) {
  Batch p({.n = demo.n_or(100000)});
  p.prepare();
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  const size_t part = part_of(p.n, parts);
  Arrival arrivals[parts] = {};
  int place = 0;
  for (size_t first = 0, k = 0; first < p.n; first += part, ++k) {
    const cudaStream_t stream = engines().streams[0];
    const size_t n = length_of(first, part, p.n), bytes = n * sizeof(Word);
    Word *d_in = p.d_in.data() + first, *d_out = p.d_out.data() + first;
    LAB_CHECK(cudaMemcpyAsync(d_in, p.pinned_in.data() + first, bytes, in, stream));
    advance<<<blocks_for(n), block, 0, stream>>>(d_in, d_out, n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first, d_out, bytes, out, stream));
    arrivals[k] = {p.pinned_out.data() + first, n, 0, &place, 0};
    LAB_CHECK(cudaLaunchHostFunc(stream, add_up, &arrivals[k]));
  }
  LAB_CHECK(cudaStreamSynchronize(engines().streams[0]));
  draw_order(0);
  Word sum = 0, expected = 0;
  for (size_t k = 0; k < parts && k * part < p.n; ++k) {
    sum += arrivals[k].sum;
    demo.say("part %zu: %zu words, added up as number %d\n",
             k + 1,
             arrivals[k].n,
             arrivals[k].arrived_as);
    demo.expect(arrivals[k].arrived_as == static_cast<int>(k) + 1, "a stream keeps its order");
  }
  for (size_t i = 0; i < p.n; ++i)
    expected += p.expected[i];
  demo.say("\nsum of all words: %016llx\n", sum);
  demo.expect(sum == expected, "the host's functions saw all parts complete");
}

} // namespace demo_callbacks
