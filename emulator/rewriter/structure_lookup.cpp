#include "structure.hpp"

#include <algorithm>

namespace rewriter {

// Of those that begin ahead of the token the last one, or one around it: others have ended.
size_t Structure::function_at(size_t i, const Code &code) const {
  const auto behind = std::ranges::upper_bound(functions, i, {}, &Function::first);
  size_t f = behind == functions.begin() ? none : behind - functions.begin() - 1;
  while (f != none && !(functions[f].body < i && i < code.partner(functions[f].body)))
    f = functions[f].parent;
  return f;
}

std::string Structure::namespace_of(size_t i, const Code &code) const {
  std::string path = "::";
  for (const size_t open : namespaces) {
    if (open > i || i > code.partner(open))
      continue;
    size_t keyword = open;
    while (!code.is(keyword, "namespace"))
      --keyword;
    if (keyword + 1 < open)
      path += code.flat({keyword + 1, open}) + "::";
  }
  return path;
}

const Braces *Structure::braces_at(size_t i, const Code &code) const {
  auto block = std::ranges::lower_bound(braces, i, {}, &Braces::open);
  while (block != braces.begin())
    if (i < code.partner((--block)->open))
      return &*block;
  return nullptr;
}

std::string_view plain_name(const Code &code, const Function &function) {
  size_t last = function.name.end;
  for (size_t k = function.name.begin; k < last; ++k) {
    if (code.is(k, "operator"))
      return "operator";
    if (code.is(k, "<") && code.angle_close(k, function.name.end) == function.name.end - 1)
      last = k;
  }
  return last > function.name.begin ? code.text(last - 1) : "";
}

} // namespace rewriter
