// Checks made_there.cu: the table, the sum, that the host has made no page in which it has nothing to write, and that nobody
// has waited for one.
#include "checker/streams.hpp"
#include "managed.hpp"

#include <algorithm>

cudaError_t
make_and_add(unsigned *table, int n, const unsigned *h_given, int given, unsigned *d_sum);

namespace {

unsigned expected_number(unsigned i) { return (i * 2654435761u) >> 7; }

std::string pages_of(std::uint64_t count) {
  return checker::counted(static_cast<long long>(count), "page") + " that lay";
}

std::optional<emu::Observation> check(int n, int given) {
  const auto h_given = checker::random_values<unsigned>(given, 0, ~0u);
  std::vector<unsigned> expected = h_given;
  for (int i = given; i < n; ++i)
    expected.push_back(expected_number(i));
  unsigned sum = 0;
  for (unsigned number : expected)
    sum += number;
  const Managed<unsigned> table(n);
  const auto d_sum = checker::on_device(std::vector<unsigned>{0});
  const std::string what =
      checker::elements(n, "number") + ", of which " + std::to_string(given) + " are given";
  cudaError_t error = cudaSuccess;
  const auto seen = checker::observe(
      what, [&] { error = make_and_add(table.data(), n, h_given.data(), given, d_sum.data()); });
  const cudaError_t left = cudaGetLastError();
  error = error != cudaSuccess ? error : left;
  checker::expect(
      error == cudaSuccess,
      "cuda_error",
      what + ": " + cudaGetErrorName(error) +
          (n == given ? ". CUDA refuses a grid of no blocks, and a prefetch of no bytes" : ""));
  const auto got = table.values();
  int first = 0, wrong = 0; // the first wrong number, and how many there are
  for (int i = n - 1; i >= 0; --i)
    if (got[i] != expected[i]) {
      first = i;
      ++wrong;
    }
  bool from_zero = wrong > 0 && given > 0;
  for (int i = given; i < n; ++i)
    from_zero = from_zero && got[i] == expected_number(i - given);
  checker::diagnose("counted_anew",
                    from_zero,
                    what + ": behind the given ones stand number(0), number(1), … Element i of the "
                           "table is number(i), wherever a kernel begins");
  checker::diagnose(
      "tail_missing",
      wrong > 0 && wrong == n - first && wrong < 1024 && first >= given &&
          std::all_of(got.begin() + first, got.end(), [&](unsigned v) { return v == got[first]; }),
      what + ": nobody has made " + checker::counted(wrong, "number") + " at the end");
  bool overwritten = wrong > 0;
  for (int i = 0; i < given; ++i)
    overwritten = overwritten && got[i] == expected_number(i);
  checker::diagnose("given_overwritten",
                    overwritten && given > 0,
                    what +
                        ": those have been replaced by what number() says. From which number on is "
                        "the kernel to work?");
  checker::expect_same("the table of " + what, got, expected);
  checker::expect_same("the sum of " + what, d_sum.at(0), sum);
  return seen;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check(n, n / 3);
}

TEST_CASE("none is given, and all are") {
  check(1000, 0);
  check(1000, 1000);
}

TEST_CASE("each page is made where it is needed first, and nobody waits for one") {
  constexpr int n = 24000,
                given = 5000; // 24 pages, in five of them given numbers, and n bytes are six
  constexpr double of_host = 5.0;
  const auto seen = check(n, given);
  if (!seen)
    return;
  const emu::PageCounts pages = seen->total_pages();
  checker::expect_at_most("pages.made_by_host",
                          static_cast<double>(pages.made_by_host),
                          of_host,
                          "made_on_the_host",
                          "the host touched pages first that it has nothing to write to, and so "
                          "they were made in its memory");
  checker::expect_at_most("pages.host_faults",
                          static_cast<double>(pages.host_faults),
                          0.0,
                          "fetched_back",
                          "the host touched " + pages_of(pages.host_faults) +
                              " on the device already: fetched back. What it has to write into a "
                              "page it writes before that is sent");
  const auto times = *checker::timeline(checker::plain_model(1));
  const auto sent = static_cast<double>(checker::bytes_copied(times, "to_device"));
  checker::expect_at_most("bytes_from_the_host",
                          sent,
                          of_host * 4096 + 64, // a number or two
                          "made_on_the_host",
                          "the host sent more of the table than is given, and so it was made in "
                          "its memory");
  checker::record("pages.sent_to_device", static_cast<double>(pages.sent_to_device));
  checker::expect_at_most(
      "pages.waited_for",
      static_cast<double>(pages.made_by_kernels + pages.kernel_faults),
      0.0,
      "kernel_waits",
      (pages.kernel_faults > 0 ? "kernels waited for " + pages_of(pages.kernel_faults) +
                                     " on the host, with given numbers: they are to be sent, too"
                               : "") +
          (pages.kernel_faults > 0 && pages.made_by_kernels > 0 ? ". And " : "") +
          (pages.made_by_kernels > 0 ? "kernels made " + std::to_string(pages.made_by_kernels) +
                                           " pages by touching them: a prefetch makes them before" +
                                           (pages.made_by_kernels == 24 - 6
                                                ? ". It counts bytes, and a number has 4 of them"
                                                : "")
                                     : ""));
  // A grid of any size: of one for the whole device most warps have nothing to do.
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0, {}, 0.1);
  const auto of_the_host = static_cast<std::size_t>(pages.made_by_host);
  checker::note(
      "The 24 pages of a table, made by your host (h) and on the device (#), with " +
      std::to_string(std::lround(sent / 1024) + 4 * static_cast<long>(pages.sent_to_device)) +
      " KiB over the link instead of 96:\n  " + std::string(of_the_host, 'h') +
      std::string(24 - of_the_host, '#'));
}
