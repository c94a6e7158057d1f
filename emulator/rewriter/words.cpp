#include "passes.hpp"

#include "inline_ptx.hpp"

namespace rewriter {

namespace {

class Words {
public:
  explicit Words(const Unit &unit) : unit_(unit), code_(unit.code) {}

  void run() {
    for (const Declaration &d : unit_.structure.declarations)
      if (!d.in_class && !d.is_template)
        make_known(d);
    for (size_t i = 0; i < code_.size(); ++i) {
      if (code_.is_one_of(i,
                          "__global__ __device__ __host__ __managed__ __grid_constant__ "
                          "__nv_pure__ __inline_hint__"))
        unit_.edits.replace({i, i + 1}, "");
      else if (code_.is(i, "__launch_bounds__"))
        unit_.edits.replace({i, code_.next(i + 1)}, "");
      else if (code_.is(i, "__noinline__") && !(i > 0 && code_.is_one_of(i - 1, "( ,")))
        unit_.edits.replace({i, i + 1}, "__attribute__((noinline))");
      else if (code_.is(i, "__constant__"))
        unit_.edits.replace({i, i + 1},
                            unit_.options.observed && !declares_const(i)
                                ? "__attribute__((section(\"emu_constant\")))"
                                : "");
      else if (code_.is_one_of(i, "asm __asm__ __asm"))
        i = rewrite_asm(i);
    }
  }

private:
  // Whether the variable that is declared around the keyword at `i` is const for the host, too. The
  // compiler puts such variables with others of their kind and refuses to put them elsewhere.
  bool declares_const(size_t i) const {
    while (i > 0 && code_.is_name(i - 1))
      --i;
    bool is_const = false;
    for (; i < code_.size() && !code_.is_one_of(i, "; = ( [ {"); ++i) {
      if (code_.is_one_of(i, "const constexpr"))
        is_const = true;
      else if (code_.is_one_of(i, "* &"))
        is_const = false; // so far it was what it points to
    }
    return is_const;
  }

  // The host and each device have variables of their own, so the emulator must know them all.
  void make_known(const Declaration &d) {
    bool is_managed = false;
    size_t keyword = none;
    for (size_t k = d.first; k < d.end && !code_.is(k, "="); ++k) {
      if (code_.is_one_of(k, "extern friend constexpr __shared__"))
        return;
      is_managed |= code_.is(k, "__managed__");
      if (code_.is_one_of(k, "__device__ __constant__ __managed__"))
        keyword = k;
    }
    if (keyword == none || declares_const(keyword))
      return;
    const std::string head = std::string(" static const ::emu::") +
                             (is_managed ? "ManagedVariable" : "DeviceVariable") + " emu_variable_";
    std::string text;
    for (const Range &part : code_.split({d.first, d.end}))
      if (const Range name = name_of(part); !name.empty()) {
        std::string word = code_.flat(name);
        for (char &c : word)
          if (c == ':' || c == ' ')
            c = '_';
        text += head + word + "(" + code_.flat(name) + ", \"" + code_.flat(name) + "\");";
      }
    unit_.edits.behind(d.end, text);
  }

  // The name in a declarator, with its qualifiers.
  Range name_of(Range declarator) const {
    size_t last = none;
    for (size_t k = declarator.begin; k < declarator.end; ++k) {
      if (code_.is_one_of(k, "= {") || (code_.is(k, "[") && !code_.is(k + 1, "[")))
        break;
      if (code_.opens(k))
        k = code_.partner(k);
      else if (code_.is(k, "<"))
        k = code_.angle_close(k, declarator.end);
      else if (code_.is_name(k))
        last = k;
    }
    if (last == none)
      return {};
    size_t first = last;
    while (first >= declarator.begin + 2 && code_.is(first - 1, "::") && code_.is_name(first - 2))
      first -= 2;
    return {first, last + 1};
  }

  // Kept where it is empty (a compiler barrier) or meant for the host.
  size_t rewrite_asm(size_t i) {
    const InlineAsm statement(code_, i);
    if (!statement.is_statement()) {
      if (!unit_.options.foreign_assembler)
        unit_.refuse(i, "asm needs its instructions");
      return i;
    }
    const size_t function = unit_.structure.function_at(i, code_);
    const bool for_device =
        function != none && unit_.structure.functions[function].side != Side::host;
    if (statement.is_empty())
      return statement.close();
    if (for_device || statement.looks_like_ptx())
      unit_.edits.replace({i, statement.close() + 1}, statement.replacement());
    else if (!unit_.options.foreign_assembler)
      unit_.refuse(i, "assembler for the host is not taken here");
    return statement.close();
  }

  const Unit &unit_;
  const Code &code_;
};

} // namespace

void rewrite_words(const Unit &unit) { Words(unit).run(); }

} // namespace rewriter
