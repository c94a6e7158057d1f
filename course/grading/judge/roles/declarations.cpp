#include "declarations.hpp"

#include <algorithm>
#include <stdexcept>

namespace roles {

using rewriter::Kind;

Declarations::Declarations(std::string text, std::string stem)
    : text_(std::move(text)), stem_(std::move(stem)) {
  read_tokens();
  scan(0, tokens_.size(), true);
}

namespace {

/// Where a comment, a directive or a string that begins at `at` ends; `at` if none does.
std::size_t end_of_other(std::string_view text, std::size_t at, bool begins_line) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at, 2) == "/*")
    return behind("*/", at + 2);
  if (text.substr(at, 2) == "//" || (text[at] == '#' && begins_line))
    return std::min(text.find('\n', at), text.size());
  std::size_t end = at;
  if (text[at] == '"')
    for (++end; end < text.size() && text[end] != '"' && text[end] != '\n'; ++end)
      end += text[end] == '\\';
  return end == at ? at : std::min(end + 1, text.size());
}

} // namespace

/// Tokens, without comments and directives: a preprocessor would have taken those away.
void Declarations::read_tokens() {
  std::string left = text_;
  bool begins_line = true;
  for (std::size_t at = 0; at < left.size();) {
    const std::size_t end = end_of_other(text_, at, begins_line);
    if (end == at) {
      begins_line = left[at] == '\n' || (begins_line && (left[at] == ' ' || left[at] == '\t'));
      ++at;
      continue;
    }
    if (left[at] == '#')
      take_include(std::string_view(text_).substr(at, end - at));
    for (const bool is_text = left[at] == '"'; at < end; ++at)
      if (!is_text && left[at] != '\n')
        left[at] = ' ';
  }
  tokens_ = rewriter::tokenize(left).tokens;
}

void Declarations::take_include(std::string_view directive) {
  const std::size_t open = directive.find('"'), close = directive.rfind('"');
  if (directive.find("include") < open && open < close)
    includes_.emplace_back(directive.substr(open + 1, close - open - 1));
}

std::string_view Declarations::text_of(std::size_t token) const {
  const rewriter::Token &t = tokens_.at(token);
  return std::string_view(text_).substr(t.begin, t.end - t.begin);
}

std::string Declarations::between(std::size_t first, std::size_t end) const {
  std::string words;
  for (std::size_t i = first; i < end; ++i)
    words += (words.empty() ? "" : " ") + std::string(text_of(i));
  return words;
}

std::size_t Declarations::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    const std::string_view t = text_of(i);
    depth += t == "(" || t == "{" || t == "[";
    depth -= t == ")" || t == "}" || t == "]";
    if (depth == 0)
      return i;
  }
  throw std::runtime_error("a bracket is not closed");
}

std::size_t Declarations::end_of_item(std::size_t first, std::size_t end) const {
  const bool type = is(first, "struct") || is(first, "class") || is(first, "enum");
  bool value = type; // a brace does not end it
  for (std::size_t i = first; i < end; ++i) {
    if (is(i, ";"))
      return i + 1;
    value = value || is(i, "=");
    if (is(i, "(") || is(i, "["))
      i = closing(i);
    else if (is(i, "{")) {
      i = closing(i);
      if (!value)
        return i + 1;
    }
  }
  return end;
}

/// @param outside  of unnamed namespaces, where the learner's functions are
void Declarations::scan(std::size_t first, std::size_t end, bool outside) {
  while (first < end) {
    if (is(first, ";")) {
      ++first;
    } else if (is(first, "namespace") && first + 1 < end && is(first + 1, "{")) {
      const std::size_t close = closing(first + 1);
      scan(first + 2, close, false);
      first = close + 1;
    } else {
      const std::size_t next = end_of_item(first, end);
      take_item(first, next, outside);
      first = next;
    }
  }
}

void Declarations::take_item(std::size_t first, std::size_t end, bool outside) {
  if (is(first, "struct") && first + 2 < end && is(first + 2, "{") && outside) {
    const std::size_t begin = tokens_[first].begin;
    structures_.push_back(
        {std::string(text_of(first + 1)), text_.substr(begin, tokens_[end - 1].end - begin)});
    return;
  }
  for (const char *other :
       {"using", "typedef", "static_assert", "namespace", "struct", "class", "enum", "inline"})
    if (is(first, other))
      return;
  for (std::size_t i = first; i + 1 < end; ++i) {
    if (is(i, "=") || is(i, "{"))
      return;
    if (is(i + 1, "(") && tokens_[i].kind == Kind::identifier && i > first)
      return take_function(first, i, end, outside);
  }
}

void Declarations::take_function(std::size_t first,
                                 std::size_t name,
                                 std::size_t end,
                                 bool outside) {
  const bool defined = is(end - 1, "}");
  const auto has = [&](const char *word) {
    for (std::size_t i = first; i < name; ++i)
      if (is(i, word))
        return true;
    return false;
  };
  Function function;
  function.kernel = has("__global__");
  if (defined && !function.kernel)
    return; // a function of the checker's
  const std::size_t open = closing(name + 1) + 1; // the body's brace
  if (defined) {
    function.body_begin = tokens_[open].begin;
    function.body_end = tokens_[end - 1].end;
  }
  if (is(first, "template")) {
    if (defined)
      template_bodies_.push_back({function.body_begin, function.body_end});
    return;
  }
  if (!defined && (!outside || has("static")))
    return;
  for (std::size_t i = first; i < name; ++i)
    if (!is(i, "__global__") && !is(i, "extern") && !is(i, "static"))
      function.result += (function.result.empty() ? "" : " ") + std::string(text_of(i));
  function.name = text_of(name);
  take_parameters(function, name + 1);
  function.key = (defined ? stem_ + ": " : "") + function.name + "(" + function.parameters + ")";
  if (defined)
    function.definition =
        text_.substr(tokens_[first].begin, tokens_[end - 1].end - tokens_[first].begin);
  functions_.push_back(function);
}

void Declarations::take_parameters(Function &function, std::size_t open) const {
  const std::size_t close = closing(open);
  function.parameters = between(open + 1, close);
  std::size_t begin = open + 1;
  int depth = 0; // of template arguments, too
  for (std::size_t i = begin; i <= close && close > open + 1; ++i) {
    depth += is(i, "(") || is(i, "<");
    depth -= (is(i, ")") && i < close) || is(i, ">");
    if (i < close && !(is(i, ",") && depth == 0))
      continue;
    std::size_t last = i - 1;
    std::string bound;
    if (is(last, "]") && is(last - 2, "[")) {
      bound = text_of(last - 1);
      last -= 3;
    }
    if (last <= begin || tokens_[last].kind != Kind::identifier)
      throw std::runtime_error("each parameter of " + function.name + "() needs a name");
    const std::string argument(text_of(last));
    function.arguments.push_back(
        bound.empty() ? argument : "::judge::elements<" + bound + ">(" + argument + ")");
    begin = i + 1;
  }
}

// ------------------------------------------------------------------ what becomes of them

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text)
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + '"';
}

/// "static_cast<void (*)(int n)>(&::name)"
std::string address(const Function &function) {
  return "static_cast<" + function.result + " (*)(" + function.parameters + ")>(&" +
         (function.definition.empty() ? "::" : "") + function.name + ")";
}

std::string declared(const Function &function) {
  return (function.kernel ? "__global__ " : "") + function.result + " " + function.name + "(" +
         function.parameters + ")";
}

std::string body(const Function &function) {
  std::string text = "{ return ::judge::call<" + function.result + ">(" + quoted(function.key);
  for (const std::string &argument : function.arguments)
    text += ", " + argument;
  return text + "); }";
}

/// Replaces text[first, end) and keeps the numbers of the lines behind it.
void replace(std::string &text, std::size_t first, std::size_t end, std::string by) {
  by.append(static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(first),
                                                text.begin() + static_cast<std::ptrdiff_t>(end),
                                                '\n')),
            '\n');
  text.replace(first, end - first, by);
}

} // namespace

std::string
judge_of(const std::string &text, const std::string &origin, const std::vector<Declarations> &all) {
  const Declarations &own = all.back(); // headers come before the file that includes them
  std::string result = text;
  struct Change {
    std::size_t first, end;
    std::string by;
  };
  std::vector<Change> changes;
  for (const Function &function : own.functions())
    if (!function.definition.empty())
      changes.push_back({function.body_begin, function.body_end, body(function)});
  for (const auto &[first, end] : own.template_bodies())
    changes.push_back({first, end, "{}"});
  std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) {
    return a.first > b.first;
  });
  for (const Change &change : changes)
    replace(result, change.first, change.end, change.by);

  result = "#include \"judge/remote.hpp\"\n#line 1 " + quoted(origin) + "\n" + result +
           "\n#line 1 \"calls\"\n";
  for (const Declarations &one : all)
    for (const Function &function : one.functions()) {
      if (function.definition.empty()) // weak: a further checker may declare the same
        result += "[[gnu::weak]] " + declared(function) + " " + body(function) + "\n";
      result += "[[maybe_unused]] static const ::judge::Named bf_named_" +
                std::to_string(result.size()) + "(reinterpret_cast<const void *>(" +
                address(function) + "), " + quoted(function.key) + ");\n";
    }
  return result;
}

std::string calls_of(const std::vector<Declarations> &all) {
  std::string mentioned, functions;
  for (const Declarations &one : all)
    for (const Function &function : one.functions()) {
      mentioned += " " + function.result + " " + function.parameters + " ";
      if (function.definition.empty())
        functions += declared(function) + ";\n";
      else
        functions += "namespace {\n" + function.definition + "\n}\n";
      functions += "[[maybe_unused]] static const ::learner::Entry bf_entry_" +
                   std::to_string(functions.size()) + " = ::learner::Function<" +
                   address(function) + ">::" + (function.kernel ? "kernel" : "host") + "(" +
                   quoted(function.key) + ", " + quoted(function.name) + ");\n";
    }
  std::string structures;
  for (const Declarations &one : all)
    for (const Structure &structure : one.structures())
      if (mentioned.find(" " + structure.name + " ") != std::string::npos)
        structures += structure.definition + "\n";
  return "#include <cuda_runtime.h>\n#include \"judge/learner.hpp\"\n#line 1 \"calls\"\n" +
         structures + functions;
}

} // namespace roles
