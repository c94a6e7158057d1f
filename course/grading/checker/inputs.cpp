#include "checker/inputs.hpp"

#include "checker/channel.hpp"
#include "checker/checker.hpp"
#include "checker/detail.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace checker::detail {
namespace {

/// All of one run.
struct Inputs {
  std::set<std::string> possible, there;
  std::vector<std::size_t> sizes; ///< of arrays since the last launch that was observed
  std::vector<std::pair<std::size_t, std::size_t>> shapes; ///< the same: rows, columns
  /// How the checker launched a kernel.
  struct Launches {
    std::set<unsigned> threads; ///< of a block
    unsigned long long blocks = 0; ///< at most
    bool in_drawn_orders = false;
    bool blocks_agree = false; ///< by atomics on global memory
    bool threads_agree = false; ///< by any
    std::list<emu::LineReport> writing; ///< lines that write into global memory, each once
    void note_writing(const emu::KernelReport &kernel);
  };
  std::map<std::string, Launches> launches;
  std::set<std::array<std::string, 3>> devices; ///< that were played
  std::set<std::string> limits; ///< whose limits were
  std::set<std::string> ends; ///< of whole numbers
  std::size_t largest = 0; ///< array that went into the last observation
  LaunchShape launch;
  bool threads_meet = false; ///< of that launch
  bool launched_by_host_code = false; ///< the learner's
  std::vector<const emu::LineReport *>
      writing; ///< of the last observation's kernels; null: of one that the checker has not launched
  std::vector<std::vector<long double>> values;
  bool launched = true; ///< since the last array went in
};

void Inputs::Launches::note_writing(const emu::KernelReport &kernel) {
  for (const emu::LineReport &line : kernel.lines)
    if ((line.access == emu::Access::global_store || line.access == emu::Access::global_atomic) &&
        std::ranges::find(writing, line.where, &emu::LineReport::where) == writing.end())
      writing.push_back(line);
}

Inputs &inputs() {
  static Inputs all;
  return all;
}

void note(const std::string &name, bool there) {
  inputs().possible.insert(name);
  if (there)
    inputs().there.insert(name);
}

/// Whether n elements leave one for the last block, or for the last round of so many threads: for blocks of
/// any multiple of 4 elements, as far as their number tells.
bool leave_one(std::size_t n, unsigned threads, unsigned blocks) {
  if (n < 2)
    return false;
  const bool last_round = threads > 1 && n > threads && n % threads == 1;
  return last_round ||
         (blocks > 1 && (n - 1) % (blocks - 1) == 0 && (n - 1) / (blocks - 1) % 4 == 0);
}

/// Whether the last block, or the last round of one, has had a single element to work on.
bool last_has_one(const emu::KernelReport &kernel) {
  const unsigned *grid = kernel.grid, *block = kernel.block;
  const unsigned threads = block[0] * block[1] * block[2];
  return std::ranges::any_of(inputs().sizes,
                             [&](std::size_t n) { return leave_one(n, threads, grid[0]); }) ||
         std::ranges::any_of(inputs().shapes, [&](const auto &shape) {
           return leave_one(shape.first, block[1], grid[1]) ||
                  leave_one(shape.second, block[0], grid[0]);
         });
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string words(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

template <class T> void keep(const T *values, std::size_t n) {
  constexpr std::size_t largest = 1 << 16;
  Inputs &all = inputs();
  if (std::exchange(all.launched, false))
    all.values.clear();
  if (n <= largest)
    all.values.emplace_back(values, values + n);
}

template <class T> void note_integers(const T *values, std::size_t n, T low, T high) {
  note_size(n);
  keep(values, n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += std::fabs(static_cast<double>(values[i]));
    if (values[i] == low || values[i] == high)
      inputs().ends.insert(values[i] == low ? "low" : "high");
  }
  if (n == 0)
    return;
  note("extremes", inputs().ends.size() == 2);
  note("large_sums", sum > INT_MAX);
}

} // namespace

void note_size(std::size_t n) {
  note("nothing", n == 0);
  inputs().sizes.push_back(n);
}

void note_shape(std::size_t rows, std::size_t cols) {
  note("nothing", rows * cols == 0);
  inputs().shapes.emplace_back(rows, cols);
  if (rows > 65535)
    inputs().there.insert("tall_grids");
}

void note_values(const float *values, std::size_t n) {
  note_size(n);
  keep(values, n);
  const auto any = [&](auto is) { return std::any_of(values, values + n, is); };
  if (n == 0)
    return;
  note("extremes", any([](float value) { return std::fabs(value) == FLT_MAX; }));
  note("infinity", any([](float value) { return std::isinf(value); }));
  note("minus_zero", any([](float value) { return value == 0.0f && std::signbit(value); }));
  note("nan", any([](float value) { return std::isnan(value); }));
}

void note_values(const int *values, std::size_t n) { note_integers(values, n, INT_MIN, INT_MAX); }

void note_values(const unsigned *values, std::size_t n) { note_integers(values, n, 0u, UINT_MAX); }

void note_launch(const char *kernel, unsigned threads, unsigned long long blocks) {
  Inputs::Launches &launches = inputs().launches[kernel];
  launches.threads.insert(threads);
  launches.blocks = std::max(launches.blocks, blocks);
  launches.in_drawn_orders |= DrawnOrder::here();
  note("other_blocks", launches.threads.size() > 1);
}

void note_streams(std::size_t n) {
  if (n > 1) // else there is one by the task
    note("many_streams", n > 32);
}

void note_observed(const emu::Observation &seen) {
  Inputs &all = inputs();
  all.launched = true;
  all.writing.clear();
  all.launched_by_host_code = false;
  for (const emu::KernelReport &kernel : seen.kernels) {
    all.launch = {std::size_t{kernel.block[0]} * kernel.block[1] * kernel.block[2],
                  std::size_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2],
                  kernel.block[0],
                  kernel.block[1]};
    all.threads_meet = kernel.barriers + kernel.warp_meetings > 0;
    note("last_of_one", last_has_one(kernel));
    const auto launched = all.launches.find(kernel.name);
    if (launched == all.launches.end()) {
      if (kernel.grid[1] > 1)
        all.possible.insert("tall_grids");
      all.writing.push_back(nullptr);
      all.launched_by_host_code = true;
      continue;
    }
    const auto atomics = [&](emu::Access access) { return kernel.total(access).lanes > 0; };
    const bool global = atomics(emu::Access::global_atomic);
    launched->second.blocks_agree |= global && kernel.grid[0] > 1;
    launched->second.threads_agree |= global || atomics(emu::Access::shared_atomic);
    launched->second.note_writing(kernel);
    for (const emu::LineReport &line : launched->second.writing)
      all.writing.push_back(&line);
  }
  all.largest = 0;
  for (const std::size_t n : all.sizes)
    all.largest = std::max(all.largest, n);
  for (const auto &[rows, cols] : all.shapes)
    all.largest = std::max(all.largest, rows * cols);
  all.sizes.clear();
  all.shapes.clear();
  all.devices.insert({variable("EMU_DEVICE"), variable("EMU_SMS"), variable("EMU_SHARED_KB")});
  all.limits.insert(variable("EMU_DEVICE"));
}

const emu::LineReport *only_writing_line() {
  const auto &lines = inputs().writing;
  const bool one = !lines.empty() && lines[0] && std::ranges::all_of(lines, [&](const auto *line) {
    return line && line->where == lines[0]->where;
  });
  return one ? lines[0] : nullptr;
}

bool threads_meet() { return inputs().threads_meet; }

bool launched_by_host_code() { return inputs().launched_by_host_code; }

std::size_t largest_input() { return inputs().largest; }

LaunchShape last_launch() { return inputs().launch; }

const std::vector<std::vector<long double>> &last_inputs() { return inputs().values; }

void send_inputs() {
  Inputs &all = inputs();
  note("own_numbers", asked_for_own_numbers());
  note("other_device", all.devices.size() > 1);
  note("other_limits", all.limits.size() > 1);
  for (const auto &[kernel, launches] : all.launches) {
    if (launches.threads.size() > 1)
      note("odd_blocks", std::ranges::any_of(launches.threads, [](unsigned threads) {
             return threads % 32 != 0;
           }));
    if (launches.blocks_agree)
      note("many_blocks", launches.blocks > 1024);
    if (launches.threads_agree)
      note("contention", launches.in_drawn_orders);
  }
  std::set<std::string> missing;
  std::ranges::set_difference(all.possible, all.there, std::inserter(missing, missing.end()));
  send("inputs", {words(all.there), words(missing)});
}

} // namespace checker::detail

namespace checker {

template <class T> std::vector<T> extreme_values(std::size_t n) {
  std::vector<T> values;
  for (const unsigned bits : random_values<unsigned>(n, 0, ~0u)) {
    const T value = std::bit_cast<T>(bits);
    values.push_back(value == value ? value : T{}); // NaN is no number
  }
  std::vector<T> ends;
  if constexpr (std::is_same_v<T, float>)
    ends = {INFINITY, -0.0f, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 0.0f};
  else if constexpr (std::is_same_v<T, int>)
    ends = {INT_MIN, INT_MAX, 0, -1};
  else
    ends = {UINT_MAX, 0, 1u << 31, 1};
  // Both ends of the array get one: what lies beside an edge is what is mixed in by mistake.
  for (std::size_t k = 0; k < ends.size() && k < n; ++k)
    values[k % 2 == 0 ? k / 2 : n - 1 - k / 2] = ends[k];
  if (n > 32 &&
      detail::put_own_numbers(
          values.data(), n, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), true) >
          0)
    detail::note_own_numbers_among_values();
  if constexpr (std::is_same_v<T, float>)
    if (n > 32 && n % 32 != 0)
      values[n / 2] = NAN;
  return values;
}

template std::vector<float> extreme_values(std::size_t);
template std::vector<int> extreme_values(std::size_t);
template std::vector<unsigned> extreme_values(std::size_t);

void expect_same_bits(const std::string &what,
                      const std::vector<float> &actual,
                      const std::vector<float> &expected,
                      std::size_t width) {
  expect_same(what, actual, expected, {}, width);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!std::isnan(expected[i]) && std::signbit(actual[i]) != std::signbit(expected[i]))
      expect(false, // a text for each element would take longer than the kernel
             "sign_of_zero",
             what + ": element " + std::to_string(i) +
                 " is 0, but of the other sign: " + (std::signbit(expected[i]) ? "-0" : "0") +
                 " is right. Was something added to it on the way?");
}

} // namespace checker
