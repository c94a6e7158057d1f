// Checks record_and_play.cu: that recording runs nothing, what is played, and how often the host submits.
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

cudaGraphExec_t recorded(float *d_a, float *d_b, int n, cudaStream_t stream);
void play(cudaGraphExec_t round, int times, cudaStream_t stream);

namespace {

constexpr int kernels_of_a_round = 8;

// Quarters and halves are exact, so it makes no difference whether a GPU fuses products and sums.
std::vector<float> after(const std::vector<float> &start, int rounds) {
  std::vector<float> now = start, next = start;
  const int n = static_cast<int>(start.size());
  for (int step = 0; step < kernels_of_a_round * rounds; ++step) {
    for (int i = 1; i < n - 1; ++i)
      next[i] = 0.25f * now[i - 1] + 0.5f * now[i] + 0.25f * now[i + 1];
    std::swap(now, next);
  }
  return now;
}

/// Records once, and plays as often as `plays` says, each time with other temperatures.
/// @return how often the last play() has submitted something
std::optional<double> check(int n, const std::vector<int> &plays) {
  auto start = checker::random_values<float>(n, 0.0f, 100.0f);
  const auto d_a = checker::on_device(start);
  lab::PinnedBuffer<float> h_start(n), h_result(n);
  const auto d_b = checker::poisoned<float>(n);
  const checker::Streams own(1);
  const cudaStream_t stream = own.streams[0];
  checker::name_stream(stream, "`stream`");
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = "rod of " + std::to_string(n);

  cudaGraphExec_t round = nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  checker::observe(what + ", recording", [&] {
    round = recorded(d_a.data(), d_b.data(), n, stream);
    LAB_CHECK(cudaStreamIsCapturing(stream, &status));
    cudaGraph_t left = nullptr;
    if (status != cudaStreamCaptureStatusNone)
      (void)cudaStreamEndCapture(stream, &left); // nobody can wait for the stream before
    (void)cudaGetLastError(); // what recorded() did not succeed in shows in what it returns
  });
  checker::expect(status == cudaStreamCaptureStatusNone,
                  "still_recording",
                  what + ": the stream is still being captured when recorded() returns");
  checker::expect(
      d_a.download() == start || n < 3,
      "ran_while_recording",
      what + ": recorded() has changed the numbers. What it submits has to be recorded, and "
             "not to run: capturing begins before it and ends behind it");
  checker::expect(round != nullptr,
                  "nothing_recorded",
                  what + ": recorded() returns no graph that could be launched");
  std::optional<double> submissions;
  for (int times : plays) {
    start = checker::random_values<float>(n, 0.0f, 100.0f);
    std::copy(start.begin(), start.end(), h_start.begin());
    std::fill(h_result.begin(), h_result.end(), -1e6f);
    const std::size_t bytes = h_start.bytes();
    bool free_to_go = true;
    const std::string part = what + ", rounds: " + std::to_string(times);
    checker::perhaps(
        "A graph's kernels run in the stream that cudaGraphLaunch names, wherever they "
        "were recorded, and wait only for what is in that one. Is it the stream that "
        "play() gets?",
        "stream_race");
    checker::perhaps("Is `round` still there? It is played again and again, and its caller "
                     "destroys it, not play()",
                     "cuda_error");
    const auto seen = checker::observe(part, [&] {
      // What is played elsewhere does not wait for the one copy, nor the other one for it.
      checker::LateStreams late({{stream, 200}});
      LAB_CHECK(cudaMemcpyAsync(d_a.data(), h_start.data(), bytes, cudaMemcpyHostToDevice, stream));
      play(round, times, stream);
      LAB_CHECK_LAUNCH();
      returned.here();
      LAB_CHECK(
          cudaMemcpyAsync(h_result.data(), d_a.data(), bytes, cudaMemcpyDeviceToHost, stream));
      free_to_go = late.let_go();
    });
    if (seen) {
      constexpr double submit_us = 1000;
      const auto when = *checker::timeline(checker::plain_model(1, submit_us));
      submissions = std::round(returned.us(when) / submit_us) - 2; // without the copy and the mark
      free_to_go = std::fmod(returned.us(when), submit_us) == 0;
    }
    const std::vector<float> got(h_result.begin(), h_result.end()), expected = after(start, times);
    checker::diagnose(
        "not_played", n > 2 && times > 0 && got == start, part + ": play() has changed nothing");
    checker::diagnose("off_by_one",
                      n > 2 && times > 1 && got == after(start, times - 1),
                      part + ": one round too few was played");
    checker::diagnose("off_by_one",
                      n > 2 && got == after(start, times + 1),
                      part + ": one round too many was played");
    checker::diagnose("played_once",
                      n > 2 && times > 1 && got == after(start, 1),
                      part + ": that is what one round makes");
    checker::expect_same("temperatures of a " + part, got, expected);
    if (seen && n > 2) { // else it changes nothing
      std::uint64_t kernels = 0;
      for (const emu::KernelReport &kernel : seen->kernels)
        kernels += kernel.launches;
      checker::expect(kernels == static_cast<std::uint64_t>(kernels_of_a_round) * times,
                      "other_kernels",
                      part + ": the result is right, but " + checker::counted(kernels, "kernel") +
                          " ran, and not the eight of each round. What one_round() "
                          "submits is to be recorded, as it is");
    }
    checker::expect(
        free_to_go,
        "host_waits",
        part + ": the result is right, but the host waits for the device. The rounds are in "
               "one stream: they come one after the other without it");
  }
  checker::expect(cudaGraphExecDestroy(round) == cudaSuccess,
                  "destroyed",
                  what +
                      ": play() has destroyed `round`, which is to be played again: it stays the "
                      "caller's");
  return submissions;
}

} // namespace

TEST_CASE("three rounds") { check(500, {3}); }

TEST_CASE("no round, some, and more of the same") {
  for (int n : {1, 2, 3, 127, 128, 129, 1025})
    check(n, {0, 3, 1, 5});
}

TEST_CASE("twenty rounds are twenty launches") {
  const auto submissions = check(300, {20});
  if (submissions)
    checker::expect_at_most(
        "submissions",
        *submissions,
        20,
        "too_many_launches",
        "the result is right, but the host has more to launch than one graph for each round");
}
