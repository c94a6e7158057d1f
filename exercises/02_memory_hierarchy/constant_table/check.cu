// Checks constant_table.cu: the values, a second table, and that the table is not in global memory.
#include "checker/nasty.hpp"

#include <cmath>

__global__ void polynomial(const float *in, int n, float *out);
void set_coefficients(const float *h_table);

namespace {

/// What comes out for x with the first `terms` numbers of the table.
float polynomial_of(const std::vector<float> &table, int terms, float x) {
  double sum = 0.0;
  for (int k = terms - 1; k >= 0; --k)
    sum = sum * static_cast<double>(x) + static_cast<double>(table[k]);
  return static_cast<float>(sum);
}

std::optional<emu::Observation> check(const std::vector<float> &h_in, int block = 128) {
  const int n = static_cast<int>(h_in.size());
  const auto h_table = checker::random_values<float>(8, 0.5f, 2.0f);
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected;
  for (float x : h_in)
    expected.push_back(polynomial_of(h_table, 8, x));
  set_coefficients(h_table.data());
  if (cudaGetLastError() != cudaSuccess)
    checker::observe("set_coefficients()", [&] { // who looks on can name the call
      set_coefficients(h_table.data());
      LAB_CHECK(cudaGetLastError());
    });
  const std::string what = checker::counted(n, "place");
  auto seen = checker::launch(what, [&] {
    polynomial<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  // Eight roundings of products and eight of sums, of positive terms.
  const lab::Tolerance tolerance = lab::tolerance_for_operations<float>(17);
  for (int terms = 1; terms < 8; ++terms) { // the rest of a new table is 0
    std::vector<float> shorter;
    for (float x : h_in)
      shorter.push_back(polynomial_of(h_table, terms, x));
    checker::diagnose("few_bytes",
                      !lab::compare(got, expected, tolerance).ok &&
                          lab::compare(got, shorter, tolerance).ok,
                      what + ": of the 8 coefficients no more than " + std::to_string(terms) +
                          " arrived. How many bytes do 8 floats take?");
  }
  static std::vector<float> before; // the table of the call before
  std::vector<float> of_before;
  for (float x : h_in)
    of_before.push_back(before.empty() ? 0.0f : polynomial_of(before, 8, x));
  const bool wrong = !lab::compare(got, expected, tolerance).ok;
  checker::diagnose("old_table",
                    wrong && !before.empty() && lab::compare(got, of_before, tolerance).ok,
                    what + ": these are the values by the table of the call before. Each call of "
                           "set_coefficients() brings another one");
  checker::diagnose("no_table",
                    wrong && std::all_of(got.begin(), got.end(), [](float y) { return y == 0; }),
                    what +
                        ": all values are 0, as by a table that nothing was copied into. Which "
                        "of cudaMemcpyToSymbol() and cudaMemcpyFromSymbol() copies to the device?");
  before = h_table;
  checker::expect_same("polynomial at " + what, got, expected, tolerance);
  return seen;
}

} // namespace

TEST_CASE("every size, in any blocks, another table each time") {
  checker::every_size(128, {32, 47, 96, 1024}, [](int n, int block) {
    check(checker::random_values<float>(n, 0.0f, 1.0f), block);
  });
}

TEST_CASE("far from everything") { // terms of one sign: nothing is rounded away
  check({INFINITY, -INFINITY, -0.0f, NAN, FLT_MAX, -FLT_MAX, FLT_TRUE_MIN});
}

TEST_CASE("blocks of other sizes") {
  if (const auto seen = check(checker::random_values<float>(1000, 0.0f, 1.0f), 100))
    checker::record("requests_for_1000_places",
                    static_cast<double>(checker::total(*seen, emu::Access::global_load).requests));
}

TEST_CASE("the table is in constant memory") {
  const auto seen = check(checker::random_values<float>(1024, 0.0f, 1.0f));
  if (seen)
    checker::expect_at_most(
        "global_load.requests_per_warp",
        static_cast<double>(checker::total(*seen, emu::Access::global_load).requests) / 32.0,
        1.0,
        "table_in_global_memory",
        "a warp needs one load from global memory: its x. The rest goes to the "
        "table, which lies there, too");
}
