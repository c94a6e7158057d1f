// Checks across.cu: the values, whichever device comes late, and that neither the host nor another device waits for it.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

struct Place {
  int device;
  cudaStream_t stream;
  cudaEvent_t event[2];
};

void square_here_add_there(const float *d_in,
                           float *d_squares,
                           int n,
                           int call,
                           const Place &from,
                           const Place *to,
                           int receivers,
                           float *const *d_mailbox,
                           float *const *d_out);

namespace {

constexpr int nobody = -1; // is late; else a rank: 0 squares, 1 and more receive

// What one call brings, and where.
struct Call {
  std::vector<float> h_in;
  lab::DeviceBuffer<float> d_in;
  std::vector<lab::DeviceBuffer<float>> d_out; // [receiver]
  std::vector<float *> out;

  Call(int n, const std::vector<int> &devices)
      : h_in(checker::extreme_values<float>(n)), d_in(checker::on_device(devices[0], h_in)) {
    for (size_t rank = 1; rank < devices.size(); ++rank) {
      d_out.push_back(checker::poisoned_on<float>(devices[rank], n));
      out.push_back(d_out.back().data());
    }
  }
  std::vector<float> expected() const {
    std::vector<float> values(h_in);
    for (float &value : values) {
      const float squared = value * value;
      value = squared + 1.0f;
    }
    return values;
  }
};

// Kernels of a device that are done before this moment.
int kernels_done(const emu::Timeline &times, int device, double us) {
  return static_cast<int>(std::count_if(times.bars.begin(), times.bars.end(), [&](const auto &bar) {
    return bar.kind == "kernel" && bar.device == device && bar.end_us <= us;
  }));
}

// Each receiver works on its own; and if one is late, those that are not are done with the first two calls before it begins.
void expect_apart(const std::string &what,
                  const emu::Timeline &times,
                  const std::vector<int> &devices,
                  int calls,
                  int late,
                  double late_us) {
  int without_it = 0;
  for (size_t rank = 1; rank < devices.size(); ++rank) {
    const std::string whose =
        what + ": the values are right, but to[" + std::to_string(rank - 1) + "]";
    const int all = kernels_done(times, devices[rank], times.total_us);
    checker::expect(all >= calls,
                    "first_does_all",
                    whose + " has run " + checker::counted(all, "kernel") + " in " +
                        checker::counted(calls, "call") +
                        ". add_one belongs into its stream: who wants d_out waits for that one");
    if (late <= 0 || static_cast<int>(rank) == late)
      continue;
    const int done = kernels_done(times, devices[rank], late_us);
    without_it += done;
    const std::string late_one = "to[" + std::to_string(late - 1) + "]";
    checker::expect(
        done >= std::min(calls, 2),
        "holds_up_others",
        whose + " is not done with the first two calls before " + late_one +
            " begins, which is late. " +
            (kernels_done(times, devices[0], late_us) < 2
                 ? "Call 1 does not even square before that: ahead of it stands a wait for an "
                   "event of " +
                       late_one +
                       " that call 0 has recorded. Call 1 has the other buffer, from which nobody "
                       "has a copy to fetch yet: which event tells of that one?"
                 : "Both calls' squares are there by then, so it is a copy that waits: does it "
                   "stand in a stream, from.stream perhaps, behind a wait for " +
                       late_one +
                       "? Each receiver's copy belongs into a stream that waits for that receiver "
                       "alone"));
  }
  if (late == 1)
    checker::record("done_without_it", without_it);
}

// A row for each device: a kernel is its call's number, five microseconds a character. The time is cut short that passes
// before the late one is there.
std::string rows_of(const emu::Timeline &times, const std::vector<int> &devices, double late_us) {
  const auto column = [](double us) { return static_cast<std::size_t>(std::lround(us / 5)); };
  std::size_t late = 0; // where the late one is there
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel" && bar.end_us < late_us)
      late = std::max(late, column(bar.end_us) + 4);
  std::string text;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    std::string row(late + 1, ' ');
    row[late] = '|';
    char call = '0';
    for (const emu::TimelineBar &bar : times.bars) {
      if (bar.device != devices[rank] || bar.kind != "kernel")
        continue;
      const bool after = bar.begin_us >= late_us;
      const std::size_t begin = after ? late + 2 + column(bar.begin_us - late_us)
                                      : column(bar.begin_us),
                        length = column(bar.end_us - bar.begin_us);
      row.resize(std::max(row.size(), begin + length), ' ');
      row.replace(begin, length, length, call++);
    }
    text += "\n  " + (rank == 0 ? "from " : "to[" + std::to_string(rank - 1) + "]") + "  " + row;
  }
  return text;
}

void check(int n, int receivers, int calls, int late = nobody) {
  const auto devices = checker::devices_of(receivers + 1);
  checker::let_reach_each_other(devices);
  const checker::RankStreams own(devices), more(devices); // which has the other events
  checker::name_stream(own.streams[0], "from.stream");
  std::vector<Place> places; // [rank]
  std::vector<lab::DeviceBuffer<float>> d_mailbox;
  std::vector<float *> mailbox;
  for (int rank = 0; rank <= receivers; ++rank) {
    places.push_back({devices[rank], own.streams[rank], {own.events[rank], more.events[rank]}});
    if (rank == 0)
      continue;
    checker::name_stream(own.streams[rank], "to[" + std::to_string(rank - 1) + "].stream");
    d_mailbox.push_back(checker::poisoned_on<float>(devices[rank], n));
    mailbox.push_back(d_mailbox.back().data());
  }
  const lab::DeviceBuffer<float> d_squares[2] = {checker::poisoned_on<float>(devices[0], n),
                                                 checker::poisoned_on<float>(devices[0], n)};
  std::vector<Call> all;
  for (int call = 0; call < calls; ++call)
    all.emplace_back(n, devices);
  const std::string what = checker::counted(n, "number") + " for " +
                           checker::counted(receivers, "receiver") +
                           (calls > 1 ? ", " + std::to_string(calls) + " times in a row" : "") +
                           (late == 0  ? ", the sender comes late"
                            : late > 0 ? ", to[" + std::to_string(late - 1) + "] comes late"
                                       : "");
  const bool waits = late != nobody;
  const cudaStream_t late_stream = own.streams[static_cast<size_t>(waits ? late : 0)];
  const checker::OnDevice back_again(devices[0]);
  const checker::HostMark returned;
  const checker::OnDevice on_late(devices[static_cast<size_t>(waits ? late : 0)]);
  const checker::LongCopy first_of_all(1000, waits);
  bool host_free = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams held({{late_stream, waits ? 200.0 : 0.0}});
    if (waits && lab::on_emulator())
      first_of_all.in(late_stream);
    for (int number = 0; number < calls; ++number) {
      Call &call = all[number];
      square_here_add_there(call.d_in.data(),
                            d_squares[number % 2].data(),
                            n,
                            number,
                            places[0],
                            places.data() + 1,
                            receivers,
                            mailbox.data(),
                            call.out.data());
      LAB_CHECK_LAUNCH();
    }
    LAB_CHECK(cudaSetDevice(devices[0]));
    returned.here();
    // Who is done first is asked on the emulator: a GPU's queues may keep a copy behind one that waits. And
    // under a tool nobody is held.
    if (waits && checker::detail::can_measure())
      host_free = cudaStreamQuery(late_stream) == cudaErrorNotReady;
    checker::wait_for(devices);
  });
  for (int call = 0; call < calls; ++call)
    for (int r = 0; r < receivers; ++r)
      checker::expect_same("d_out[" + std::to_string(r) + "] of call " + std::to_string(call + 1) +
                               ", " + what,
                           all[call].d_out[r].download(),
                           all[call].expected(),
                           lab::tolerance_for_sum<float>(3, 82.0));
  if (seen) {
    const auto times = *checker::timeline(checker::plain_model(10));
    host_free = returned.us(times) <= 0;
    if (host_free)
      expect_apart(what, times, devices, calls, late, first_of_all.us());
    if (host_free && late == 3)
      checker::note("Four calls of yours, their kernels by the number of the call. to[2] "
                    "is late, and "
                    "there at |:" +
                    rows_of(times, devices, first_of_all.us()));
  }
  checker::expect(
      host_free,
      "host_waits",
      what + ": the result is right, but the host stands still until a device is done with "
             "something. One device can wait for another without it");
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 1, 1);
}

TEST_CASE("three receivers") { check(1000, 3, 1); }

TEST_CASE("the sender comes late") { check(5000, 2, 1, 0); }

namespace {

// What one call gets wrong shows without a second one.
void check_again(int receivers, int calls, int late) {
  checker::unless_failed_before();
  checker::perhaps(
      calls < 3
          ? "One call alone is right. At the next one add_one of the call before may still be "
            "reading the mailbox: who copies into it has to come after that"
          : "Two calls are right. The third one's squares go into the buffer of the first one: "
            "before, each receiver has to have taken its numbers from there",
      "stream_race");
  check(3000, receivers, calls, late);
}

} // namespace

TEST_CASE("twice in a row") { check_again(3, 2, nobody); }

TEST_CASE("three times in a row") { check_again(3, 3, nobody); }

TEST_CASE("the first of two comes late, five times in a row") { check_again(2, 5, 1); }

TEST_CASE("the last receiver comes late, four times in a row") { check_again(3, 4, 3); }
