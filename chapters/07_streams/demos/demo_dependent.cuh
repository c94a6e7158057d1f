#pragma once

#include "steps/advance.cuh"
#include "steps/span.hpp"

#include <string>

namespace demo_dependent {

constexpr unsigned kernels = 200;

// Needs the words of the kernel before it, but not for all that it does: first it works on its own.
__global__ void own_work_first(const Word *in, Word *out, unsigned own_steps) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion(); // the next kernel may begin its own work
#endif
  Word own = threadIdx.x;
  for (unsigned step = 0; step < own_steps; ++step)
    own = multiplier * own + increment;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize(); // the kernel before this one has ended: its words are there
#endif
  out[threadIdx.x] = in[threadIdx.x] + own;
}

// A launch that may begin before the kernel in front of it has ended.
inline void launch(Word *words, unsigned own_steps, bool early, cudaStream_t stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(block);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  LAB_CHECK(cudaLaunchKernelEx(
      &config, own_work_first, static_cast<const Word *>(words), words, own_steps));
}

inline void run(lab::Demo &demo) {
  const bool early_possible = lab::on_emulator() || lab::choose_device().compute_major >= 9;
  lab::DeviceBuffer<Word> words(block);
  cudaStream_t stream;
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  demo.say("%u kernels of one block, each of which needs the words of the one before\n\n", kernels);
  for (const unsigned own_steps : {0u, 200u, 1000u}) {
    double us[2] = {};
    for (const bool early : {false, true}) {
      if (early && !early_possible)
        continue;
      const auto all = [&] {
        for (unsigned k = 0; k < kernels; ++k)
          launch(words.data(), own_steps, early, stream);
      };
      LAB_CHECK(cudaMemset(words.data(), 0, words.bytes()));
      LAB_CHECK(cudaDeviceSynchronize());
      all();
      LAB_CHECK(cudaStreamSynchronize(stream));
      demo.expect(words.at(7) == kernels * jump(7, own_steps),
                  "each kernel finds the last one's words");
      us[early] = lab::on_emulator() ? 0 : span_us(all) / kernels;
    }
    demo.say("%4u steps of its own", own_steps);
    if (!lab::on_emulator()) {
      demo.say("%8.2f µs a kernel in turn,%8.2f µs where it may begin early", us[0], us[1]);
      demo.value("in_turn_us_" + std::to_string(own_steps), us[0]);
      demo.value("early_us_" + std::to_string(own_steps), us[1]);
    }
    demo.say("\n");
  }
  LAB_CHECK(cudaStreamDestroy(stream));
}

} // namespace demo_dependent
