// The global min and max, beside <algorithm> and `using namespace std`.
#include "conformance.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

using namespace std;

namespace {

template <class A, class B, class Result> constexpr bool gives() {
  return is_same_v<decltype(min(declval<A>(), declval<B>())), Result> &&
         is_same_v<decltype(max(declval<A>(), declval<B>())), Result>;
}

// Mixed signs give the unsigned type, mixed precisions the double.
static_assert(gives<int, int, int>());
static_assert(gives<unsigned, unsigned, unsigned>());
static_assert(gives<int, unsigned, unsigned>());
static_assert(gives<unsigned, int, unsigned>());
static_assert(gives<long, unsigned long, unsigned long>());
static_assert(gives<unsigned long, long, unsigned long>());
static_assert(gives<long long, unsigned long long, unsigned long long>());
static_assert(gives<unsigned long long, long long, unsigned long long>());
static_assert(gives<float, float, float>());
static_assert(gives<double, double, double>());
static_assert(gives<float, double, double>());
static_assert(gives<double, float, double>());

DEVICE_FUNCTION_2(Mixed, min(x, y) * 1000 + max(x, y) % 1000)
DEVICE_FUNCTION_2(Floats, min(x, y) + 10 * max(x, y))
struct Sizes {
  __device__ unsigned long operator()(unsigned long x, int y) const {
    const unsigned long low = min(x, static_cast<unsigned long>(y));
    return low + umin(3u, 2u) + umax(3u, 2u) + static_cast<unsigned long>(llmax(-1, -2) + 1);
  }
};

TEST_CASE("min and max of mixed types in a kernel") {
  // -1 is the largest of all unsigned numbers.
  CHECK(conformance::map<unsigned>(Mixed{}, vector<int>{-1, 7}, vector<unsigned>{5, 9}) ==
        vector<unsigned>{5 * 1000 + 4294967295u % 1000, 7009});
  CHECK(conformance::map<unsigned long>(Sizes{}, vector<unsigned long>{100}, vector<int>{7})[0] ==
        12);
}

TEST_CASE("min and max prefer a number to a NaN") {
  const float nan_value = numeric_limits<float>::quiet_NaN();
  CHECK(conformance::map<float>(Floats{},
                                vector<float>{nan_value, 2, 1},
                                vector<float>{3, nan_value, 4}) == vector<float>{33, 22, 41});
}

TEST_CASE("min and max on the host") {
  const short a = 3, b = 4;
  const size_t size = 10;
  CHECK(min(a, b) == 3);
  CHECK(max(1, 2) == 2);
  CHECK(min(size, size_t{3}) == 3);
  CHECK(max({1, 5, 2}) == 5); // std::max with a list
  CHECK(min(1.5f, 2.5) == 1.5);
  CHECK(::max(-1, 1u) == 4294967295u);
}

} // namespace
