// Checks budget.cu: against blocks placed one by one, and against what the device itself says.
#include "checker/checker.hpp"

#include <algorithm>

struct Multiprocessor {
  int registers, shared;
};
struct Budget {
  int registers, shared;
};

Budget budget(const Multiprocessor &sm, int threads, int blocks);

namespace {

// Of compute capability 8.0, 8.6 and 9.0.
const Multiprocessor a100{65536, 164 * 1024};
const Multiprocessor rtx3090{65536, 100 * 1024};
const Multiprocessor h100{65536, 228 * 1024};

int up_to_multiple(int value, int unit) { return (value + unit - 1) / unit * unit; }

int warps_of(int threads) { return up_to_multiple(threads, 32) / 32; }

/// Places all warps, each in the quarter that has most left.
bool registers_fit(const Multiprocessor &sm, int threads, int blocks, int registers) {
  int left[4];
  std::fill_n(left, 4, sm.registers / 4);
  for (int warp = 0; warp < blocks * warps_of(threads); ++warp) {
    int &quarter = *std::max_element(left, left + 4);
    quarter -= up_to_multiple(32 * registers, 256);
    if (quarter < 0)
      return false;
  }
  return true;
}

/// Places all blocks.
bool shared_fits(const Multiprocessor &sm, int blocks, int shared) {
  int left = sm.shared;
  for (int block = 0; block < blocks; ++block)
    left -= up_to_multiple(shared, 128) + 1024;
  return left >= 0;
}

std::string text(int threads, int blocks) {
  return checker::counted(blocks, "block") + " of " + checker::counted(threads, "thread") + ": ";
}

void check_registers(const Multiprocessor &sm, int threads, int blocks) {
  const int got = budget(sm, threads, blocks).registers;
  int expected = 255;
  while (!registers_fit(sm, threads, blocks, expected))
    --expected;
  const std::string what = text(threads, blocks);
  const int warps = blocks * warps_of(threads);
  checker::diagnose(
      "more_than_255", got > 255, what + "no thread can have more than 255 registers");
  checker::diagnose(
      "no_quarters",
      got == sm.registers / warps / 256 * 8 && got != sm.registers / (blocks * threads),
      what + "what one quarter of the multiprocessor cannot use helps no other one: count "
             "the warps of a quarter");
  const int rounded_down = (blocks * (threads / 32) + 3) / 4;
  checker::diagnose("warps_rounded_down",
                    rounded_down > 0 &&
                        got == std::min(255, sm.registers / 4 / rounded_down / 256 * 8),
                    what + "the last warp of a block gets registers for 32 threads, too, however "
                           "many it has");
  checker::diagnose("registers_one_by_one",
                    got == sm.registers / (blocks * threads) || got == sm.registers / (32 * warps),
                    what +
                        "a warp gets registers in units of 256, which is 8 for each of 32 threads");
  checker::diagnose("quarters_of_each_block",
                    got < expected && got == sm.registers / 4 /
                                                 (blocks * ((warps_of(threads) + 3) / 4)) / 256 * 8,
                    what + std::to_string(got) +
                        " registers remain if the warps of each block are rounded up to four. The "
                        "quarters share the warps of all blocks: round up " +
                        std::to_string(warps) + " warps, once");
  const int of_warp = up_to_multiple(32 * got, 256), of_quarter = (warps + 3) / 4;
  checker::diagnose("budget_exceeded",
                    got > expected,
                    what + "with that not all of them fit: a quarter has " +
                        std::to_string(sm.registers / 4) + " registers, and its " +
                        checker::counted(of_quarter, "warp") + " of " + std::to_string(of_warp) +
                        " each need " + std::to_string(of_quarter * of_warp));
  checker::expect_same(what + "registers of a thread", got, expected);
}

void check_shared(const Multiprocessor &sm, int blocks) {
  const int got = budget(sm, 32, blocks).shared;
  int expected = sm.shared / 128 * 128;
  while (!shared_fits(sm, blocks, expected))
    expected -= 128;
  const int share = sm.shared / blocks;
  const std::string what = text(32, blocks);
  checker::diagnose("nothing_kept",
                    got == share || got == share / 128 * 128,
                    what + "of the share of each block the system keeps 1024 bytes");
  checker::diagnose("shared_byte_by_byte",
                    got == share - 1024,
                    what + "a block gets a multiple of 128 bytes: with " + std::to_string(got) +
                        " each not all of them fit");
  checker::diagnose("kept_once",
                    blocks > 1 && got != expected && got == (sm.shared - 1024) / blocks / 128 * 128,
                    what +
                        "that is too much, as the 1024 bytes that the system keeps have gone off "
                        "once. It keeps them of each block's share");
  checker::diagnose("budget_exceeded", got > expected, what + "with that not all of them fit");
  checker::expect_same(what + "bytes of shared memory of a block", got, expected);
}

// A kernel that holds on to more registers the larger `count` is.
template <int count> __global__ void holds(float *data) {
  float held[count];
#pragma unroll
  for (int k = 0; k < count; ++k)
    held[k] = data[k * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < count; ++k)
    data[k * 1024 + threadIdx.x] = held[k] * held[(k + 1) % count];
}

template <class Kernel> int blocks_that_fit(Kernel *kernel, int threads, int shared) {
  int blocks = -1;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, threads, static_cast<std::size_t>(shared)));
  return blocks;
}

template <class Kernel> void check_with_device(Kernel *kernel) {
  cudaDeviceProp p;
  LAB_CHECK(cudaGetDeviceProperties(&p, 0));
  if (p.major < 8)
    return; // other units
  LAB_CHECK(cudaFuncSetAttribute(kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(p.sharedMemPerBlockOptin)));
  cudaFuncAttributes attributes;
  LAB_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const Multiprocessor sm{p.regsPerMultiprocessor, static_cast<int>(p.sharedMemPerMultiprocessor)};
  const std::string its = "a kernel of " + std::to_string(attributes.numRegs) + " registers, ";
  for (int threads : {32, 33, 64, 96, 128, 160, 256, 384, 512, 768, 1000, 1024}) {
    const int warps = p.maxThreadsPerMultiProcessor / 32 / warps_of(threads);
    const int room = std::min(p.maxBlocksPerMultiProcessor, warps);
    const int fit = blocks_that_fit(kernel, threads, 0);
    for (int blocks = 1; blocks <= room; ++blocks) {
      const Budget most = budget(sm, threads, blocks);
      const std::string what = its + text(threads, blocks);
      checker::expect((attributes.numRegs <= most.registers) == (blocks <= fit),
                      "wrong_result",
                      what + "this device says otherwise about their registers");
      if (blocks <= fit)
        checker::expect(blocks_that_fit(kernel, threads, most.shared) >= blocks &&
                            blocks_that_fit(kernel, threads, most.shared + 1) < blocks,
                        "wrong_result",
                        what + "this device says otherwise about their shared memory");
    }
  }
}

} // namespace

TEST_CASE("registers") {
  check_registers(a100, 256, 6);
  checker::record("registers_for_6_blocks", budget(a100, 256, 6).registers);
  for (int threads : {256, 128, 64, 512, 1024, 33, 96, 800, 1})
    for (int blocks = 1; blocks <= std::min(32, 64 / warps_of(threads)); ++blocks)
      check_registers(h100, threads, blocks);
}

TEST_CASE("shared memory") {
  for (const Multiprocessor &sm : {a100, rtx3090, h100})
    for (int blocks : {2, 3, 1, 4, 5, 6, 7, 9, 11, 13, 16})
      check_shared(sm, blocks);
}

TEST_CASE("as this device says") {
  check_with_device(holds<4>);
  check_with_device(holds<32>);
  check_with_device(holds<48>);
}
