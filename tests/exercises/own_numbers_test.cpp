#include "exercises/own_numbers.hpp"

#include <cfloat>
#include <climits>
#include <doctest/doctest.h>

using tutor::own_numbers;
using Numbers = std::vector<double>;

TEST_CASE("numbers of any base, with suffixes and separators") {
  CHECK(own_numbers("if (n < 4'000u) f(0x10, 0b101, 017, 3ull, 0);", "") ==
        Numbers{0, 3, 5, 15, 16, 4000});
  CHECK(own_numbers("0.5f .25 1e3f 0x1p-3f 0x.8p1 08.5 0e1", "") ==
        Numbers{0, 0.125, 0.25, 0.5, 1, 8.5, 1000});
  CHECK(own_numbers("0.1f", "") == Numbers{static_cast<double>(0.1f)});
  CHECK(own_numbers("0xffu 0x1F", "") == Numbers{31, 255});
}

TEST_CASE("no numbers: comments, strings, characters, names") {
  CHECK(own_numbers("// 11\n/* 12 */ \"13\" '4' L'5' float4 x2 _6 \"\\\"14\" /\\\n/ 15\n", "")
            .empty());
  CHECK(own_numbers("1e999", "").empty());
  CHECK(own_numbers("", "").empty());
}

TEST_CASE("macros and templates have some") {
  CHECK(own_numbers("#define LIMIT 4000\n#include <x/7.h>\nf<<<9, 256>>>(g<5>());", "") ==
        Numbers{5, 9, 256, 4000});
}

TEST_CASE("a sign belongs to a number that nothing is before") {
  CHECK(own_numbers("x = -1234.5f; y = n - 7; z = a[i] - 8; w = f() - 9; return -3;", "") ==
        Numbers{-1234.5, -3, 7, 8, 9});
}

TEST_CASE("products and shifts") {
  CHECK(own_numbers("n < 1 << 20", "") == Numbers{1, 20, 1048576});
  CHECK(own_numbers("n > 48 * 1024 + 5", "") == Numbers{5, 48, 1024, 49152});
  CHECK(own_numbers("2 * 3 * 7; n * 4", "") == Numbers{2, 3, 4, 6, 7, 42});
}

TEST_CASE("a small type, and the end of one, are numbers") {
  CHECK(own_numbers("unsigned char c; int16_t s; character(shorts);", "") ==
        Numbers{127, 255, 32767});
  CHECK(own_numbers("INT_MIN FLT_EPSILON", "") == Numbers{INT_MIN, -FLT_EPSILON, FLT_EPSILON});
  CHECK(own_numbers("short s;", "short t;").empty());
}

TEST_CASE("without what the stub has, and so many at most") {
  CHECK(own_numbers("f(256, 4000, 1);", "f(0x100); // 4000\n") == Numbers{1, 4000});
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += std::to_string(i) + ' ';
  CHECK(own_numbers(many, "").size() == tutor::most_own_numbers);
  CHECK(tutor::own_numbers_text("f(-2.5f, 4000);", "") == "-2.5 4000");
}
