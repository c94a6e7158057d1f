// Checks bounds_test.cu: both ends, every size, nothing outside.
#include "checker/nasty.hpp"

#include <cmath>

__global__ void neighbour_mean(const float *in, int n, float *out);

namespace {

/// Of element i and of those beside it that lie in [first, end). \param count  by which to divide; 0: as many as they are
float mean(const std::vector<float> &values, int i, int first, int end, int count = 0) {
  double sum = 0.0;
  const int low = std::max(i - 1, first), high = std::min(i + 2, end);
  for (int k = low; k < high; ++k)
    sum += static_cast<double>(values[k]);
  return static_cast<float>(sum / (count > 0 ? count : high - low));
}

void check(const std::vector<float> &h_in, int block = 64) {
  const int n = static_cast<int>(h_in.size());
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<float>(n);
  std::vector<float> expected, thirds, by_block;
  for (int i = 0; i < n; ++i) {
    const int first = i / block * block;
    expected.push_back(mean(h_in, i, 0, n));
    thirds.push_back(mean(h_in, i, 0, n, 3));
    by_block.push_back(mean(h_in, i, first, std::min(first + block, n)));
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
  checker::diagnose(
      "times_zero",
      middle_right && std::isinf(h_in[0]) && std::isnan(got[0]) && !lab::is_poison(got[0]),
      what + ": NaN where infinity belongs. Is a neighbour that is not there multiplied by "
             "0, and added? 0 times infinity is NaN: leave it out of the sum");
  checker::diagnose("ends_left_out",
                    middle_right && (lab::is_poison(got[0]) || lab::is_poison(got[n - 1])),
                    what + ": the first or the last element was not written at all");
  checker::diagnose("ends_wrong", middle_right, what + ": all is right but the two ends");
  checker::diagnose("ends_of_blocks",
                    lab::compare(got, by_block, tolerance).ok,
                    what + ": wrong are exactly the first and the last element of each block. A "
                           "thread may read what belongs to another block: only the list has ends");
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
