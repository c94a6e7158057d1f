// Checks two_dimensions.cu: every shape, both bounds, x along the rows, which point a pixel is, and its mirror images.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

struct View {
  int left, top, step;
};
View look();
__global__ void draw(int left, int top, int step, int rows, int cols, int *out);

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

std::vector<int> drawn; // last

/// In each place the number of the point that `of` names for this row and column; not asked where no number is.
template <class Of> std::vector<int> picture(int rows, int cols, const View &window, Of of) {
  std::vector<int> pixels;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const auto [right, down] = of(row, col);
      pixels.push_back(escape(window.left + right * window.step, window.top - down * window.step));
    }
  return pixels;
}

std::optional<emu::Observation> check(int rows, int cols, const View &window) {
  using Point = std::pair<int, int>; // steps to the right, and down
  const std::size_t n = static_cast<std::size_t>(rows) * cols;
  const auto d_out = checker::poisoned<int>(n);
  const auto row_of = [&](int row) { return std::min(row, rows - 1 - row); };
  const auto col_of = [&](int col) { return std::min(col, cols - 1 - col); };
  const auto expected = picture(
      rows, cols, window, [&](int row, int col) { return Point(col_of(col), row_of(row)); });

  const std::string what = checker::shape(rows, cols);
  const bool fits = rows % 32 == 0 && cols % 32 == 0; // no thread is past the middle
  checker::perhaps(fits ? "Each pixel of the quarter has four places of its own: how many numbers "
                          "has a row, and where is the mirror image of a column, and of a row?"
                        : "The quarter has (rows + 1) / 2 rows and (cols + 1) / 2 columns, the "
                          "blocks more threads. Do those stay away that are past the middle?",
                   "global_race");
  checker::perhaps("Which row is the mirror image of row 0, and which column that of column 0? "
                   "And how many numbers has a row of out?",
                   "out_of_bounds");
  checker::perhaps("Which row is the mirror image of row 0, and which column that of column 0?",
                   "out_of_bounds",
                   "write of out[" + std::to_string(rows * cols) + "]");
  const dim3 grid(checker::enough_blocks((cols + 1) / 2, 16),
                  checker::enough_blocks((rows + 1) / 2, 16));
  auto seen = checker::launch(what, [&] {
    draw<<<grid, dim3(16, 16)>>>(window.left, window.top, window.step, rows, cols, d_out.data());
  });
  drawn = d_out.download();
  const auto mistake = [&](const char *diagnosis, auto of, const char *text) {
    checker::diagnose(diagnosis,
                      rows > 1 && cols > 1 && drawn != expected &&
                          drawn == picture(rows, cols, window, of),
                      what + ": " + text);
  };
  // Whether what is_there(row, col) is right, and the rest was never written.
  const auto written = [&](auto is_there) {
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const std::size_t i = static_cast<std::size_t>(row) * cols + col;
        if (is_there(row, col) ? drawn[i] != expected[i] : !lab::is_poison(drawn[i]))
          return false;
      }
    return rows > 1 && cols > 1;
  };
  const auto left = [&](int, int col) { return col < (cols + 1) / 2; };
  const auto upper = [&](int row, int) { return row < (rows + 1) / 2; };
  checker::diagnose("quarter_only",
                    written([&](int r, int c) { return upper(r, c) && left(r, c); }),
                    what + ": the upper left quarter is right, and nothing else is written. Each "
                           "of its pixels belongs to three more places");
  checker::diagnose("half_mirrored",
                    written(left) || written(upper),
                    what + ": what is written is right, but it is mirrored in one direction only, "
                           "and the rest is missing");
  checker::diagnose("blocks_alike",
                    (rows > 34 || cols > 34) &&
                        written([&](int r, int c) { return row_of(r) < 16 && col_of(c) < 16; }),
                    what + ": each block has drawn the first 16 x 16 pixels once more. Which block "
                           "a thread is in threadIdx does not tell");
  checker::diagnose("middle_missing",
                    written([&](int r, int c) { return 2 * r != rows - 1 && 2 * c != cols - 1; }),
                    what + ": all is right but the middle row or column, which is missing. Where "
                           "they are odd in number, the middle one belongs to the quarter");
  mistake(
      "not_mirrored",
      [](int row, int col) { return Point(col, row); },
      "this is the picture itself, not mirrored: behind the middle other points are shown. The "
      "numbers of the quarter are asked for once more");
  const View pixels = {window.left, window.top, 1};
  checker::diagnose(
      "step_forgotten",
      rows > 1 && cols > 1 && drawn != expected &&
          drawn == picture(rows,
                           cols,
                           pixels,
                           [&](int row, int col) { return Point(col_of(col), row_of(row)); }),
      what + ": pixels that are neighbours show points that lie 1 apart, and they "
             "are to lie `step` apart");
  mistake(
      "transposed",
      [&](int row, int col) { return Point(row_of(row), col_of(col)); },
      "rows and columns are changed about in the points. Along a row x grows, and y stays as it "
      "is");
  mistake(
      "upside_down",
      [&](int row, int col) { return Point(col_of(col), -row_of(row)); },
      "each next row shows points that lie a step higher. Rows are counted downwards, and y grows "
      "upwards");
  checker::expect_same(what, drawn, expected, {}, cols);
  return seen;
}

/// Somewhere at the rim, where pixels differ, and no pixel of the quarter is far from it.
View at_the_rim(int rows, int cols) {
  const auto off = checker::random_values<int>(3, 0, 400);
  const int farthest = std::max({rows, cols, 1}) / 2 + 1;
  return {-3100 + off[0], 3000 - off[1], std::clamp(8192 / farthest, 1, 31 + off[2] % 16)};
}

} // namespace

TEST_CASE("a square whose quarter fits the blocks") { check(64, 64, at_the_rim(64, 64)); }

TEST_CASE("every shape") {
  checker::unless_failed_before();
  checker::every_shape(32, [](int rows, int cols) { check(rows, cols, at_the_rim(rows, cols)); });
  checker::at_large_size([] {
    check(1, 514, at_the_rim(1, 514));
    check(514, 1, at_the_rim(514, 1));
  });
}

TEST_CASE("neighbours in x write neighbours in memory") {
  const auto expect_sectors = [](int rows, int cols, double most, const std::string &text) {
    const auto seen = check(rows, cols, at_the_rim(rows, cols));
    if (seen)
      checker::expect_cost_at_most(*seen,
                                   emu::Access::global_store,
                                   most,
                                   "uncoalesced",
                                   text + ". Does threadIdx.x count the columns?");
    return seen;
  };
  const std::string rows_of_16 =
      "a warp of a 16 x 16 block is two rows of 16 threads, which should "
      "write two pieces of 64 bytes, ";
  if (const auto seen = expect_sectors(96, 64, 4.0, rows_of_16 + "4 sectors of 32 bytes"))
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  expect_sectors(
      63, 63, 6.0, rows_of_16 + "which lie in 3 sectors each where a row begins anywhere");
}

TEST_CASE("a look into it") {
  constexpr int rows = 59, cols = 73;
  checker::unless_failed_before();
  const View view = look();
  if (std::max(std::abs(view.left), std::abs(view.top)) > 8192 || view.step < 1 ||
      view.step > 128) {
    checker::note("look() goes too far: left and top are from -8192 to 8192, step is from 1 to "
                  "128. Nothing to be seen there.");
    return;
  }
  checker::unobserved([&] { check(rows, cols, view); });
  std::vector<int> gone; // rounds of the points that have run away, which share the shades evenly
  std::copy_if(drawn.begin(), drawn.end(), std::back_inserter(gone), [](int rounds) {
    return rounds < most;
  });
  std::sort(gone.begin(), gone.end());
  std::string text = "Your kaleidoscope, two rows a line. Point it at another place, in look(), or "
                     "come nearer with a smaller step:";
  for (int row = 1; row < rows; row += 2) {
    text += '\n';
    for (int col = 0; col < cols; ++col) {
      const int rounds = drawn[row * cols + col];
      const auto before = std::lower_bound(gone.begin(), gone.end(), rounds) - gone.begin();
      text += rounds == most ? '#' : "  ..:-=+*"[9 * before / gone.size()];
    }
    text.erase(text.find_last_not_of(' ') + 1);
  }
  checker::note(text);
}
