#pragma once

#include "ladder/chapter.hpp"

#include <vector>

namespace demo_registers {

inline constexpr unsigned figures = 48; // that each thread keeps at a time

// Each number goes into all figures, so all of them are wanted in every round. `blocks` of these
// blocks have to fit on a multiprocessor: the more of them, the fewer registers for each thread.
template <int blocks>
__global__ void __launch_bounds__(256, blocks)
    many_figures(const unsigned *in, unsigned per_thread, unsigned *out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned figure[figures] = {};
  for (unsigned i = 0; i < per_thread; ++i) {
    const unsigned value = in[i * gridDim.x * blockDim.x + thread];
#pragma unroll
    for (unsigned k = 0; k < figures; ++k)
      figure[k] = figure[k] * 31 + (value ^ k);
  }
  unsigned all = 0;
#pragma unroll
  for (unsigned k = 0; k < figures; ++k)
    all ^= figure[k];
  out[thread] = all;
}

inline std::vector<unsigned>
figures_on_host(const std::vector<unsigned> &in, unsigned threads, unsigned per_thread) {
  std::vector<unsigned> all(threads);
  for (unsigned thread = 0; thread < threads; ++thread) {
    for (unsigned k = 0; k < figures; ++k) {
      unsigned figure = 0;
      for (unsigned i = 0; i < per_thread; ++i)
        figure = figure * 31 + (in[i * threads + thread] ^ k);
      all[thread] ^= figure;
    }
  }
  return all;
}

inline void run(lab::Demo &demo) {
  const unsigned block = 256, grid = demo.timed() ? 1056 : 4, per_thread = demo.timed() ? 128 : 16;
  std::vector<unsigned> h_in(block * grid * per_thread);
  lab::fill_random(h_in.data(), h_in.size(), demo.seed());
  const std::vector<unsigned> expected = figures_on_host(h_in, block * grid, per_thread);
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(block * grid);

  const auto show = [&](const char *name, auto kernel) {
    const auto launch = [&] { kernel<<<grid, block>>>(d_in.data(), per_thread, d_out.data()); };
    lab::poison(d_out);
    launch();
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare(d_out.download(), expected));
    if (lab::on_emulator()) {
      demo.say("%-10s right\n", name);
      return;
    }
    cudaFuncAttributes made;
    LAB_CHECK(cudaFuncGetAttributes(&made, kernel));
    const double ms = demo.timed() ? lab::measure(launch).median_ms : 0.0;
    demo.say("%-10s%4d registers,%4zu bytes of local memory,%9.4f ms\n",
             name,
             made.numRegs,
             made.localSizeBytes,
             ms);
    demo.value(std::string(name) + "_registers", made.numRegs);
    demo.value(std::string(name) + "_local_bytes", static_cast<double>(made.localSizeBytes));
    demo.value(std::string(name) + "_ms", ms);
    if (name[0] == '8') // 65536 registers for 8 x 256 threads: 32 for each
      demo.expect(made.localSizeBytes > 0, "48 figures don't fit into 32 registers");
    else
      demo.expect(made.localSizeBytes == 0, "48 figures fit into 64 registers and more");
  };
  show("2_blocks", many_figures<2>);
  show("4_blocks", many_figures<4>);
  show("8_blocks", many_figures<8>);
  if (lab::on_emulator())
    demo.say("\nThe emulator's compiler has registers of its own.\n");
}

} // namespace demo_registers
