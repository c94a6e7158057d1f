// Checks dead_buffer.cu: the letters, and how many blocks a multiprocessor holds.
#include "checker/checker.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <numeric>

std::size_t shared_bytes();
__global__ void gaps(const int *x, const int *y, int letters, int *out);

namespace {

constexpr int threads = 128, length = 33;

std::optional<emu::Observation> check(int letters) {
  const std::size_t n = static_cast<std::size_t>(letters) * length;
  const auto h_x = checker::random_values<int>(n, -60'000'000, 60'000'000);
  auto h_y = checker::random_values<int>(n, -50, 49);
  for (int &y : h_y)
    y *= 42'000'000; // some are equal, and all 32 bits count
  const bool of_highest = letters == 300; // the last key's numbers
  if (of_highest)
    std::fill(h_y.end() - length, h_y.end(), INT_MAX);
  std::vector<int> expected(letters), of_y(letters), all(letters), last(letters), short_of(letters);
  for (int i = 0; i < letters; ++i) {
    const int *const x = h_x.data() + i * length, *const y = h_y.data() + i * length;
    const int lowest = *std::min_element(y, y + length);
    const auto gap = std::find(y, y + length, lowest) - y;
    expected[i] = std::accumulate(x, x + gap + 1, 0);
    of_y[i] = std::accumulate(y, y + gap + 1, 0);
    all[i] = std::accumulate(x, x + length, 0);
    short_of[i] = expected[i] - x[gap];
    const std::reverse_iterator<const int *> end(y + length), begin(y);
    last[i] = std::accumulate(x, std::find(end, begin, lowest).base() - y + x, 0);
  }
  const auto d_x = checker::on_device(h_x), d_y = checker::on_device(h_y);
  const auto d_out = checker::poisoned<int>(letters);
  const std::string what =
      checker::elements(letters, "letter") + (of_highest ? ", the last key is INT_MAX alone" : "");
  auto seen = checker::launch(what, [&] {
    gaps<<<checker::enough_blocks(letters, threads), threads, shared_bytes()>>>(
        d_x.data(), d_y.data(), letters, d_out.data());
  });
  const auto got = d_out.download();
  checker::diagnose("overwritten",
                    letters > 0 && got == of_y,
                    what + ": these are sums of the keys. The buffer is free when all have read "
                           "what is in there, not before");
  checker::diagnose("all_of_x",
                    letters > 0 && got == all,
                    what + ": each is the sum of all 33 numbers of x. It ends at the place where "
                           "the key is lowest");
  checker::diagnose("one_short",
                    letters > 0 && got == short_of,
                    what + ": the sums end a number too early. The one at the place where the key "
                           "is lowest counts, too");
  checker::diagnose("last_of_several",
                    letters > 0 && got == last,
                    what + ": where a key has its lowest number several times the last one was "
                           "taken. The first one counts");
  checker::diagnose("none_is_lower",
                    of_highest && got != expected &&
                        std::equal(got.begin(), got.end() - 1, expected.begin()),
                    what + ": only its letter is wrong. Nothing is below INT_MAX: the search for "
                           "the lowest number begins with one of the key's own");
  checker::expect_same("letters, " + what, got, expected);
  return seen;
}

int blocks_that_fit(std::size_t bytes) {
  int blocks = 0;
  LAB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, gaps, threads, bytes));
  return blocks;
}

} // namespace

TEST_CASE("every size") {
  for (int letters : {128, 127, 129, 33, 32, 31, 1, 0, 300})
    check(letters);
  for (int letters : checker::own_sizes(1, 300, 400))
    check(letters);
}

TEST_CASE("loads are coalesced") {
  const auto seen = check(640);
  if (seen)
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4.1,
        "uncoalesced",
        "the results are right, but a load of a warp should need 4 sectors: "
        "neighbours have to load "
        "neighbouring numbers, and letters are read from shared memory");
  if (seen)
    checker::expect_lanes(*seen, emu::Access::shared_load, 15.0); // sums end at any place
}

TEST_CASE("what the spy has written") {
  const std::string written = "MEET ME AT THE MULTIPROCESSOR. THERE IS ROOM NOW\n"
                              "FOR TWICE AS MANY OF US. BURN THIS BUFFER WHEN ALL\n"
                              "HAVE READ IT, AND NOT BEFORE.";
  checker::unless_failed_before();
  checker::unobserved([&] {
    const int letters = static_cast<int>(written.size());
    auto h_x = checker::random_values<int>(letters * length, -99, 99);
    auto h_y = checker::random_values<int>(letters * length, 1, 99);
    const auto gap = checker::random_values<int>(letters, 0, length - 1);
    for (int i = 0; i < letters; ++i) {
      int *const x = h_x.data() + i * length;
      h_y[i * length + gap[i]] = 0;
      x[gap[i]] += written[i] - std::accumulate(x, x + gap[i] + 1, 0);
    }
    const auto d_x = checker::on_device(h_x), d_y = checker::on_device(h_y);
    const auto d_out = checker::poisoned<int>(letters);
    gaps<<<checker::enough_blocks(letters, threads), threads, shared_bytes()>>>(
        d_x.data(), d_y.data(), letters, d_out.data());
    std::string read;
    for (const int letter : d_out.download())
      read += letter == '\n' || (letter >= ' ' && letter <= 'Z') ? static_cast<char>(letter) : '?';
    checker::note("What the spy has written, as your kernel reads it:\n" + read);
  });
}

TEST_CASE("more blocks fit") {
  const std::size_t enough = threads * length * sizeof(int);
  checker::expect_at_least(
      "blocks_per_multiprocessor",
      blocks_that_fit(shared_bytes()),
      blocks_that_fit(enough),
      "too_much_shared",
      "the results are right, but the " + std::to_string(shared_bytes()) +
          " bytes of shared memory of a block allow too few of them. One buffer of " +
          std::to_string(enough) + " bytes is enough");
  checker::record("warps_with_10_kilobytes", std::min(64, 228 / (10 + 1) * threads / 32));
  cudaFuncAttributes kernel;
  LAB_CHECK(cudaFuncGetAttributes(&kernel, gaps));
  const auto line = [](std::size_t bytes, const char *block) {
    std::string text;
    for (int k = blocks_that_fit(bytes); k > 0; --k)
      text += block;
    return text;
  };
  checker::note(
      "What a multiprocessor holds, a # for each buffer. Before, and with your kernel:\n" +
      line(2 * enough - std::min(2 * enough, kernel.sharedSizeBytes), "[##]") + "\n" +
      line(shared_bytes(), "[#]"));
}
