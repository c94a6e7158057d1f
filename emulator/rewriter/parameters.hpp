/// \file
/// The names of parameters, of functions and of templates.
#pragma once

#include <string>
#include <vector>

#include "code.hpp"

namespace rewriter {

struct Parameter {
  std::string name;
  bool is_pack = false;
  size_t unnamed_end = 0; // an unnamed one: the token in front of which its name would stand
};

class Parameters {
public:
  explicit Parameters(const Code &code) : code_(code) {}

  /// \param range  what stands in the brackets
  /// \param prefix  of the names that unnamed ones get, with their numbers
  std::vector<Parameter> read(Range range, const std::string &prefix) const {
    std::vector<Parameter> found;
    if (range.end == range.begin + 1 && code_.is(range.begin, "void"))
      return found;
    for (const Range &part : code_.split(range)) {
      found.push_back(read_one(part));
      if (found.back().name.empty())
        found.back().name = prefix + std::to_string(found.size());
    }
    return found;
  }

private:
  Parameter read_one(Range part) const {
    Parameter result;
    size_t end = part.begin;
    for (; end < part.end && !code_.is(end, "="); ++end) {
      if (code_.opens(end))
        end = code_.partner(end);
      else if (code_.is(end, "<") && end > part.begin)
        end = code_.angle_close(end, part.end);
      result.is_pack |= code_.is_ellipsis(end);
    }
    size_t last = end;
    while (last > part.begin && code_.is(last - 1, "]") && code_.partner(last - 1) > part.begin)
      last = code_.partner(last - 1);
    if (const size_t inner = pointer_name(part.begin, last); inner != 0) {
      result.name = code_.text(inner);
      return result;
    }
    if (last > part.begin && is_declared_name(last - 1, part.begin))
      result.name = code_.text(last - 1);
    else
      result.unnamed_end = last;
    return result;
  }

  // The name in `void (*name)(int)` or `int (&name)[3]`, else 0.
  size_t pointer_name(size_t begin, size_t end) const {
    for (size_t k = begin; k < end; ++k) {
      if (!code_.is(k, "("))
        continue;
      if (code_.is_one_of(k + 1, "* &"))
        for (size_t n = k + 1; n < code_.partner(k); ++n)
          if (code_.is_name(n) && !code_.is_one_of(n, "const volatile __restrict__ __restrict"))
            return n;
      k = code_.partner(k);
    }
    return 0;
  }

  // Whether the last token is a name, and something in front of it a type.
  bool is_declared_name(size_t last, size_t begin) const {
    if (!code_.is_name(last) || last == begin || code_.is(last - 1, "::") || is_type_word(last))
      return false;
    for (size_t k = begin; k < last; ++k)
      if (!code_.is_one_of(
              k, "const volatile struct enum __grid_constant__ __restrict__ __restrict register"))
        return !(code_.is(k, "typename") && code_.is(last - 1, "::"));
    return false;
  }
  bool is_type_word(size_t k) const {
    return code_.is_one_of(k,
                           "class typename int bool auto char short long unsigned signed float "
                           "double const volatile __restrict__ __restrict void size_t");
  }

  const Code &code_;
};

} // namespace rewriter
