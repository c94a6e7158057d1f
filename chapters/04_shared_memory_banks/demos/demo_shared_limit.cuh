#pragma once

#include "ladder/chapter.hpp"

#include <string>

namespace demo_shared_limit {

constexpr unsigned static_words = 256;

// A block has one piece of dynamic shared memory, after what is declared with a size. Several
// arrays in it are cut out by hand: here one of `n` words and, after it, one of n bytes.
__global__ void use(unsigned n, unsigned *out) {
  __shared__ unsigned s_static[static_words];
  extern __shared__ unsigned s_words[];
  unsigned char *s_bytes = reinterpret_cast<unsigned char *>(s_words + n);
  for (unsigned i = threadIdx.x; i < static_words; i += blockDim.x)
    s_static[i] = 3;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    s_words[i] = i;
    s_bytes[i] = 1;
  }
  __syncthreads();

  unsigned sum = 0; // of what other threads wrote
  for (unsigned i = threadIdx.x; i < static_words; i += blockDim.x)
    sum += s_static[static_words - 1 - i];
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    sum += s_words[n - 1 - i] + s_bytes[n - 1 - i];
  atomicAdd(out, sum);
}

/// Asks for `dynamic` bytes, and says what became of it: the launch's error, and in `right` whether
/// the kernel ran and found in its shared memory what it had put there.
inline cudaError_t try_launch(size_t dynamic, bool &right) {
  lab::DeviceBuffer<unsigned> d_out(1);
  LAB_CHECK(cudaMemset(d_out.data(), 0, sizeof(unsigned)));
  const unsigned n = static_cast<unsigned>(dynamic / 5); // 4 bytes and 1
  use<<<1, 256, dynamic>>>(n, d_out.data());
  const cudaError_t error = cudaGetLastError(); // fetched, so that it doesn't reach later calls
  unsigned expected = 3 * static_words;
  for (unsigned i = 0; i < n; ++i)
    expected += i + 1;
  right = d_out.at(0) == expected;
  return error;
}

inline void row(lab::Demo &demo, const char *what, size_t dynamic, bool should_run) {
  bool right = false;
  const cudaError_t error = try_launch(dynamic, right);
  demo.say("%-22s%10zu%10zu   ", what, dynamic, dynamic + sizeof(unsigned) * static_words);
  if (error == cudaSuccess) {
    int blocks = 0;
    LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use, 256, dynamic));
    demo.say("ran; blocks like it that fit an SM: %d\n", blocks);
  } else
    demo.say("refused: %s\n", cudaGetErrorName(error));
  demo.expect((error == cudaSuccess) == should_run, what);
  demo.expect(right == should_run, "the kernel runs and is right, or doesn't run");
}

inline void run(lab::Demo &demo) {
  const auto bytes_of = [](cudaDeviceAttr which) {
    return static_cast<size_t>(lab::device_attribute(which));
  };
  const size_t by_default = bytes_of(cudaDevAttrMaxSharedMemoryPerBlock);
  const size_t opt_in = bytes_of(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const size_t per_sm = bytes_of(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const size_t fixed = sizeof(unsigned) * static_words;
  demo.say("Bytes of shared memory: a block gets %zu, with opting in %zu; an SM has %zu.\n"
           "The kernel declares %zu with a size; the launch asks for the rest.\n\n",
           by_default,
           opt_in,
           per_sm,
           fixed);
  demo.say("%-22s%10s%10s\n", "", "dynamic", "in all");
  row(demo, "none", 0, true);
  row(demo, "all it gets", by_default - fixed, true);
  row(demo, "4 bytes more", by_default - fixed + 4, false);

  const auto opt_into = [](size_t dynamic) {
    return cudaFuncSetAttribute(
        use, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic));
  };
  LAB_CHECK(opt_into(opt_in - fixed));
  demo.say("\nafter cudaFuncSetAttribute(use, …MaxDynamicSharedMemorySize, %zu):\n",
           opt_in - fixed);
  row(demo, "the same again", by_default - fixed + 4, true);
  row(demo, "all there is", opt_in - fixed, true);
  row(demo, "4 bytes more", opt_in - fixed + 4, false);

  const cudaError_t error = opt_into(opt_in - fixed + 4);
  (void)cudaGetLastError();
  demo.say("\nopting in to 4 bytes more: %s\n", cudaGetErrorName(error));
  demo.expect(error != cudaSuccess, "nobody opts in to more than there is");
  demo.value("default_bytes", static_cast<double>(by_default));
  demo.value("opt_in_bytes", static_cast<double>(opt_in));
  demo.value("sm_bytes", static_cast<double>(per_sm));
}

} // namespace demo_shared_limit
