// Checks across.cu: the values, whichever device comes late, and that the host goes on.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>

struct Place {
  int device;
  cudaStream_t stream;
  cudaEvent_t event;
};

void square_here_add_there(const float *d_in,
                           float *d_squares,
                           float *d_mailbox,
                           float *d_out,
                           int n,
                           const Place &first,
                           const Place &second);

namespace {

enum class Late { nobody, first, second };

void check(int n, int calls, Late late_one) {
  const auto devices = checker::devices_of(2);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices);
  checker::name_stream(own.streams[0], "first.stream");
  checker::name_stream(own.streams[1], "second.stream");
  const Place first = {devices[0], own.streams[0], own.events[0]};
  const Place second = {devices[1], own.streams[1], own.events[1]};
  const auto d_squares = checker::poisoned_on<float>(first.device, n);
  const auto d_mailbox = checker::poisoned_on<float>(second.device, n);
  std::vector<std::vector<float>> h_in;
  std::vector<lab::DeviceBuffer<float>> d_in, d_out;
  for (int call = 0; call < calls; ++call) {
    h_in.push_back(checker::extreme_values<float>(n));
    d_in.push_back(checker::on_device(first.device, h_in.back()));
    d_out.push_back(checker::poisoned_on<float>(second.device, n));
  }
  const std::string what = checker::counted(n, "number") +
                           (calls > 1 ? ", " + std::to_string(calls) + " times in a row" : "") +
                           (late_one == Late::first    ? ", the first device comes late"
                            : late_one == Late::second ? ", the second device comes late"
                                                       : "");
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{late_one == Late::second ? second.stream : first.stream,
                                late_one == Late::nobody ? 0.0 : 200.0}});
    for (int call = 0; call < calls; ++call) {
      square_here_add_there(d_in[call].data(),
                            d_squares.data(),
                            d_mailbox.data(),
                            d_out[call].data(),
                            n,
                            first,
                            second);
      LAB_CHECK_LAUNCH();
    }
    LAB_CHECK(cudaSetDevice(devices[0]));
    returned.here();
    free_to_go = late.let_go() || late_one == Late::nobody;
    checker::wait_for(devices);
  });
  for (int call = 0; call < calls; ++call) {
    std::vector<float> expected(h_in[call]);
    for (float &value : expected) {
      const float squared = value * value;
      value = squared + 1.0f;
    }
    checker::expect_same("result of call " + std::to_string(call + 1) + ", " + what,
                         d_out[call].download(),
                         expected,
                         lab::tolerance_for_sum<float>(3, 82.0));
  }
  if (seen) {
    const auto times = *checker::timeline(checker::plain_model(10));
    free_to_go = returned.us(times) <= 0;
    const auto kernels_there =
        std::count_if(times.bars.begin(), times.bars.end(), [&](const emu::TimelineBar &bar) {
          return bar.kind == "kernel" && bar.device == second.device;
        });
    checker::expect(kernels_there >= calls,
                    "first_does_all",
                    what + ": the values are right, but the second device has run " +
                        std::to_string(kernels_there) + " kernels in " +
                        checker::counted(calls, "call") +
                        ": the first one does all the work. A kernel belongs into a stream of the "
                        "device that is current; a GPU refuses others. And who wants d_out waits "
                        "for second.stream");
    checker::record("most_at_once", checker::most_at_once(times));
  }
  checker::expect(
      free_to_go,
      "host_waits",
      what + ": the result is right, but the host stands still until a device is done with "
             "something. One device can wait for the other without it");
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 1, Late::nobody);
}

TEST_CASE("the first device comes late") { check(5000, 1, Late::first); }

namespace {

// What one call gets wrong shows without a second one.
void check_again(int calls, Late late_one) {
  checker::unless_failed_before();
  checker::perhaps(
      "One call alone is right. At the next one add_one of the call before may still be "
      "reading the mailbox: its stream has to record that it is done, and the copy has "
      "to wait for that",
      "stream_race");
  check(3000, calls, late_one);
}

} // namespace

TEST_CASE("three times in a row") { check_again(3, Late::nobody); }

TEST_CASE("the second device comes late, twice in a row") { check_again(2, Late::second); }
