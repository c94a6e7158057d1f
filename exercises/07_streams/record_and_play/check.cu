// Checks record_and_play.cu: that recording runs nothing, what is played, how often the host submits, and that the rods'
// steps run side by side, and the seams.
#include "checker/streams.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <span>
#include <utility>

cudaGraphExec_t recorded(float *d_left,
                         float *d_right,
                         float *d_scratch,
                         int n,
                         cudaStream_t stream,
                         cudaStream_t other,
                         cudaEvent_t mark);
void play(cudaGraphExec_t round, int times, cudaStream_t stream);

namespace {

constexpr int kernels_of_a_round = 10;

// Quarters and halves are exact, so it makes no difference whether a GPU fuses products and sums.
void four_steps(float *rod, int n) {
  std::vector<float> now(rod, rod + n), next = now;
  for (int step = 0; step < 4; ++step) {
    for (int i = 1; i < n - 1; ++i)
      next[i] = 0.25f * now[i - 1] + 0.5f * now[i] + 0.25f * now[i + 1];
    std::swap(now, next);
  }
  std::copy(now.begin(), now.end(), rod);
}

/// Two, one behind the other.
std::vector<float> two_rods(int n) {
  auto rods = checker::random_values<float>(n, 0.0f, 100.0f);
  const auto right = checker::random_values<float>(n, 0.0f, 100.0f);
  rods.insert(rods.end(), right.begin(), right.end());
  return rods;
}

enum class Ends { both, inner, outer, none };

/// @param touch  which ends of the rods
std::vector<float> after(std::vector<float> rods, int rounds, Ends touch = Ends::both) {
  const int n = static_cast<int>(rods.size()) / 2;
  for (int round = 0; round < rounds; ++round) {
    four_steps(rods.data(), n);
    four_steps(rods.data() + n, n);
    for (const int left : {n - 1, 0})
      if (touch == Ends::both || touch == (left == 0 ? Ends::outer : Ends::inner))
        rods[left] = rods[2 * n - 1 - left] = 0.5f * (rods[left] + rods[2 * n - 1 - left]);
  }
  return rods;
}

/// How long the kernels of the last observation take, each as long as any other: in lengths of one.
double kernel_lengths() {
  constexpr double kernel_us = 100;
  double begin_us = DBL_MAX, end_us = 0;
  const auto times = *checker::timeline(checker::plain_model(kernel_us));
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel") {
      begin_us = std::min(begin_us, bar.begin_us);
      end_us = std::max(end_us, bar.end_us);
    }
  return end_us > 0 ? std::round((end_us - begin_us) / kernel_us) : 0;
}

struct Played {
  double submissions; ///< of play()
  double lengths; ///< see kernel_lengths()
  emu::Timeline times; ///< if a kernel takes 1 us, and the host as long to submit
};

using Rows = std::vector<std::vector<std::size_t>>;

bool waits_for(const emu::Timeline &times, std::size_t bar, std::size_t other) {
  return std::ranges::count(times.bars[bar].after, other) > 0;
}

/// The kernels of the first rounds, each in the row of one that it waits for if there is one.
Rows side_by_side(const emu::Timeline &times, int rounds) {
  Rows rows;
  int left = rounds * kernels_of_a_round;
  for (std::size_t k = 0; k < times.bars.size() && left > 0; ++k)
    if (times.bars[k].kind == "kernel") {
      auto row = std::ranges::find_if(
          rows, [&](const auto &row) { return waits_for(times, k, row.back()); });
      if (row == rows.end())
        row = std::ranges::find_if(rows, [&](const auto &row) {
          return times.bars[row.back()].end_us <= times.bars[k].begin_us;
        });
      if (row == rows.end())
        row = rows.emplace(row);
      row->push_back(k);
      --left;
    }
  return rows;
}

/// A round's kernels, with an arrow from each to what waits for it in its row, and a slash to what waits in the other row.
std::string graph_of(const emu::Timeline &times) {
  constexpr std::size_t width = 10;
  const Rows rows = side_by_side(times, 1);
  const auto column = [&](std::size_t bar) {
    return width * std::lround(times.bars[bar].begin_us - times.bars[rows[0][0]].begin_us);
  };
  std::string text, between(width * kernels_of_a_round, ' ');
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (std::size_t k : rows[row]) {
      line.resize(column(k), ' ');
      line += times.bars[k].name.substr(0, width - 5);
      for (std::size_t other = 0; other < rows.size(); ++other)
        for (std::size_t next : rows[other])
          if (!waits_for(times, next, k))
            continue;
          else if (other == row) {
            line += ' ';
            line.resize(column(next) - 2, '-');
            line += "> ";
          } else {
            char &slash = between[column(next) - 4];
            slash = slash == ' ' ? (row < other ? '\\' : '/') : 'X';
          }
    }
    text += "\n  " + line;
    if (row == 0 && rows.size() == 2)
      text += "\n  @";
  }
  if (const auto at = text.find('@'); at != std::string::npos)
    text.replace(at, 1, between.substr(0, between.find_last_not_of(' ') + 1));
  return text;
}

/// The first of so many rounds: launched kernel by kernel, and as they were played.
std::string rounds_of(const Played &played, int rounds, int of) {
  const auto &bars = played.times.bars;
  const Rows rows = side_by_side(played.times, rounds);
  const std::string device = "\n              device   ", more(device.size() - 1, ' ');
  std::string names, yours;
  for (const emu::TimelineBar &bar : bars)
    if (bar.kind == "kernel" &&
        names.size() < static_cast<std::size_t>(rounds * kernels_of_a_round))
      names += bar.name[0];
  for (const auto &row : rows) {
    std::string line;
    for (std::size_t k : row) {
      line.resize(std::lround(bars[k].begin_us - bars[rows[0][0]].begin_us), ' ');
      line += bars[k].name[0];
    }
    yours += (yours.empty() ? device : "\n" + more) + ' ' + line;
  }
  const auto host = [](double launches) {
    return "host     " + std::string(std::lround(launches), '=');
  };
  return "\n  one by one  " + host(names.size()) + device + ' ' + names + "\n  your graph  " +
         host(played.submissions * rounds / of) + yours;
}

/// Two rods of n, and the streams in which they are worked on.
class Recording {
public:
  Recording(int n, const std::string &what)
      : n_(n), what_(what), start_(two_rods(n)),
        d_left_(checker::on_device(std::vector<float>(start_.begin(), start_.begin() + n))),
        d_right_(checker::on_device(std::vector<float>(start_.begin() + n, start_.end()))),
        d_scratch_(checker::poisoned<float>(2 * n)) {
    checker::name_stream(stream(), "`stream`");
    checker::name_stream(own_.streams[1], "`other`");
  }

  cudaStream_t stream() const { return own_.streams[0]; }

  void record() {
    LAB_CHECK(cudaDeviceSynchronize());
    cudaStreamCaptureStatus status[2] = {};
    checker::observe(what_ + ", recording", [&] {
      round_ = recorded(d_left_.data(),
                        d_right_.data(),
                        d_scratch_.data(),
                        n_,
                        stream(),
                        own_.streams[1],
                        own_.events[0]);
      for (int k = 0; k < 2; ++k) {
        LAB_CHECK(cudaStreamIsCapturing(own_.streams[k], &status[k]));
        cudaGraph_t left = nullptr;
        if (status[k] != cudaStreamCaptureStatusNone)
          (void)cudaStreamEndCapture(own_.streams[k], &left); // nobody can wait for it before
      }
      (void)cudaGetLastError(); // what recorded() did not succeed in shows in what it returns
    });
    checker::expect(status[0] == cudaStreamCaptureStatusNone &&
                        status[1] == cudaStreamCaptureStatusNone,
                    "still_recording",
                    what_ + ": a stream is still being captured when recorded() returns");
    const bool left_ran = !std::ranges::equal(d_left_.download(), std::span(start_).first(n_));
    const bool right_ran = !std::ranges::equal(d_right_.download(), std::span(start_).last(n_));
    checker::expect(!right_ran || left_ran || n_ < 3,
                    "other_ran",
                    what_ +
                        ": the right rod has changed while recording, and the left one has not. "
                        "Capturing reaches `other` when it waits for an event that was recorded "
                        "in the captured stream; what it is given before that runs at once");
    checker::expect((!left_ran && !right_ran) || n_ < 3,
                    "ran_while_recording",
                    what_ +
                        ": recorded() has changed the numbers. What it submits has to be "
                        "recorded, and not to run: capturing begins before it and ends behind it");
    checker::expect(round_ != nullptr,
                    "nothing_recorded",
                    what_ + ": recorded() returns no graph that could be launched");
  }

  /// Plays so many rounds, with other temperatures.
  std::optional<Played> play_rounds(int times) {
    start_ = two_rods(n_);
    lab::PinnedBuffer<float> h_start(2 * n_), h_result(2 * n_);
    std::copy(start_.begin(), start_.end(), h_start.begin());
    std::fill(h_result.begin(), h_result.end(), -1e6f);
    bool free_to_go = true;
    const std::string part = what_ + ", rounds: " + std::to_string(times);
    checker::perhaps(
        "A graph's kernels run in the stream that cudaGraphLaunch names, wherever they "
        "were recorded, and wait only for what is in that one. Is it the stream that "
        "play() gets?",
        "stream_race");
    checker::perhaps("Both are in the same round. There a kernel waits for what was captured ahead "
                     "of it in its stream, and for the other stream's only behind a "
                     "cudaStreamWaitEvent: do the rods join before they touch?",
                     "stream_race",
                     "an edge between the two nodes of the graph");
    unsigned long long id = 0;
    LAB_CHECK(cudaStreamGetId(stream(), &id)); // 1 and 2 are the default ones
    checker::perhaps(
        "Both rods' steps write there. Each has n numbers of d_scratch for itself: the "
        "one from d_scratch on, the other from d_scratch + n on",
        "stream_race",
        "kernel step (a graph in stream " + std::to_string(id - 2) + ") writes what kernel step");
    checker::perhaps("Is `round` still there? It is played again and again, and its caller "
                     "destroys it, not play()",
                     "cuda_error");
    const auto seen = checker::observe(part, [&] {
      // What is played elsewhere does not wait for the one copy, nor the other one for it.
      checker::LateStreams late({{stream(), 200}});
      for (int rod = 0; rod < 2; ++rod)
        LAB_CHECK(cudaMemcpyAsync((rod == 0 ? d_left_ : d_right_).data(),
                                  h_start.data() + rod * n_,
                                  n_ * sizeof(float),
                                  cudaMemcpyHostToDevice,
                                  stream()));
      play(round_, times, stream());
      LAB_CHECK_LAUNCH();
      returned_.here();
      for (int rod = 0; rod < 2; ++rod)
        LAB_CHECK(cudaMemcpyAsync(h_result.data() + rod * n_,
                                  (rod == 0 ? d_left_ : d_right_).data(),
                                  n_ * sizeof(float),
                                  cudaMemcpyDeviceToHost,
                                  stream()));
      free_to_go = late.let_go();
    });
    std::optional<Played> played;
    if (seen) {
      constexpr double submit_us = 1000;
      const auto when = *checker::timeline(checker::plain_model(1, submit_us));
      // Without two copies and the mark.
      played = {std::round(returned_.us(when) / submit_us) - 3,
                kernel_lengths(),
                *checker::timeline(checker::plain_model(1, 1))};
      free_to_go = std::fmod(returned_.us(when), submit_us) == 0;
    }
    expect_rods(part, std::vector<float>(h_result.begin(), h_result.end()), times);
    if (seen && n_ > 2) { // else little changes
      std::uint64_t kernels = 0;
      for (const emu::KernelReport &kernel : seen->kernels)
        kernels += kernel.launches;
      checker::expect(kernels == static_cast<std::uint64_t>(kernels_of_a_round) * times,
                      "other_kernels",
                      part + ": the result is right, but " + checker::counted(kernels, "kernel") +
                          " ran, and not the ten of each round. What the stub submits is to be "
                          "recorded, as it is");
    }
    checker::expect(free_to_go,
                    "host_waits",
                    part + ": the result is right, but the host waits for the device. The rounds "
                           "are in one stream: they come one after the other without it");
    return played;
  }

  void expect_still_there() {
    checker::expect(cudaGraphExecDestroy(std::exchange(round_, nullptr)) == cudaSuccess,
                    "destroyed",
                    what_ + ": play() has destroyed `round`, which is to be played again: it stays "
                            "the caller's");
  }

private:
  void expect_rods(const std::string &part, const std::vector<float> &got, int times) const {
    const auto expected = after(start_, times);
    const bool tells = n_ > 2 && got != expected;
    checker::diagnose(
        "not_played", tells && times > 0 && got == start_, part + ": play() has changed nothing");
    checker::diagnose("off_by_one",
                      tells && times > 1 && got == after(start_, times - 1),
                      part + ": one round too few was played");
    checker::diagnose("off_by_one",
                      tells && got == after(start_, times + 1),
                      part + ": one round too many was played");
    checker::diagnose("played_once",
                      tells && times > 1 && got == after(start_, 1),
                      part + ": that is what one round makes");
    checker::diagnose("touch_otherwise",
                      tells && (got == after(start_, times, Ends::outer) ||
                                got == after(start_, times, Ends::inner)),
                      part + ": the rods touch at one of their ends only. They are a ring: the "
                             "end of each one touches the beginning of the other");
    checker::diagnose("touch_otherwise",
                      tells && got == after(start_, times, Ends::none),
                      part + ": each rod is right as if it were alone: touch() is a part of the "
                             "round, too");
    checker::expect_same("temperatures of " + part, got, expected);
  }

  int n_;
  std::string what_;
  std::vector<float> start_;
  lab::DeviceBuffer<float> d_left_, d_right_, d_scratch_;
  checker::Streams own_{2, 1};
  checker::HostMark returned_;
  cudaGraphExec_t round_ = nullptr;
};

/// Records once, and plays as often as `plays` says.
/// @return what the last play() has done
std::optional<Played> check(int n, const std::vector<int> &plays) {
  Recording recording(n, "rods of " + std::to_string(n));
  recording.record();
  std::optional<Played> played;
  for (int times : plays)
    played = recording.play_rounds(times);
  recording.expect_still_there();
  return played;
}

} // namespace

TEST_CASE("three rounds") { check(500, {3}); }

TEST_CASE("no round, some, and more of the same") {
  checker::unless_failed_before();
  check(129, {0, 3, 1, 5});
  for (int n : {2, 3})
    check(n, {2});
  checker::unobserved([] {
    for (int n : {127, 128, 1025})
      check(n, {2});
    for (int n : checker::own_sizes(2, 4099, 5000))
      check(n, {2});
  });
}

TEST_CASE("side by side") {
  checker::unless_failed_before();
  checker::record("lengths_of_eight_steps", 8 + 1);
  const auto played = check(300, {1});
  if (played && played->submissions <= 1) { // else the next case speaks
    checker::expect_at_most(
        "kernel_lengths",
        played->lengths,
        5,
        played->lengths == 6 ? "seams_in_turn" : "rods_in_turn",
        played->lengths == 6
            ? "a round: the result is right, and the rods' steps run side by side. But the seams "
              "take turns, and neither needs the other one. Let the streams tell each other that "
              "their steps are done before either has a seam"
            : "a round: the result is right, but the rods take turns. The right one may begin with "
              "the left one: `other` has to wait for an event that was recorded before the left "
              "rod's steps, and `stream` for the right rod only when the left one's are recorded, "
              "too");
    checker::note("Your graph, from each kernel to what waits for it (X: across, both ways):" +
                  graph_of(played->times));
  }
}

TEST_CASE("twenty rounds are twenty launches") {
  const auto played = check(33, {20});
  if (played) {
    checker::expect_at_most(
        "submissions",
        played->submissions,
        20,
        "too_many_launches",
        "the result is right, but the host has more to launch than one graph for each round");
    checker::note("Three rounds, if a launch (=) takes the host as long as a kernel (s, t) runs:" +
                  rounds_of(*played, 3, 20));
  }
}

TEST_CASE("a hot rod and a cold one") {
  checker::unless_failed_before();
  checker::unobserved([] {
    constexpr int n = 32;
    std::vector<float> start(2 * n, 0.0f);
    std::fill(start.begin(), start.begin() + n, 100.0f);
    const auto d_rods = checker::on_device(start);
    const auto d_scratch = checker::poisoned<float>(2 * n);
    const checker::Streams own(2, 1);
    float *const d_left = d_rods.data();
    LAB_CHECK(cudaDeviceSynchronize());
    const cudaGraphExec_t round = recorded(
        d_left, d_left + n, d_scratch.data(), n, own.streams[0], own.streams[1], own.events[0]);
    std::string text;
    int played = 0;
    for (int more : {0, 1, 7, 16, 16}) {
      play(round, more, own.streams[0]);
      LAB_CHECK(cudaStreamSynchronize(own.streams[0]));
      played += more;
      std::string line = std::to_string(played);
      const auto rods = d_rods.download();
      const auto drawn = [&](auto first, auto end) {
        std::string cells;
        for (; first != end; ++first)
          cells += " .:-=+*#%@"[std::clamp(static_cast<int>(*first / 10), 0, 9)];
        return cells;
      };
      text += "\n  " + line + std::string(5 - line.size(), ' ') + '(' +
              drawn(rods.begin(), rods.begin() + n) + ")\n       (" +
              drawn(rods.rbegin(), rods.rbegin() + n) + ')';
    }
    LAB_CHECK(cudaGraphExecDestroy(round));
    checker::note("A hot rod and a cold one below it, a ring, after so many of your rounds; @ is "
                  "hot:" +
                  text);
  });
}
