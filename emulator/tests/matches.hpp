#pragma once

#include <regex.h>
#include <stdexcept>
#include <string>
#include <vector>

/// Where an extended regular expression of POSIX's matches in a text: its groups, the whole first, and what stands
/// before it. (<regex> takes two seconds to compile in each source that includes it.)
struct Match {
  std::string before;
  std::vector<std::string> groups;
};

/// All of them; a dot is no line's end.
/// \param rest  what stands behind the last
inline std::vector<Match>
matches(const std::string &text, const char *expression, std::string *rest = nullptr) {
  constexpr size_t most_groups = 4;
  regex_t compiled;
  if (regcomp(&compiled, expression, REG_EXTENDED | REG_NEWLINE) != 0)
    throw std::runtime_error(std::string("no regular expression: ") + expression);
  std::vector<Match> all;
  size_t at = 0;
  regmatch_t found[most_groups];
  while (regexec(&compiled, text.c_str() + at, most_groups, found, 0) == 0) {
    Match &match = all.emplace_back(Match{text.substr(at, found[0].rm_so), {}});
    for (const regmatch_t &group : found)
      if (group.rm_so >= 0)
        match.groups.push_back(text.substr(at + group.rm_so, group.rm_eo - group.rm_so));
    at += found[0].rm_eo;
  }
  regfree(&compiled);
  if (rest != nullptr)
    *rest = text.substr(at);
  return all;
}

/// The text with each match replaced by one of its groups, or else by these words.
inline std::string replaced(const std::string &text,
                            const char *expression,
                            const std::string &words,
                            size_t group = 0) {
  std::string rest, result;
  for (const Match &match : matches(text, expression, &rest))
    result += match.before + (group > 0 ? match.groups.at(group) : words);
  return result + rest;
}
