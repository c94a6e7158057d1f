// Two ways are compared, and the first pays for what both need.
#pragma once

#include "steps/advance.cuh"
#include "steps/engines.hpp"

namespace trap_first_call_timed {

inline const char *why =
    "who is timed first pays for loading the kernel, starting CUDA and allocating: it looks slow, "
    "and the second way fast. Call each once before you time it, and allocate outside.";

// Memory that is made when it is asked for first, as programs do.
class Scratch {
public:
  Word *of(size_t n) {
    if (n > memory_.size()) {
      memory_ = lab::DeviceBuffer<Word>(n);
      ++allocations;
    }
    return memory_.data();
  }
  int allocations = 0;

private:
  lab::DeviceBuffer<Word> memory_;
};

inline int in_first, in_second; // allocations while they were timed

inline void run(Batch &p) {
  Scratch scratch;
  const auto timed = [&](cudaStream_t stream) {
    const int before = scratch.allocations;
    // The clock starts here …
    advance<<<blocks_for(p.n), block, 0, stream>>>(p.d_in.data(), scratch.of(p.n), p.n, p.steps);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaDeviceSynchronize());
    return scratch.allocations - before; // … and stops here
  };
  in_first = timed(nullptr);
  in_second = timed(engines().streams[0]);
}

inline lab::Verdict check(Batch &) {
  const lab::Verdict second = lab::compare_value("allocations in the second way", in_second, 0);
  return second.ok ? lab::compare_value("allocations in the first way", in_first, 0) : second;
}

} // namespace trap_first_call_timed
