// Checks who_holds_up.cu: the counts, and that one batch's copy runs beside another one's count.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

void counts_above(const int *h_in,
                  int n,
                  int batches,
                  int limit,
                  int *d_in,
                  int *d_counts,
                  int *h_counts,
                  const cudaStream_t *streams);

namespace {

/// How many bytes of a count, the lowest ones, were set to 0 before something was counted there; -1: it began as
/// something else.
int cleared_bytes(int got, int expected) {
  constexpr std::uint64_t poison = 0xCDCDCDCD;
  for (int bytes = 0; bytes <= 4; ++bytes) {
    const std::uint64_t start = poison >> 8 * bytes << 8 * bytes;
    if (static_cast<unsigned>(got) == static_cast<unsigned>(expected + start))
      return bytes;
  }
  return -1;
}

std::optional<emu::Observation>
check(int n, int batches, const checker::HostMark &returned, int calls = 1) {
  constexpr int limit = 200;
  const std::size_t all = static_cast<std::size_t>(n) * batches;
  const auto values = checker::extreme_values<int>(all);
  lab::PinnedBuffer<int> h_in(all), h_counts(batches);
  std::ranges::copy(checker::goes_in(values), h_in.begin());
  std::fill(h_counts.begin(), h_counts.end(), -1);
  const auto d_in = checker::poisoned<int>(all), d_counts = checker::poisoned<int>(batches);
  std::vector<cudaStream_t> streams(batches);
  std::vector<checker::Late> late_ones;
  for (cudaStream_t &stream : streams) {
    LAB_CHECK(cudaStreamCreate(&stream));
    late_ones.push_back({stream, late_ones.empty() ? 200.0 : 10.0}); // the first comes last
  }
  checker::name_streams(streams, "streams[#]");
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::elements(n, "number") +
                           " in each batch, batches: " + std::to_string(batches) +
                           (calls > 1 ? ", call after call" : "");
  checker::perhaps("A batch's count is set to 0 in the stream that counts", "stream_race");
  checker::perhaps(
      "The copy of all counts needs every batch: it belongs in a stream that waits for all "
      "of them, and that is none of the batches' own",
      "stream_race",
      "cudaMemcpyAsync to the host");
  bool free_to_go = true;
  auto seen = checker::observe(what, [&] {
    checker::LateStreams late(late_ones);
    for (int call = 0; call < calls; ++call)
      counts_above(h_in.data(),
                   n,
                   batches,
                   limit,
                   d_in.data(),
                   d_counts.data(),
                   h_counts.data(),
                   streams.data());
    LAB_CHECK_LAUNCH();
    returned.here();
    if (lab::on_emulator())
      return;
    // What does not wait for the first stream is done meanwhile.
    for (int k = 1; k < batches; ++k)
      LAB_CHECK(cudaStreamSynchronize(streams[k]));
    free_to_go = late.let_go();
  });
  LAB_CHECK(cudaDeviceSynchronize()); // the last copy is in the default stream
  for (cudaStream_t stream : streams)
    LAB_CHECK(cudaStreamDestroy(stream));
  const std::vector<int> got(h_counts.begin(), h_counts.end());
  std::vector<int> expected(batches);
  for (int k = 0; k < batches; ++k)
    expected[k] = static_cast<int>(std::count_if(
        values.begin() + k * n, values.begin() + (k + 1) * n, [](int v) { return v > limit; }));
  int cleared = 0; // bytes of all counts, if all that is wrong comes of the others
  for (int k = 0; k < batches && cleared >= 0; ++k) {
    const int bytes = cleared_bytes(got[k], expected[k]);
    cleared = bytes < 0 ? -1 : cleared + bytes;
  }
  checker::diagnose("bytes_forgotten",
                    cleared > 0 && cleared < 4 * batches,
                    what + ": of the counts' " + std::to_string(4 * batches) + " bytes only " +
                        std::to_string(cleared) +
                        " were set to 0. cudaMemsetAsync counts bytes, and an int has 4");
  checker::diagnose(
      "not_from_zero",
      cleared == 0,
      what + ": each count is too large by what was there before: nobody has set it to 0");
  checker::diagnose("set_too_late",
                    n > 30 && std::count(got.begin(), got.end(), 0) == batches,
                    what + ": all counts are 0. They are set to 0 ahead of the kernel that counts");
  checker::expect_same("counts of " + what, got, expected);
  checker::expect(free_to_go,
                  "held_up",
                  what +
                      ": the counts are right, but the others wait until the first stream is done, "
                      "which came late here. Or does the host wait?");
  return seen;
}

} // namespace

TEST_CASE("every size") {
  const checker::HostMark returned;
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 3, returned);
}

TEST_CASE("one batch, and many") {
  const checker::HostMark returned;
  check(300, 1, returned);
  check(300, 6, returned);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  checker::perhaps("Nobody waits between two calls: copies of the first are under way while the "
                   "host is in the second. What they read or write the host leaves alone",
                   "host_race");
  const checker::HostMark returned;
  check(300, 3, returned, 2);
}

TEST_CASE("copies run beside counts") {
  constexpr int n = 1 << 15, batches = 4;
  constexpr double batch_us = n * sizeof(int) / 1e3; // to copy it, and to read it once more
  const checker::HostMark returned;
  const auto seen = check(n, batches, returned);
  if (!seen)
    return;
  emu::TimelineModel model = checker::plain_model(0);
  model.memory_gb_per_s = 1;
  const auto times = *checker::timeline(model);
  checker::expect(returned.us(times) <= 0,
                  "host_waits",
                  "the counts are right, but the host waits on the way. What is asked of the "
                  "default stream waits for all streams by itself, on the device");
  checker::expect_at_most(
      "batch_times",
      std::round(10 * times.total_us / batch_us) / 10,
      batches + 1,
      "one_after_the_other",
      "the counts are right, but batches stand back for each other. To copy one takes as long "
      "here as to count in it, so that 4 can be done in 5 times that: while one is counted, the "
      "next is copied. One of the calls keeps them apart. A call that is given no stream is in the "
      "default one, Async or not");
  for (const emu::TimelineBar &bar : times.bars)
    checker::expect(
        bar.lane != "the default stream" ||
            std::ranges::none_of(
                times.bars,
                [&](const emu::TimelineBar &other) { return other.begin_us > bar.begin_us; }),
        "held_up",
        "the counts are right, but " + bar.name +
            " is in the default stream, and batches come after it: it waits for all that the "
            "streams were given before, and they for it");
  std::vector<std::string> lanes, rows;
  for (const emu::TimelineBar &bar : times.bars) {
    const auto at = static_cast<std::size_t>(std::lround(8 * bar.begin_us / batch_us)),
               end = static_cast<std::size_t>(std::lround(8 * bar.end_us / batch_us));
    const bool last = bar.engine == "to_host";
    if ((bar.kind != "kernel" && bar.kind != "copy") || (end == at && !last))
      continue;
    const auto lane = std::ranges::find(lanes, bar.lane) - lanes.begin();
    if (lane == static_cast<long>(lanes.size())) {
      lanes.push_back(bar.lane);
      rows.push_back(last ? "  all counts " : "  batch " + std::to_string(lane) + "    ");
    }
    std::string &row = rows[lane];
    row.resize(std::max(row.size(), 13 + at), ' ');
    row += last ? "<" : std::string(end - at, bar.kind == "kernel" ? '#' : '>');
  }
  std::string chart;
  for (const std::string &row : rows)
    chart += "\n" + row;
  checker::note("Your batches, each copied (>) while the one before is counted in (#):" + chart);
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0, "the counts are right");
}
