// Checks kahan_loop.cu: what products and additions round away is kept, however long the sum, and however large a term
// that goes away again.
#include "checker/checker.hpp"

#include <cmath>

__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K);

namespace {

/// Whether the term is the larger one of the two, as it is asked, rightly or not.
bool never(float, float) { return false; }
bool by_size(float sum, float term) { return std::fabs(term) > std::fabs(sum); }
bool by_size_swapped(float sum, float term) { return std::fabs(term) <= std::fabs(sum); }
bool with_signs(float sum, float term) { return term > sum; }
bool with_sign_of_term(float sum, float term) { return term > std::fabs(sum); }
bool with_sign_of_sum(float sum, float term) { return std::fabs(term) > sum; }

/// A way of keeping what is rounded away, as one of the mistakes does it.
struct Way {
  bool (*term_is_larger)(float sum, float term);
  bool apart; // what is owed joins the sum at the end; else it joins the next term
  float sign = 1.0f;
  float of_products = 0.0f; // what products lose is kept, with this sign; 0: it is not

  float sum_of(const float *A, const float *B, int N, int K) const {
    float sum = 0.0f, owed = 0.0f;
    for (int k = 0; k < K; ++k) {
      const float product = A[k] * B[k * N], term = apart ? product : product + owed;
      const float next = sum + term;
      const float lost =
          sign * (term_is_larger(sum, term) ? sum - (next - term) : term - (next - sum));
      owed = apart ? owed + lost : lost;
      owed += of_products * std::fma(A[k], B[k * N], -product);
      sum = next;
    }
    return apart ? sum + owed : sum;
  }
};

// What comes out if the sum is overwritten before what it has lost is worked out, which is then the whole term, and goes
// into the next one.
float overwritten_first(const float *A, const float *B, int N, int K) {
  float sum = 0.0f, term = 0.0f;
  for (int k = 0; k < K; ++k) {
    term += A[k] * B[k * N];
    sum += term;
  }
  return sum;
}

// What comes out if nothing is kept. It is the same if what an addition has lost is added at once: the sum has no room
// for it.
float plain_sum(const float *A, const float *B, int N, int K) {
  float sum = 0.0f;
  for (int k = 0; k < K; ++k)
    sum += A[k] * B[k * N];
  return sum;
}

struct Factors {
  int M, N, K;
  std::vector<float> A, B;

  std::string name() const {
    return std::to_string(M) + " x " + std::to_string(K) + " times " + std::to_string(K) + " x " +
           std::to_string(N);
  }
  /// Whether all of C is what the mistake makes of each row and column.
  template <class Mistake>
  bool is_made_by(Mistake mistake, const std::vector<float> &C, double tolerance = 0.0) const {
    for (int row = 0; row < M; ++row)
      for (int col = 0; col < N; ++col) {
        const double made = mistake(&A[row * K], &B[col]);
        if (!(std::fabs(C[row * N + col] - made) <= tolerance * std::fabs(made)))
          return false;
      }
    return true;
  }
};

Factors random_factors(int M, int N, int K, float low) {
  return {M,
          N,
          K,
          checker::random_values<float>(static_cast<std::size_t>(M) * K, low, 1.0f),
          checker::random_values<float>(static_cast<std::size_t>(K) * N, low, 1.0f)};
}

/// Small whole numbers, and among them pairs of terms that are large and take each other away: each sum is a whole number
/// that a float can hold.
Factors passing_large_terms(int M, int N, int K, float large) {
  Factors f{M, N, K, {}, {}};
  for (int value : checker::random_values<int>(M * K, 1, 9))
    f.A.push_back(static_cast<float>(value));
  for (int value : checker::random_values<int>(K * N, 1, 9))
    f.B.push_back(static_cast<float>(value));
  for (const auto &[come, go] : {std::pair(K / 5, K / 2), std::pair(K / 3, K - K / 6)}) {
    for (int row = 0; row < M; ++row)
      f.A[row * K + go] = f.A[row * K + come] = 4.0f;
    for (int col = 0; col < N; ++col)
      f.B[go * N + col] = -(f.B[come * N + col] = large);
  }
  return f;
}

/// Products that no float can hold, and each taken away again as a float holds it. What they lose is small enough for exact
/// sums.
Factors rounded_and_taken_away(int M, int pairs) {
  Factors f{M, 1, 2 * pairs, {}, {}};
  const auto below_one = [](int n) {
    std::vector<float> values;
    for (const int value : checker::random_values<int>(n, 1 << 17, (1 << 18) - 1))
      values.push_back(static_cast<float>(value) * 0x1p-18f);
    return values;
  };
  const std::vector<float> a = below_one(M * pairs), b = below_one(pairs);
  for (const float one : b)
    f.B.insert(f.B.end(), {one, 1.0f});
  for (int at = 0; at < M * pairs; ++at)
    f.A.insert(f.A.end(), {a[at], -(a[at] * b[at % pairs])});
  return f;
}

float sum_in_double(const float *A, const float *B, int N, int K) {
  double sum = 0.0;
  for (int k = 0; k < K; ++k)
    sum += static_cast<double>(A[k]) * B[k * N];
  return static_cast<float>(sum);
}

void name_the_mistake(const Factors &f, const std::vector<float> &C) {
  const auto is_made_by = [&](Way way, float of_products) {
    way.of_products = of_products;
    return f.is_made_by([&](auto *a, auto *b) { return way.sum_of(a, b, f.N, f.K); }, C);
  };
  const auto is_made = [&](Way way) { return is_made_by(way, 1) || is_made_by(way, 0); };
  const std::string what = f.name();
  checker::expect(!f.is_made_by([&](auto *a, auto *b) { return sum_in_double(a, b, f.N, f.K); }, C),
                  "in_double",
                  what +
                      ": these are sums of doubles, which lose what is small beside 2^62. What a "
                      "float sum has lost fits in a second float");
  checker::expect(!is_made_by({by_size, true}, 0),
                  "products_rounded",
                  what +
                      ": what additions lose is kept, and nothing of what products lose. Each is "
                      "rounded to a float before it is added");
  checker::expect(!is_made_by({by_size, true}, -1),
                  "wrong_sign",
                  what + ": what products lose is taken with the wrong sign. A product has lost "
                         "a * b minus the rounded product");
  for (const auto signed_test : {with_signs, with_sign_of_term, with_sign_of_sum})
    checker::expect(!is_made({signed_test, true}),
                    "compared_with_sign",
                    what +
                        ": which of sum and term is larger is asked of numbers with their signs, "
                        "and a large negative one is less than any small number. What counts is "
                        "how far from 0 each of them is");
  checker::expect(!is_made({by_size_swapped, true}) && !is_made({by_size_swapped, false}),
                  "cases_swapped",
                  what + ": the two cases are swapped. Of the smaller one what has arrived is next "
                         "less the larger one, and the rest of it is lost. Here that is worked out "
                         "as if the larger one of sum and term were the smaller");
  checker::expect(!is_made({never, false}) && !is_made({never, true}),
                  "term_larger",
                  what + ": when a term is larger than the sum, the addition rounds digits of the "
                         "sum away, and next - sum is no longer what has arrived of the term. What "
                         "is lost here is what was in the sum. Which one is larger is asked of the "
                         "two that are added, the term and the sum before");
  checker::expect(!is_made({by_size, false}),
                  "owed_rounded_away",
                  what + ": what is owed is added to the next term. If that is a large one, it is "
                         "rounded away there, before anybody looks");
  const bool wrong_sign = is_made({never, false, -1}) || is_made({never, true, -1}) ||
                          is_made({by_size, false, -1}) || is_made({by_size, true, -1});
  checker::expect(!wrong_sign,
                  "wrong_sign",
                  what + ": what is owed is taken with the wrong sign, so each error is made once "
                         "more instead of mended. Is it added, or subtracted?");
}

/// @return how many sums are the float next to the exact one
int check(const Factors &f, const std::string &counter) {
  const auto &[M, N, K, A, B] = f;
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const std::string what = f.name();
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const auto seen = checker::launch(what, [&, M = M, N = N, K = K] {
    const dim3 grid((N + 7) / 8, (M + 7) / 8);
    multiply<<<grid, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), M, N, K);
  });
  if (seen && M % 8 == 0 && N % 8 == 0)
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
  const auto C = d_C.download();
  const double u = lab::unit_roundoff<float>();
  double worst = 0.0; // error, in u times the sum
  std::string far;
  bool wrong = false, twice = true;
  int nearest = 0;
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      double sum = 0.0, owed = 0.0, sum_abs = 0.0; // owed: what the doubles lose
      for (int k = 0; k < K; ++k) {
        const double product = static_cast<double>(A[row * K + k]) * B[k * N + col];
        const double next = sum + product, arrived = next - sum;
        owed += sum - (next - arrived) + (product - arrived);
        sum = next;
        sum_abs += std::fabs(product);
      }
      sum += owed;
      const double off = std::fabs(C[row * N + col] - sum);
      twice = twice && std::fabs(C[row * N + col] - 2 * sum) <= 1e-5 * sum_abs;
      if (!wrong && !(off <= lab::gamma(K, u) * sum_abs))
        far = ": row " + std::to_string(row) + ", column " + std::to_string(col) + " should be " +
              std::to_string(sum) + " and is " + std::to_string(C[row * N + col]) +
              ". Work through three terms by hand: after each, which variable holds what?";
      wrong = wrong || !far.empty();
      const double in_u = sum != 0.0 ? off / (u * std::fabs(sum)) : 0.0;
      worst = in_u <= worst ? worst : in_u;
      nearest += C[row * N + col] == static_cast<float>(sum);
    }
  const auto overwritten = [K = K, N = N](const float *a, const float *b) {
    return overwritten_first(a, b, N, K);
  };
  checker::expect(!(wrong && (twice || f.is_made_by(overwritten, C, 1e-5))),
                  "sum_overwritten",
                  what + ": each term is added once more, whole. While what is lost is worked "
                         "out, the sum has to be the old one: is it assigned behind that, and only "
                         "there?");
  checker::expect(
      !wrong, "wrong_result", what + ": this is not the product, not even roughly" + far);
  if (!(worst <= 2.0))
    name_the_mistake(f, C);
  const bool plain = f.is_made_by(
      [K = K, N = N](const float *a, const float *b) { return plain_sum(a, b, N, K); }, C);
  checker::expect_at_most(
      counter,
      worst,
      2.0,
      "not_compensated",
      what + ": a sum is too far off, counted in units of 2^-24 of itself" +
          (plain ? ". This is a plain sum: what an addition rounds away is also lost "
                   "if it is added at once, to the sum that had no room for it. It "
                   "has to be kept apart"
                 : ""));
  return nearest;
}

} // namespace

TEST_CASE("short sums") {
  check(random_factors(1, 1, 1, 0.0f), "error_of_short_sums");
  check(random_factors(5, 9, 0, 0.0f), "error_of_short_sums");
  check(random_factors(5, 9, 17, 0.0f), "error_of_short_sums");
}

TEST_CASE("a long sum of terms of one sign") {
  check(random_factors(16, 24, 700, 0.0f), "error_of_long_sums");
  for (int K : checker::own_sizes(1, 1500, 2000))
    check(random_factors(2, 3, K, 0.0f), "error_of_long_sums");
}

TEST_CASE("large terms that go away again") {
  // Of these the sum's last digits are lost, and of those all of its digits.
  // A double, too, loses all of the sum beside the largest ones.
  for (float large : {0x1p23f, 0x1p40f, -0x1p23f, -0x1p40f, 0x1p60f})
    check(passing_large_terms(8, 8, 60, large), "error_beside_large_terms");
}

TEST_CASE("floats do") {
  // Eight halves of what no float can hold, then as many with the other sign: a sum in floats is infinite
  // or no number from the second one on; one that is finite was kept as something larger.
  std::vector<float> A(17, 1.0f), B(17, 0x1p127f);
  for (int k = 8; k < 16; ++k)
    A[k] = -1.0f;
  B[16] = 1.0f;
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(1);
  checker::launch("a sum that no float can hold", [&] {
    multiply<<<1, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), 1, 1, 17);
  });
  checker::expect(
      !std::isfinite(d_C.at(0)),
      "in_double",
      "the sums are right, but they are kept as double: what no float can hold came out "
      "finite. Many GPUs compute a double in the time of 32 or 64 floats; what a float "
      "sum has lost fits in a second float");
}

TEST_CASE("products that no float can hold") {
  // Each is less than half of the smallest float, and so is what it loses; of doubles the sum is one that a float holds.
  const auto d_A = checker::on_device(std::vector<float>(64, 0x1p-75f)),
             d_B = checker::on_device(std::vector<float>(64, 0x1p-76f));
  const auto d_C = checker::poisoned<float>(1);
  checker::launch("products that no float can hold", [&] {
    multiply<<<1, dim3(8, 8)>>>(d_A.data(), d_B.data(), d_C.data(), 1, 1, 64);
  });
  checker::expect(
      d_C.at(0) == 0.0f,
      "in_double",
      "the sums are right, but they are kept as double: 64 products, each of which is 0 as "
      "a float, have come to something else. What a float sum has lost fits in a second "
      "float");
}

TEST_CASE("products that are taken away again") {
  check(rounded_and_taken_away(8, 30), "error_of_rounded_products");
}

TEST_CASE("a long sum of terms of both signs") {
  checker::record("nearest_of_64", check(random_factors(8, 8, 1000, -1.0f), "error_of_both_signs"));
}

TEST_CASE("a picture of rounding errors") {
  checker::unobserved([] {
    constexpr int M = 36, N = 72,
                  K = 1 + M; // each row has a place of its own for what is taken away
    std::vector<float> A(M * K, 0.0f), B(K * N);
    const auto near = [](float middle, int at, int count) {
      return middle + static_cast<float>(2 * at + 1 - count) * 0x1p-16f;
    };
    for (int row = 0; row < M; ++row) {
      A[row * K] = near(1.0f, row, M);
      A[row * K + 1 + row] = -1.0f;
    }
    for (int col = 0; col < N; ++col) {
      B[col] = near(1.5f, col, N);
      for (int row = 0; row < M; ++row)
        B[(1 + row) * N + col] = A[row * K] * B[col];
    }
    const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
    const auto d_C = checker::poisoned<float>(M * N);
    multiply<<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8)>>>(
        d_A.data(), d_B.data(), d_C.data(), M, N, K);
    std::vector<bool> cells;
    for (const float sum : d_C.download())
      cells.push_back(sum > 0.0f);
    const float kahans = Way{never, false}.sum_of(A.data(), B.data(), N, K);
    checker::note("Products of numbers near 1 and near 1.5, each taken away again as a float holds "
                  "it. Kahan's loop leaves " +
                  std::to_string(std::lround(kahans)) +
                  " everywhere; yours, where it is above 0:" + checker::picture(cells, N));
  });
}
