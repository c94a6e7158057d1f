// Checks two_dimensions.cu: every shape, both bounds, x along the rows, and what lies between them.
#include "checker/nasty.hpp"

#include <cstring>

__global__ void products(const float *a, int rows, const float *b, int cols, float *out, int pitch);

namespace {

bool square_is_right = false;

std::optional<emu::Observation> check(const std::vector<float> &h_a, int cols, int padding) {
  const int rows = static_cast<int>(h_a.size()), pitch = cols + padding;
  const auto h_b = checker::random_values<float>(cols, 1.0f, 2.0f);
  const auto d_a = checker::on_device(h_a);
  const auto d_b = checker::on_device(h_b);
  const std::size_t n = static_cast<std::size_t>(rows) * cols;
  const auto d_out = checker::poisoned<float>(static_cast<std::size_t>(rows) * pitch);
  const auto before = d_out.download();
  std::vector<float> expected, transposed(n);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      expected.push_back(h_a[row] * h_b[col]);
      transposed[static_cast<std::size_t>(col) * rows + row] = h_a[row] * h_b[col];
    }

  const std::string what = checker::shape(rows, cols) + ", pitch " + std::to_string(pitch);
  checker::perhaps(
      rows == cols || !square_is_right
          ? ""
          : "A square is right, and this table is none: element (r, c) lies at r * pitch "
            "+ c, as the next row begins `pitch` elements further on. Is that where it is stored? "
            "And does "
            "each direction have a test of its own?");
  if (rows == cols && square_is_right)
    checker::perhaps(
        "Has each direction a test of its own? Between two rows lie places that are no "
        "part of the table, and these are less than rows * pitch, too",
        "out_of_bounds");
  checker::perhaps(
      "Which element (r, c) of the table has each of the two? It lies at r * pitch + c, and pitch "
      "counts elements, not bytes: row 1 begins at element " +
          std::to_string(pitch),
      "global_race");
  const dim3 grid(checker::enough_blocks(cols, 16), checker::enough_blocks(rows, 16));
  auto seen = checker::launch(what, [&] {
    products<<<grid, dim3(16, 16)>>>(d_a.data(), rows, d_b.data(), cols, d_out.data(), pitch);
  });
  const auto all = d_out.download();
  std::vector<float> got;
  int overwritten = 0;
  for (int row = 0; row < rows; ++row) {
    const std::size_t begin = static_cast<std::size_t>(row) * pitch, end = begin + cols;
    got.insert(got.end(), all.begin() + begin, all.begin() + end);
    overwritten += std::memcmp(all.data() + end, before.data() + end, padding * sizeof(float)) != 0;
  }
  checker::diagnose(
      "rows_without_padding",
      rows > 1 && padding > 0 && std::memcmp(all.data(), expected.data(), n * sizeof(float)) == 0,
      what + ": the rows follow each other without what lies between them. Each begins "
             "pitch elements after the one before, not cols");
  checker::diagnose(
      "transposed",
      rows > 1 && cols > 1 && got == transposed,
      what + ": this is the table with rows and columns changed about. Row r begins at r * "
             "pitch");
  checker::expect_same_bits(what, got, expected, cols);
  checker::expect(overwritten == 0,
                  "padding_written",
                  what + ": the table is right, but behind " +
                      checker::counted(overwritten, "row") +
                      " something was written that is no part of it: a row ends at cols");
  square_is_right = square_is_right || rows == cols;
  return seen;
}

} // namespace

TEST_CASE("a square that fits the blocks") {
  check(checker::random_values<float>(32, 1.0f, 2.0f), 32, 8);
}

TEST_CASE("every shape") {
  checker::every_shape(32, [](int rows, int cols) {
    check(checker::extreme_values<float>(rows), cols, (rows + cols) % 5);
  });
}

TEST_CASE("neighbours in x write neighbours in memory") {
  const auto seen = check(checker::extreme_values<float>(64), 64, 8);
  if (!seen)
    return;
  checker::expect_cost_at_most(
      *seen,
      emu::Access::global_store,
      4.0,
      "uncoalesced",
      "a warp of a 16 x 16 block is two rows of 16 threads, which should write two pieces of 64 "
      "bytes, 4 sectors of 32 bytes. Does threadIdx.x count the columns?");
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}
