// Checks float_max.cu: which cells are of one island, whoever comes in between.
#include "checker/nasty.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

__global__ void islands(const int *land, int rows, int cols, int *parent);

namespace {

using Cells = std::vector<int>;
constexpr int in_a_circle = -2;

/// The root that each cell's parents lead to; of the sea -1.
Cells roots_of(const Cells &land, const Cells &parent) {
  const int n = static_cast<int>(land.size());
  Cells roots(land.size(), -1);
  for (int i = 0; i < n; ++i)
    if (land[i] == 1) {
      int at = i, steps = 0;
      while (at >= 0 && at < n && parent[at] != at && ++steps <= n)
        at = parent[at];
      roots[i] = at >= 0 && at < n && steps <= n ? at : in_a_circle;
    }
  return roots;
}

/// The first cell of each cell's island; of the sea -1.
Cells first_cells(const Cells &land, int cols) {
  const int n = static_cast<int>(land.size());
  Cells first(land.size(), -1);
  for (int begin = 0; begin < n; ++begin) {
    if (land[begin] == 0 || first[begin] >= 0)
      continue;
    Cells to_do = {begin};
    first[begin] = begin;
    while (!to_do.empty()) {
      const int i = to_do.back();
      to_do.pop_back();
      const std::pair<int, bool> beside[] = {{i - 1, i % cols > 0},
                                             {i + 1, i % cols < cols - 1},
                                             {i - cols, i >= cols},
                                             {i + cols, i + cols < n}};
      for (const auto &[next, there] : beside)
        if (there && land[next] == 1 && first[next] < 0) {
          first[next] = begin;
          to_do.push_back(next);
        }
    }
  }
  return first;
}

struct Run {
  std::optional<emu::Observation> seen;
  Cells parent, roots;
};

Run check(const Cells &h_land, int rows, int cols, int block = 128) {
  const int n = rows * cols;
  const auto d_land = checker::on_device(h_land);
  Cells own(h_land.size());
  for (int i = 0; i < n; ++i)
    own[i] = i;
  const auto d_parent = checker::on_device(own);
  const std::string what = "a map of " + checker::shape(rows, cols);
  checker::perhaps(
      "Who finds a root and stores behind that is overtaken in between: the last look whether it "
      "still is one, and the store, have to be one step",
      "global_race");
  checker::perhaps(
      "In root_of(): two roots are each other's parents, as one thread hangs the first below the "
      "second while another one hangs the second below the first. In a line with atomicCAS: who "
      "finds another number has come too late, and that cell is no root any more",
      "endless_loop");
  checker::perhaps("Who finds another number than the root's own has come too late: that cell is "
                   "no root any more, and never will be again. Which of the steps ahead of the "
                   "atomicCAS have to be taken again, too?",
                   "endless_loop",
                   "one atomicCAS after the other");
  checker::perhaps(
      "Between a look for the roots and the store one of them has got another parent. "
      "atomicCAS stores only where a root is still its own parent, and gives back what "
      "stood there: if that is another cell, nothing is done yet, and both roots have "
      "to be looked for anew, as often as it takes",
      "came_between");
  Run run;
  run.seen = checker::launch(what, [&] {
    islands<<<checker::enough_blocks(n, block), block>>>(
        d_land.data(), rows, cols, d_parent.data());
  });
  run.parent = d_parent.download();
  run.roots = roots_of(h_land, run.parent);
  const Cells first = first_cells(h_land, cols);
  const auto place = [&](int i) {
    return "(" + std::to_string(i / cols) + ", " + std::to_string(i % cols) + ")";
  };
  Cells island_of(h_land.size(), -1); // each root: its first cell
  checker::expect(run.parent != own || first == roots_of(h_land, own),
                  "nothing_stored",
                  what +
                      ": each cell is still its own parent. atomicCAS(word, seen, wanted) stores "
                      "only if what stands there is `seen`: in the word of a root its own "
                      "number, and `wanted` is the other root");
  const auto wrong = [&](const char *diagnosis, const std::string &text) {
    checker::expect(false, diagnosis, what + ": " + text);
  };
  for (int i = 0; i < n; ++i) {
    if (h_land[i] == 0)
      continue;
    if (run.roots[i] == in_a_circle)
      wrong("wrong_result",
            "from cell " + place(i) +
                " on parents lead to no root. Of two roots one gets the other for its "
                "parent, and never the other way round as well");
    for (const int before : {i % cols > 0 ? i - 1 : i, i >= cols ? i - cols : i})
      if (h_land[before] != 0 && run.roots[before] != run.roots[i])
        wrong("island_cut",
              "cells " + place(before) + " and " + place(i) +
                  " are neighbours, and lead to two roots. Either nobody has joined them, "
                  "or a cell that had a parent has got another, and has left its island: "
                  "what is joined are the roots of both cells");
    int &island = island_of[run.roots[i]];
    if (island < 0)
      island = first[i];
    if (island != first[i])
      wrong("wrong_result",
            "cells " + place(island) + " and " + place(i) +
                " have one root, and the sea lies between them");
  }
  return run;
}

/// Land where a number of this row and column is 1; in rows of equal length.
template <class Land> Cells map_of(int rows, int cols, const Land &land) {
  Cells cells;
  for (int i = 0; i < rows * cols; ++i)
    cells.push_back(land(i / cols, i % cols) ? 1 : 0);
  return cells;
}

Cells random_map(int rows, int cols) {
  Cells cells;
  for (int drawn : checker::random_values<int>(static_cast<std::size_t>(rows) * cols, 0, 99))
    cells.push_back(drawn < 60 ? 1 : 0);
  return cells;
}

/// Combs, one from above and one from below, whose teeth stand between each other's, and meet in the last column.
Cells combs(int rows, int cols) {
  return map_of(rows, cols, [=](int row, int col) {
    return row == 0 || row == rows - 1 || col == cols - 1 || col % 2 == 0;
  });
}

/// Pipes of an organ, each a row longer than the one on its left, and a bench below. As many threads join the bench with
/// one of them, and each has a long way from that one's end to its root: meanwhile a shorter one is joined.
Cells organ(int pipes, int shortest) {
  const int rows = shortest + pipes;
  return map_of(rows, 2 * pipes - 1, [=](int row, int col) {
    return row == rows - 1 || (col % 2 == 0 && row >= pipes - 1 - col / 2);
  });
}

} // namespace

TEST_CASE("lakes and islands") {
  check(random_map(12, 20), 12, 20);
  check(random_map(33, 17), 33, 17, 47);
}

TEST_CASE("every shape") {
  checker::every_shape(16, [](int rows, int cols) { check(random_map(rows, cols), rows, cols); });
}

TEST_CASE("no sea, and nothing else") {
  check(Cells(300, 1), 15, 20);
  check(Cells(300, 0), 15, 20);
}

TEST_CASE("whoever comes in between") {
  checker::in_drawn_orders([] {
    check(Cells(64, 1), 4, 16);
    check(combs(7, 17), 7, 17);
    check(random_map(10, 24), 10, 24);
    Cells pipes = organ(9, 40);
    check(pipes, 49, 17, 49 * 17); // one of them is too late seven times, where all go in step
    std::ranges::reverse(pipes); // and here, who hangs lower roots below higher ones
    check(pipes, 49, 17, 49 * 17);
  });
}

TEST_CASE("a long island") {
  const Run run = check(Cells(50, 1), 1, 50);
  int children = 0;
  for (int i = 0; i < 50; ++i)
    children += run.parent[i] != i ? 1 : 0;
  checker::record("cells_with_another_parent", children);
}

TEST_CASE("each thread has its cell") {
  if (const auto seen = check(Cells(512, 1), 16, 32).seen)
    checker::expect_lanes(*seen, emu::Access::global_load, 25.0);
}

TEST_CASE("an archipelago") {
  constexpr int rows = 22, cols = 70;
  checker::unless_failed_before();
  std::vector<std::array<float, 4>> hills; // row, column, height and width
  const auto at = checker::random_values<float>(60, 0.0f, 1.0f);
  for (std::size_t k = 0; k + 2 < at.size(); k += 3)
    hills.push_back({1 + at[k] * (rows - 3),
                     3 + at[k + 1] * (cols - 6),
                     1.3f + 1.7f * at[k + 2],
                     2.0f + 5 * at[k + 2]});
  const Cells land = map_of(rows, cols, [&](int row, int col) {
    return std::ranges::any_of(hills, [&](const auto &hill) {
      const float y = (static_cast<float>(row) - hill[0]) / hill[2];
      const float x = (static_cast<float>(col) - hill[1]) / hill[3];
      return x * x + y * y < 1.0f;
    });
  });
  checker::unobserved([&] {
    Cells own(land.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      own[i] = static_cast<int>(i);
    const auto d_land = checker::on_device(land), d_parent = checker::on_device(own);
    islands<<<checker::enough_blocks(rows * cols, 128), 128>>>(
        d_land.data(), rows, cols, d_parent.data());
    const Cells roots = roots_of(land, d_parent.download());
    std::map<int, char> letters;
    std::string text;
    for (int i = 0; i < rows * cols; ++i) {
      if (i % cols == 0)
        text = text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
      if (land[i] == 0)
        text += ' ';
      else
        text +=
            letters.emplace(roots[i], static_cast<char>('A' + letters.size() % 26)).first->second;
    }
    checker::note("An archipelago of " +
                  checker::counted(static_cast<long long>(letters.size()), "island") +
                  ". Each cell has a letter for the root that your threads have led it to:" +
                  text.substr(0, text.find_last_not_of(' ') + 1));
  });
}
