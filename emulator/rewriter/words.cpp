#include "passes.hpp"

#include <cctype>
#include <set>
#include <string>

#include "inline_ptx.hpp"
#include "parameters.hpp"

namespace rewriter {

namespace {

class Words {
public:
  explicit Words(const Unit &unit) : unit_(unit), code_(unit.code) {}

  void run() {
    for (const Declaration &d : unit_.structure.declarations)
      if (!d.in_class)
        make_known(d);
    for (size_t i = 0; i < code_.size(); ++i) {
      if (code_.is_one_of(i,
                          "__global__ __device__ __host__ __managed__ __grid_constant__ "
                          "__nv_pure__ __inline_hint__"))
        unit_.edits.replace({i, i + 1}, "");
      else if (code_.is_one_of(i, "__launch_bounds__ __cluster_dims__"))
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
      else if (code_.is(i, "[") && code_.is(i - 1, ")"))
        choose_first(code_.partner(i - 1));
    }
  }

private:
  // `(a ? b : c)[i]`: the compiler is not to see a `?:` there (emu::chosen).
  void choose_first(size_t parenthesis) {
    if (parenthesis > 0 && code_.is_one_of(parenthesis - 1, "if while for switch constexpr"))
      return; // in front of a lambda
    Range inside{parenthesis, code_.partner(parenthesis) + 1};
    while (code_.is(inside.begin, "(") && code_.next(inside.begin) == inside.end) {
      const std::vector<Range> parts = code_.split({inside.begin + 1, inside.end - 1});
      if (parts.empty())
        return;
      inside = parts.back();
    }
    if (code_.find("?", inside.begin, inside.end) == inside.end)
      return;
    unit_.edits.before(inside.begin, "::emu::chosen(");
    unit_.edits.behind(inside.end - 1, ")");
  }

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
    for (size_t k = d.begin; k < d.end && !code_.is(k, "="); ++k) {
      if (code_.is_one_of(k, "extern friend constexpr __shared__"))
        return;
      is_managed |= code_.is(k, "__managed__");
      if (code_.is_one_of(k, "__device__ __constant__ __managed__"))
        keyword = k;
    }
    if (keyword == none || declares_const(keyword))
      return;
    const std::string type = is_managed ? "::emu::ManagedVariable" : "::emu::DeviceVariable";
    if (!d.templates.empty() && !d.templates.back().empty()) {
      make_template_known(d, type);
      return;
    }
    std::string text;
    for (const Range &part : code_.split({d.begin, d.end}))
      if (const Range name = name_of(part); !name.empty())
        text += " static const " + type + " " + known_as(name) + arguments(code_.flat(name), name) +
                ";";
    unit_.edits.behind(d.end, text);
  }

  // A template makes its variables known: for the alignment of each of them (0 says nothing of it) an object is
  // named that is so defined together with the variable.
  void make_template_known(const Declaration &d, const std::string &type) {
    const Range name = name_of({d.begin, d.end});
    std::string parameters, own;
    for (const Range &part : code_.split(d.templates.back())) {
      const Parameter p = Parameters(code_).read(part, "").front();
      if (name.empty() || p.unnamed_end != 0)
        return;
      parameters += (parameters.empty() ? "" : ", ") + code_.flat({part.begin, default_of(part)});
      own += (own.empty() ? "" : ", ") + p.name + (p.is_pack ? "..." : "");
    }
    const std::string head = " template <" + parameters + "> " +
                             code_.flat({d.templates.back().end + 1, d.begin}) + " ",
                      holder = known_as(name), variable = code_.flat(name);
    const bool is_primary = !code_.is(name.end - 1, ">");
    unit_.edits.before(d.first,
                       head + "struct " + holder + " { static const " + type + " known; };" +
                           "\n#pragma GCC diagnostic push" +
                           "\n#pragma GCC diagnostic ignored \"-Wattributes\"" +
                           unit_.edits.marker(d.first));
    unit_.edits.before(d.begin, "alignas(::emu::with<&" + holder + "<" + own + ">::known>) ");
    unit_.edits.behind(d.end,
                       "\n#pragma GCC diagnostic pop" + unit_.edits.marker(d.end) + head +
                           "const " + type + " " + holder + "<" + own + ">::known" +
                           arguments(is_primary ? variable + "<" + own + ">" : variable, name) +
                           ";");
  }

  // Where the default of a template's parameter begins, or else its end.
  size_t default_of(Range parameter) const {
    size_t k = parameter.begin;
    for (; k < parameter.end && !code_.is(k, "="); ++k)
      if (code_.opens(k))
        k = code_.partner(k);
      else if (code_.is(k, "<"))
        k = code_.angle_close(k, parameter.end);
    return k;
  }

  std::string known_as(Range name) const {
    std::string word = "emu_variable_" + code_.flat(name);
    for (char &c : word)
      if (!std::isalnum(static_cast<unsigned char>(c)))
        c = '_';
    return word;
  }
  std::string arguments(const std::string &variable, Range name) const {
    return "(" + variable + ", \"" + code_.flat(name) + "\")";
  }

  // The name in a declarator, with its qualifiers and, of a specialisation, its arguments.
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
    const bool specialises = code_.is(last + 1, "<");
    return {first, specialises ? code_.angle_close(last + 1, declarator.end) + 1 : last + 1};
  }

  // Kept where it is empty (a compiler barrier) or meant for the host. What an empty one writes, instruments do not see.
  size_t rewrite_asm(size_t i) {
    const InlineAsm statement(code_, i);
    if (!statement.is_statement()) {
      if (unit_.options.guarded)
        unit_.refuse(i, "asm needs its instructions");
      return i;
    }
    const size_t function = unit_.structure.function_at(i, code_);
    const bool for_device =
        function != none && unit_.structure.functions[function].side != Side::host;
    if (statement.is_empty()) {
      if (for_device || (unit_.options.guarded && function != none))
        unit_.edits.replace({i, statement.close() + 1}, statement.barrier());
      return statement.close();
    }
    if (for_device || statement.looks_like_ptx())
      replace(i, statement);
    else if (unit_.options.guarded)
      unit_.refuse(i, "assembler for the host is not taken here");
    return statement.close();
  }

  // Of each instruction that is missing the first place is told.
  void replace(size_t i, const InlineAsm &statement) {
    std::vector<MissingInstruction> missing;
    unit_.edits.replace({i, statement.close() + 1}, statement.replacement(missing));
    for (const auto &[name, instead] : missing)
      if (told_.insert(name).second)
        unit_.warn(i,
                   "PTX's " + name + " is not in the emulator" +
                       (instead.empty() ? "" : "; try: " + instead));
  }

  const Unit &unit_;
  const Code &code_;
  std::set<std::string> told_;
};

} // namespace

void rewrite_words(const Unit &unit) { Words(unit).run(); }

} // namespace rewriter
