#include "rewrite.hpp"

#include <algorithm>
#include <vector>

#include "lexer.hpp"

namespace rewriter {

namespace {

class Rewriter {
public:
  Rewriter(std::string_view source, const IncludeHandler& include)
      : source_(source), include_(include), tokens_(tokenize(source)) {}

  std::string run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      follow_scopes(i);
      if (tokens_[i].kind == Kind::include)
        replace(i, i, include_(text(i)));
      else if (is(i, "<<<") || launch_operator_with_space(i))
        i = rewrite_launch(i);
      else if (is(i, "__shared__"))
        i = rewrite_shared(i);
      else if (is(i, "__noinline__") && !(i > 0 && is(i - 1, "(")))
        replace(i, i, "EMU_NOINLINE");
      else if (is(i, "asm") || is(i, "__asm__") || is(i, "__asm"))
        i = rewrite_asm(i);
    }
    out_ += source_.substr(done_);
    return std::move(out_);
  }

private:
  // --------------------------------------------------------------------------- reading tokens

  std::string_view text(size_t i) const {
    return source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(size_t i, std::string_view what) const {
    return i < tokens_.size() && tokens_[i].kind != Kind::string && text(i) == what;
  }
  bool launch_operator_with_space(size_t i) const {
    return tokens_[i].kind == Kind::punctuation && text(i).size() > 3 && text(i)[0] == '<';
  }
  bool opens(size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
  bool closes(size_t i) const { return is(i, ")") || is(i, "]") || is(i, "}"); }
  bool is_name(size_t i) const { return i < tokens_.size() && tokens_[i].kind == Kind::identifier; }

  [[noreturn]] void fail(size_t i, const std::string& what) const {
    throw SourceError(tokens_[std::min(i, tokens_.size() - 1)].line, what);
  }

  // Whether the brackets at i and k belong together.
  bool pair(size_t i, size_t k) const {
    return (is(i, "(") && is(k, ")")) || (is(i, "[") && is(k, "]")) || (is(i, "{") && is(k, "}"));
  }

  // The partner of the bracket at i.
  size_t matching_close(size_t i) const {
    std::vector<size_t> open;
    for (size_t k = i; k < tokens_.size(); ++k) {
      if (opens(k)) {
        open.push_back(k);
      } else if (closes(k)) {
        if (!pair(open.back(), k))
          fail(open.back(), "this bracket is not closed");
        open.pop_back();
        if (open.empty())
          return k;
      }
    }
    fail(i, "this bracket is not closed");
  }
  size_t matching_open(size_t i) const {
    int depth = 0;
    for (size_t k = i + 1; k-- > 0;) {
      depth += closes(k) - opens(k);
      if (depth == 0)
        return k;
    }
    fail(i, "this bracket was not opened");
  }
  // From the > that ends a template argument list back to its <.
  size_t matching_less(size_t i) const {
    int depth = 0;
    for (size_t k = i + 1; k-- > 0;) {
      if (closes(k)) {
        k = matching_open(k);
        continue;
      }
      depth += is(k, ">");
      depth -= is(k, "<");
      if (is(k, "<<")) // two lists close at once
        depth -= 2;
      if (depth <= 0)
        return k;
    }
    fail(i, "this template argument list was not opened");
  }

  // --------------------------------------------------------------------------- writing

  std::string_view between(size_t begin, size_t end) const {
    return source_.substr(begin, end - begin);
  }

  // Writes the source up to token `first`, then `with` for the tokens [first, last], and as many
  // line breaks as these held and `with` does not.
  void replace(size_t first, size_t last, const std::string& with) {
    const size_t begin = tokens_[first].begin, end = tokens_[last].end;
    out_ += between(done_, begin);
    out_ += with;
    const std::string_view old = between(begin, end);
    auto lines = std::count(old.begin(), old.end(), '\n') -
                 std::count(with.begin(), with.end(), '\n');
    for (; lines > 0; --lines)
      out_ += tokens_[first].directive ? "\\\n" : "\n";
    done_ = end;
  }

  // The same code on one line: comments go, white space shrinks.
  std::string flat(size_t first, size_t last) const {
    std::string result;
    for (size_t k = first; k <= last && k < tokens_.size(); ++k) {
      if (k > first && tokens_[k - 1].end != tokens_[k].begin)
        result += ' ';
      result += text(k);
    }
    return result;
  }

  // --------------------------------------------------------------------------- scopes

  // Keeps track of whether the code at hand is inside a function.
  void follow_scopes(size_t i) {
    if (tokens_[i].directive)
      return;
    if (is(i, "{")) {
      scopes_.push_back(opens_function(i));
    } else if (is(i, "}") && !scopes_.empty()) {
      scopes_.pop_back();
    }
  }
  bool in_function() const { return !scopes_.empty() && scopes_.back(); }

  bool opens_function(size_t brace) const {
    if (in_function())
      return true;
    // A namespace, a linkage specification or a class: nothing that ends a statement between the
    // keyword and the brace.
    for (size_t k = brace; k-- > 0;) {
      if (is(k, ";") || is(k, "{") || is(k, "}") || is(k, ")") || is(k, "=") ||
          tokens_[k].directive)
        return is(k, ")") || is(k, "=");
      if (is(k, "namespace") || is(k, "extern") || is(k, "struct") || is(k, "class") ||
          is(k, "union") || is(k, "enum"))
        return false;
      if (is(k, "const") || is(k, "noexcept") || is(k, "override") || is(k, "mutable"))
        continue;
    }
    return false;
  }

  // --------------------------------------------------------------------------- launches

  // The first token of the expression before <<<: name, ns::name, name<args>, (*pointer),
  // kernels[i], object.member.
  size_t kernel_begin(size_t launch) const {
    size_t k = launch;
    for (;;) {
      if (k == 0)
        fail(launch, "no kernel name before <<<");
      --k;
      if (is(k, ">"))
        k = matching_less(k) - 1;
      else if (is(k, "]"))
        k = matching_open(k) - 1;
      if (is(k, ")")) {
        k = matching_open(k);
        if (k == 0 || !is_name(k - 1) || is(k - 1, "return") || is(k - 1, "else"))
          return k;
        --k; // a call or an operator: its name belongs to the expression
      }
      if (!is_name(k))
        fail(launch, "no kernel name before <<<");
      if (k > 0 && is(k - 1, "template"))
        --k;
      if (k > 0 && is(k - 1, "::")) {
        --k;
        if (k > 0 && (is_name(k - 1) || is(k - 1, ">")) && !is(k - 1, "return") &&
            !is(k - 1, "else"))
          continue;
        return k;
      }
      if (k > 0 && (is(k - 1, ".") || is(k - 1, "->"))) {
        --k;
        continue;
      }
      return k;
    }
  }

  // The first of the three > that end the configuration.
  size_t config_end(size_t launch) const {
    for (size_t k = launch + 1; k < tokens_.size(); ++k) {
      if (opens(k)) {
        k = matching_close(k);
        continue;
      }
      if (is(k, ";"))
        break;
      size_t run = 0;
      while (is(k + run, ">"))
        ++run;
      if (run >= 3 && is(k + run, "("))
        return k + run - 3;
      if (run > 0)
        k += run - 1;
    }
    fail(launch, "this <<< has no >>> followed by an argument list");
  }

  // The tokens (begin, end) split at commas outside brackets; template commas are kept together by
  // the fact that an argument that is a lone name or expression never ends inside < >.
  std::vector<std::pair<size_t, size_t>> split(size_t begin, size_t end) const {
    std::vector<std::pair<size_t, size_t>> parts;
    size_t first = begin;
    int angle = 0;
    for (size_t k = begin; k < end; ++k) {
      if (opens(k)) {
        k = matching_close(k);
      } else if (is(k, "<") && is_name(k - 1) && closes_as_template(k, end)) {
        ++angle;
      } else if (is(k, ">") && angle > 0) {
        --angle;
      } else if (is(k, ",") && angle == 0) {
        parts.push_back({first, k});
        first = k + 1;
      }
    }
    if (first < end)
      parts.push_back({first, end});
    return parts;
  }

  // Whether the < at k opens template arguments: a > that closes it comes before anything that
  // cannot stand in them and is followed by what can follow a template-id.
  bool closes_as_template(size_t k, size_t end) const {
    int depth = 0;
    for (; k < end; ++k) {
      if (opens(k)) {
        k = matching_close(k);
      } else if (is(k, "<")) {
        ++depth;
      } else if (is(k, ">")) {
        if (--depth == 0)
          return is(k + 1, "(") || is(k + 1, "{") || is(k + 1, "::") || is(k + 1, ")") ||
                 is(k + 1, ",") || is(k + 1, ">") || is(k + 1, "*") || is(k + 1, "&");
      } else if (is(k, ";") || is(k, "|") || is(k, "?")) {
        return false;
      }
    }
    return false;
  }

  // Arguments that must not be copied through a template: a braced list has no type, and 0, NULL
  // and the like must stay null pointer constants.
  bool stays_in_place(size_t first, size_t last) const {
    if (is(first, "{"))
      return true;
    if (first + 1 != last)
      return false;
    return tokens_[first].kind == Kind::number || tokens_[first].kind == Kind::string ||
           is(first, "NULL") || is(first, "nullptr") || is(first, "true") || is(first, "false");
  }

  // kernel<<<config>>>(a, 0, b) becomes
  // ::emu::launch("kernel", EMU_ADDRESS(kernel), ::emu::config(config),
  //               [=](auto emu_0, auto emu_1) { kernel(emu_0, 0, emu_1); }, a, b)
  size_t rewrite_launch(size_t launch) {
    const size_t begin = kernel_begin(launch);
    const size_t config_close = config_end(launch);
    const size_t open = config_close + 3, close = matching_close(open);
    const std::string kernel = flat(begin, launch - 1);

    std::string parameters, call, arguments;
    int count = 0;
    for (const auto& [first, last] : split(open + 1, close)) {
      if (!call.empty())
        call += ", ";
      if (stays_in_place(first, last)) {
        call += flat(first, last - 1);
        continue;
      }
      const bool pack = last - first >= 3 && is(last - 1, ".") && is(last - 2, ".");
      const bool variadic = pack || is(first, "__VA_ARGS__");
      const std::string name = "emu_" + std::to_string(count++);
      parameters += (parameters.empty() ? "const auto&" : ", const auto&") +
                    std::string(variadic ? "... " : " ") + name;
      call += name + (variadic ? "..." : "");
      // The arguments as they stand, line breaks and all: a message about one names its line.
      arguments += variadic && !pack && is(first, "__VA_ARGS__") ? " __VA_OPT__(,) " : ", ";
      arguments += between(tokens_[first].begin, tokens_[last - 1].end);
    }
    replace(begin,
            close,
            "::emu::launch(EMU_NAME(" + kernel + "), EMU_ADDRESS(" + kernel + "), ::emu::config(" +
                std::string(between(tokens_[launch].end, tokens_[config_close].begin)) + "), [=](" +
                parameters + ") { " + kernel + "(" + call + "); }" + arguments + ")");
    return close;
  }

  // --------------------------------------------------------------------------- shared memory

  struct Declarator {
    std::string name;
    std::string before; // pointer signs
    std::string after;  // array bounds
  };

  // [first, last): the tokens of one declarator, without the type.
  Declarator read_declarator(size_t first, size_t last) const {
    size_t name = last;
    for (size_t k = first; k < last && !is(k, "["); ++k)
      if (is_name(k))
        name = k;
    if (name == last)
      fail(first, "cannot read this __shared__ declaration");
    return {std::string(text(name)),
            name > first ? flat(first, name - 1) : "",
            name + 1 < last ? flat(name + 1, last - 1) : ""};
  }

  // Where the first declarator begins in the tokens [first, last): at its name or the * before.
  size_t declarator_begin(size_t first, size_t last) const {
    size_t name = last;
    int angle = 0;
    for (size_t k = first; k < last; ++k) {
      if (is(k, "[") || (is(k, ",") && angle == 0))
        break;
      if (opens(k)) {
        k = matching_close(k);
        continue;
      }
      if (is(k, "<"))
        ++angle;
      else if (is(k, ">"))
        --angle;
      else if (angle == 0 && is_name(k))
        name = k;
    }
    while (name > first && name < last && (is(name - 1, "*") || is(name - 1, "&")))
      --name;
    return name;
  }

  bool is_alignment(size_t i) const {
    return (is(i, "__align__") || is(i, "alignas") || is(i, "__builtin_align__")) && is(i + 1, "(");
  }

  size_t statement_begin(size_t i) const {
    while (i > 0 && !is(i - 1, ";") && !is(i - 1, "{") && !is(i - 1, "}") && !is(i - 1, ":") &&
           tokens_[i - 1].directive == tokens_[i].directive) {
      if (is(i - 1, ")")) {
        const size_t open = matching_open(i - 1);
        if (open == 0 || !is_alignment(open - 1))
          break;
        i = open;
      }
      --i;
    }
    return i;
  }

  size_t rewrite_shared(size_t keyword) {
    const size_t begin = statement_begin(keyword);
    size_t end = keyword;
    while (end < tokens_.size() && !is(end, ";")) {
      if (tokens_[end].directive != tokens_[keyword].directive)
        fail(keyword, "this __shared__ declaration does not end");
      end = opens(end) ? matching_close(end) + 1 : end + 1;
    }
    if (end >= tokens_.size())
      fail(keyword, "this __shared__ declaration does not end");

    bool is_extern = false;
    std::string alignment, type;
    std::vector<size_t> rest; // tokens of type and declarators
    for (size_t k = begin; k < end; ++k) {
      if (is(k, "__shared__") || is(k, "static") || is(k, "inline") || is(k, "__device__"))
        continue;
      if (is(k, "extern")) {
        is_extern = true;
      } else if (is_alignment(k)) {
        const size_t close = matching_close(k + 1);
        alignment = flat(k + 2, close - 1);
        k = close;
      } else if (is(k, "=")) {
        fail(k, "a __shared__ variable cannot be initialised: assign to it in one thread, then "
                "__syncthreads()");
      } else {
        rest.push_back(k);
      }
    }
    if (rest.empty())
      fail(keyword, "cannot read this __shared__ declaration");
    // Only specifiers were taken out, and they stand before the declarators.
    const size_t declarators = declarator_begin(rest.front(), end);
    for (size_t k : rest)
      if (k < declarators)
        type += std::string(text(k)) + ' ';

    std::string with;
    for (const auto& [first, last] : split(declarators, end)) {
      const Declarator d = read_declarator(first, last);
      with += is_extern ? declare_dynamic(type, d) : declare_static(type, d, alignment);
    }
    replace(begin, end, with);
    return end;
  }

  std::string declare_dynamic(const std::string& type, const Declarator& d) const {
    // The bounds say that it is an array; further dimensions belong to the element.
    const size_t close = d.after.find(']');
    if (close == std::string::npos)
      throw SourceError(tokens_.front().line,
                        "extern __shared__ " + d.name + " must be an array without a bound");
    const std::string element = type + d.before + d.after.substr(close + 1);
    if (!in_function())
      return "static constexpr ::emu::DynamicShared<" + element + "> " + d.name + "{};";
    return "using emu_type_" + d.name + " = " + element + "; [[maybe_unused]] emu_type_" + d.name +
           "* const " + d.name + " = reinterpret_cast<emu_type_" + d.name +
           "*>(::emu::dynamic_shared);";
  }

  std::string declare_static(const std::string& type, const Declarator& d,
                             const std::string& alignment) const {
    const std::string alias = "emu_type_" + d.name, key = "emu_key_" + d.name;
    const std::string align = alignment.empty() ? "alignof(" + alias + ")" : alignment;
    const std::string variable = "{\"" + d.name + "\", sizeof(" + alias + "), " + align + "}";
    const std::string named = "using " + alias + " = " + type + d.before + d.after + "; ";
    if (!in_function())
      return named + "static ::emu::FileShared<" + alias + "> " + d.name + "{" + variable + "};";
    return named + "static constinit ::emu::SharedVariable " + key + variable +
           "; [[maybe_unused]] " + alias + "& " + d.name + " = *static_cast<" + alias +
           "*>(::emu::shared(" + key + "));";
  }

  // --------------------------------------------------------------------------- inline PTX

  // Kept where it is an empty string (a compiler barrier), refused where it holds instructions.
  size_t rewrite_asm(size_t i) {
    size_t open = i + 1;
    while (is_name(open))
      ++open;
    if (!is(open, "("))
      return i;
    const size_t close = matching_close(open);
    if (is(open + 1, "\"\"") || text(open + 1) == "\"\"")
      return close;
    replace(i, close, "EMU_INLINE_PTX");
    return close;
  }

  std::string_view source_;
  const IncludeHandler& include_;
  std::vector<Token> tokens_;
  std::vector<bool> scopes_; // of the open braces: is it (inside) a function?
  std::string out_;
  size_t done_ = 0;
};

} // namespace

std::string rewrite(std::string_view source, const IncludeHandler& include) {
  return Rewriter(source, include).run();
}

} // namespace rewriter
