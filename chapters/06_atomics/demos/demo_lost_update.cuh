// An update is three things: read, add, write. Two threads that read before either writes count
// one.
#pragma once

#include "problem.hpp"

namespace demo_lost_update {

__global__ void increment(unsigned *counter) {
  const unsigned seen = *counter;
  __syncwarp(); // what a warp does anyway, most of the time: all lanes read, then all lanes write
  *counter = seen + 1;
}

__global__ void increment_atomically(unsigned *counter) { atomicAdd(counter, 1u); }

inline void run(lab::Demo &demo) {
  constexpr unsigned threads = 256, blocks = 64;
  lab::DeviceBuffer<unsigned> d_counter(1);
  const auto count_with = [&](void (*kernel)(unsigned *), unsigned grid, unsigned block) {
    LAB_CHECK(cudaMemset(d_counter.data(), 0, sizeof(unsigned)));
    kernel<<<grid, block>>>(d_counter.data());
    LAB_CHECK_LAUNCH();
    return d_counter.at(0);
  };
  const unsigned one_warp = count_with(increment, 1, 32);
  const unsigned plain = count_with(increment, blocks, threads);
  const unsigned atomic = count_with(increment_atomically, blocks, threads);
  demo.say("32 threads add 1, by read, add, write          %6u\n", one_warp);
  demo.say("%u threads add 1, by read, add, write       %6u\n", blocks * threads, plain);
  demo.say("%u threads add 1, by atomicAdd              %6u\n", blocks * threads, atomic);
  demo.expect(one_warp < 32, "a warp that reads together loses updates");
  demo.expect(plain < blocks * threads, "updates are lost");
  demo.expect(lab::compare_value("atomicAdd", atomic, blocks * threads));
  demo.value("plain", plain);
  demo.value("atomic", atomic);
}

} // namespace demo_lost_update
