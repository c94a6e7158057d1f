// Checks borrowed.cu: the results of several streams, that nobody waits, and that no memory is left behind.
#include "checker/streams.hpp"

#include <algorithm>
#include <cstdlib>

cudaError_t largest_difference(const int *d_in, int n, int *d_result, cudaStream_t stream);

namespace {

/// @return how many kernels ran at the same time, at most
std::optional<int> check(int n, int stream_count, int calls) {
  const checker::Streams own(stream_count);
  if (stream_count == 1)
    checker::name_stream(own.streams[0], "`stream`");
  std::vector<lab::DeviceBuffer<int>> d_in;
  std::vector<int> expected(stream_count, 0);
  const auto d_results = checker::on_device(std::vector<int>(stream_count, 0));
  for (int k = 0; k < stream_count; ++k) {
    const auto h_in = checker::random_values<int>(n, -1'000'000'000, 1'000'000'000);
    d_in.push_back(checker::on_device(h_in));
    for (int i = 0; i + 1 < n; ++i)
      expected[k] = std::max(expected[k], std::abs(h_in[i + 1] - h_in[i]));
  }
  const checker::HostMark returned;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what =
      checker::elements(n, "number") + " in " +
      (stream_count == 1 ? "one stream" : "each of " + checker::counted(stream_count, "stream")) +
      (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  if (stream_count > 1)
    checker::perhaps(
        "Several streams work in the same memory here. A call borrows its own, and gives "
        "it back, both in its stream",
        "stream_race");
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams late(own.streams, 200);
    for (int call = 0; call < calls; ++call)
      for (int k = 0; k < stream_count; ++k)
        LAB_CHECK(largest_difference(d_in[k].data(), n, d_results.data() + k, own.streams[k]));
    LAB_CHECK_LAUNCH();
    returned.here();
    free_to_go = late.let_go();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect_same("results of " + what, d_results.download(), expected);
  std::optional<int> at_once;
  if (seen) {
    checker::expect( // which is worse where several streams have to do with what is left
        stream_count == 1 || std::none_of(seen->hazards.begin(),
                                          seen->hazards.end(),
                                          [](const emu::Hazard &hazard) {
                                            return hazard.kind == "leak" &&
                                                   hazard.message.ends_with("never freed");
                                          }),
        "never_returned",
        what + ": the results are right, but memory is left behind: a call has to give back what "
               "it has borrowed");
    const auto times = *checker::timeline(checker::plain_model(100));
    free_to_go = returned.us(times) <= 0;
    at_once = checker::most_at_once(times);
    if (n >= 4000) // 4 blocks of 128 threads are 16 warps
      checker::expect_lanes(*seen, emu::Access::global_load, 24.0);
  }
  checker::expect(free_to_go,
                  "host_waits",
                  what + ": the results are right, but the host waits until the device has nothing "
                         "to do. Which call does so?");
  return at_once;
}

} // namespace

TEST_CASE("one stream") {
  for (int n : {2, 3, 33, 1025, 4099})
    check(n, 1, 1);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  check(1000, 2, 3);
}

TEST_CASE("many streams") {
  checker::unless_failed_before();
  check(33, 40, 1);
}

TEST_CASE("three streams at a time") {
  const auto at_once = check(5000, 3, 1);
  if (at_once)
    checker::expect_at_least(
        "kernels_at_once",
        *at_once,
        3,
        "one_after_the_other",
        "the results are right, but the three streams never have a kernel each at the same time");
}
