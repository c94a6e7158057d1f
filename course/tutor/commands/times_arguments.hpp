#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tutor::commands {

/// What a chapter's program was told, as far as times depend on it.
struct TimesArguments {
  std::vector<std::string> kept; ///< what is run, and at which size
  std::map<std::string, std::vector<std::string>> given; ///< the same: of each option its values
  std::string other; ///< the first word that asks for something else than times; or empty
  bool cold = false; ///< data is not in the L2 cache
};

inline TimesArguments times_arguments(const std::vector<std::string> &arguments) {
  TimesArguments chosen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string &word = arguments[i];
    const std::string name = word.substr(0, word.find('='));
    const bool alone = name != word || i + 1 == arguments.size();
    if (name == "--n" || name == "--only" || name == "--block" || name == "--seed") {
      chosen.kept.push_back(word);
      if (!alone) {
        chosen.kept.push_back(arguments[++i]);
      }
      chosen.given[name].push_back(alone ? word.substr(std::min(name.size() + 1, word.size()))
                                         : arguments[i]);
    } else if (name == "--l2") {
      chosen.cold = (alone ? word : arguments[++i]).ends_with("cold");
    } else if (name == "--reps" || name == "--json") {
      i += alone ? 0 : 1;
    } else if (chosen.other.empty()) {
      chosen.other = word;
    }
  }
  return chosen;
}

} // namespace tutor::commands
