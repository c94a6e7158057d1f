#include "passes.hpp"

namespace rewriter {

namespace {

const std::string hint = " ::emu::volatile_hint()";

bool uses_volatile(const Code &code, const Function &f) {
  for (size_t k = f.begin; k < f.end; ++k)
    if (code.is(k, "volatile") && !code.is_one_of(k - 1, {"asm", "__asm__", "__asm"}))
      return true;
  return false;
}

// `int n = next()` may stand where a condition does.
bool declares(const Code &code, Range condition) {
  for (size_t k = condition.begin; k < condition.end; ++k) {
    if (code.opens(k)) {
      const bool names_parts = code.is(k, "[") && code.is_one_of(k - 1, {"auto", "&"});
      k = code.partner(k);
      if (names_parts)
        return true;
    } else if (code.is(k, "=") && code.is(k + 1, "=")) {
      ++k; // a comparison
    } else if (code.is(k, "=")) {
      return code.is_name(k - 1) && k - 1 > condition.begin &&
             (code.is_name(k - 2) || code.is_one_of(k - 2, {"*", "&", ">"}));
    }
  }
  return false;
}

void in_body(const Unit &unit, size_t brace) {
  if (unit.code.is(brace, "{"))
    unit.edits.behind(brace, hint + ";", Layer::inner);
}

void rewrite_while(const Unit &unit, size_t open) {
  const size_t close = unit.code.partner(open);
  if (declares(unit.code, {open + 1, close}))
    in_body(unit, close + 1);
  else
    unit.edits.behind(open, hint + ", ", Layer::inner);
}

void rewrite_for(const Unit &unit, size_t open) {
  const Code &code = unit.code;
  std::vector<size_t> semicolons;
  for (size_t k = open + 1; k < code.partner(open); ++k) {
    if (code.opens(k))
      k = code.partner(k);
    else if (code.is(k, ";"))
      semicolons.push_back(k);
  }
  if (semicolons.size() != 2) // it goes over a range
    return;
  const Range condition = {semicolons[0] + 1, semicolons[1]};
  if (declares(code, condition))
    in_body(unit, code.partner(open) + 1);
  else
    unit.edits.behind(semicolons[0], hint + (condition.empty() ? ", true" : ","), Layer::inner);
}

} // namespace

void rewrite_waits(const Unit &unit) {
  const Code &code = unit.code;
  for (const Function &f : unit.structure.functions) {
    if (f.body == none || f.side == Side::host || f.is_constexpr || !uses_volatile(code, f))
      continue;
    if (f.parent != none && unit.structure.functions[f.parent].side != Side::host)
      continue; // its loops are that one's, too
    if (!f.is_kernel && !f.is_lambda) // others may call it in loops of theirs
      in_body(unit, f.body);
    for (size_t k = f.body; k < f.end; ++k) {
      if (code.is(k, "while") && code.is(k + 1, "("))
        rewrite_while(unit, k + 1);
      else if (code.is(k, "for") && code.is(k + 1, "("))
        rewrite_for(unit, k + 1);
    }
  }
}

} // namespace rewriter
