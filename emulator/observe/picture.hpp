/// \file
/// What a picture of one request shows, however it is drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <observation/observe.hpp>

namespace emu {

/// Lanes that touch one cell: a word of 4 bytes.
struct CellLanes {
  int first = -1; // -1: nobody
  int last = -1;
  int count = 0;
  void add(int lane);
};

/// Global memory: one row per sector that the request touches, of 8 words.
struct SectorRow {
  uint64_t number = 0; // of the sector, from the first one touched
  std::array<CellLanes, 8> words;
};
std::vector<SectorRow> sector_rows(const LineReport &line);

/// Shared memory: what happens in one of the request's rounds. Row k of a bank holds the lanes of
/// the k-th different word that is asked of it; the rows are served one after the other.
struct BankRound {
  int first_lane = 0, last_lane = 31; // that take their turn in this round
  std::vector<std::array<CellLanes, 32>> rows;
};
std::vector<BankRound> bank_rounds(const LineReport &line);

/// "global load, 4 B a lane: 32 sectors for 32 lanes, where 4 would do"
std::string caption(const LineReport &line);

} // namespace emu
