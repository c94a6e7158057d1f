/// \file
/// What explains the words of a report or table. Readers see each line of it once.
#pragma once

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace emu {

/// Of lines that explain something those that the reader has not seen. They are remembered in the file that
/// EMU_LEGENDS_SEEN names; where it names none, nothing has been seen.
inline std::vector<std::string> not_yet_seen(const std::vector<std::string> &lines) {
  const char *const file = std::getenv("EMU_LEGENDS_SEEN");
  if (!file)
    return lines;
  std::set<std::string> seen;
  std::ifstream before(file);
  for (std::string line; std::getline(before, line);)
    seen.insert(line);
  std::vector<std::string> unseen;
  std::ofstream remembered(file, std::ios::app);
  for (const std::string &line : lines)
    if (seen.insert(line).second) {
      unseen.push_back(line);
      remembered << line << '\n';
    }
  return unseen;
}

} // namespace emu
