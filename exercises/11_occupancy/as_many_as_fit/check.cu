// Checks as_many_as_fit.cu: every number, and a grid that just fills the device, in as few blocks as can.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

__global__ void look_up(const int *in, int n, const float *table, float *out);
void look_up_all(const int *d_in, int n, const float *d_table, float *d_out);

namespace {

constexpr int entries = 2304;

const checker::PlayedDevice small_device(2);

/// More numbers than the device has threads, and than 60 blocks have.
int too_many_at_once() {
  const lab::Device &device = lab::choose_device();
  return std::max(20000, device.sm_count * device.max_threads_per_sm * 5 / 4 + 7);
}

std::optional<emu::Observation> check(int n) {
  const auto h_in = checker::random_values<int>(n, 0, entries - 1);
  auto h_table = checker::extreme_values<float>(entries);
  h_table[entries / 2] = NAN;
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = h_table[h_in[i]];
  const auto d_in = checker::on_device(h_in);
  const auto d_table = checker::on_device(h_table);
  const auto d_out = checker::poisoned<float>(n);
  const std::string what = checker::counted(n, "number");
  auto seen =
      checker::launch(what, [&] { look_up_all(d_in.data(), n, d_table.data(), d_out.data()); });
  const auto got = d_out.download();
  int right = 0;
  while (right < n && lab::close(got[right], expected[right], {}))
    ++right;
  bool rest_unwritten = right >= 32;
  for (int i = right; i < n; ++i)
    rest_unwritten = rest_unwritten && std::isnan(got[i]);
  checker::diagnose(
      "tail_missing",
      right < n && rest_unwritten,
      what + ": the first " + std::to_string(right) +
          " results are right, and nobody has written the others. With a fixed number "
          "of blocks a thread has to take on more than one number");
  checker::expect_same("results of " + what, got, expected);
  if (seen)
    checker::expect(!seen->find("same_value_race"),
                    "written_twice",
                    what +
                        ": the results are right, but several blocks write the same ones. How far "
                        "is it from a thread's number to its next one?");
  return seen;
}

struct Blocks {
  unsigned launched = 0, fit = 0, on_one = 0; // multiprocessor
  unsigned fit_on_first = 0; // device
  unsigned threads = 0, of_1024_fit = 0; // threads of a block; blocks
  unsigned by_static_twice = 0; // that would fit if a block had its table twice
  unsigned most_threads = 0, fewest = 0; // of one multiprocessor; blocks of it that hold as many
};

unsigned multiprocessors_of(int device) {
  int count = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(count);
}

// Nothing on a GPU.
std::optional<Blocks> blocks_on_this_device() {
  const auto seen = check(20000);
  if (!seen)
    return {};
  checker::expect(
      !seen->kernels.empty(), "worked_on_the_host", "look_up_all() has launched no kernel");
  checker::expect_lanes(*seen, emu::Access::shared_load, 30.0, "the results are right");
  Blocks blocks;
  for (const emu::KernelReport &kernel : seen->kernels)
    blocks.launched += static_cast<unsigned>(kernel.launches) * kernel.grid[0];
  int per_multiprocessor = 0;
  const unsigned(&block)[3] = seen->kernels.at(0).block;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, look_up, static_cast<int>(block[0] * block[1] * block[2]), 0));
  blocks.threads = block[0] * block[1] * block[2];
  int of_1024 = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_1024, look_up, 1024, 0));
  int with_another_table = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &with_another_table,
      look_up,
      static_cast<int>(block[0] * block[1] * block[2]),
      entries * sizeof(float)));
  int device = 0;
  LAB_CHECK(cudaGetDevice(&device));
  blocks.on_one = static_cast<unsigned>(per_multiprocessor);
  blocks.fit = blocks.on_one * multiprocessors_of(device);
  blocks.of_1024_fit = static_cast<unsigned>(of_1024) * multiprocessors_of(device);
  blocks.fit_on_first = blocks.on_one * multiprocessors_of(0);
  for (unsigned threads = 1024; threads > 0; threads -= 32) {
    int of_these = 0;
    LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &of_these, look_up, static_cast<int>(threads), 0));
    if (threads * of_these > blocks.most_threads) {
      blocks.most_threads = threads * of_these;
      blocks.fewest = static_cast<unsigned>(of_these);
    }
  }
  blocks.by_static_twice = static_cast<unsigned>(with_another_table) * multiprocessors_of(device);
  return blocks;
}

// Blocks of 256 threads with 40 KB each, on 2 multiprocessors: what the prediction asks for.
unsigned blocks_with_larger_tables() {
  int per_multiprocessor = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_multiprocessor, look_up, 256, 40 * 1024 - entries * sizeof(float)));
  return static_cast<unsigned>(2 * per_multiprocessor);
}

// How many fit is not told: the device can be asked.
void expect_all_that_fit(const Blocks &blocks, const std::string &device) {
  checker::expect(blocks.launched == blocks.fit || blocks.launched != blocks.fit_on_first,
                  "another_device_asked",
                  "all is right, but " + device + " gets the " + std::to_string(blocks.launched) +
                      " blocks that device 0 holds. cudaGetDevice() tells which one is current");
  checker::expect(blocks.launched <= blocks.fit,
                  "table_too_often",
                  "all is right, but on " + device + " not all of the " +
                      std::to_string(blocks.launched) +
                      " blocks fit at once, and those that come later copy the table again");
  checker::expect(
      !(blocks.launched < blocks.fit && blocks.launched == blocks.by_static_twice),
      "counted_twice",
      "all is right, but " + device + " has room for more than the " +
          std::to_string(blocks.launched) +
          " blocks that were launched: so many would fit if a block had its table "
          "twice. CUDA counts a kernel's static shared memory by itself: the fourth argument of "
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor is the dynamic one, 0 here");
  const std::string of = " blocks of " + std::to_string(blocks.threads) + " threads";
  checker::expect(!(blocks.launched < blocks.fit && blocks.launched == blocks.of_1024_fit),
                  "other_block",
                  "all is right, but on " + device + " " + std::to_string(blocks.launched) + of +
                      " were launched, and more fit: so many would if a block had 1024 threads, as "
                      "cudaOccupancyMaxPotentialBlockSize counts. "
                      "cudaOccupancyMaxActiveBlocksPerMultiprocessor "
                      "says how many there are of another size");
  checker::expect(
      blocks.launched >= blocks.fit,
      "room_left",
      "all is right, but " + device + " has room for more than the " +
          std::to_string(blocks.launched) + " blocks that were launched" +
          (blocks.launched == blocks.on_one ? ": so many fit on one of its multiprocessors" : ""));
  const unsigned places = blocks.threads * blocks.on_one;
  checker::expect(places >= blocks.most_threads,
                  "places_empty",
                  "all is right, but on " + device + " a multiprocessor holds " +
                      std::to_string(places) + " threads, in blocks of " +
                      std::to_string(blocks.threads) + ". With another size it holds " +
                      std::to_string(blocks.most_threads));
  checker::expect(
      blocks.on_one == blocks.fewest,
      "more_tables",
      "all is right, and " + device + " is full. But " + checker::counted(blocks.on_one, "block") +
          " on a multiprocessor copy the table as often, and fewer, larger ones hold as "
          "many threads");
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n);
}

TEST_CASE("more than the device can do at once") { check(too_many_at_once()); }

TEST_CASE("as many blocks as the device holds") {
  const auto two = blocks_on_this_device();
  if (!two)
    return;
  checker::record("blocks_with_larger_tables", blocks_with_larger_tables());
  expect_all_that_fit(*two, "a device of 2 multiprocessors");
  const checker::PlayedDevice larger(5);
  const auto five = blocks_on_this_device();
  checker::expect(five->launched != two->launched,
                  "same_on_every_device",
                  "all is right on a device of 2 multiprocessors, but one of 5 gets " +
                      std::to_string(five->launched) +
                      " blocks, too. The number has to come from the device, each time");
  expect_all_that_fit(*five, "a device of 5 multiprocessors");
}

TEST_CASE("devices of other people") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  const std::pair<const char *, const char *> devices[] = {
      {"t4", "T4"}, {"rtx4090", "RTX 4090"}, {"a100", "A100"}, {"rtx3060", "RTX 3060"}};
  std::string text = "Your launch on devices of a few multiprocessors, a line for each. A block of "
                     "1024 threads is "
                     "[========]:";
  for (const auto &[file, name] : devices) {
    const int multiprocessors = checker::random_values<int>(1, 1, 4)[0];
    const checker::PlayedDevice played(file, multiprocessors);
    const auto blocks = blocks_on_this_device();
    const std::string a = *name == 'A' || *name == 'R' ? "an " : "a ";
    expect_all_that_fit(*blocks,
                        a + name + " of " + checker::counted(multiprocessors, "multiprocessor"));
    for (int line = 0; line < multiprocessors; ++line) {
      std::string block = "[" + std::string((blocks->threads + 64) / 128, '=') + "]";
      text +=
          (line == 0 ? "\n" + std::string(name) + std::string(10 - std::string(name).size(), ' ')
                     : "\n" + std::string(10, ' '));
      for (unsigned k = 0; k < blocks->on_one; ++k)
        text += block;
    }
  }
  checker::note(text);
}

TEST_CASE("a device that is not the first") {
  if (!lab::on_emulator())
    return;
  const checker::OnDevice second(1);
  const checker::PlayedDevice others(4, 227, 3);
  expect_all_that_fit(*blocks_on_this_device(), "device 1, of 4 multiprocessors,");
}
