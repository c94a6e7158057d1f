// Checks bounds_test.cu: both ends, every size, nothing outside.
#include "checker/nasty.hpp"

#include <cmath>

__global__ void neighbour_mean(const float *in, int n, float *out);

namespace {

void check(const std::vector<float> &h_in, int block = 64) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected, thirds;
  for (int i = 0; i < n; ++i) {
    double sum = static_cast<double>(h_in[i]);
    int count = 1;
    for (int k : {i - 1, i + 1})
      if (0 <= k && k < n) {
        sum += static_cast<double>(h_in[k]);
        ++count;
      }
    expected.push_back(static_cast<float>(sum / count));
    thirds.push_back(static_cast<float>(sum / 3));
  }

  const std::string what = checker::counted(n, "element");
  checker::launch(what, [&] {
    neighbour_mean<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  const lab::Tolerance tolerance = lab::tolerance_for_operations<float>(5);
  bool middle_right = n > 2;
  for (int i = 1; i + 1 < n && middle_right; ++i)
    middle_right = lab::close(got[i], expected[i], tolerance);
  checker::diagnose("divided_by_three",
                    n > 0 && lab::compare(got, thirds, tolerance).ok,
                    what +
                        ": at the ends fewer than three numbers are added, but the sum is divided "
                        "by 3 all the same");
  const bool ends_empty = middle_right && (std::isnan(got[0]) || std::isnan(got[n - 1]));
  checker::diagnose(
      "times_zero",
      ends_empty && std::isinf(h_in[0]),
      what + ": NaN where infinity belongs. Is a neighbour that is not there multiplied by "
             "0, and added? 0 times infinity is NaN: leave it out of the sum");
  checker::diagnose(
      "ends_left_out", ends_empty, what + ": the first or the last element was not written at all");
  checker::diagnose("ends_wrong", middle_right, what + ": all is right but the two ends");
  checker::expect_same(what, got, expected, tolerance);
}

void check(int n, int block = 64) { check(checker::random_values<float>(n, 1.0f, 2.0f), block); }

} // namespace

TEST_CASE("the ends of a list") { check(64); }

TEST_CASE("any size, in any blocks") {
  checker::every_size(64, {96, 32, 47, 256}, [](int n, int block) {
    if (n > 2)
      check(n, block);
  });
}

TEST_CASE("no number at both ends") { // a neighbour that is not there is not 0 times another one
  check({INFINITY, 1.0f, 2.0f, 3.0f, 4.0f, -INFINITY});
  check({NAN, 1.0f, 2.0f, -0.0f, -0.0f, -0.0f, FLT_MAX});
}

TEST_CASE("two elements, one, none") {
  for (int n : {2, 1, 0})
    check(n);
}
