#pragma once

#include "demos/demo_walk.hpp"

namespace demo_bank_map {

// Where a tile of 32 x 32 elements keeps its element (row, col), counted in words.
struct Layout {
  const char *name;
  const char *title;
  unsigned (*word)(unsigned row, unsigned col);
  unsigned column_rounds; // what the lesson says of a column
};

constexpr Layout layouts[] = {
    {"square", "s_tile[32][32]", [](unsigned row, unsigned col) { return 32 * row + col; }, 32},
    {"padded", "s_tile[32][33]", [](unsigned row, unsigned col) { return 33 * row + col; }, 1},
    {"swizzled",
     "s_tile[32][32], column c of row r at place c ^ r",
     [](unsigned row, unsigned col) { return 32 * row + (col ^ row); },
     1},
};

inline void say_map(lab::Demo &demo, const Layout &layout) {
  constexpr unsigned shown_cols = 16;
  demo.say("%s\n  col ", layout.title);
  for (unsigned col = 0; col < shown_cols; ++col)
    demo.say("%4u", col);
  demo.say("  …\n");
  for (unsigned row : {0, 1, 2, 3, 31}) {
    demo.say(row == 31 ? "   …\n  row%2u" : "  row%2u", row);
    for (unsigned col = 0; col < shown_cols; ++col)
      demo.say("%4u", layout.word(row, col) % banks);
    demo.say("\n");
  }
}

inline void run(lab::Demo &demo) {
  demo.say("The bank of each element: its word's number, modulo 32.\n\n");
  for (const Layout &layout : layouts) {
    Request row, column;
    for (unsigned lane = 0; lane < 32; ++lane) {
      row.index[lane] = layout.word(5, lane);
      column.index[lane] = layout.word(lane, 5);
    }
    say_map(demo, layout);
    const std::string name = layout.name;
    const walk::Cost of_row = tried(demo, name + ".row", row);
    const walk::Cost of_column = tried(demo, name + ".column", column);
    demo.say("  rounds: %u for row 5, %u for column 5", of_row.predicted, of_column.predicted);
    if (!lab::on_emulator())
      demo.say("; measured: %.2f and %.2f cycles", of_row.cycles, of_column.cycles);
    demo.say("\n\n");
    demo.expect(of_row.predicted == 1, "a row has no conflict");
    demo.expect(of_column.predicted == layout.column_rounds, layout.title);
  }
}

} // namespace demo_bank_map
