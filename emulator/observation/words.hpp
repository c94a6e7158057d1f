/// \file
/// Words that reports and verdicts make alike.
#pragma once

#include <iterator>
#include <string>

namespace emu {

/// "line 25", "lines 25, 26 and 30".
/// \param numbers  one at least, in order
std::string numbered(const std::string &noun, const auto &numbers) {
  std::string text = noun + (std::size(numbers) == 1 ? " " : "s ");
  for (auto one = numbers.begin(); one != numbers.end(); ++one)
    text += (one == numbers.begin()            ? ""
             : one == std::prev(numbers.end()) ? " and "
                                               : ", ") +
            std::to_string(*one);
  return text;
}

} // namespace emu
