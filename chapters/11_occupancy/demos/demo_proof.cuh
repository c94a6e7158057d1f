// The chapter's calculator against CUDA's, launch by launch.
#pragma once

#include "calculator.hpp"
#include "demos/cuda_calculator.hpp"
#include "demos/weighted.cuh"
#include "problem.hpp"

namespace demo_proof {

#ifndef BUILD_FIRST_EMULATOR
/// Sixteen barriers, as many as a block can have: bar.sync takes a number.
__global__ void sixteen_barriers(unsigned *out) {
  asm volatile("bar.sync 15;" ::: "memory");
  out[threadIdx.x] = threadIdx.x;
}
#endif

struct Count {
  int launches = 0, different = 0, none = 0;
};

/// Compares both for one kernel: all block sizes with all amounts of dynamic shared memory.
inline void compare(lab::Demo &demo, const void *kernel, int barriers, int step, Count &count) {
  const occupancy::Limits limits = occupancy::device_limits();
  const cudaFuncAttributes attributes = attributes_of(kernel);
  const int most = static_cast<int>(limits.shared_per_block - attributes.sharedSizeBytes);
  LAB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  for (int threads = 1; threads <= attributes.maxThreadsPerBlock;
       threads += threads == 1 ? 30 : 1) {
    if (threads % step > 1 && threads % 32 > 1) // 31, 32, 33 and the like
      continue;
    for (int shared = 0; shared <= most; shared += 64 * step - 1) {
      int blocks = -1;
      LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &blocks, kernel, threads, static_cast<size_t>(shared)));
      const occupancy::Launch launch = {threads,
                                        attributes.numRegs,
                                        attributes.sharedSizeBytes + static_cast<size_t>(shared),
                                        barriers};
      const int ours = resident(limits, launch).blocks;
      ++count.launches;
      count.none += blocks == 0;
      if (ours == blocks)
        continue;
      if (++count.different <= 5)
        demo.say("different: %d threads, %d registers, %d bytes: ours %d, CUDA's %d\n",
                 threads,
                 launch.registers,
                 shared,
                 ours,
                 blocks);
    }
  }
}

inline void run(lab::Demo &demo) {
  const int step = demo.timed() ? 16 : 64;
  Count count;
  int kernels = 0;
  const auto with = [&](const void *kernel, int barriers) {
    compare(demo, kernel, barriers, step, count);
    ++kernels;
  };
  for (const PlannedStep &each : planned_steps())
    with(each.plan.kernel, 1);
  with(weighted_address<8, 512, 2>(), 0);
  with(weighted_address<24, 256, 1>(), 0);
  with(weighted_address<32, 256, 1>(), 0);
  with(weighted_address<40, 256, 1>(), 0);
  with(weighted_address<48, 256, 4>(), 0);
  with(weighted_address<100, 256, 1>(), 0);
  with(weighted_address<200, 256, 1>(), 0);
#ifndef BUILD_FIRST_EMULATOR
  with(reinterpret_cast<const void *>(sixteen_barriers), 16);
#endif
  demo.say("%d kernels, %d launches: CUDA and the chapter's calculator agree on %d\n",
           kernels,
           count.launches,
           count.launches - count.different);
  demo.value("kernels", kernels);
  demo.value("launches", count.launches);
  demo.value("different", count.different);
  demo.expect(lab::compare_value("launches on which they differ", count.different, 0));
  demo.expect(count.none < count.launches, "blocks fit at all");

  const TableProof proof = compare_with_cuda_table(step);
  if (proof.launches == 0) {
    demo.say(
        "cuda_occupancy.h of the CUDA toolkit is not here: other GPUs' rows are not compared\n");
    return;
  }
  demo.say("%d launches on GPUs of all kinds, against cuda_occupancy.h: they agree on %d\n",
           proof.launches,
           proof.launches - proof.different);
  demo.value("table_launches", proof.launches);
  demo.value("table_different", proof.different);
  demo.expect(lab::compare_value("rows on which they differ", proof.different, 0));
}

} // namespace demo_proof
