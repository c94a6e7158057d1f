// Checks as_many_as_fit.cu: every cell, behind a barrier for all blocks, and blocks of which most threads fit, on any device.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void look_up(unsigned *cells, int n, int lines, const unsigned *table, int reach);
void look_up_all(unsigned *d_cells, int n, int lines, const unsigned *d_table, int reach);

namespace {

constexpr unsigned unwritten = 2; // a cell that counts as 0

const checker::PlayedDevice small_device(2);

/// More cells than the device has threads, and than 60 blocks have.
int too_many_at_once() {
  const lab::Device &device = lab::choose_device();
  return std::max(16000, device.sm_count * device.max_threads_per_sm * 5 / 4 + 7);
}

std::vector<unsigned> grown(
    std::vector<unsigned> cells, int n, int lines, const std::vector<unsigned> &table, int reach) {
  for (int line = 1; line < lines; ++line)
    for (int i = 0; i < n; ++i) {
      unsigned number = 0;
      for (int k = i - reach; k <= i + reach; ++k)
        number = 2 * number + (k >= 0 && k < n ? cells[(line - 1) * n + k] : 0);
      cells[line * n + i] = table[number];
    }
  return cells;
}

/// A first line, and nothing behind it.
std::vector<unsigned> first_line(int n, int lines) {
  std::vector<unsigned> cells = checker::random_values<unsigned>(n, 0, 1);
  cells.resize(static_cast<std::size_t>(n) * lines, unwritten);
  return cells;
}

std::optional<emu::Observation> check(int n, int lines, int reach, const std::string &device = {}) {
  const auto h_cells = first_line(n, lines);
  const auto h_table = checker::random_values<unsigned>(2u << 2 * reach, 0, 1);
  const auto d_cells = checker::on_device(h_cells), d_table = checker::on_device(h_table);
  const std::string what = std::to_string(lines) + " lines of " + checker::counted(n, "cell") +
                           ", a table of " + std::to_string(4 * h_table.size()) + " bytes" +
                           (device.empty() ? "" : ", " + device);
  checker::perhaps(
      "Within one launch cg::this_grid().sync() is what orders blocks: no line is read "
      "before all have written it",
      "global_race");
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(what, [&] {
    look_up_all(d_cells.data(), n, lines, d_table.data(), reach);
    error = cudaGetLastError();
  });
  checker::expect(error != cudaErrorCooperativeLaunchTooLarge,
                  "too_many_blocks",
                  what + ": the launch is refused, as not all of its blocks fit on the device at a "
                         "time. How many do depends on the device, and on the shared memory that a "
                         "block takes");
  checker::expect(
      error == cudaSuccess || 4 * h_table.size() <= 48 * 1024,
      "not_allowed",
      what + ": the launch is refused, " + cudaGetErrorName(error) +
          ". Smaller tables were right: more than 48 KB a kernel has to be allowed, and "
          "until it is no block fits");
  checker::expect(error != cudaErrorInvalidValue,
                  "more_than_there_is",
                  what + ": a call is refused, cudaErrorInvalidValue, and this table needs no "
                         "permission. Has more shared memory been allowed than a block can have on "
                         "this device? What this table takes is enough");
  LAB_CHECK(error);
  const auto expected = grown(h_cells, n, lines, h_table, reach), got = d_cells.download();
  if (lines > 1) {
    const auto second = got.begin() + n, end = second + n;
    const auto written = std::find(second, end, unwritten);
    checker::diagnose(
        "tail_missing",
        written - second >= 32 && std::equal(second, written, expected.begin() + n) &&
            std::all_of(written, end, [](unsigned cell) { return cell == unwritten; }),
        what + ": of the second line the first " + std::to_string(written - second) +
            " cells are right, and nobody has written the others. With a fixed "
            "number of blocks a thread has to take on more than one cell");
  }
  checker::expect_same("cells, " + what, got, expected, {}, n);
  if (!seen)
    return seen;
  checker::expect(!seen->find("same_value_race"),
                  "written_twice",
                  what + ": the cells are right, but several blocks write the same ones. How far "
                         "is it from a thread's cell to its next one?");
  std::size_t launches = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    launches += kernel.launches;
  checker::expect(launches == 1,
                  "more_launches",
                  what + ": the cells are right, by " + std::to_string(launches) +
                      " launches. One is asked for, in which blocks wait for each other");
  return seen;
}

/// On one multiprocessor of the current device, in blocks of so many.
int threads_that_fit(int reach, int of_block) {
  const int bytes = static_cast<int>(sizeof(unsigned) << (2 * reach + 1));
  LAB_CHECK(cudaFuncSetAttribute(look_up, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  int of_one = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, look_up, of_block, bytes));
  return of_one * of_block;
}

/// In blocks of the best size.
int threads_that_fit(int reach) {
  int most = 0;
  for (int of_block = 32; of_block <= 1024; of_block += 32)
    most = std::max(most, threads_that_fit(reach, of_block));
  return most;
}

int multiprocessors_of(int device) {
  int count = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

struct Launched {
  int threads, of_block;
};

/// Nothing on a GPU, and in a drawn order.
std::optional<Launched> launched_on(const std::string &device, int reach) {
  const auto seen = check(600, 2, reach, device);
  if (!seen)
    return {};
  const emu::KernelReport &kernel = seen->kernels.at(0);
  const int of_block = static_cast<int>(kernel.block[0]);
  return Launched{static_cast<int>(kernel.grid[0]) * of_block, of_block};
}

/// How many fit is not told: the device can be asked.
void check_grid(const std::string &device, int reach, const Launched &launched) {
  int current = 0;
  LAB_CHECK(cudaGetDevice(&current));
  const int of_one = threads_that_fit(reach, launched.of_block),
            fit = of_one * multiprocessors_of(current);
  const std::string gets = "all is right, but " + device + " gets " +
                           checker::counted(launched.threads, "thread") + " in blocks of " +
                           std::to_string(launched.of_block);
  checker::expect(launched.threads >= fit || launched.threads != of_one * multiprocessors_of(0),
                  "another_device_asked",
                  gets + ", as many as device 0 holds. cudaGetDevice() tells which one is current");
  checker::expect(launched.threads >= fit,
                  "room_left",
                  gets + (launched.threads == of_one ? ": so many fit on one of its multiprocessors"
                                                     : ", and has room for more such blocks"));
  checker::expect(of_one >= threads_that_fit(reach),
                  "other_blocks",
                  gets + ", beside tables of " +
                      std::to_string(sizeof(unsigned) << (2 * reach + 1)) +
                      " bytes. No more such blocks fit, but of blocks of another size more threads "
                      "do");
}

void check_grid(const std::string &device, int reach) {
  if (const auto launched = launched_on(device, reach))
    check_grid(device, reach, *launched);
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 3, 1);
}

TEST_CASE("more than the device can do at once") {
  const auto seen = check(too_many_at_once(), 3, 1);
  if (seen)
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0, "the cells are right");
}

TEST_CASE("as many blocks as the device holds") {
  const std::string of_two = "a device of 2 multiprocessors",
                    of_five = "a device of 5 multiprocessors";
  const auto two = launched_on(of_two, 1);
  if (!two)
    return;
  checker::record("blocks_with_larger_tables", 2 * threads_that_fit(6, 256) / 256);
  {
    const checker::PlayedDevice larger(5);
    const Launched five = *launched_on(of_five, 1);
    checker::expect(five.threads != two->threads || five.threads == threads_that_fit(1),
                    "same_on_every_device",
                    "all is right on " + of_two + ", but " + of_five + " gets " +
                        std::to_string(five.threads / five.of_block) +
                        " blocks, too. The number has to come from the device, each time");
    check_grid(of_five, 1, five);
  }
  check_grid(of_two, 1, *two);
}

TEST_CASE("a table of 128 KB") {
  checker::unless_failed_before();
  const checker::PlayedDevice one(1);
  check_grid("a device of 1 multiprocessor", 7);
}

TEST_CASE("devices of other people, and large tables") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  const std::pair<const char *, const char *> devices[] = {
      {"rtx4090", "an RTX 4090"}, {"a100", "an A100"}, {"t4", "a T4"}};
  for (const auto &[file, name] : devices) {
    const int multiprocessors = checker::random_values<int>(1, 1, 3)[0];
    const checker::PlayedDevice played(file, multiprocessors);
    check_grid(std::string(name) + " of " + checker::counted(multiprocessors, "multiprocessor"), 2);
  }
  const checker::PlayedDevice t4("t4", 2);
  check_grid("a T4 of 2 multiprocessors", 6);
}

TEST_CASE("a device that is not the first") {
  if (!lab::on_emulator())
    return;
  const checker::OnDevice second(1);
  const checker::PlayedDevice others(3, 227, 2);
  check_grid("device 1, of 3 multiprocessors,", 1);
}

TEST_CASE("a shell") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int width = 74, height = 34;
    std::vector<unsigned> h_cells(width * height, 0), h_table;
    h_cells[width / 2] = 1;
    for (unsigned number = 0; number < 8; ++number)
      h_table.push_back(30 >> number & 1);
    const auto d_cells = checker::on_device(h_cells), d_table = checker::on_device(h_table);
    look_up_all(d_cells.data(), width, height, d_table.data(), 1);
    std::vector<bool> shell;
    for (const unsigned cell : d_cells.download())
      shell.push_back(cell == 1);
    checker::note("A shell of 34 lines, by one launch of yours. Its table has eight bits, those of "
                  "30; snails of the South Sea, cone shells, wear the like:" +
                  checker::picture(shell, width));
  });
}
