// One request of a warp, drawn with letters: lanes against sectors or banks.
#include "picture.hpp"

#include <algorithm>
#include <map>

#include "request_cost.hpp"
#include "text.hpp"

namespace emu {

namespace {

template <class F> void for_each_word(const LineReport &line, int lane, F f) {
  const uint64_t begin = line.worst.address[static_cast<size_t>(lane)];
  for (uint64_t word = begin / 4; word <= (begin + line.access_bytes - 1) / 4; ++word)
    f(word);
}

bool takes_part(const LineReport &line, int lane) { return line.worst.active >> lane & 1; }

// "7", "0-3" (all of them), "0…30" (some of them).
std::string lanes_text(const CellLanes &cell) {
  if (cell.count == 0)
    return "·";
  if (cell.count == 1)
    return std::to_string(cell.first);
  const bool all = cell.count == cell.last - cell.first + 1;
  return std::to_string(cell.first) + (all ? "-" : "…") + std::to_string(cell.last);
}

std::string right(const std::string &text, size_t columns) {
  const size_t used = width(text);
  return std::string(used < columns ? columns - used : 0, ' ') + text;
}

/// Which of so many rows are drawn: all of them, or the first ones and the last.
struct Rows {
  size_t all, most;
  bool has(size_t row) const { return all <= most || row + 2 < most || row + 1 == all; }
  /// Of the place where some are left out: how many, in words.
  std::string gap(size_t row, const char *of) const {
    return !has(row) && has(row - 1) ? format("      ⋮  %zu more %s", all - most + 1, of) : "";
  }
};

std::string sectors_picture(const LineReport &line, const Ink &ink, const TextStyle &style) {
  std::string text = "  sector   ";
  for (int byte = 0; byte < 32; byte += 4)
    text += right("+" + std::to_string(byte), 6);
  text = ink.dim(text + "   bytes") + "\n";
  uint64_t before = 0;
  const std::vector<SectorRow> sectors = sector_rows(line);
  const Rows rows{sectors.size(), style.rows};
  for (size_t i = 0; i < sectors.size(); ++i) {
    const SectorRow &row = sectors[i];
    if (!rows.has(i)) {
      if (const std::string gap = rows.gap(i, "sectors"); !gap.empty())
        text += ink.dim(gap) + "\n";
      before = row.number;
      continue;
    }
    if (row.number > before + 1 && rows.has(i - (i > 0)))
      text += ink.dim("       ⋮") + "\n";
    before = row.number;
    text += right(std::to_string(row.number), 8) + "  [";
    for (const CellLanes &cell : row.words) {
      const std::string lanes = right(lanes_text(cell), 6);
      text += cell.count > 0 ? ink.bold(lanes) : ink.dim(lanes);
    }
    text += " ]\n";
  }
  return text +
         ink.dim("  a row: one sector · a number: the lane that touches the word\n"
                 "  a dot: moved, but not asked for") +
         "\n";
}

bool is_empty(const BankRound &round, size_t begin, size_t end) {
  return std::all_of(round.rows.begin(), round.rows.end(), [&](const auto &row) {
    return std::all_of(row.begin() + static_cast<long>(begin),
                       row.begin() + static_cast<long>(end),
                       [](const CellLanes &cell) { return cell.count == 0; });
  });
}

std::string banks_picture(const LineReport &line, const Ink &ink, const TextStyle &style) {
  // A cell takes three columns; narrow terminals get the banks in two halves.
  const size_t per_line = style.columns >= 100 ? 32 : 16;
  const std::vector<BankRound> rounds = bank_rounds(line);
  std::string text;
  for (const BankRound &round : rounds) {
    if (rounds.size() > 1)
      text += format("  lanes %d to %d\n", round.first_lane, round.last_lane);
    for (size_t begin = 0; begin < 32; begin += per_line) {
      if (is_empty(round, begin, begin + per_line)) {
        text += ink.dim(format(
            "  banks %zu to %zu: no lane wants a word of theirs\n", begin, begin + per_line - 1));
        continue;
      }
      std::string head = "bank";
      for (size_t bank = begin; bank < begin + per_line; ++bank)
        head += format("%2zu ", bank);
      text += ink.dim(head) + "\n";
      const Rows rows{round.rows.size(), style.rows};
      for (size_t k = 0; k < round.rows.size(); ++k) {
        if (!rows.has(k)) {
          if (const std::string gap = rows.gap(k, "wavefronts"); !gap.empty())
            text += ink.dim(gap) + "\n";
          continue;
        }
        std::string row = format("%3zu ", k + 1);
        for (size_t bank = begin; bank < begin + per_line; ++bank) {
          const CellLanes &cell = round.rows[k][bank];
          if (cell.count == 0)
            row += " · ";
          else
            row += format("%2d", cell.first) + (cell.count > 1 ? "*" : " ");
        }
        text += (k > 0 ? ink.red(row) : row) + "\n";
      }
    }
  }
  return text +
         ink.dim("  a row: one wavefront · a number: the lane that wants a word of the bank\n"
                 "  *: with others, that want the same word, which costs nothing") +
         "\n";
}

} // namespace

void CellLanes::add(int lane) {
  if (count == 0)
    first = lane;
  last = lane;
  ++count;
}

std::vector<SectorRow> sector_rows(const LineReport &line) {
  std::map<uint64_t, SectorRow> rows;
  for (int lane = 0; lane < 32; ++lane)
    if (takes_part(line, lane))
      for_each_word(line, lane, [&](uint64_t word) { rows[word / 8].words[word % 8].add(lane); });
  std::vector<SectorRow> result;
  for (auto &[number, row] : rows) {
    row.number = number - rows.begin()->first;
    result.push_back(row);
  }
  return result;
}

std::vector<BankRound> bank_rounds(const LineReport &line) {
  const auto operation = line.access == Access::shared_load    ? Operation::load
                         : line.access == Access::shared_store ? Operation::store
                                                               : Operation::atomic;
  const uint64_t *const addresses = line.worst.address.data();
  std::vector<BankRound> rounds;
  for (const uint32_t lanes : shared_rounds(
           {0, operation, Space::shared, line.access_bytes, line.worst.active, addresses})) {
    std::array<std::map<uint64_t, CellLanes>, 32> words_of_bank;
    size_t deepest = 0;
    for (int lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1) && takes_part(line, lane))
        for_each_word(line, lane, [&](uint64_t word) {
          auto &words = words_of_bank[word % 32];
          words[word].add(lane);
          deepest = std::max(deepest, words.size());
        });
    if (deepest == 0)
      continue;
    BankRound round{__builtin_ctz(lanes), 31 - __builtin_clz(lanes), {}};
    round.rows.resize(deepest);
    for (size_t bank = 0; bank < 32; ++bank) {
      size_t k = 0;
      for (const auto &[word, lanes] : words_of_bank[bank])
        round.rows[k++][bank] = lanes;
    }
    rounds.push_back(round);
  }
  return rounds;
}

std::string caption(const LineReport &line) {
  const auto lanes = static_cast<unsigned>(__builtin_popcount(line.worst.active));
  const bool shared = is_shared(line.access);
  const unsigned ideal = shared ? static_cast<unsigned>(bank_rounds(line).size())
                                : (lanes * line.access_bytes + 31) / 32;
  std::string text = format("%s, %u B a lane: %u %s%s for %u lane%s",
                            access_words(line.access).c_str(),
                            line.access_bytes,
                            line.worst.cost,
                            shared ? "wavefront" : "sector",
                            line.worst.cost == 1 ? "" : "s",
                            lanes,
                            lanes == 1 ? "" : "s");
  if (line.worst.cost > ideal)
    text += format(", where %u would do", ideal);
  if (line.counts.requests > 1)
    text +=
        format(" (the worst of %lu requests)", static_cast<unsigned long>(line.counts.requests));
  return text;
}

std::string drawing(const LineReport &line, const TextStyle &style) {
  const Ink ink(style);
  return wrapped(caption(line), static_cast<size_t>(style.columns), 0) +
         (is_shared(line.access) ? banks_picture(line, ink, style)
                                 : sectors_picture(line, ink, style));
}

} // namespace emu
