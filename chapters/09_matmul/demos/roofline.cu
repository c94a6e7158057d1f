#include "demos/demos.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

// Reads of 16 bytes, and so many multiply-adds with each float of them: how fast at which intensity?
namespace roofline {

constexpr int BLOCK = 256;

__device__ inline float chain(float x, int fmas) {
  float sum = x;
#pragma unroll
  for (int i = 0; i < fmas; ++i)
    sum = fmaf(sum, 0.5f, x);
  return sum;
}

template <int FMAS> __global__ void work(const float4 *in, float *out, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * BLOCK;
  const size_t tid = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  float sum = 0.0f;
  for (size_t i = tid; i < n; i += threads) {
    const float4 x = in[i];
    sum += (chain(x.x, FMAS) + chain(x.y, FMAS)) + (chain(x.z, FMAS) + chain(x.w, FMAS));
  }
  out[tid] = sum;
}

template <int FMAS> void run(const float4 *in, float *out, size_t n, int blocks) {
  work<FMAS><<<blocks, BLOCK>>>(in, out, n);
  LAB_CHECK_LAUNCH();
}

struct Row {
  int fmas; // with each float
  void (*run)(const float4 *in, float *out, size_t n, int blocks);
};
const Row variants[] = {{1, run<1>},
                        {2, run<2>},
                        {4, run<4>},
                        {8, run<8>},
                        {16, run<16>},
                        {32, run<32>},
                        {64, run<64>},
                        {128, run<128>}};

// What thread 0 has to find.
double sum_of_thread_0(const std::vector<float> &in, size_t threads, int fmas) {
  double sum = 0.0;
  for (size_t i = 0; i < in.size() / 4; i += threads)
    for (size_t j = 4 * i; j < 4 * i + 4; ++j) {
      double value = in[j];
      for (int f = 0; f < fmas; ++f)
        value = value * 0.5 + in[j];
      sum += value;
    }
  return sum;
}

} // namespace roofline

void show_roofline(lab::Demo &demo) {
  using namespace roofline;
  const size_t n = demo.timed() ? size_t{1} << 26 : 1000; // float4s: 1 GiB
  const int blocks = demo.timed() ? 8 * lab::choose_device().sm_count : 2;
  std::vector<float> h_in(4 * n);
  lab::fill_random(h_in.data(), h_in.size(), demo.seed(), 0.0f, 1.0f);
  lab::DeviceBuffer<float> d_in(h_in), d_out(static_cast<size_t>(blocks) * BLOCK);
  const auto *const in = reinterpret_cast<const float4 *>(d_in.data());
  double bytes_per_ms = 0.0, most = 0.0, tflops[std::size(variants)] = {};
  for (size_t i = 0; i < std::size(variants); ++i) {
    lab::poison(d_out);
    variants[i].run(in, d_out.data(), n, blocks);
    const double right = sum_of_thread_0(h_in, d_out.size(), variants[i].fmas);
    demo.expect(std::fabs(d_out.at(0) - right) <= 1e-4 * right, "thread 0 has its sum");
    if (!demo.timed())
      continue;
    const double ms = lab::measure([&] { variants[i].run(in, d_out.data(), n, blocks); }).median_ms;
    tflops[i] = 8.0 * variants[i].fmas * static_cast<double>(n) / ms * 1e-9;
    bytes_per_ms = std::max(bytes_per_ms, 16.0 * static_cast<double>(n) / ms);
    most = std::max(most, tflops[i]);
  }
  demo.say("  operations per byte    TFLOP/s    the roof\n");
  for (size_t i = 0; i < std::size(variants); ++i) {
    const double intensity = 0.5 * variants[i].fmas; // two operations with each 4 bytes
    if (!demo.timed()) {
      demo.say("  %19.1f      right\n", intensity);
      continue;
    }
    const double roof = std::min(most, intensity * bytes_per_ms * 1e-9);
    const std::string key = std::to_string(variants[i].fmas);
    demo.value("fmas_" + key + "_tflops", tflops[i]);
    demo.value("fmas_" + key + "_roof", roof);
    demo.say("  %19.1f %10.2f %11.2f\n", intensity, tflops[i], roof);
  }
  demo.value("gbps", bytes_per_ms * 1e-6);
  demo.value("ridge", most * 1e3 / std::max(bytes_per_ms * 1e-6, 1e-9));
}
