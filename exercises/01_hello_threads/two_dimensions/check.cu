// Checks two_dimensions.cu: every shape, both bounds, x along the rows, what lies between them, and which point a pixel is.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void draw(int left, int top, int step, int rows, int cols, int *out, int pitch);

namespace {

constexpr int unit = 4096, most = 60;

int escape(int x, int y) {
  long long a = 0, b = 0;
  int rounds = 0;
  for (; rounds < most && a * a + b * b <= 4LL * unit * unit; ++rounds) {
    const long long next = (a * a - b * b) / unit + x;
    b = 2 * a * b / unit + y;
    a = next;
  }
  return rounds;
}

struct Window {
  int left, top, step;
};

bool square_is_right = false;
std::vector<int> drawn; // last

std::optional<emu::Observation> check(int rows, int cols, int padding, const Window &window) {
  const int pitch = cols + padding;
  const std::size_t n = static_cast<std::size_t>(rows) * cols;
  const auto d_out = checker::poisoned<int>(static_cast<std::size_t>(rows) * pitch);
  const auto before = d_out.download();
  std::vector<int> expected, transposed(n), upside_down, turned;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const auto [left, top, step] = window;
      expected.push_back(escape(left + col * step, top - row * step));
      upside_down.push_back(escape(left + col * step, top + row * step));
      turned.push_back(escape(left + row * step, top - col * step));
      transposed[static_cast<std::size_t>(col) * rows + row] = expected.back();
    }

  const std::string what = checker::shape(rows, cols) + ", pitch " + std::to_string(pitch);
  checker::perhaps(
      !square_is_right ? ""
      : rows == cols
          ? "Has each direction a test of its own? Between two rows lie places that are no part of "
            "the picture, then comes the next row, and all these are less than rows * pitch, too"
          : "A square is right, and this picture is none: pixel (r, c) lies at r * pitch + c, as "
            "the next row begins `pitch` elements further on. Is that where it is stored? And does "
            "each direction have a test of its own?");
  if (!square_is_right)
    checker::perhaps("Which pixel (r, c) of the picture has each of the two? It lies at r * pitch "
                     "+ c, and pitch counts elements, not bytes: row 1 begins at element " +
                         std::to_string(pitch),
                     "global_race");
  const dim3 grid(checker::enough_blocks(cols, 16), checker::enough_blocks(rows, 16));
  auto seen = checker::launch(what, [&] {
    draw<<<grid, dim3(16, 16)>>>(
        window.left, window.top, window.step, rows, cols, d_out.data(), pitch);
  });
  const auto all = d_out.download();
  drawn.clear();
  int overwritten = 0;
  for (int row = 0; row < rows; ++row) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row) * pitch, end = begin + cols;
    drawn.insert(drawn.end(), begin, end);
    overwritten += !std::equal(end, end + padding, before.begin() + (end - all.begin()));
  }
  checker::diagnose("rows_without_padding",
                    rows > 1 && padding > 0 &&
                        std::equal(expected.begin(), expected.end(), all.begin()),
                    what + ": the rows follow each other without what lies between them. Each "
                           "begins pitch elements after the one before, not cols");
  checker::diagnose(
      "transposed",
      rows > 1 && cols > 1 && (drawn == transposed || drawn == turned),
      what + ": this is the picture with rows and columns changed about. Row r begins at r * "
             "pitch; and along a row x grows, and y stays as it is");
  checker::diagnose("upside_down",
                    drawn == upside_down,
                    what + ": the picture stands on its head. Rows are counted downwards, and y "
                           "grows upwards: the next row is one step lower");
  checker::expect_same(what, drawn, expected, {}, cols);
  checker::expect(overwritten == 0,
                  "padding_written",
                  what + ": the picture is right, but " + checker::counted(overwritten, "row") +
                      " went on behind the last column, and wrote what is no part of it: a row "
                      "ends at cols, and the next one begins at pitch");
  square_is_right = square_is_right || rows == cols;
  return seen;
}

/// Somewhere at the rim, where pixels differ.
Window at_the_rim() {
  const auto off = checker::random_values<int>(3, 0, 400);
  return {-3100 + off[0], 3000 - off[1], 31 + off[2] % 16};
}

} // namespace

TEST_CASE("a square that fits the blocks") { check(32, 32, 8, at_the_rim()); }

TEST_CASE("every shape") {
  checker::every_shape(
      32, [](int rows, int cols) { check(rows, cols, (rows + cols) % 5, at_the_rim()); });
}

TEST_CASE("neighbours in x write neighbours in memory") {
  const auto seen = check(64, 64, 8, at_the_rim());
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

TEST_CASE("the whole of it") {
  constexpr int rows = 59, cols = 74, step = 160;
  checker::unobserved([] { check(rows, cols, 6, {-9000, rows / 2 * step, step}); });
  std::string text = "What your kernel draws, two rows a line:";
  for (int row = 1; row < rows; row += 2) {
    text += '\n';
    for (int col = 0; col < cols; ++col) {
      const int rounds = drawn[row * cols + col];
      text += rounds == most ? '#' : "    ..::---===++++***"[std::min(rounds, 20)];
    }
    text.erase(text.find_last_not_of(' ') + 1);
  }
  checker::note(text);
}
