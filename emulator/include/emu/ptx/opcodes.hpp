/// \file
/// The instructions of PTX, as opcodes.def lists them.
#pragma once

#include <cstddef>
#include <string_view>

namespace emu::ptx {

struct Opcode {
  std::string_view words;
  bool here; // in the emulator
  std::string_view instead;
};

inline constexpr Opcode opcodes[] = {
#define PTX_OPCODE(WORDS, RUNS, OP, INSTEAD) {WORDS, #RUNS[0] == 'h', INSTEAD},
#include "opcodes.def"
#undef PTX_OPCODE
};
constexpr size_t opcode_count = sizeof opcodes / sizeof *opcodes;

/// The first of these words, between dots; it is taken away.
constexpr std::string_view take_word(std::string_view &words) {
  const size_t length = words.find('.');
  const std::string_view word = words.substr(0, length);
  words.remove_prefix(length == std::string_view::npos ? words.size() : length + 1);
  return word;
}

/// The row of an instruction, as `mul.wide.u32`; opcode_count: there is none.
constexpr size_t find_opcode(std::string_view instruction) {
  std::string_view modifiers = instruction;
  const std::string_view first = take_word(modifiers);
  const auto has = [modifiers](std::string_view wanted) {
    for (std::string_view rest = modifiers; !rest.empty();)
      if (take_word(rest) == wanted)
        return true;
    return false;
  };
  for (size_t row = 0; row < opcode_count; ++row) {
    std::string_view words = opcodes[row].words;
    bool fits = take_word(words) == first;
    while (fits && !words.empty())
      fits = has(take_word(words));
    if (fits)
      return row;
  }
  return opcode_count;
}

} // namespace emu::ptx
