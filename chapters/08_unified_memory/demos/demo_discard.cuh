#pragma once

#include "problem.hpp"

namespace demo_discard {

#if CUDART_VERSION >= 13000

// Sends pages to the device without what they hold: the kernel will write all of them.
inline void send_empty(double *memory, size_t bytes, cudaStream_t stream) {
  void *ranges[] = {memory};
  size_t sizes[] = {bytes}, first[] = {0};
  cudaMemLocation device[] = {{cudaMemLocationTypeDevice, lab::choose_device().id}};
  LAB_CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 1, device, first, 1, 0, stream));
}

#else

inline void send_empty(double *memory, size_t bytes, cudaStream_t stream) {
  prefetch(memory, bytes, Place::device, stream); // before CUDA 13: with all that they hold
}

#endif

// v4, with c sent as it is, or empty, or not at all.
inline void
add_there(VectorSum &p, cudaStream_t stream, void (*send)(double *, size_t, cudaStream_t)) {
  prefetch(p.m_a.data(), p.bytes(), Place::device, stream);
  prefetch(p.m_b.data(), p.bytes(), Place::device, stream);
  send(p.m_c.data(), p.bytes(), stream);
  add(p.m_a.data(), p.m_b.data(), p.m_c.data(), p.n, p.block, stream);
  prefetch(p.m_c.data(), p.bytes(), Place::host, stream);
  LAB_CHECK(cudaStreamSynchronize(stream));
  p.result = p.m_c.data();
}

struct Way {
  const char *name, *key;
  void (*send)(double *, size_t, cudaStream_t);
};
constexpr Way ways[] = {
    {"c is sent as it is (v4)",
     "sent",
     [](double *c, size_t bytes, cudaStream_t s) { prefetch(c, bytes, Place::device, s); }},
    {"c is left to the faults", "faults", [](double *, size_t, cudaStream_t) {}},
    {"c is discarded, and sent empty", "discarded", send_empty},
};

inline void run(lab::Demo &demo) {
  VectorSum p(lab::Case{demo.timed() ? size_t{1} << 25 : 5000, 256, demo.seed()});
  if (!pages_move()) {
    demo.say("Pages do not move one by one here, so there is nothing to discard.\n");
    return;
  }
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreate(&stream));
  for (const Way &way : ways) {
    const auto home = [&] { bring_home(p); };
    const auto work = [&] {
      const lab::ObservedPart part(way.name);
      add_there(p, stream, way.send);
    };
    p.prepare();
    home();
    work();
    demo.expect(p.check());
    demo.say("%-34s", way.name);
    if (demo.timed()) {
      const double whole = median_ms(home, work);
      const double alone = median_ms(home, [&] {
        way.send(p.m_c.data(), p.bytes(), stream);
        LAB_CHECK(cudaStreamSynchronize(stream));
      });
      demo.say("%9.2f ms, %6.2f ms of it for sending c", whole, alone);
      demo.value(std::string(way.key) + "_ms", whole);
      demo.value(std::string(way.key) + "_alone_ms", alone);
    }
    demo.say("\n");
  }
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_discard
