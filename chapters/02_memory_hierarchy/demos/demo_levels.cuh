#pragma once

#include "problem.hpp"

namespace demo_levels {

// Every block reads the same window again and again, 16 bytes per lane, and adds up what it finds.
__global__ void read_global(const uint4 *in, unsigned words, unsigned rounds, unsigned *out) {
  unsigned sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
      const uint4 word = in[i];
      sum += word.x + word.y + word.z + word.w;
    }
  }
  atomicAdd(out, sum);
}

// The same, from a copy of the window in shared memory.
__global__ void read_shared(const uint4 *in, unsigned words, unsigned rounds, unsigned *out) {
  extern __shared__ uint4 s_words[];
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
    s_words[i] = in[i];
  __syncthreads();
  unsigned sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
      const uint4 word = s_words[i];
      sum += word.x + word.y + word.z + word.w;
    }
  }
  atomicAdd(out, sum);
}

// All blocks together read a window that the L2 holds. __ldcg passes the L1 by.
__global__ void read_l2(const uint4 *in, unsigned words, unsigned rounds, unsigned *out) {
  unsigned sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
         i += gridDim.x * blockDim.x) {
      const uint4 word = __ldcg(&in[i]);
      sum += word.x + word.y + word.z + word.w;
    }
  }
  atomicAdd(out, sum);
}

/// A kernel, the window it reads, and how many blocks read all of it.
struct Row {
  const char *name;
  void (*kernel)(const uint4 *, unsigned, unsigned, unsigned *);
  size_t bytes, shared;
  unsigned readers;
};

inline void run(lab::Demo &demo) {
  const lab::Device &device = lab::choose_device();
  const unsigned threads = 1024, blocks = blocks_to_fill(threads);
  const size_t small = 32768, large = demo.timed() ? size_t{16} << 20 : size_t{1} << 20;
  const unsigned rounds = demo.timed() ? 200 : 1;
  std::vector<unsigned> h_in(large / sizeof(unsigned));
  lab::fill_random(h_in.data(), h_in.size(), demo.seed());
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(1);
  demo.value("registers_kib",
             lab::device_attribute(cudaDevAttrMaxRegistersPerMultiprocessor) * 4.0 / 1024);

  demo.value("shared_kib", static_cast<double>(device.shared_bytes_per_sm) / 1024);
  demo.value("l2_mib", static_cast<double>(device.l2_bytes) / 1048576);
  demo.value("memory_gib", static_cast<double>(device.memory_bytes) / 1073741824);

  const Row rows[] = {{"shared", read_shared, small, small, blocks},
                      {"l1", read_global, small, 0, blocks},
                      {"l2", read_l2, large, 0, 1}};
  demo.say("%-10s%12s%s\n", "read from", "window", demo.timed() ? "      GB/s" : "   sum");
  for (const Row &row : rows) {
    unsigned expected = 0;
    for (size_t i = 0; i < row.bytes / sizeof(unsigned); ++i)
      expected += h_in[i];
    const auto launch = [&] {
      row.kernel<<<blocks, threads, row.shared>>>(reinterpret_cast<const uint4 *>(d_in.data()),
                                                  static_cast<unsigned>(row.bytes / 16),
                                                  rounds,
                                                  d_out.data());
    };
    LAB_CHECK(cudaMemset(d_out.data(), 0, d_out.bytes()));
    launch();
    LAB_CHECK_LAUNCH();
    demo.expect(lab::compare_value(row.name, d_out.at(0), expected * rounds * row.readers));
    demo.say("%-10s%12s", row.name, lab::size_text(static_cast<double>(row.bytes)).c_str());
    const double bytes = static_cast<double>(row.bytes) * rounds * row.readers;
    const auto gbps = [&] { return bytes / lab::measure(launch).median_ms * 1e-6; };
    demo.say_timed(std::string(row.name) + "_gbps", "%10.0f\n", gbps, "   right\n");
  }
  if (demo.timed()) {
    demo.say("%-10s%12s%10.0f\n", "memory", "", lab::ceilings().read_gbps);
    demo.value("memory_gbps", lab::ceilings().read_gbps);
  }
}

} // namespace demo_levels
