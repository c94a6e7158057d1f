/// \file
/// Where structures are defined. The compiler says of the copies it makes of them that they stand
/// there, and the instruments must know to look further.
#pragma once

#include <string_view>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// Finds the lines of the names of structures, classes and unions.
class Structures {
public:
  explicit Structures(std::string_view source) : code_(source) {}

  std::vector<int> lines() const {
    std::vector<int> found;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (!code_.is(i, "struct") && !code_.is(i, "class") && !code_.is(i, "union"))
        continue;
      const size_t end = head_end(i);
      if (!code_.is(end, "{") && !code_.is(end, ":"))
        continue;
      size_t name = name_in(i, end);
      if (name == i)
        name = name_behind(end);
      if (name < code_.size())
        found.push_back(code_[name].line);
    }
    return found;
  }

private:
  bool is_attribute(size_t i) const {
    return code_.is(i, "alignas") || code_.is(i, "__align__") || code_.is(i, "__attribute__") ||
           code_.is(i, "__builtin_align__");
  }

  // What comes behind the attributes and the name, with template arguments and `final`.
  size_t head_end(size_t keyword) const {
    size_t k = keyword + 1;
    for (int angle = 0; k < code_.size(); ++k) {
      if (code_.is(k, "[") || (code_.is(k, "(") && (angle > 0 || is_attribute(k - 1))))
        k = code_.matching_close(k);
      else if (code_.is(k, "<") || code_.is(k, ">"))
        angle += code_.is(k, "<") ? 1 : -1;
      else if (angle < 0 || (angle == 0 && !code_.is_name(k) && !code_.is(k, "::")))
        break;
    }
    return k;
  }

  // The last name in a head that is no attribute and not `final`; the keyword if there is none.
  size_t name_in(size_t keyword, size_t end) const {
    size_t name = keyword;
    for (size_t k = keyword + 1; k < end && !code_.is(k, "<") && !code_.is(k, "final"); ++k) {
      if (code_.is(k, "[") || code_.is(k, "("))
        k = code_.matching_close(k);
      else if (code_.is_name(k) && !is_attribute(k))
        name = k;
    }
    return name;
  }

  // typedef struct { … } Name;
  size_t name_behind(size_t brace) const {
    int depth = 0;
    for (size_t k = brace; k < code_.size(); ++k) {
      depth += code_.is(k, "{") - code_.is(k, "}");
      if (depth == 0)
        return k + 1;
    }
    return code_.size();
  }

  const Code code_;
};

} // namespace rewriter
