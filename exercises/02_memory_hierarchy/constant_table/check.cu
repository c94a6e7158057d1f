// Checks constant_table.cu: the values, parts of a table, and which of the two tables is in constant memory.
#include "checker/nasty.hpp"

#include <cmath>
#include <cstring>

__global__ void polynomial(const unsigned char *codes, int n, float *out);
void set_levels(const float *h_table);
void set_coefficients(const float *h_values, int first, int count);

namespace {

constexpr int terms = 8;
using Table = std::vector<float>;

/// A table into which so many bytes of these values were copied, from byte `offset` on.
Table copied(Table table, const Table &values, std::size_t offset, std::size_t bytes) {
  std::memcpy(reinterpret_cast<char *>(table.data()) + offset, values.data(), bytes);
  return table;
}

/// A whole table, and some of its coefficients anew.
struct Update {
  Table before, values;
  int first;

  std::size_t offset() const { return first * sizeof(float); }
  std::size_t bytes() const { return values.size() * sizeof(float); }
  Table with(std::size_t at) const { return copied(before, values, at, bytes()); }
};

float polynomial_of(const Table &table, float x) {
  double sum = 0.0;
  for (int k = terms - 1; k >= 0; --k)
    sum = sum * static_cast<double>(x) + static_cast<double>(table[k]);
  return static_cast<float>(sum);
}

Table polynomials(const Table &table, const Table &places) {
  Table values;
  for (float x : places)
    values.push_back(polynomial_of(table, x));
  return values;
}

// Eight roundings of products and eight of sums, of positive terms.
bool same(const Table &got, const Table &expected) {
  return lab::compare(got, expected, lab::tolerance_for_operations<float>(17)).ok;
}

void diagnose_copies(const std::string &what,
                     const Table &got,
                     const Table &places,
                     const Update &u) {
  const auto is_instead = [&](const Table &table) {
    return !same(got, polynomials(u.with(u.offset()), places)) &&
           same(got, polynomials(table, places));
  };
  static Table quarters(terms); // what is there if of all copies a quarter arrived
  quarters = copied(quarters, u.before, 0, terms);
  quarters = copied(quarters, u.values, u.offset(), u.values.size());
  const std::string part =
      checker::counted(static_cast<long long>(u.values.size()), "coefficient") + " from number " +
      std::to_string(u.first) + " on";
  checker::diagnose("at_the_front",
                    is_instead(u.with(0)),
                    what + ": " + part +
                        " were to be new, and those at the front are. How does "
                        "cudaMemcpyToSymbol() know where in the table the copy begins?");
  checker::diagnose("bytes_for_numbers",
                    is_instead(u.with(static_cast<std::size_t>(u.first))),
                    what + ": the copy of " + part + " begins at byte " + std::to_string(u.first) +
                        ", in the midst of another number. Its offset counts bytes, as its size "
                        "does");
  checker::diagnose("few_bytes",
                    is_instead(quarters),
                    what + ": of " + part +
                        " a quarter of the bytes arrived. How many has a float?");
  checker::diagnose("old_table",
                    is_instead(u.before),
                    what + ": these are the values by the coefficients of the call before. Each "
                           "call of set_coefficients() brings others");
  checker::diagnose("no_table",
                    is_instead(Table(terms)),
                    what +
                        ": all values are 0, as by a table that nothing was copied into. What "
                        "the host writes under the name of a device variable, kernels never see");
}

/// Sets a table, then a part of it anew.
std::optional<emu::Observation> check(const Table &levels, int n, int block = 128) {
  const auto draw = [](int count) { return checker::random_values<float>(count, 0.5f, 2.0f); };
  const int first = checker::random_values<int>(1, 1, terms - 2)[0];
  const int count = checker::random_values<int>(1, 1, terms - 1 - first)[0];
  const Update update{draw(terms), draw(count), first};
  std::vector<unsigned char> codes;
  Table places;
  for (int code : checker::random_values<int>(n, 0, 255)) {
    codes.push_back(static_cast<unsigned char>(code));
    places.push_back(levels[code]);
  }
  const auto d_codes = checker::on_device(codes);
  const auto d_out = checker::poisoned<float>(n);
  const auto set_all = [&] {
    set_levels(levels.data());
    set_coefficients(update.before.data(), 0, terms);
    set_coefficients(update.values.data(), first, count);
  };
  set_all();
  if (cudaGetLastError() != cudaSuccess)
    checker::observe("set_levels() and set_coefficients()", [&] { // who looks on can name the call
      set_all();
      LAB_CHECK(cudaGetLastError());
    });
  const std::string what = checker::counted(n, "place");
  auto seen = checker::launch(what, [&] {
    polynomial<<<checker::enough_blocks(n, block), block>>>(d_codes.data(), n, d_out.data());
  });
  const auto got = d_out.download();
  if (n > 0)
    diagnose_copies(what, got, places, update);
  checker::expect_same("polynomial at " + what,
                       got,
                       polynomials(update.with(update.offset()), places),
                       lab::tolerance_for_operations<float>(17));
  return seen;
}

Table some_levels() { return checker::random_values<float>(256, 0.0f, 1.0f); }

double requests(const emu::Observation &seen, emu::Access access) {
  return static_cast<double>(checker::total(seen, access).requests);
}

} // namespace

TEST_CASE("every size, in any blocks, other tables each time") {
  checker::every_size(
      128, {32, 47, 96, 1024}, [](int n, int block) { check(some_levels(), n, block); });
}

TEST_CASE("far from everything") { // terms of one sign: nothing is rounded away
  Table levels = some_levels();
  const Table ends = {INFINITY, -INFINITY, -0.0f, NAN, FLT_MAX, -FLT_MAX, FLT_TRUE_MIN};
  for (std::size_t code = 0; code < levels.size(); code += 2)
    levels[code] = ends[code / 2 % ends.size()];
  check(levels, 100);
}

TEST_CASE("blocks of other sizes") {
  if (const auto seen = check(some_levels(), 1000, 100))
    checker::record("constant_requests_for_1000_places", requests(*seen, emu::Access::constant));
}

TEST_CASE("one of the tables is in constant memory") {
  const auto seen = check(some_levels(), 1024, 1024);
  if (!seen)
    return;
  constexpr double warps = 32.0;
  checker::expect_at_most("global_load.requests_per_warp",
                          requests(*seen, emu::Access::global_load) / warps,
                          3.0,
                          "table_in_global_memory",
                          "a warp needs one load from global memory for its codes, and perhaps one "
                          "more for their levels. The rest goes to the coefficients, which lie "
                          "there, too");
  checker::expect_at_least(
      "lookups_per_warp",
      (requests(*seen, emu::Access::global_load) + requests(*seen, emu::Access::shared_load)) /
              warps -
          1.0,
      1.0,
      "levels_in_turn",
      "the levels are in constant memory. There 32 lanes that look up 32 "
      "levels get one after the other, and from global memory all at once");
}

TEST_CASE("a sine from its terms") {
  constexpr int cols = 74, rows = 15;
  checker::unless_failed_before();
  checker::unobserved([&] {
    Table levels(256, 0.0f);
    std::vector<unsigned char> codes;
    for (int col = 0; col < cols; ++col) {
      codes.push_back(static_cast<unsigned char>(255 - col));
      levels[255 - col] = 0.12f * (static_cast<float>(col) - 0.5f * (cols - 1));
    }
    set_levels(levels.data());
    set_coefficients(Table(terms, 0.0f).data(), 0, terms);
    const auto d_codes = checker::on_device(codes);
    std::vector<std::string> lines(rows, std::string(cols, ' '));
    Table term = {1.0f};
    for (int degree = 1; degree < terms; degree += 2) {
      set_coefficients(term.data(), degree, 1);
      const auto d_out = checker::poisoned<float>(cols);
      polynomial<<<1, 96>>>(d_codes.data(), cols, d_out.data());
      const auto got = d_out.download();
      for (int col = 0; col < cols; ++col)
        if (const float row = std::round(5.0f * (1.4f - got[col])); row >= 0 && row < rows)
          lines[static_cast<int>(row)][col] = static_cast<char>('0' + degree);
      term[0] /= -static_cast<float>((degree + 1) * (degree + 2));
    }
    std::string text = "x, - x^3 / 6, + x^5 / 120, - x^7 / 5040: a sine takes shape. A digit is "
                       "the degree so far; your set_coefficients() adds one term at a time:";
    for (const std::string &line : lines)
      text += '\n' + line.substr(0, line.find_last_not_of(' ') + 1);
    checker::note(text);
  });
}
