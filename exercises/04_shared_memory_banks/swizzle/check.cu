// Checks swizzle.cu: columns and boxes, in 4096 bytes, with one round of the banks for each request.
// Any order that does this is right: nothing is asked about the formula.
#include "checker/nasty.hpp"

#include <algorithm>

int place(int row, int col);
__global__ void tiles(const unsigned *in, unsigned *columns, unsigned *boxes);

namespace {

constexpr int edge = 32, words = edge * edge;

struct Element {
  int row, col;
};
Element of_row(int number, int k) { return {number, k}; }
Element of_column(int number, int k) { return {k, number}; }
Element of_box(int number, int k) { return {number / 8 * 8 + k / 4, number % 8 * 4 + k % 4}; }

std::string name(Element of) {
  return "place(" + std::to_string(of.row) + ", " + std::to_string(of.col) + ")";
}
/// place() of each element, row by row.
const std::vector<int> &places() {
  static const std::vector<int> all = [] {
    std::vector<int> places;
    for (int i = 0; i < words; ++i)
      places.push_back(place(i / edge, i % edge));
    return places;
  }();
  return all;
}
int place_of(Element of) { return places()[edge * of.row + of.col]; }
int bank(Element of) { return place_of(of) % edge; }

std::optional<emu::Observation> check(int blocks) {
  const auto h_in = checker::extreme_values<unsigned>(static_cast<std::size_t>(blocks) * words);
  const auto d_in = checker::on_device(h_in);
  const auto d_columns = checker::poisoned<unsigned>(h_in.size());
  const auto d_boxes = checker::poisoned<unsigned>(h_in.size());
  std::vector<unsigned> columns, boxes;
  for (int i = 0; i < blocks * words; ++i) {
    const int tile = i / words * words, number = i % words / edge;
    const Element in_column = of_column(number, i % edge), in_box = of_box(number, i % edge);
    columns.push_back(h_in[tile + edge * in_column.row + in_column.col]);
    boxes.push_back(h_in[tile + edge * in_box.row + in_box.col]);
  }
  const std::string what = checker::counted(blocks, "tile");
  auto seen = checker::launch(what, [&] {
    tiles<<<blocks, dim3(32, 8), 4096>>>(d_in.data(), d_columns.data(), d_boxes.data());
  });
  checker::expect_same("columns of " + what, d_columns.download(), columns, {}, edge);
  checker::expect_same("boxes of " + what, d_boxes.download(), boxes, {}, edge);
  return seen;
}

/// The most elements of a box of 16 rows by 2 columns in one bank, if column c of row r stands at place c ^ r.
double rounds_of_tall_box() {
  std::vector<int> of_bank(edge, 0);
  for (int k = 0; k < edge; ++k)
    ++of_bank[(k / 2) ^ (k % 2)];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

/// Ends the case if two of 32 elements lie in one bank, of element(number, k) with k from 0 to 31.
template <class Get>
void expect_all_banks(const char *thing, const char *diagnosis, const Get &element) {
  for (int number = 0; number < edge; ++number) {
    std::vector<int> first(edge, -1), count(edge, 0);
    int meeting = -1; // the first element that meets another one
    for (int k = 0; k < edge; ++k) {
      int &there = first[bank(element(number, k))];
      meeting = there >= 0 && meeting < 0 ? k : meeting;
      there = there >= 0 ? there : k;
      ++count[bank(element(number, k))];
    }
    if (meeting < 0)
      continue;
    const Element one = element(number, first[bank(element(number, meeting))]);
    const Element other = element(number, meeting);
    checker::expect(false,
                    diagnosis,
                    std::string("in ") + thing + " " + std::to_string(number) + " " + name(one) +
                        " = " + std::to_string(place_of(one)) + " and " + name(other) + " = " +
                        std::to_string(place_of(other)) + " lie in bank " +
                        std::to_string(bank(one)) + ". A warp takes " +
                        std::to_string(*std::max_element(count.begin(), count.end())) +
                        " rounds for it" +
                        (std::string(thing) == "box" ? ". A box has 8 rows of 4 words: each row of "
                                                       "the box has to lie in banks of its own"
                                                     : ""));
  }
}

// Where rows begin in their own words, and an element of one lies in those of the other.
std::string runs_on(Element one, Element other) {
  const auto begins = [](int row) { return place_of({row, 0}) / edge == row; };
  const int row = place_of(other) / edge, from = one.row == row ? other.row : one.row;
  return one.row == other.row || !begins(one.row) || !begins(other.row) || from == row
             ? std::string()
             : ". The elements of row " + std::to_string(from) + " run on where row " +
                   std::to_string(row) +
                   " has its words: what brings them back to the front of their own?";
}

} // namespace

TEST_CASE("a word for each element") {
  std::vector<int> first(words, -1);
  for (int i = 0; i < words; ++i) {
    const Element here{i / edge, i % edge};
    const int at = place_of(here);
    checker::expect(at >= 0 && at < words,
                    "outside",
                    name(here) + " is " + std::to_string(at) +
                        ": the tile has words 0 to 1023, and not one more");
    const Element other{first[at] / edge, first[at] % edge};
    checker::expect(first[at] < 0,
                    "one_word_for_two",
                    name(other) + " and " + name(here) + " are both word " + std::to_string(at) +
                        ": each of the 1024 elements needs one of its own" + runs_on(other, here));
    first[at] = i;
  }
}

TEST_CASE("one tile, and many") {
  checker::unless_failed_before();
  check(1);
  check(9);
  for (int blocks : checker::own_sizes(1, 30, 40))
    check(blocks);
}

TEST_CASE("each bank once in each row, column and box") {
  checker::unless_failed_before();
  checker::record("rounds_of_a_tall_box", rounds_of_tall_box());
  expect_all_banks("row", "rows_meet", of_row);
  expect_all_banks("column", "columns_meet", of_column);
  expect_all_banks("box", "boxes_meet", of_box);
}

TEST_CASE("no memory beyond the tile") {
  cudaFuncAttributes attributes{};
  LAB_CHECK(cudaFuncGetAttributes(&attributes, tiles));
  checker::expect_at_most("static_shared_bytes",
                          static_cast<double>(attributes.sharedSizeBytes),
                          0.0,
                          "more_memory",
                          "the tile is the launch's 4096 bytes, and no array beside them");
}

TEST_CASE("one round for each request") {
  checker::unless_failed_before();
  const auto seen = check(4);
  if (!seen)
    return;
  for (emu::Access access : {emu::Access::shared_store, emu::Access::shared_load}) {
    checker::expect_shared_used(*seen,
                                access,
                                32.0,
                                "a tile has 32 rows: each goes to shared memory, and comes from "
                                "there");
    checker::expect_cost_at_most(
        *seen, access, 1.0, "kernel_meets", "place() is right, but lanes meet in a bank");
    checker::expect_lanes(*seen, access, 20.0);
  }
}

TEST_CASE("a sudoku") {
  checker::unless_failed_before();
  std::string text;
  for (int row = 0; row < edge / 2; ++row) {
    text += row % 8 == 0 && row > 0 ? "\n\n" : "\n";
    for (int col = 0; col < edge; ++col)
      text += std::string(col % 4 == 0 && col > 0 ? " " : "") +
              "0123456789abcdefghijklmnopqrstuv"[bank({row, col})];
  }
  checker::note("Your banks, 0 to v, in the tile's upper half: a sudoku of 32 numbers." + text);
}
