#include "structure.hpp"

namespace rewriter {

size_t Structure::function_at(size_t i, const Code &code) const {
  size_t found = none;
  for (size_t f = 0; f < functions.size() && functions[f].first <= i; ++f)
    if (functions[f].body != none && functions[f].body < i && i < code.partner(functions[f].body))
      found = f; // inner ones come later
  return found;
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
  const Braces *found = nullptr;
  for (const Braces &block : braces)
    if (block.open < i && i < code.partner(block.open) && (!found || found->open < block.open))
      found = &block;
  return found;
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
