// Checks tell_the_streams.cu: the values, whichever stream comes late, that kernels run side by side, and that the host
// goes on.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

void scaled(const float *h_in,
            int n,
            int rows,
            float *d_in,
            float *d_out,
            float *h_out,
            cudaStream_t copies,
            const cudaStream_t *kernels,
            cudaEvent_t mark);

namespace {

enum class Late { nobody, copies, kernels };

/// "launch 2 waits for the kernel of launch 1"; empty if no kernel has to wait for another one.
std::string kernel_that_waits(const emu::Timeline &times) {
  std::map<std::size_t, int> numbers; // of the bars of kernels, from 1 on
  for (std::size_t i = 0; i < times.bars.size(); ++i)
    if (times.bars[i].kind == "kernel") {
      const int number = static_cast<int>(numbers.size()) + 1;
      for (const std::size_t before : times.bars[i].after)
        if (numbers.contains(before))
          return "launch " + std::to_string(number) + " waits for the kernel of launch " +
                 std::to_string(numbers[before]);
      numbers[i] = number;
    }
  return {};
}

/// Where copies and kernels were, and when.
void check_streams(const emu::Timeline &times,
                   const std::string &what,
                   int rows,
                   bool side_by_side) {
  std::map<std::string, std::set<std::string>> lanes;
  std::vector<const emu::TimelineBar *> kernels;
  for (const emu::TimelineBar &bar : times.bars) {
    if (bar.kind != "kernel" && bar.kind != "copy")
      continue;
    lanes[bar.kind].insert(bar.lane);
    if (bar.kind == "kernel")
      kernels.push_back(&bar);
  }
  checker::expect(lanes["kernel"].size() == static_cast<std::size_t>(rows) &&
                      std::ranges::none_of(
                          lanes["kernel"],
                          [&](const std::string &lane) { return lanes["copy"].contains(lane); }),
                  "one_stream",
                  what + ": the kernels are in " +
                      checker::counted(static_cast<long long>(lanes["kernel"].size()), "stream") +
                      ". That is right, and leaves nothing to do for the others: let the kernel of "
                      "row k stay in kernels[k]");
  if (!side_by_side)
    return;
  std::size_t at_once = 0;
  for (const emu::TimelineBar *one : kernels)
    at_once = std::max<std::size_t>(
        at_once, std::ranges::count_if(kernels, [&](const emu::TimelineBar *other) {
          return other->begin_us <= one->begin_us && one->begin_us < other->end_us;
        }));
  checker::record("kernels_at_once", static_cast<double>(at_once));
  const std::string waits = kernel_that_waits(times);
  checker::expect(
      at_once == static_cast<std::size_t>(rows),
      "kernels_in_turn",
      what + ": the result is right, but " +
          (waits.empty()
               ? "at most " + checker::counted(static_cast<long long>(at_once), "kernel") +
                     " at a time"
               : waits + ". A wait means the last record before it, and that one came "
                         "behind a kernel. Let all kernels' streams wait for the copy's "
                         "record, and record anew only then, in a second loop"));
}

void check(int n, int rows, int calls, Late late_one) {
  const checker::Streams own(rows + 1, 1);
  const cudaStream_t copies = own.streams[0], *kernels = own.streams.data() + 1;
  checker::name_stream(copies, "`copies`");
  checker::name_streams({kernels, kernels + rows}, "kernels[#]");
  const auto values = checker::extreme_values<float>(n);
  const std::size_t all = static_cast<std::size_t>(n) * rows;
  lab::PinnedBuffer<float> h_in(n), h_out(all);
  std::ranges::copy(checker::goes_in(values), h_in.begin());
  std::fill(h_out.begin(), h_out.end(), -1e6f);
  const auto d_in = checker::poisoned<float>(n), d_out = checker::poisoned<float>(all);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(n, "number") + " and " +
                           checker::counted(rows, "kernel") +
                           (calls > 1 ? ", twice in a row" : "") +
                           (late_one == Late::copies    ? ", `copies` comes late"
                            : late_one == Late::kernels ? ", kernels[0] comes late"
                                                        : "");
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{late_one == Late::kernels ? kernels[0] : copies,
                                late_one == Late::nobody ? 0.0 : 200.0}});
    for (int call = 1; call <= calls; ++call) {
      scaled(h_in.data(),
             n,
             rows,
             d_in.data(),
             d_out.data(),
             h_out.data(),
             copies,
             kernels,
             own.events[0]);
      LAB_CHECK_LAUNCH();
    }
    returned.here();
    free_to_go = late.let_go() || late_one == Late::nobody;
  });
  std::vector<float> expected;
  for (int k = 0; k < rows; ++k)
    for (float value : values)
      expected.push_back((static_cast<float>(k) + 1.5f) * value);
  checker::expect_same(
      "result of " + what, std::vector<float>(h_out.begin(), h_out.end()), expected);
  checker::expect_same("what the kernels make of " + what, d_out.download(), expected);
  checker::expect_same(
      "numbers that went in", std::vector<float>(h_in.begin(), h_in.end()), values);
  const auto times = checker::timeline(checker::plain_model(10));
  if (seen)
    free_to_go = returned.us(*times) <= 0;
  checker::expect(free_to_go,
                  "host_waits",
                  what +
                      ": the result is right, but the host stands still until the device is done "
                      "with something. One stream can wait for the other without it");
  if (seen)
    check_streams(*times, what, rows, calls == 1 && n <= 1025); // a large kernel fills the device
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 3, 1, Late::nobody);
}

TEST_CASE("the copies come late") { check(1000, 2, 1, Late::copies); }

TEST_CASE("a kernel comes late") { check(1000, 4, 1, Late::kernels); }

TEST_CASE("one kernel, and many") {
  check(1000, 1, 1, Late::nobody);
  check(100, 40, 1, Late::nobody);
}

TEST_CASE("twice in a row") { check(3000, 3, 2, Late::copies); }

TEST_CASE("a stream that has something else to do") {
  checker::unless_failed_before();
  constexpr int n = 1000, rows = 4, late_row = 2;
  const checker::Streams own(rows + 1, 1);
  const cudaStream_t copies = own.streams[0], *kernels = own.streams.data() + 1;
  const auto values = checker::random_values<float>(n, -9, 9);
  lab::PinnedBuffer<float> h_in(n), h_out(n * rows);
  std::ranges::copy(values, h_in.begin());
  const auto d_in = checker::poisoned<float>(n), d_out = checker::poisoned<float>(n * rows);
  const auto other = checker::poisoned<char>(1);
  LAB_CHECK(cudaDeviceSynchronize());
  const auto seen = checker::observe("a stream that has something else to do", [&] {
    LAB_CHECK(cudaMemsetAsync(other.data(), 0, 1, kernels[late_row]));
    scaled(h_in.data(),
           n,
           rows,
           d_in.data(),
           d_out.data(),
           h_out.data(),
           copies,
           kernels,
           own.events[0]);
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaStreamSynchronize(copies));
  });
  if (!seen)
    return;
  const auto times = *checker::timeline(checker::plain_model(10));
  const auto is = [&](std::size_t bar, const char *engine) {
    return times.bars[bar].kind == "copy" && times.bars[bar].engine == engine;
  };
  const auto after = [&](std::size_t bar, std::size_t before) {
    return std::ranges::count(times.bars[bar].after, before) > 0;
  };
  std::map<std::pair<std::size_t, std::string>, std::string> chart; // by lanes: `copies` is first
  std::size_t there = 0, back = 0;
  for (std::size_t i = 0; i < times.bars.size(); ++i) {
    there = is(i, "to_device") ? i : there;
    back = is(i, "to_host") ? i : back;
  }
  for (std::size_t i = 0; i < times.bars.size(); ++i) {
    const emu::TimelineBar &bar = times.bars[i];
    if (bar.kind != "kernel" && bar.kind != "copy" && bar.kind != "set")
      continue;
    std::string &row = chart[{bar.lane.size(), bar.lane}];
    const auto begin = static_cast<std::size_t>(std::lround(bar.begin_us)),
               end = static_cast<std::size_t>(std::lround(bar.end_us));
    row.resize(std::max(row.size(), begin), ' ');
    if (bar.kind == "kernel" && after(i, there))
      row[static_cast<std::size_t>(std::lround(times.bars[there].end_us)) - 1] = '\\';
    row += std::string(end - begin,
                       bar.kind == "set"      ? '-'
                       : bar.kind == "kernel" ? '#'
                       : i == there           ? '>'
                                              : '<');
    if (bar.kind == "kernel" && after(back, i))
      row += '/';
  }
  std::string text;
  int kernel = -1;
  for (const auto &[lane, row] : chart) {
    text += "\n  " + (kernel < 0 ? "copies    " : "kernels[" + std::to_string(kernel) + "]") +
            "  " + row;
    ++kernel;
  }
  checker::note(
      "Your kernels (#) between the two copies. \\ and / are waits that your one event has "
      "told; kernels[2] has something else to do first (-), and only the copy back waits "
      "for it:" +
      text);
}
