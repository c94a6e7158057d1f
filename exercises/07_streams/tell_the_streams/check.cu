// Checks tell_the_streams.cu: the values, whichever stream comes late, and that the host goes on.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <set>
#include <string>

void scaled(const float *h_in,
            int n,
            float factor,
            float *d_in,
            float *d_out,
            float *h_out,
            cudaStream_t copies,
            cudaStream_t kernels,
            cudaEvent_t arrived,
            cudaEvent_t done);

namespace {

enum class Late { nobody, copies, kernels };

void check(int n, int calls, Late late_one) {
  const checker::Streams own(2, 2);
  const cudaStream_t copies = own.streams[0], kernels = own.streams[1];
  checker::name_stream(copies, "`copies`");
  checker::name_stream(kernels, "`kernels`");
  const auto values = checker::extreme_values<float>(n);
  lab::PinnedBuffer<float> h_in(n), h_out(n);
  std::ranges::copy(checker::goes_in(values), h_in.begin());
  std::fill(h_out.begin(), h_out.end(), -1e6f);
  const auto d_in = checker::poisoned<float>(n), d_out = checker::poisoned<float>(n);
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(n, "number") + (calls > 1 ? ", twice in a row" : "") +
                           (late_one == Late::copies    ? ", `copies` comes late"
                            : late_one == Late::kernels ? ", `kernels` comes late"
                                                        : "");
  bool free_to_go = true;
  float factor = 0;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late(
        {{late_one == Late::kernels ? kernels : copies, late_one == Late::nobody ? 0.0 : 200.0}});
    for (int call = 1; call <= calls; ++call) {
      factor = 1.5f + static_cast<float>(call);
      scaled(h_in.data(),
             n,
             factor,
             d_in.data(),
             d_out.data(),
             h_out.data(),
             copies,
             kernels,
             own.events[0],
             own.events[1]);
      LAB_CHECK_LAUNCH();
    }
    returned.here();
    free_to_go = late.let_go() || late_one == Late::nobody;
  });
  std::vector<float> expected(values);
  for (float &value : expected)
    value *= factor;
  checker::expect_same(
      "result of " + what, std::vector<float>(h_out.begin(), h_out.end()), expected);
  checker::expect_same("what the kernel makes of " + what, d_out.download(), expected);
  checker::expect_same(
      "numbers that went in", std::vector<float>(h_in.begin(), h_in.end()), values);
  if (seen) {
    const auto times = *checker::timeline(checker::plain_model(10));
    free_to_go = returned.us(times) <= 0;
    std::set<std::string> lanes[2];
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel" || bar.kind == "copy")
        lanes[bar.kind == "kernel"].insert(bar.lane);
    checker::expect(
        std::ranges::none_of(lanes[1],
                             [&](const std::string &lane) { return lanes[0].contains(lane); }),
        "one_stream",
        "kernel and copies are in one stream. That is right, and leaves nothing to do for "
        "the other one: let the kernel stay in `kernels`");
    checker::record("most_at_once", checker::most_at_once(times));
  }
  checker::expect(free_to_go,
                  "host_waits",
                  what +
                      ": the result is right, but the host stands still until the device is done "
                      "with something. One stream can wait for the other without it");
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 1, Late::nobody);
}

TEST_CASE("the copies come late") { check(5000, 1, Late::copies); }

TEST_CASE("the kernel comes late") { check(5000, 1, Late::kernels); }

TEST_CASE("twice in a row") { check(3000, 2, Late::copies); }
