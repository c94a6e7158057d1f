#include "passes.hpp"

#include <string>
#include <vector>

namespace rewriter {

namespace {

// In CUDA a `__shared__` variable has static storage, one for each block: lambdas and local classes use
// it without capturing it, and a jump may pass its declaration. Here it is a key with static storage, and
// a reference that is looked up where the variable is declared and once more in each function within its
// scope that mentions it.
struct Variable {
  std::string name;
  std::string reference; // a statement that declares it
  std::string value; // the same as an expression
};

class Shared {
public:
  explicit Shared(const Unit &unit) : unit_(unit), code_(unit.code) {}

  void run() {
    for (size_t i = 0; i < code_.size(); ++i)
      if (code_.is(i, "__shared__"))
        i = declaration(i);
  }

private:
  size_t declaration(size_t keyword) {
    const size_t function = unit_.structure.function_at(keyword, code_);
    if (function != none && unit_.structure.functions[function].side != Side::device)
      unit_.refuse(keyword,
                   "a static \"__shared__\" variable declaration is not allowed inside a host "
                   "function body");
    const Braces *block = unit_.structure.braces_at(keyword, code_);
    const size_t begin = statement_begin(keyword);
    size_t end = keyword;
    while (end < code_.size() && !code_.is(end, ";")) {
      if (code_.closes(end))
        code_.fail(keyword, "this __shared__ declaration does not end");
      end = code_.next(end);
    }
    if (end >= code_.size())
      code_.fail(keyword, "this __shared__ declaration does not end");

    std::string keys;
    const std::vector<Variable> variables = read({begin, end}, keyword, keys);
    const size_t scope_end = block ? code_.partner(block->open) : namespace_end(keyword);
    for (const Variable &v : variables) {
      if (block && !block->is_switch)
        keys += " " + v.reference;
      if (block && block->is_switch)
        replace_uses(v, {end, scope_end});
      else
        declare_again(v, {end, scope_end});
    }
    unit_.edits.replace({begin, end + 1}, keys);
    return end;
  }

  // Behind labels, and the end of the statement before.
  size_t statement_begin(size_t i) const {
    while (i > 0 && !code_.is_one_of(i - 1, "; { } :")) {
      --i;
      if (code_.closes(i)) {
        const size_t open = code_.partner(i);
        if (code_.is(i, ")") && !is_attribute(open - 1))
          return i + 1; // if (…) __shared__ int x;
        i = open;
      }
    }
    return i;
  }
  bool is_attribute(size_t i) const {
    return code_.is_one_of(i, "alignas __align__ __builtin_align__ __attribute__");
  }

  std::vector<Variable> read(Range statement, size_t keyword, std::string &keys) const {
    bool is_extern = false;
    std::string alignment, type;
    std::vector<size_t> rest; // tokens of type and declarators
    for (size_t k = statement.begin; k < statement.end; ++k) {
      if (code_.is_one_of(k, "__shared__ static inline __device__"))
        continue;
      if (code_.is(k, "extern")) {
        is_extern = true;
        k += k + 1 < statement.end && code_[k + 1].kind == Kind::string;
      } else if (is_attribute(k) && code_.is(k + 1, "(")) {
        read_alignment(k, alignment);
        k = code_.partner(k + 1);
      } else if (code_.is(k, "[") && code_.is(k + 1, "[")) {
        k = code_.partner(k);
      } else if (code_.is(k, "=")) {
        code_.fail(k,
                   "a __shared__ variable cannot be initialised: assign to it in one thread, then "
                   "__syncthreads()");
      } else {
        rest.push_back(k);
        if (code_.opens(k))
          for (const size_t close = code_.partner(k); k < close;)
            rest.push_back(++k);
      }
    }
    if (rest.empty())
      code_.fail(keyword, "cannot read this __shared__ declaration");
    // Only specifiers were taken out, and they stand before the declarators.
    const size_t declarators = declarator_begin({rest.front(), statement.end});
    for (const size_t k : rest)
      if (k < declarators)
        type += std::string(code_.text(k)) + ' ';
    std::vector<Variable> found;
    for (const Range &part : code_.split({declarators, statement.end}))
      found.push_back(variable(part, type, is_extern, alignment, keys));
    return found;
  }

  // __align__(16), alignas(16) or __attribute__((aligned(16)))
  void read_alignment(size_t k, std::string &alignment) const {
    Range inside{k + 2, code_.partner(k + 1)};
    if (code_.is(k, "__attribute__")) {
      while (!inside.empty() && !code_.is_one_of(inside.begin, "aligned __aligned__"))
        ++inside.begin;
      if (inside.empty() || !code_.is(inside.begin + 1, "("))
        return;
      inside = {inside.begin + 2, code_.partner(inside.begin + 1)};
    }
    alignment = code_.flat(inside);
  }

  // Where the first declarator begins: at its name or the * before.
  size_t declarator_begin(Range range) const {
    size_t name = range.end;
    for (size_t k = range.begin; k < range.end; ++k) {
      if (code_.is_one_of(k, "[ ,"))
        break;
      if (code_.opens(k))
        k = code_.partner(k);
      else if (code_.is(k, "<"))
        k = code_.angle_close(k, range.end);
      else if (code_.is_name(k))
        name = k;
    }
    while (name > range.begin && name < range.end && code_.is_one_of(name - 1, "* &"))
      --name;
    return name;
  }

  // Appends to `keys` what stands for the variable wherever it is used.
  Variable variable(Range declarator,
                    const std::string &type,
                    bool is_extern,
                    const std::string &alignment,
                    std::string &keys) const {
    size_t name = declarator.end;
    for (size_t k = declarator.begin; k < declarator.end && !code_.is(k, "["); ++k)
      if (code_.is_name(k))
        name = k;
    if (name == declarator.end)
      code_.fail(declarator.begin, "cannot read this __shared__ declaration");
    const std::string n(code_.text(name)), alias = "emu_type_" + n, key = "emu_key_" + n;
    const std::string bounds = code_.flat({name + 1, declarator.end});
    if (is_extern && bounds.substr(0, 1) != "[")
      code_.fail(name, "extern __shared__ " + n + " must be an array without a bound");
    keys += " using " + alias + " = " + type + code_.flat({declarator.begin, name}) + bounds + ";";
    std::string value = "reinterpret_cast<" + alias + " &>(*::emu::dynamic_shared)";
    if (!is_extern) {
      keys += " [[maybe_unused]] static constinit ::emu::SharedVariable " + key + "{\"" + n +
              "\", sizeof(" + alias + "), " +
              (alignment.empty() ? "alignof(" + alias + ")" : alignment) + ", {::std::extent_v<" +
              alias + ">, ::std::extent_v<" + alias + ", 1>, ::std::extent_v<" + alias + ", 2>}};";
      value = "*static_cast<" + alias + " *>(::emu::shared(" + key + "))";
    }
    return {n, "[[maybe_unused]] " + alias + " &" + n + " = " + value + ";", "(" + value + ")"};
  }

  size_t namespace_end(size_t i) const {
    size_t end = code_.size();
    for (const size_t open : unit_.structure.namespaces)
      if (open < i && i < code_.partner(open))
        end = code_.partner(open); // inner ones come later
    return end;
  }

  bool is_use(size_t k, const std::string &name) const {
    return code_.is(k, name) && !(k > 0 && code_.is_one_of(k - 1, ". -> ::"));
  }

  void replace_uses(const Variable &v, Range scope) {
    for (size_t k = scope.begin; k < scope.end; ++k)
      if (is_use(k, v.name))
        unit_.edits.replace({k, k + 1}, v.value);
  }

  // In each function within the scope that mentions it. Its body becomes a block within, which may have
  // variables of the same name.
  void declare_again(const Variable &v, Range scope) {
    for (const Function &f : unit_.structure.functions) {
      if (f.body == none || !scope.holds(f.body) || is_parameter(f, v.name))
        continue;
      for (size_t k = f.body; k < f.end; ++k) {
        if (!is_use(k, v.name))
          continue;
        unit_.edits.behind(f.body, " " + v.reference + " {", Layer::inner);
        unit_.edits.before(f.end - 1, "} ", Layer::inner);
        break;
      }
    }
  }
  bool is_parameter(const Function &f, const std::string &name) const {
    for (size_t k = f.is_lambda ? f.begin : f.open; k < f.body; ++k)
      if (is_use(k, name))
        return true;
    return false;
  }

  const Unit &unit_;
  const Code &code_;
};

} // namespace

void rewrite_shared(const Unit &unit) { Shared(unit).run(); }

} // namespace rewriter
