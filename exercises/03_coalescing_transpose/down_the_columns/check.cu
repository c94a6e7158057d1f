// Checks down_the_columns.cu: the same answer in every window, lanes down the columns, and none idle in short ones.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

void add_bias_to_rows(
    const float *d_in, int rows, int cols, int ld, const float *d_bias, float *d_out);

namespace {

std::optional<emu::Observation> check(int rows, int cols, int ld) {
  const std::size_t n = static_cast<std::size_t>(rows) * cols,
                    places = static_cast<std::size_t>(ld) * cols;
  const auto h_in = checker::extreme_values<float>(places);
  const auto h_bias = checker::random_values<float>(rows, 1.0f, 9.0f);
  const auto d_in = checker::on_device(h_in);
  const auto d_bias = checker::on_device(h_bias);
  const auto d_out = checker::poisoned<float>(places);
  const auto place = [&](std::size_t i) { return i / rows * ld + i % rows; };
  std::vector<float> expected, of_another_row, packed;
  for (std::size_t i = 0; i < n; ++i) {
    expected.push_back(h_in[place(i)] + h_bias[i % rows]);
    of_another_row.push_back(h_in[place(i)] + h_bias[i / cols]);
    packed.push_back(h_in[i] + h_bias[i % rows]);
  }
  const std::string what =
      "a window of " + checker::shape(rows, cols) + " with ld = " + std::to_string(ld);
  checker::perhaps("There is a bias for each of the `rows` rows. Along memory a column of the "
                   "window has so many elements: which of them is this one?",
                   "out_of_bounds",
                   "bias[");
  auto seen = checker::launch(
      what, [&] { add_bias_to_rows(d_in.data(), rows, cols, ld, d_bias.data(), d_out.data()); });
  const auto all = d_out.download();
  std::vector<float> got;
  bool right_or_missing = true;
  std::size_t missing = 0, outside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    got.push_back(all[place(i)]);
    if (std::isnan(got[i]) && !std::isnan(expected[i]))
      ++missing;
    else
      right_or_missing = right_or_missing && lab::close(got[i], expected[i], {});
  }
  for (std::size_t i = 0; i < places; ++i)
    outside += i % ld >= static_cast<std::size_t>(rows) && !lab::is_poison(all[i]);
  checker::expect(outside == 0 || !lab::compare({all.begin(), all.begin() + n}, packed).ok,
                  "columns_packed",
                  what + ": the first " + checker::counted(n, "place") +
                      " have got a bias each, as if the next column began where one ends. It "
                      "begins ld places behind this one's beginning");
  checker::expect(outside == 0,
                  "outside_changed",
                  what + ": " + checker::counted(outside, "place") +
                      " outside the window were written. A column has only `rows` elements there, "
                      "what follows up to the next one is not yours");
  checker::diagnose("part_missing",
                    missing > 0 && right_or_missing,
                    what + ": what was computed is right, but " + std::to_string(missing) + " of " +
                        checker::counted(n, "element") +
                        " were not computed. Does the grid cover the window the way that "
                        "the kernel walks it?");
  checker::diagnose("read_as_packed",
                    ld > rows && cols > 1 && lab::compare(got, packed).ok,
                    what + ": what is added to comes from other places of `in` than where it goes "
                           "in `out`: there, too, the next column begins ld places behind");
  checker::diagnose("bias_of_another_row",
                    rows > 1 && cols > 1 && lab::compare(got, of_another_row).ok,
                    what + ": each element gets the bias that it would have if the matrix lay row "
                           "after row. It lies column after column: element (row, col) is number "
                           "col * ld + row, so which part of a number is the row?");
  checker::expect_same(what, got, expected);
  return seen;
}

void expect_launched(const std::string &what) {
  const cudaError_t error = cudaGetLastError();
  checker::expect(error == cudaSuccess,
                  "grid_too_high",
                  what + ": the launch was refused, " + cudaGetErrorName(error) +
                      ". A grid has at most 65535 blocks in y; in x there may be many more");
}

} // namespace

TEST_CASE("a square") { check(64, 64, 67); }

TEST_CASE("every shape") {
  checker::unless_failed_before(); // with another row's bias an index may be outside, too
  check(8, 300, 8);
  check(300, 8, 301);
  checker::every_shape(32, [](int rows, int cols) { check(rows, cols, rows + (rows + cols) % 4); });
}

TEST_CASE("more columns, or rows, than a grid has blocks in y") {
  checker::unless_failed_before();
  for (const auto &[rows, cols] : {std::pair(1, 65600), std::pair(65600, 1)}) {
    const auto h_in =
        checker::extreme_values<float>(65600); // not observed: that would take too long
    const std::string what = checker::shape(rows, cols);
    const auto d_in = checker::on_device(h_in);
    const auto d_bias = checker::on_device(std::vector<float>(rows, 1.0f));
    const auto d_out = checker::poisoned<float>(65600);
    add_bias_to_rows(d_in.data(), rows, cols, rows, d_bias.data(), d_out.data());
    expect_launched(what);
    std::vector<float> expected;
    for (float value : h_in)
      expected.push_back(value + 1.0f);
    checker::expect_same(what, d_out.download(), expected);
  }
}

TEST_CASE("a block for each long column") {
  checker::unless_failed_before();
  const int rows = 600, cols = 128, more = 65600;
  const auto seen = check(rows, cols, rows);
  if (!seen || seen->kernels.empty() || seen->kernels[0].grid[1] < static_cast<unsigned>(cols))
    return; // columns are not counted in y, and 39 million elements take a while
  checker::unobserved([&] {
    const lab::DeviceBuffer<float> d_all(static_cast<std::size_t>(rows) * more), d_bias(rows);
    add_bias_to_rows(d_all.data(), rows, more, rows, d_bias.data(), d_all.data());
    expect_launched(checker::shape(rows, more));
    LAB_CHECK(cudaDeviceSynchronize());
  });
}

TEST_CASE("neighbouring lanes touch neighbouring elements") {
  checker::unless_failed_before();
  const auto seen = check(64, 128, 64);
  if (!seen)
    return;
  const std::string text =
      "32 neighbouring floats lie in 4 sectors, and those of a warp's lanes are "
      "to be neighbours. Which of row and col changes from one lane to the next?";
  checker::expect_cost_at_most(*seen, emu::Access::global_store, 4.0, "uncoalesced", text);
  checker::expect(
      checker::detail::last_launch().blocks > 1,
      "one_block",
      "the window is right, by a single block: all multiprocessors but one have nothing to "
      "do. How many blocks do its elements need?");
  // Four floats a thread ask for every fourth bias, which is two sectors for one.
  checker::expect_cost_at_most(*seen, emu::Access::global_load, 7.0, "uncoalesced", text);
  checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
}

TEST_CASE("columns that do not fill a warp") {
  checker::unless_failed_before();
  for (const int rows : {4, 33}) {
    const auto seen = check(rows, 64, 48);
    if (!seen)
      return;
    const emu::AccessCounts stores = checker::total(*seen, emu::Access::global_store);
    if (rows == 4)
      checker::record("requests_of_four_rows", stores.requests);
    checker::expect(
        stores.active_lanes() >= 30,
        "short_columns",
        checker::shape(rows, 64) + ": on average " +
            std::to_string(std::lround(stores.active_lanes())) +
            " of a warp's 32 lanes have an element. A column of the window ends after " +
            std::to_string(rows) +
            ", and the next lane could go on at the top of the next one. What lies "
            "between them in memory, up to ld, takes no lane: number the elements");
  }
}

TEST_CASE("a window") {
  constexpr int ld = 34, all_cols = 74, top = 4, left = 9, rows = 26, cols = 56;
  constexpr float wave = 60;
  checker::unless_failed_before();
  // Waves from two places, and how far each row is out of step.
  const auto x = checker::random_values<float>(2, 12, 62),
             y = checker::random_values<float>(2, 3, 31);
  const auto slip = checker::random_values<float>(ld, 0, wave);
  std::vector<float> h_all, h_bias;
  for (int row = top; row < top + rows; ++row)
    h_bias.push_back(2 * wave - slip[row]);
  for (int i = 0; i < ld * all_cols; ++i) {
    float nearest = 1e9f;
    for (int k = 0; k < 2; ++k) // a character is twice as high as it is wide
      nearest = std::min(nearest, std::hypot(i / ld - x[k], 2 * (i % ld - y[k])));
    h_all.push_back(nearest * wave / 10 + slip[i % ld]);
  }
  checker::unobserved([&] {
    const auto d_in = checker::on_device(h_all);
    const auto d_bias = checker::on_device(h_bias);
    const auto d_out = checker::on_device(h_all);
    constexpr int first = left * ld + top;
    add_bias_to_rows(d_in.data() + first, rows, cols, ld, d_bias.data(), d_out.data() + first);
    const auto got = d_out.download();
    std::vector<bool> cells; // around the window a frame is left blank
    const auto is_in = [&](int row, int col, int frame) {
      return row >= top - frame && row < top + rows + frame && col >= left - frame &&
             col < left + cols + frame;
    };
    for (int row = 0; row < ld; ++row)
      for (int col = 0; col < all_cols; ++col)
        cells.push_back(std::fmod(got[col * ld + row], wave) < wave / 2 &&
                        (is_in(row, col, 0) || !is_in(row, col, 2)));
    checker::note(
        "On the screen: two stones have fallen into a pond. Around the frame each row is still "
        "out of step, as all were; in your window your kernel has put them right (another --seed: "
        "another programme):" +
        checker::picture(cells, all_cols));
  });
}
