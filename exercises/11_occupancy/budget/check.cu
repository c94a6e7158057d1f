// Checks budget.cu: each launch is placed warp by warp and block by block, and compared with the best of all.
#include "checker/checker.hpp"

#include <algorithm>

struct Multiprocessor {
  int threads, blocks, registers, shared;
};
struct Kernel {
  int registers, table, most;
};
struct Launch {
  int threads, blocks, loads, copies;
};

Launch most_in_flight(const Multiprocessor &sm, const Kernel &kernel);

namespace {

const Multiprocessor a100{2048, 32, 65536, 164 * 1024};
const Multiprocessor rtx4090{1536, 24, 65536, 100 * 1024};
const Multiprocessor h200{2048, 32, 65536, 228 * 1024};
const Kernel v6{24, 64 * 1024, 8};

int up_to_multiple(int value, int unit) { return (value + unit - 1) / unit * unit; }

int registers_of(const Kernel &kernel, int loads) { return kernel.registers + 4 * loads; }

int in_flight(const Launch &launch) { return launch.loads + launch.copies; }

int bytes_of(const Launch &launch) {
  return 16 * launch.threads * launch.blocks * in_flight(launch);
}

int shared_of(const Kernel &kernel, const Launch &launch) {
  return kernel.table + 16 * launch.threads * launch.copies;
}

/// Places all warps, each in the quarter that has most left.
bool registers_fit(const Multiprocessor &sm, int warps, int registers) {
  int left[4];
  std::fill_n(left, 4, sm.registers / 4);
  for (int warp = 0; warp < warps; ++warp) {
    int &quarter = *std::max_element(left, left + 4);
    quarter -= up_to_multiple(32 * registers, 256);
    if (quarter < 0)
      return false;
  }
  return true;
}

/// Places all blocks.
bool shared_fits(const Multiprocessor &sm, int blocks, int bytes) {
  int left = sm.shared;
  for (int block = 0; block < blocks; ++block)
    left -= up_to_multiple(bytes + 1024, 128);
  return left >= 0;
}

/// By divisions, of which what is placed one by one shows that they are right. The blocks of the launch are not looked at.
int blocks_that_fit(const Multiprocessor &sm, const Kernel &kernel, const Launch &launch) {
  const int of_warp = up_to_multiple(32 * registers_of(kernel, launch.loads), 256);
  return std::min({sm.threads / launch.threads,
                   sm.blocks,
                   4 * (sm.registers / 4 / of_warp) / (launch.threads / 32),
                   sm.shared / up_to_multiple(shared_of(kernel, launch) + 1024, 128)});
}

/// @param most_copies  of each thread
Launch best_of(const Multiprocessor &sm, const Kernel &kernel, int most_copies) {
  Launch best{32, 0, 1, 0};
  for (int loads = 0; loads <= kernel.most && registers_of(kernel, loads) <= 255; ++loads)
    for (int copies = 0; copies <= std::min(most_copies, kernel.most - loads); ++copies)
      for (int threads = 1024; threads >= 32; threads -= 32) {
        Launch launch{threads, 0, loads, copies};
        launch.blocks = blocks_that_fit(sm, kernel, launch);
        if (bytes_of(launch) > bytes_of(best))
          best = launch;
      }
  return best;
}

std::string text(const Launch &launch) {
  return checker::counted(launch.blocks, "block") + " of " +
         checker::counted(launch.threads, "thread") + " with " +
         checker::counted(launch.loads, "load") + " and " + std::to_string(launch.copies) +
         (launch.copies == 1 ? " copy" : " copies");
}

void check(const Multiprocessor &sm, const Kernel &kernel) {
  const Launch got = most_in_flight(sm, kernel);
  const int registers = registers_of(kernel, got.loads), warps = got.blocks * (got.threads / 32);
  const std::string what = "a kernel of " + std::to_string(kernel.registers) +
                           " registers, with a table of " + std::to_string(kernel.table) +
                           " bytes and " + std::to_string(kernel.most) +
                           " in flight at most: " + text(got);
  checker::expect(
      got.threads >= 32 && got.threads <= 1024 && got.threads % 32 == 0 && got.blocks >= 1 &&
          got.loads >= 0 && got.copies >= 0 && in_flight(got) >= 1 && in_flight(got) <= kernel.most,
      "no_launch",
      what + ". A block has whole warps, of 32 to 1024 threads, there is one block at "
             "least, and in flight are loads and copies for which the kernel is written");
  checker::expect(registers <= 255,
                  "more_than_255",
                  what + " need " + std::to_string(registers) +
                      " registers per thread, and no thread can have more than 255");
  checker::expect(got.threads * got.blocks <= sm.threads && got.blocks <= sm.blocks,
                  "no_places",
                  what + ". There are places for " + std::to_string(sm.threads) + " threads and " +
                      std::to_string(sm.blocks) + " blocks");
  const int of_warp = up_to_multiple(32 * registers, 256), of_quarter = (warps + 3) / 4;
  checker::expect(registers_fit(sm, warps, registers),
                  warps * of_warp <= sm.registers          ? "no_quarters"
                  : warps * 32 * registers <= sm.registers ? "registers_one_by_one"
                                                           : "too_many_registers",
                  what + ". Not all of them fit: a quarter has " +
                      std::to_string(sm.registers / 4) + " registers, and its " +
                      checker::counted(of_quarter, "warp") + " of " + std::to_string(of_warp) +
                      " each need " + std::to_string(of_quarter * of_warp));
  const int of_block = up_to_multiple(shared_of(kernel, got) + 1024, 128);
  checker::expect(
      shared_fits(sm, got.blocks, shared_of(kernel, got)),
      got.blocks * up_to_multiple(shared_of(kernel, got), 128) <= sm.shared ? "nothing_kept"
      : got.blocks * up_to_multiple(kernel.table + 1024, 128) <= sm.shared  ? "copies_for_nothing"
                                                                            : "too_much_shared",
      what + ". Not all of them fit: there are " + std::to_string(sm.shared) +
          " bytes of shared memory, and " + checker::counted(got.blocks, "block") + " of " +
          std::to_string(of_block) + " each, with copies and what the system keeps, need " +
          std::to_string(got.blocks * of_block));
  const Launch best = best_of(sm, kernel, kernel.most);
  const std::string beaten = what + " have " + std::to_string(bytes_of(got)) +
                             " bytes in flight. The record is " + std::to_string(bytes_of(best));
  const int fit = blocks_that_fit(sm, kernel, got);
  const bool record = bytes_of(got) >= bytes_of(best);
  checker::expect(got.blocks == fit || record,
                  "blocks_left_out",
                  beaten + ", and " + std::to_string(fit) + " blocks of these fit");
  if (got.copies == 0)
    checker::expect(record || bytes_of(got) < bytes_of(best_of(sm, kernel, 0)),
                    "one_purse",
                    beaten + ". All is paid in registers here, and of the " +
                        std::to_string(sm.shared) + " bytes of shared memory " +
                        std::to_string(sm.shared - got.blocks * of_block) + " are left: " +
                        (best.loads > 0 ? "copies beside loads" : "copies alone") + " bring more");
  else if (got.loads == 0)
    checker::expect(record || best.loads == 0,
                    "one_purse",
                    beaten + ". All is paid in shared memory here, and of the " +
                        std::to_string(sm.registers) + " registers " +
                        std::to_string(sm.registers - warps * of_warp) + " are left: " +
                        (best.copies > 0 ? "loads beside copies" : "loads alone") + " bring more");
  checker::expect(record || in_flight(got) <= in_flight(best),
                  "loads_for_warps",
                  beaten + ", by fewer loads of each thread, which let in more warps");
  checker::expect(record || in_flight(got) >= in_flight(best),
                  "warps_for_loads",
                  beaten + ", by more loads of each thread");
  checker::expect(record,
                  "other_block",
                  beaten + ", by as many loads of each thread, in blocks of " +
                      checker::counted(best.threads / 32, "warp") + ", where these have " +
                      std::to_string(got.threads / 32) + ": a block may have any number of warps");
}

} // namespace

TEST_CASE("v6's kernel on an H200") {
  checker::record("kilobytes_of_two_blocks", bytes_of({384, 2, 5, 2}) / 1024.0);
  check(h200, v6);
}

TEST_CASE("any kernel, on three devices") {
  for (const Multiprocessor &sm : {h200, a100, rtx4090})
    for (int table : {58'000, 0, 20'000, 99'000})
      for (int registers : {24, 16, 51, 200})
        for (int most : {8, 1, 21})
          check(sm, {registers, table, most});
  check(h200, {250, 0, 48}); // one load, and far more copies than anybody has loads
  for (int registers : checker::own_sizes(16, 250, 1000))
    check(h200, {registers, 20'000, 8});
  for (int table : checker::own_sizes(0, 99'000, 300'000))
    check(a100, {24, table, 8});
}

TEST_CASE("the record") {
  std::string text =
      "KB in flight on an H200 by your function, for a table of 64 KB, up to 16 loads, and so many "
      "registers of a thread's own: what goes to registers (=), and to shared memory (~). v6 has "
      "48 "
      "KB, and the memory needs 12:";
  for (int registers : {16, 24, 32, 48, 64, 96, 128, 192, 250}) {
    const Launch launch = most_in_flight(h200, {registers, 64 * 1024, 16});
    const int kilobytes = bytes_of(launch) / 1024;
    const int of_copies = kilobytes * launch.copies / std::max(1, in_flight(launch));
    const auto right = [](int number, int width) {
      const std::string digits = std::to_string(number);
      return std::string(std::max(0, width - static_cast<int>(digits.size())), ' ') + digits;
    };
    text += "\n" + right(registers, 3) + "  " + std::string((kilobytes - of_copies) / 8, '=') +
            std::string(of_copies / 8, '~') + " " + std::to_string(kilobytes) + ": " +
            std::to_string(launch.blocks) + " x " + std::to_string(launch.threads) + " threads, " +
            std::to_string(launch.loads) + " + " + std::to_string(launch.copies);
  }
  checker::note(text);
}
