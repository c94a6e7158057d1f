#include <algorithm>
#include <set>
#include <string_view>

#include "passes.hpp"

namespace rewriter {

namespace {

const std::string hint = " ::emu::volatile_hint()";

bool is_volatile(const Code &code, size_t k) {
  return code.is_one_of(k, "volatile __volatile__ __volatile") &&
         !code.is_one_of(k - 1, "asm __asm__ __asm");
}

// `int n = next()`, `int n{next()}` and `auto [n, m] = next()` may stand where a condition does.
bool declares(const Code &code, Range condition) {
  const auto ends_type = [&](size_t k) { // what stands in front of a name that is declared
    while (k > condition.begin && code.is_one_of(k, "* &"))
      --k;
    return k >= condition.begin && (code.is_name(k) || code.is_one_of(k, "> )")) &&
           !code.is_one_of(k, "and or not");
  };
  for (size_t k = condition.begin; k < condition.end; ++k) {
    if (code.is(k, "=") && code.is(k + 1, "=")) {
      ++k; // a comparison
    } else if (code.is(k, "=") || code.is(k, "{")) {
      return k > condition.begin + 1 && code.is_name(k - 1) && ends_type(k - 2);
    } else if (code.opens(k)) {
      if (code.is(k, "[") && code.is_one_of(k - 1, "auto &"))
        return true;
      k = code.partner(k);
    }
  }
  return false;
}

// The name in a declaration, of which token `k` is `volatile`: the last one before what follows a name.
std::string_view declared(const Code &code, size_t k, size_t end) {
  std::string_view name;
  for (++k; k < end && !code.is_one_of(k, "; , = { [ ( ) :"); ++k)
    if (code.is_name(k))
      name = code.text(k);
  return name;
}

// The loop of `#pragma omp for` must keep the form that OpenMP wants of it.
bool belongs_to_openmp(const Code &code, size_t loop) {
  const std::string_view between =
      code.source().substr(code[loop - 1].end, code[loop].begin - code[loop - 1].end);
  const size_t pragma = between.rfind("#pragma");
  return pragma != std::string_view::npos &&
         between.find("omp", pragma) < between.find('\n', pragma);
}

/// Loops that may wait for what another thread writes to a volatile word.
class Waits {
public:
  explicit Waits(const Unit &unit) : unit_(unit), code_(unit.code) {
    for (const Declaration &d : unit.structure.declarations)
      learn({d.first, d.end}, everywhere_);
    for (size_t k = 0; k < code_.size(); ++k)
      if (code_.is(k, "typedef"))
        learn({k, behind_statement(k)}, everywhere_);
  }

  void run() {
    for (const Function &f : unit_.structure.functions) {
      if (f.body == none || f.side == Side::host || f.is_constexpr)
        continue;
      if (f.parent != none && unit_.structure.functions[f.parent].side != Side::host)
        continue; // its loops are that one's, too
      names_ = everywhere_;
      learn({f.begin, f.end}, names_);
      if (!f.is_kernel && !f.is_lambda && may_wait({f.begin, f.end}))
        in_body(f.body); // others may call it in loops of theirs
      std::set<std::string_view> labels; // which a `goto` names
      for (size_t k = f.body; k < f.end; ++k)
        if (code_.is(k, "goto") && may_wait({f.body, f.end}))
          labels.insert(code_.text(k + 1));
      for (size_t k = f.body; k < f.end; ++k) {
        if (code_.is(k, "while") && code_.is(k + 1, "("))
          rewrite_while(k + 1, f);
        else if (code_.is(k, "for") && code_.is(k + 1, "(") && !belongs_to_openmp(code_, k))
          rewrite_for(k + 1);
        else if (labels.count(code_.text(k)) > 0 && code_.is(k + 1, ":") && !code_.is(k - 1, "?"))
          unit_.edits.behind(k + 1, hint + ";", Layer::inner);
      }
    }
  }

private:
  void learn(Range range, std::set<std::string_view> &names) const {
    for (size_t k = range.begin; k < range.end; ++k)
      if (is_volatile(code_, k) || takes_pointer(k, names))
        if (const std::string_view name = declared(code_, k, range.end); !name.empty())
          names.insert(name);
  }

  // `auto p = flags + i`, `auto &flag = flags[i]`, but not a value: `auto n = flags[i]`.
  bool takes_pointer(size_t k, const std::set<std::string_view> &names) const {
    if (!code_.is(k, "auto"))
      return false;
    bool points = false;
    for (++k; k < code_.size() && !code_.is_one_of(k, "= ; ( ) { ,"); ++k)
      points |= code_.is_one_of(k, "* &");
    if (!code_.is(k, "="))
      return false; // of a range, or a parameter
    points |= code_.is(k + 1, "&");
    bool found = false, element = !points && code_.is(k + 1, "*");
    for (++k; k < code_.size() && !code_.is_one_of(k, "; {"); ++k) {
      found |= code_.is_name(k) && names.count(code_.text(k)) > 0;
      element |= !points && code_.is(k, "[");
    }
    return found && !element;
  }

  bool may_wait(Range range) const {
    for (size_t k = range.begin; k < range.end; ++k)
      if (is_volatile(code_, k) || (code_.is_name(k) && names_.count(code_.text(k)) > 0))
        return true;
    return false;
  }

  // Behind the statement at `k`, as far as brackets tell.
  size_t behind_statement(size_t k) const {
    k = code_.find("; {", k, code_.size());
    return code_.is(k, "{") ? code_.partner(k) + 1 : k + 1;
  }

  void in_body(size_t brace) const {
    if (code_.is(brace, "{"))
      unit_.edits.behind(brace, hint + ";", Layer::inner);
  }

  void rewrite_while(size_t open, const Function &f) const {
    const size_t close = code_.partner(open);
    // The loop of a `do` lies before its condition; of which `do`, nobody needs to know.
    const bool ends_do = code_.is(close + 1, ";") && code_.is(open - 2, "}");
    const Range loop = {ends_do ? code_.partner(open - 2) : open, behind_statement(close + 1)};
    if (!may_wait({std::max(loop.begin, f.body), loop.end}))
      return;
    if (declares(code_, {open + 1, close}))
      in_body(close + 1);
    else
      unit_.edits.behind(open, hint + ", ", Layer::inner);
  }

  void rewrite_for(size_t open) const {
    std::vector<size_t> semicolons;
    for (size_t k = open + 1; k < code_.partner(open); ++k) {
      if (code_.opens(k))
        k = code_.partner(k);
      else if (code_.is(k, ";"))
        semicolons.push_back(k);
    }
    const size_t close = code_.partner(open);
    if (semicolons.size() != 2 || !may_wait({open, behind_statement(close + 1)}))
      return; // with one or none it goes over a range
    const Range condition = {semicolons[0] + 1, semicolons[1]};
    if (declares(code_, condition))
      in_body(close + 1);
    else
      unit_.edits.behind(semicolons[0], hint + (condition.empty() ? ", true" : ","), Layer::inner);
  }

  const Unit &unit_;
  const Code &code_;
  std::set<std::string_view> everywhere_, names_; // of volatile variables
};

} // namespace

void rewrite_waits(const Unit &unit) { Waits(unit).run(); }

} // namespace rewriter
