// Checks two_pinned_buffers.cu: the values, call after call, and that filling and copying overlap.
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

void upload(const short *in,
            int n,
            float factor,
            float *const buffers[2],
            int room,
            float *d_out,
            cudaStream_t stream,
            const cudaEvent_t copied[2]);

namespace {

std::optional<emu::Observation> check(int n, int room, int calls) {
  lab::PinnedBuffer<float> first(room), second(room);
  const checker::Streams own(1, 2);
  const cudaStream_t stream = own.streams[0];
  checker::name_stream(stream, "`stream`");
  float *const buffers[2] = {first.data(), second.data()};
  std::vector<std::vector<short>> in;
  std::vector<lab::DeviceBuffer<float>> d_out;
  for (int call = 0; call < calls; ++call) {
    const auto values = checker::random_values<int>(n, -32768, 32767);
    in.emplace_back(values.begin(), values.end());
    d_out.push_back(checker::poisoned<float>(n));
  }
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(n, "number") + " through buffers of " +
                           std::to_string(room) +
                           (calls > 1 ? ", " + std::to_string(calls) + " calls" : "");
  auto seen = checker::observe(what, [&] {
    // Comes late, so that a buffer that is filled too early has not been copied yet.
    checker::LateStreams late({{stream, 5}});
    for (int call = 0; call < calls; ++call)
      upload(
          in[call].data(), n, 0.5f, buffers, room, d_out[call].data(), stream, own.events.data());
    LAB_CHECK_LAUNCH();
    returned.here();
    LAB_CHECK(cudaStreamSynchronize(stream));
  });
  for (int call = 0; call < calls; ++call) {
    const auto got = d_out[call].download();
    std::vector<float> expected(in[call].begin(), in[call].end());
    for (float &value : expected)
      value *= 0.5f;
    const std::string which = calls > 1 ? ", call " + std::to_string(call + 1) : "";
    checker::expect_same("result of " + what + which, got, expected);
  }
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, 100, 1);
}

TEST_CASE("one part, and parts that come out even") {
  check(64, 64, 1);
  check(640, 64, 1);
  check(1, 1, 1);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  checker::perhaps(
      "One call alone is right. The next one begins while the last copies of this one "
      "are under way, and they read the same buffers: does each of its turns, the first two as "
      "well, wait for the event of the very buffer that it fills?",
      "host_race");
  check(150, 100, 3);
  check(250, 100, 3); // an odd number of parts: the next call begins with the buffer filled last
}

TEST_CASE("filling and copying overlap") {
  constexpr int parts = 8, room = 1000;
  // To copy a part, and by the model to submit it, too: that stands for filling.
  constexpr double part_us = room * sizeof(float) / 1e3;
  if (!check(parts * room, room, 1))
    return;
  const double returned_us = checker::HostMark::us(*checker::timeline(checker::plain_model(0)));
  double total_us = 0;
  const auto times = *checker::timeline(checker::plain_model(0, part_us));
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "copy")
      total_us = std::max(total_us, bar.end_us);
  checker::expect_at_most(
      "part_times",
      std::round(10 * total_us / part_us) / 10,
      parts + 1,
      "one_at_a_time",
      std::string("if the host needs as long to fill a buffer as its copy takes, 8 parts are done "
                  "after 9 times that: the host fills one buffer while the other is under way. ") +
          (returned_us > (parts - 0.5) * part_us
               ? "Here it waits for each copy behind this very copy. The wait for a "
                 "buffer's copy belongs ahead of the next filling of this buffer"
               : "It waits for more than the buffer that it is about to fill: for "
                 "another event than this buffer's, or for the whole stream"));
  // The host has no time to spare: it fills a buffer from the end of the copy before the last one to the next copy.
  std::string rows[2] = {"  buffers[0]  ", "  buffers[1]  "};
  int turn = 0;
  for (const emu::TimelineBar &bar : times.bars) {
    if (bar.kind != "copy")
      continue;
    std::string &row = rows[turn++ % 2];
    const auto begin = static_cast<std::size_t>(std::lround(4 * bar.begin_us / part_us)),
               end = static_cast<std::size_t>(std::lround(4 * bar.end_us / part_us));
    row.resize(std::max(row.size(), 14 + begin - std::min<std::size_t>(begin, 4)), ' ');
    row.resize(std::max(row.size(), 14 + begin), '#');
    row.append(end - begin, '>');
  }
  checker::note("Your two buffers: one is filled (#) while the other is copied (>):\n" + rows[0] +
                "\n" + rows[1]);
}
