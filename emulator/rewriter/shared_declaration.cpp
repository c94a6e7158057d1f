#include "shared_declaration.hpp"

#include <vector>

namespace rewriter {

namespace {

class Declaration {
public:
  Declaration(const Code &code, bool in_function) : code_(code), in_function_(in_function) {}

  struct Declarator {
    std::string name;
    std::string before; // pointer signs
    std::string after; // array bounds
  };

  // [first, last): the tokens of one declarator, without the type.
  Declarator read_declarator(size_t first, size_t last) const {
    size_t name = last;
    for (size_t k = first; k < last && !code_.is(k, "["); ++k)
      if (code_.is_name(k))
        name = k;
    if (name == last)
      code_.fail(first, "cannot read this __shared__ declaration");
    return {std::string(code_.text(name)),
            name > first ? code_.flat(first, name - 1) : "",
            name + 1 < last ? code_.flat(name + 1, last - 1) : ""};
  }

  // Where the first declarator begins in the tokens [first, last): at its name or the * before.
  size_t declarator_begin(size_t first, size_t last) const {
    size_t name = last;
    int angle = 0;
    for (size_t k = first; k < last; ++k) {
      if (code_.is(k, "[") || (code_.is(k, ",") && angle == 0))
        break;
      if (code_.opens(k)) {
        k = code_.matching_close(k);
        continue;
      }
      if (code_.is(k, "<"))
        ++angle;
      else if (code_.is(k, ">"))
        --angle;
      else if (angle == 0 && code_.is_name(k))
        name = k;
    }
    while (name > first && name < last && (code_.is(name - 1, "*") || code_.is(name - 1, "&")))
      --name;
    return name;
  }

  bool is_alignment(size_t i) const {
    return (code_.is(i, "__align__") || code_.is(i, "alignas") ||
            code_.is(i, "__builtin_align__")) &&
           code_.is(i + 1, "(");
  }

  size_t statement_begin(size_t i) const {
    while (i > 0 && !code_.is(i - 1, ";") && !code_.is(i - 1, "{") && !code_.is(i - 1, "}") &&
           !code_.is(i - 1, ":") && code_[i - 1].directive == code_[i].directive) {
      if (code_.is(i - 1, ")")) {
        const size_t open = code_.matching_open(i - 1);
        if (open == 0 || !is_alignment(open - 1))
          break;
        i = open;
      }
      --i;
    }
    return i;
  }

  Replacement read(size_t keyword) const {
    const size_t begin = statement_begin(keyword);
    size_t end = keyword;
    while (end < code_.size() && !code_.is(end, ";")) {
      if (code_[end].directive != code_[keyword].directive)
        code_.fail(keyword, "this __shared__ declaration does not end");
      end = code_.opens(end) ? code_.matching_close(end) + 1 : end + 1;
    }
    if (end >= code_.size())
      code_.fail(keyword, "this __shared__ declaration does not end");

    bool is_extern = false;
    std::string alignment, type;
    std::vector<size_t> rest; // tokens of type and declarators
    for (size_t k = begin; k < end; ++k) {
      if (code_.is(k, "__shared__") || code_.is(k, "static") || code_.is(k, "inline") ||
          code_.is(k, "__device__"))
        continue;
      if (code_.is(k, "extern")) {
        is_extern = true;
      } else if (is_alignment(k)) {
        const size_t close = code_.matching_close(k + 1);
        alignment = code_.flat(k + 2, close - 1);
        k = close;
      } else if (code_.is(k, "=")) {
        code_.fail(k,
                   "a __shared__ variable cannot be initialised: assign to it in one thread, then "
                   "__syncthreads()");
      } else {
        rest.push_back(k);
      }
    }
    if (rest.empty())
      code_.fail(keyword, "cannot read this __shared__ declaration");
    // Only specifiers were taken out, and they stand before the declarators.
    const size_t declarators = declarator_begin(rest.front(), end);
    for (size_t k : rest)
      if (k < declarators)
        type += std::string(code_.text(k)) + ' ';

    Replacement result{begin, end, "", {}};
    for (const auto &[first, last] : code_.split(declarators, end)) {
      const Declarator d = read_declarator(first, last);
      if (!in_function_) {
        result.with += is_extern ? stand_in_dynamic(type, d) : stand_in_static(type, d, alignment);
        continue;
      }
      const std::string name = is_extern ? name_dynamic(d) : name_static(d);
      result.with += (is_extern ? declare_dynamic(type, d) : declare_static(type, d, alignment));
      result.with += name;
      result.names.push_back({d.name, name});
    }
    return result;
  }

  // The bounds say that it is an array; further dimensions belong to the element.
  std::string dynamic_element(const std::string &type, const Declarator &d) const {
    const size_t close = d.after.find(']');
    if (close == std::string::npos)
      throw SourceError(code_[0].line,
                        "extern __shared__ " + d.name + " must be an array without a bound");
    return type + d.before + d.after.substr(close + 1);
  }
  std::string stand_in_dynamic(const std::string &type, const Declarator &d) const {
    return "static constexpr ::emu::DynamicShared<" + dynamic_element(type, d) + "> " + d.name +
           "{};";
  }
  std::string declare_dynamic(const std::string &type, const Declarator &d) const {
    return "using emu_type_" + d.name + " = " + dynamic_element(type, d) + "; ";
  }
  static std::string name_dynamic(const Declarator &d) {
    return "[[maybe_unused]] emu_type_" + d.name + "* const " + d.name +
           " = reinterpret_cast<emu_type_" + d.name + "*>(::emu::dynamic_shared);";
  }

  static std::string alias(const std::string &type, const Declarator &d) {
    return "using emu_type_" + d.name + " = " + type + d.before + d.after + "; ";
  }
  static std::string variable(const Declarator &d, const std::string &alignment) {
    const std::string type = "emu_type_" + d.name;
    return "{\"" + d.name + "\", sizeof(" + type + "), " +
           (alignment.empty() ? "alignof(" + type + ")" : alignment) + "}";
  }
  static std::string
  stand_in_static(const std::string &type, const Declarator &d, const std::string &alignment) {
    return alias(type, d) + "static ::emu::FileShared<emu_type_" + d.name + "> " + d.name + "{" +
           variable(d, alignment) + "};";
  }
  static std::string
  declare_static(const std::string &type, const Declarator &d, const std::string &alignment) {
    return alias(type, d) + "static constinit ::emu::SharedVariable emu_key_" + d.name +
           variable(d, alignment) + "; ";
  }
  static std::string name_static(const Declarator &d) {
    return "[[maybe_unused]] emu_type_" + d.name + "& " + d.name + " = *static_cast<emu_type_" +
           d.name + "*>(::emu::shared(emu_key_" + d.name + "));";
  }

private:
  const Code &code_;
  bool in_function_;
};

} // namespace

Replacement replace_shared(const Code &code, size_t keyword, bool in_function) {
  return Declaration(code, in_function).read(keyword);
}

} // namespace rewriter
