// What a checker makes of the numbers that an answer names.
#include "checker/nasty.hpp"

#include <algorithm>
#include <doctest/doctest.h>

namespace {

// Before anybody asks.
[[maybe_unused]] const int told =
    setenv("CHECKER_OWN_NUMBERS", "-5432.5 0.5 12 100 3000 12345 99999", 1);

std::vector<int> all_of(const checker::Sizes &sizes) {
  std::vector<int> all;
  for (const int n : sizes)
    all.push_back(n);
  return all;
}

} // namespace

TEST_CASE("own numbers are read") {
  CHECK(checker::own_numbers() == std::vector<double>{-5432.5, 0.5, 12, 100, 3000, 12345, 99999});
}

TEST_CASE("sizes beside own numbers, small ones first, and no more than can be paid") {
  CHECK(all_of(checker::own_sizes(12, 1000, 1000)) ==
        std::vector<int>{13, 101, 12, 100, 99, 25, 201});
  CHECK(all_of(checker::own_sizes(12, 4000, 3100)) ==
        std::vector<int>{13, 101, 12, 100, 99, 25, 201});
  CHECK(all_of(checker::own_sizes(1, 10, 1000)).empty()); // 0.5 is no size
  const auto plain_and_own = all_of(checker::sizes());
  CHECK(plain_and_own[0] == 1024);
  for (const int n : {13, 101, 3001, 99})
    CHECK(std::ranges::count(plain_and_own, n) == 1);
}

TEST_CASE("none in a drawn order") {
  checker::in_drawn_orders([] { CHECK(all_of(checker::own_sizes(1, 4000, 5000)).empty()); });
}

TEST_CASE("what is tried is said, behind its size") {
  using checker::detail::with_own_number;
  CHECK(with_own_number("33 rows: wrong") == "33 rows: wrong");
  for ([[maybe_unused]] const int n : checker::own_sizes(101, 101, 1000)) {
    CHECK(with_own_number("1101 and 101 rows, cols: 7") ==
          "1101 and 101 (your code names 100) rows, cols: 7");
    CHECK(with_own_number("twice as many: wrong") == "twice as many (your code names 100): wrong");
  }
  CHECK(with_own_number("101 rows") == "101 rows");
}

TEST_CASE("own numbers are among the values that can be any, and no sizes are") {
  const auto values = checker::extreme_values<float>(100);
  for (const float number : {-5432.5f, 0.5f, 12345.0f})
    CHECK(std::ranges::count(values, number) == 1);
  CHECK(std::ranges::count(values, 3000.0f) == 0);
  const auto whole = checker::extreme_values<int>(100);
  CHECK(std::ranges::count(whole, 99999) == 1);
}

TEST_CASE("random values have them where a size beside one is tried") {
  CHECK(std::ranges::count(checker::random_values<float>(100, -1e4f, 1e4f), -5432.5f) == 0);
  for ([[maybe_unused]] const int n : checker::own_sizes(101, 101, 1000)) {
    const auto values = checker::random_values<float>(100, -1e4f, 1e4f);
    CHECK(std::ranges::count(values, -5432.5f) == 1);
    CHECK(std::ranges::count(values, 12345.0f) == 0);
    CHECK(std::ranges::count(checker::random_values<int>(100, 1, 3), 100) == 0);
  }
}
