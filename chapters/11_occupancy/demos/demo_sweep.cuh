// Reads only: 2 to 64 warps on each multiprocessor, each thread with 1 to 8 loads under way at once.
#pragma once

#include "demos/latency.cuh"

#include <string>

namespace demo_sweep {

constexpr int most_warps = 64;

/// out[thread] = all its words, combined by exclusive or. LOADS words are asked for before the first is used.
template <unsigned LOADS> __global__ void combine(const unsigned *in, size_t n, unsigned *out) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  size_t i = first;
#pragma unroll 1
  for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
    unsigned words[LOADS];
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      words[k] = in[i + k * stride];
#pragma unroll
    for (unsigned k = 0; k < LOADS; ++k)
      sum ^= words[k];
  }
#pragma unroll 1
  for (; i < n; i += stride)
    sum ^= in[i];
  out[first] = sum;
}

struct Words {
  Words(size_t n, std::uint64_t seed) : all(0), d_in(n), d_out(0) {
    std::vector<unsigned> words(n);
    lab::fill_random(words.data(), n, seed);
    for (unsigned word : words)
      all ^= word;
    d_in.upload(words);
  }
  unsigned all; // what all threads' words combine to
  lab::DeviceBuffer<unsigned> d_in, d_out;
};

/// GB/s with so many warps on each multiprocessor; 0 where no clock tells.
template <unsigned LOADS> double row(lab::Demo &demo, Words &p, int warps) {
  const unsigned per_sm = warps > 32 ? 2 : 1; // a block has 32 warps at most
  const unsigned blocks = per_sm * static_cast<unsigned>(lab::choose_device().sm_count);
  const unsigned threads = static_cast<unsigned>(warps) / per_sm * 32;
  p.d_out = lab::DeviceBuffer<unsigned>(static_cast<size_t>(blocks) * threads);
  const auto work = [&] {
    combine<LOADS><<<blocks, threads>>>(p.d_in.data(), p.d_in.size(), p.d_out.data());
  };
  lab::poison(p.d_out);
  work();
  LAB_CHECK_LAUNCH();
  unsigned all = 0;
  for (unsigned word : p.d_out.download())
    all ^= word;
  demo.expect(lab::compare_value("all words combined", all, p.all));
  if (!demo.timed())
    return 0;
  const double ms = lab::measure(work, {.reps = 5, .warm_up = 1}).median_ms;
  const double gbps = 1e-6 * static_cast<double>(p.d_in.bytes()) / ms;
  const std::string end = "_loads_" + std::to_string(LOADS);
  demo.value("warps_" + std::to_string(warps) + end, gbps);
  demo.value("bytes_" + std::to_string(warps * 128 * static_cast<int>(LOADS)) + end, gbps);
  return gbps;
}

inline void run(lab::Demo &demo) {
  Words p(demo.timed() ? demo.n_or(1u << 27) : 70001, demo.seed());
  const double latency = demo.timed() ? memory_latency_ns() : 0;
  const double ceiling = demo.timed() ? lab::ceilings().read_gbps : 0;
  if (demo.timed()) {
    demo.say("a word comes after %.0f ns; reading alone gets %.0f GB/s\n", latency, ceiling);
    demo.value("latency_ns", latency);
    demo.value("read_gbps", ceiling);
    demo.value("needed_bytes", ceiling * latency / lab::choose_device().sm_count);
  }
  demo.say("GB/s when each thread has so many loads of 4 bytes on their way:\n\n"
           "  warps        1        2        4        8\n");
  for (int warps : {2, 4, 8, 16, 32, 48, most_warps}) {
    const double gbps[] = {row<1>(demo, p, warps),
                           row<2>(demo, p, warps),
                           row<4>(demo, p, warps),
                           row<8>(demo, p, warps)};
    demo.say("  %5d", warps);
    for (double figure : gbps)
      if (demo.timed())
        demo.say(" %8.0f", figure);
      else
        demo.say("        -");
    demo.say("\n");
  }
  if (demo.timed()) {
    for (int bytes = 256; bytes <= 65536; bytes *= 2) {
      const double law = arriving_gbps(bytes, latency);
      demo.value("law_" + std::to_string(bytes), law < ceiling ? law : ceiling);
    }
    return;
  }
  demo.say("\nKB on their way on a multiprocessor, warps x 32 x 4 bytes x loads:\n\n");
  for (int warps : {2, 4, 8, 16, 32, 48, most_warps})
    demo.say("  %5d %8.2f %8.2f %8.2f %8.2f\n",
             warps,
             warps / 8.0,
             warps / 4.0,
             warps / 2.0,
             warps / 1.0);
}

} // namespace demo_sweep
