// Checks once_over.cu: the counts for records of any size, and what crosses the link for them.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>

cudaError_t count_bits(
    const unsigned *records, int count, int words, int bits, unsigned *room, unsigned *found);

namespace {

std::optional<emu::Observation> check(int count, int words, int bits) {
  const std::size_t n = static_cast<std::size_t>(count) * words;
  const auto h_records = checker::extreme_values<unsigned>(n);
  lab::PinnedBuffer<unsigned> pinned(n);
  std::ranges::copy(checker::goes_in(h_records), pinned.begin());
  unsigned *records = nullptr; // by the name that the device knows it by
  if (n > 0)
    LAB_CHECK(cudaHostGetDevicePointer(&records, pinned.data(), 0));
  const auto room = checker::poisoned<unsigned>(count);
  const auto found = checker::on_device(std::vector<unsigned>(bits));
  std::vector<unsigned> expected(bits), of_neighbours(bits);
  for (int bit = 0; bit < bits; ++bit)
    for (int i = 0; i < count; ++i) {
      expected[bit] += h_records[static_cast<std::size_t>(i) * words] >> bit & 1;
      of_neighbours[bit] += h_records[i] >> bit & 1;
    }

  const std::string what = checker::counted(count, "record") + " of " +
                           checker::counted(words, "number") + ", " + checker::counted(bits, "bit");
  for (const char *of : {" of room[", " of in[", " of an allocation"})
    checker::perhaps(
        "`room` holds `count` keys, one beside the other: whoever stores there stays "
        "below count, and whoever counts there goes in steps of 1, no longer of `words`",
        "out_of_bounds",
        of);
  checker::perhaps(
      "A key is the first number of its record: thread i brings key i, and no thread any "
      "other number",
      "global_race",
      "two threads write room[");
  cudaError_t error = cudaSuccess;
  auto seen = checker::observe(
      what, [&] { error = count_bits(records, count, words, bits, room.data(), found.data()); });
  const cudaError_t left = cudaGetLastError();
  error = error != cudaSuccess ? error : left;
  checker::expect(error == cudaSuccess,
                  "cuda_error",
                  what + ": " + cudaGetErrorName(error) +
                      (count == 0 ? ". CUDA refuses a launch of no blocks"
                       : error == cudaErrorInvalidPitchValue
                           ? ". A pitch is counted in bytes, and at least as long as a row: from "
                             "one record to the next it is words * sizeof(unsigned)"
                           : ""));
  const auto got = found.download();
  checker::diagnose("neighbours_taken",
                    words > 1 && count > 1 && got == of_neighbours,
                    what + ": counted were the first numbers in memory, side by side, and not the "
                           "first one of each record");
  const auto in_room = room.download();
  int fetched = 0; // keys that stand in `room`, from the first one on
  while (fetched < count &&
         in_room[fetched] == h_records[static_cast<std::size_t>(fetched) * words])
    ++fetched;
  checker::diagnose(
      "keys_missing",
      fetched > 0 && fetched < count &&
          std::all_of(in_room.begin() + fetched, in_room.end(), lab::is_poison<unsigned>),
      what + ": keys from number " + std::to_string(fetched) +
          " on were never put into `room`. Is there a thread for each key, or a loop over the "
          "rest?");
  std::vector<unsigned> so_far(bits);
  int counted = 0; // of the first ones alone, if got is what these have
  for (int i = 0; i < count && bits > 0 && counted == 0; ++i) {
    for (int bit = 0; bit < bits; ++bit)
      so_far[bit] += h_records[static_cast<std::size_t>(i) * words] >> bit & 1;
    counted = so_far == got && i + 1 < count ? i + 1 : 0;
  }
  checker::diagnose("counted_in_part",
                    counted > 0 && got != expected,
                    what + ": the counts are those of the first " + std::to_string(counted) +
                        " keys or a few more, and the rest is not counted. How many keys has a "
                        "thread at most, and how many does it take?");
  checker::expect_same("the counts of " + what, got, expected);
  if (!seen)
    return seen;
  checker::expect(n == 0 || bits == 0 || !seen->kernels.empty(),
                  "kernel_not_launched",
                  what + ": the counts are right, and the host made them: no kernel was launched");
  const auto times = *checker::timeline(checker::plain_model(1));
  const auto copied =
      std::max(checker::bytes_copied(times, "to_device"), checker::bytes_copied(times, "memory"));
  checker::expect(copied <= count * sizeof(unsigned) + 64,
                  "copied_for_nothing",
                  what + ": the counts are right, and " + std::to_string(copied) +
                      " bytes were copied, of which the keys are " +
                      std::to_string(count * sizeof(unsigned)));
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int count : checker::sizes())
    check(count, 3, 2);
}

TEST_CASE("records of one number, and of many") {
  check(1000, 1, 5);
  check(100, 300, 32);
  check(100, 16, 0);
}

TEST_CASE("each key crosses the link once") {
  constexpr int count = 2048, bits = 8;
  const auto seen = check(count, 16, bits);
  if (!seen)
    return;
  double most = 0; // of any launch
  for (const emu::KernelReport &kernel : seen->kernels)
    most = std::max(most, kernel.total(emu::Access::global_load).sectors_per_request());
  checker::record("sectors_to_fetch", most);
  // On the host each key lies in a sector of its own; in `room` eight share one.
  checker::expect_at_most(
      "sectors_per_key",
      static_cast<double>(checker::total(*seen, emu::Access::global_load).sectors) / count,
      1.1 + bits / 8.0,
      "crosses_again",
      "the counts are right, but keys cross the link more than once, for a sector each time. "
      "Fetch them once, into `room`, and look there for every bit: they lie side by side, 8 in a "
      "sector, so that all 8 bits cost one sector more");
  // Keys of 32 records lie in 32 sectors; in `room` they lie in 4.
  double fetched = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    if (const auto loads = kernel.total(emu::Access::global_load); loads.sectors_per_request() > 8)
      fetched += static_cast<double>(loads.sectors) * 32;
  fetched += static_cast<double>(
      checker::bytes_copied(*checker::timeline(checker::plain_model(1)), "to_device"));
  const auto row = [](const std::string &way, double bytes) {
    const auto kib = std::lround(bytes / 1024);
    return "\n  " + way + std::string(std::max<long>(1, std::lround(bytes / 1024 / 10)), '#') +
           " " + std::to_string(kib) + " KiB";
  };
  checker::note("What crosses the link for 2048 records of 64 bytes:" +
                row("in place      ", 32.0 * bits * count) + row("copied whole  ", 64.0 * count) +
                row("your way      ", fetched));
}

TEST_CASE("more records than can be looked at, and any order") {
  checker::unless_failed_before();
  checker::unobserved([] { check(100'000, 2, 3); });
  checker::in_drawn_orders([] { check(300, 5, 3); });
}

TEST_CASE("an election") {
  checker::unless_failed_before();
  constexpr int count = 4000, words = 4, candidates = 8;
  // Each voter is for those who are near to what he wants, from 0 to 99.
  const auto wants = checker::random_values<int>(2 * count, 0, 49);
  const auto at = checker::random_values<int>(candidates, 0, 98);
  lab::PinnedBuffer<unsigned> pinned(count * words);
  for (int i = 0; i < count; ++i)
    for (int bit = 0; bit < candidates; ++bit)
      pinned.data()[i * words] =
          (bit > 0 ? pinned.data()[i * words] : 0) |
          (std::abs(wants[2 * i] + wants[2 * i + 1] - at[bit]) < 12 ? 1u << bit : 0);
  unsigned *records = nullptr;
  LAB_CHECK(cudaHostGetDevicePointer(&records, pinned.data(), 0));
  const auto room = checker::poisoned<unsigned>(count);
  const auto d_found = checker::on_device(std::vector<unsigned>(candidates));
  checker::unobserved([&] {
    LAB_CHECK(count_bits(records, count, words, candidates, room.data(), d_found.data()));
  });
  const auto found = d_found.download();
  const unsigned most = std::ranges::max(found);
  std::string text;
  for (int bit = 0; bit < candidates; ++bit)
    text += "\n  " + std::to_string(bit) + "  " + std::string(std::min(found[bit] / 40, 60u), '#') +
            " " + std::to_string(found[bit]) + (found[bit] == most ? ", elected" : "");
  checker::note("4000 voters, and what your kernels have counted for each candidate:" + text);
}
