#include "source_tests.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "program_file.hpp"
#include "symbols.hpp"

namespace emu {

namespace {

struct Token {
  std::string text;
  int line;
  bool after_space; ///< as it is written
  bool is_name() const {
    return std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_';
  }
};
using Tokens = std::vector<Token>;

bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Past what stands at `at` and is none of the program's words: a comment, a text, a directive; else `at`.
size_t past_what_is_no_code(const std::string &text, size_t at, bool first_in_line) {
  const auto end_of = [&](size_t found, size_t length) {
    return found == std::string::npos ? text.size() : found + length;
  };
  if (text.compare(at, 2, "//") == 0 || (text[at] == '#' && first_in_line))
    return end_of(text.find('\n', at), 0);
  if (text.compare(at, 2, "/*") == 0)
    return end_of(text.find("*/", at + 2), 2);
  if (text[at] != '"' && text[at] != '\'')
    return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

Tokens tokens_of(const std::string &text) {
  static constexpr std::string_view pairs[] = {"==",
                                               "!=",
                                               "<=",
                                               ">=",
                                               "&&",
                                               "||",
                                               "->",
                                               "::",
                                               "++",
                                               "--",
                                               "+=",
                                               "-=",
                                               "*=",
                                               "/=",
                                               "^=",
                                               "|="};
  Tokens tokens;
  int line = 1;
  bool after_space = true, first_in_line = true;
  for (size_t at = 0; at < text.size();) {
    const size_t past = past_what_is_no_code(text, at, first_in_line);
    const bool space = past == at && std::isspace(static_cast<unsigned char>(text[at]));
    size_t end = space ? at + 1 : past;
    if (end == at) {
      if (goes_on(text[at]))
        while (end < text.size() && goes_on(text[end]))
          ++end;
      else
        end += std::ranges::count(pairs, std::string_view(text).substr(at, 2)) != 0 ? 2 : 1;
      tokens.push_back({text.substr(at, end - at), line, after_space});
      after_space = first_in_line = false;
    } else {
      after_space = true;
    }
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                  text.begin() + static_cast<std::ptrdiff_t>(end),
                                  '\n');
    line += static_cast<int>(lines);
    first_in_line = first_in_line || lines > 0;
    at = end;
  }
  return tokens;
}

/// Reads a file's statements, and notes behind which tests each line stands.
class Statements {
public:
  explicit Statements(Tokens tokens) : tokens_(std::move(tokens)) {
    while (at_ < tokens_.size())
      statement();
    for (size_t i = 1; i < tokens_.size(); ++i)
      if (tokens_[i].text == "{" && tokens_[i - 1].text == ")") {
        functions_.push_back({i, closing(i)});
        i = functions_.back().end;
      }
  }
  const std::vector<SourceTest> &around(int line) const {
    static const std::vector<SourceTest> none;
    const auto found = around_.find(line);
    return found == around_.end() ? none : found->second;
  }
  const Tokens &tokens() const { return tokens_; }
  /// Those that end something: a loop, or by what they guard, which goes away.
  const std::vector<SourceTest> &ends() const { return ends_; }
  /// The braces of a function.
  struct Body {
    size_t begin = 0, end = 0; ///< the same: there is none
    bool has(size_t token) const { return begin < token && token < end; }
  };
  Body function_of(size_t token) const {
    const auto has = [&](const Body &body) { return body.has(token); };
    const auto found = std::ranges::find_if(functions_, has);
    return found == functions_.end() ? Body() : *found;
  }
  Body function_in(int line) const {
    const auto in_line = [&](const Token &token) { return token.line == line; };
    return function_of(
        static_cast<size_t>(std::ranges::find_if(tokens_, in_line) - tokens_.begin()));
  }

  /// Where the bracket that opens at `from` is closed, and the tokens end if it is not.
  size_t closing(size_t from) const {
    int depth = 0;
    for (size_t i = from; i < tokens_.size(); ++i) {
      const std::string &text = tokens_[i].text;
      depth += text == "(" || text == "[" || text == "{";
      depth -= text == ")" || text == "]" || text == "}";
      if (depth == 0)
        return i;
    }
    return tokens_.size();
  }

private:
  const std::string &now() const {
    static const std::string nothing;
    return at_ < tokens_.size() ? tokens_[at_].text : nothing;
  }
  bool take(std::string_view text) {
    const bool there = now() == text;
    at_ += there;
    return there;
  }
  void pass() {
    std::vector<SourceTest> &known = around_[tokens_[at_].line];
    if (open_.size() > known.size())
      known = open_;
    ++at_;
  }

  SourceTest test_of(size_t from, size_t to, SourceTest::Kind kind) const {
    SourceTest test;
    test.kind = kind;
    test.line = from < to ? tokens_[from].line : 0;
    for (size_t i = from; i < to; ++i) {
      test.text += (i > from && tokens_[i].after_space ? " " : "") + tokens_[i].text;
      test.of_threads = test.of_threads || differs(tokens_[i]);
    }
    return test;
  }

  bool differs(const Token &token) const {
    return token.text == "threadIdx" || token.text == "thread_rank" ||
           of_threads_.contains(token.text);
  }
  /// What is given a value that differs from thread to thread does so itself.
  void note_values(size_t from, size_t to) {
    const auto ends = [&](size_t i) { // the value, where the next variable of a declaration begins
      return i >= to || tokens_[i].text == ";" || tokens_[i].text == ",";
    };
    for (size_t i = from; i + 1 < to; ++i) {
      if (!tokens_[i].is_name() || tokens_[i + 1].text != "=")
        continue;
      for (size_t k = i + 2; !ends(k); ++k)
        if (differs(tokens_[k]))
          of_threads_.insert(tokens_[i].text);
    }
  }

  void block() {
    const size_t open = open_.size();
    while (at_ < tokens_.size() && now() != "}")
      statement();
    take("}");
    open_.resize(open);
  }

  void statement() {
    const std::string word = now();
    if (word == "{") {
      pass();
      block();
    } else if (word == "}") { // that nobody has opened
      pass();
    } else if (word == "if" || word == "while" || word == "for" || word == "switch") {
      pass();
      take("constexpr");
      behind_test(word);
    } else if (word == "else" || word == "do") {
      pass();
      statement();
    } else {
      expression();
    }
  }

  void behind_test(const std::string &word) {
    const size_t close = now() == "(" ? closing(at_) : at_;
    size_t from = at_ + 1, to = close;
    if (word == "for") {
      const auto semicolon = [&](size_t begin) {
        while (begin < close && tokens_[begin].text != ";")
          ++begin;
        return begin;
      };
      note_values(from, close);
      from = std::min(semicolon(from) + 1, close);
      to = semicolon(from);
    }
    const bool loop = word == "for" || word == "while";
    SourceTest test = test_of(from, to, loop ? SourceTest::Kind::loop : SourceTest::Kind::branch);
    for (size_t i = to; word == "for" && i < close; ++i)
      test.in_strides = test.in_strides || tokens_[i].text == "+=";
    while (at_ < tokens_.size() && at_ <= close)
      pass();
    if (word == "while" && now() == ";") // of a do
      return;
    const size_t body = at_;
    open_.push_back(test);
    statement();
    open_.pop_back();
    const bool goes_away = std::any_of(
        tokens_.begin() + static_cast<std::ptrdiff_t>(body),
        tokens_.begin() + static_cast<std::ptrdiff_t>(std::min(body + 2, at_)),
        [](const Token &token) {
          return token.text == "return" || token.text == "continue" || token.text == "break";
        });
    if (loop || goes_away)
      ends_.push_back(test);
    if (word == "if" && now() == "else") {
      pass();
      test.text = "!(" + test.text + ")";
      open_.push_back(test);
      statement();
      open_.pop_back();
    } else if (word == "if" && goes_away) {
      open_.push_back(test); // for all that comes behind it in the block
    }
  }

  /// Up to its semicolon, or the end of the block of a function, a class or a namespace.
  void expression() {
    const size_t begin = at_, open = open_.size();
    for (int depth = 0; at_ < tokens_.size();) {
      const std::string text = now();
      if (text == "}")
        break;
      if (text == "{") {
        pass();
        block();
        if (depth == 0 && now() != "," && now() != ";" && now() != ")" && now() != ".")
          break;
        continue;
      }
      depth += text == "(" || text == "[";
      depth -= text == ")" || text == "]";
      if (text == "?")
        choose(begin);
      pass();
      if (text == ";" && depth <= 0)
        break;
    }
    note_values(begin, at_);
    open_.resize(open);
  }

  /// In front of a ?, which stands in a statement that begins there.
  void choose(size_t begin) {
    size_t from = at_;
    for (int depth = 0; from > begin; --from) {
      const std::string &text = tokens_[from - 1].text;
      depth += text == ")" || text == "]";
      depth -= text == "(" || text == "[";
      if (depth < 0 || (depth == 0 && (text == "=" || text == "," || text == ":" ||
                                       text == "return" || text == "+=" || text == "?")))
        break;
    }
    open_.push_back(test_of(from, at_, SourceTest::Kind::choice));
    // Its line begins before it, and is the one that an access in there has.
    around_[tokens_[begin].line] = open_;
  }

  Tokens tokens_;
  size_t at_ = 0;
  std::vector<SourceTest> open_; ///< outer ones first
  std::vector<SourceTest> ends_;
  std::set<std::string> of_threads_;
  std::map<int, std::vector<SourceTest>> around_;
  std::vector<Body> functions_;
};

const Statements &statements_of(const std::string &path) {
  static auto &known =
      *new std::map<std::string, Statements>; // needed until the very end of the program
  auto found = known.find(path);
  if (found == known.end()) {
    found = known.emplace(path, tokens_of(text_of_source(path))).first;
  }
  return found->second;
}

/// The names of which the indices of these tokens are made: those in brackets behind `array`, or behind anything if that
/// is empty. What a call is given, or the index of an index, is told by its value, and not by these names.
/// \param subtracted  with those behind a minus
std::set<std::string>
names_in_indices(const Tokens &tokens, const std::string &array, bool subtracted) {
  std::set<std::string> found;
  for (size_t i = 1; i < tokens.size(); ++i) {
    const size_t base = tokens[i - 1].text == ")" && i > 1 ? i - 2 : i - 1; // (pairs)[k]
    if (tokens[i].text != "[" || (!array.empty() && tokens[base].text != array))
      continue;
    int brackets = 1, hidden = 0; // of the index; in a call's brackets, or those of another index
    int minus = 0; // in so many brackets; 0: none
    std::vector<bool> hides;
    for (size_t k = i + 1; k < tokens.size() && brackets > 0; ++k) {
      const std::string &text = tokens[k].text;
      if (text == "(" || text == "[") {
        ++brackets;
        hides.push_back(text == "[" || tokens[k - 1].is_name());
        hidden += hides.back();
      } else if (text == "-" && !subtracted) {
        minus = minus == 0 ? brackets : minus;
      } else if (text == "+" && brackets <= minus) {
        minus = 0;
      } else if (text == ")" || text == "]") {
        minus = --brackets < minus ? 0 : minus;
        if (!hides.empty()) {
          hidden -= hides.back();
          hides.pop_back();
        }
      } else if (tokens[k].is_name() && hidden == 0 && minus == 0 && tokens[k - 1].text != "." &&
                 !(k + 1 < tokens.size() && tokens[k + 1].text == "(")) {
        found.insert(text);
      }
    }
  }
  return found;
}

/// The value of an index for one thread, where it is made of threadIdx and its kin, of numbers, and of names that stand for
/// such values and never change.
class Value {
public:
  Value(const Statements &source, const BlockPlace &place, const unsigned (&thread)[3])
      : source_(source), tokens_(source.tokens()), place_(place), thread_(thread) {}
  std::optional<long> of(size_t from, size_t to) {
    at_ = from;
    end_ = to;
    const std::optional<long> value = sum();
    return at_ == end_ ? value : std::nullopt;
  }

private:
  std::string_view now() const {
    return at_ < end_ ? std::string_view(tokens_[at_].text) : std::string_view();
  }
  template <class Next> std::optional<long> chain(std::string_view signs, Next next) {
    std::optional<long> left = next();
    while (left && now().size() == 1 && signs.find(now()[0]) != signs.npos) {
      const char sign = now()[0];
      ++at_;
      const std::optional<long> right = next();
      if (!right || ((sign == '/' || sign == '%') && *right == 0))
        return std::nullopt;
      left = sign == '+'   ? *left + *right
             : sign == '-' ? *left - *right
             : sign == '*' ? *left * *right
             : sign == '/' ? *left / *right
                           : *left % *right;
    }
    return left;
  }
  std::optional<long> sum() {
    return chain("+-", [this] { return chain("*/%", [this] { return one(); }); });
  }
  std::optional<long> one() {
    if (now().empty())
      return std::nullopt;
    const Token &token = tokens_[at_++];
    if (token.text == "(") {
      const std::optional<long> value = sum();
      const bool closed = now() == ")";
      ++at_;
      return closed ? value : std::nullopt;
    }
    if (std::ranges::all_of(token.text, [](unsigned char c) { return std::isdigit(c) != 0; }))
      return std::strtol(token.text.c_str(), nullptr, 10);
    if (now() == ".")
      return of_built_in(token.text);
    return token.is_name() ? of_name(at_ - 1) : std::nullopt;
  }
  std::optional<long> of_built_in(std::string_view name) {
    ++at_;
    const size_t axis = now().size() == 1 ? std::string_view("xyz").find(now()[0]) : 3;
    ++at_;
    if (axis > 2)
      return std::nullopt;
    return name == "threadIdx"  ? std::optional<long>(thread_[axis])
           : name == "blockIdx" ? place_.block[axis]
           : name == "blockDim" ? place_.threads[axis]
           : name == "gridDim"  ? std::optional<long>(place_.blocks[axis])
                                : std::nullopt;
  }
  /// As the declaration before it says, in its function or outside of all, if nothing there gives it another value.
  std::optional<long> of_name(size_t at) {
    static const std::set<std::string, std::less<>> changes = {
        "=", "+=", "-=", "*=", "/=", "^=", "|=", "++", "--"};
    const std::string &name = tokens_[at].text;
    const Statements::Body here = source_.function_of(at);
    size_t found = 0;
    for (size_t i = 1; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].text != name)
        continue;
      if (const Statements::Body there = source_.function_of(i);
          there.end != 0 && there.begin != here.begin)
        continue;
      const Token &before = tokens_[i - 1];
      const std::string &next = tokens_[i + 1].text;
      const bool declared = next == "=" && (before.is_name() || before.text == ",");
      if (before.text == "++" || before.text == "--" || (changes.contains(next) && !declared))
        return std::nullopt;
      if (declared && i < at)
        found = i;
    }
    if (found == 0 || ++depth_ > 8)
      return std::nullopt;
    size_t end = found + 2;
    for (int brackets = 0; end < tokens_.size(); ++end) {
      const std::string &text = tokens_[end].text;
      brackets += text == "(" || text == "[";
      brackets -= text == ")" || text == "]";
      if (text == ";" || (text == "," && brackets == 0) || brackets < 0)
        break;
    }
    Value inner(source_, place_, thread_);
    inner.depth_ = depth_;
    return inner.of(found + 2, end);
  }

  const Statements &source_;
  const Tokens &tokens_;
  const BlockPlace &place_;
  const unsigned (&thread_)[3];
  size_t at_ = 0, end_ = 0;
  int depth_ = 0; ///< of names that stand for names
};

/// The brackets behind an array's name.
class Index {
public:
  Index(const Statements &source, size_t bracket) : source_(source) {
    const Tokens &tokens = source.tokens();
    for (size_t at = bracket; at < tokens.size() && tokens[at].text == "[";) {
      const size_t end = source.closing(at);
      parts_.emplace_back(at + 1, end);
      at = end + 1;
    }
  }
  Comes comes_to(const std::vector<long> &element, const BlockPlace &place) const {
    if (parts_.size() != element.size())
      return Comes::unknown;
    for (unsigned z = 0; z < place.threads[2]; ++z)
      for (unsigned y = 0; y < place.threads[1]; ++y)
        for (unsigned x = 0; x < place.threads[0]; ++x) {
          const unsigned thread[3] = {x, y, z};
          bool same = true;
          for (size_t i = 0; i < parts_.size(); ++i) {
            const std::optional<long> value =
                Value(source_, place, thread).of(parts_[i].first, parts_[i].second);
            if (!value)
              return Comes::unknown;
            same = same && *value == element[i];
          }
          if (same)
            return Comes::yes;
        }
    return Comes::no;
  }

private:
  const Statements &source_;
  std::vector<std::pair<size_t, size_t>> parts_;
};

/// The names that a condition compares with something: i of "i < n", and k of "0 <= k".
std::set<std::string> limited_by(const std::string &condition) {
  std::set<std::string> all, left;
  bool compared = false,
       right = false; // by the last sign; is this side the right one, and the other a number
  std::string before;
  for (const Token &token : tokens_of(condition)) {
    const std::string &text = token.text, previous = std::exchange(before, text);
    if (text == "<" || text == ">" || text == "<=" || text == ">=") {
      compared = true;
      right = left.empty();
      all.merge(left);
    } else if (text == "&&" || text == "||") {
      compared = right = false;
    } else if (token.is_name() && previous != "." && (right || !compared)) {
      (right ? all : left).insert(text);
      continue;
    } else {
      continue;
    }
    left.clear();
  }
  for (const char *size : {"blockDim", "gridDim"})
    all.erase(size);
  return all;
}

} // namespace

std::vector<SourceTest> tests_around(const SourceLine &where) {
  const std::vector<SourceTest> &tests = statements_of(where.file).around(where.line);
  return {tests.rbegin(), tests.rend()};
}

const SourceTest *test_of(const std::string &array,
                          const SourceLine &where,
                          const std::vector<SourceTest> &tests,
                          bool subtracted) {
  const Tokens tokens = tokens_of(source_text(where));
  const auto is = [](std::string_view text) {
    return [=](const Token &t) { return t.text == text; };
  };
  const bool named = std::ranges::any_of(tokens, is(array));
  const std::set<std::string> index =
      names_in_indices(tokens, named ? array : std::string(), subtracted);
  const bool chosen = // what stands in front of a ? is not behind its test
      std::any_of(std::ranges::find_if(tokens, is("?")), tokens.end(), is(array)) ||
      std::ranges::none_of(tokens, is("?"));
  for (const SourceTest &test : tests) {
    const std::set<std::string> limited = limited_by(test.text);
    const auto is_limited = [&](const std::string &name) { return limited.contains(name); };
    if (test.kind == SourceTest::Kind::choice && named && !chosen)
      continue;
    // A loop counts something, which need not be more than a part of the index.
    if (test.kind == SourceTest::Kind::loop
            ? !index.empty() && std::ranges::all_of(index, is_limited)
            : std::ranges::any_of(index, is_limited))
      return &test;
  }
  return nullptr;
}

std::vector<SourceLine> lines_that_set(const std::string &array, const SourceLine &where) {
  const Statements &source = statements_of(where.file);
  const Tokens &tokens = source.tokens();
  const Statements::Body function = source.function_in(where.line);
  std::vector<SourceLine> lines;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != array || !function.has(i))
      continue;
    size_t end = i + 1;
    while (end < tokens.size() && tokens[end].text == "[")
      end = source.closing(end) + 1;
    if (end > i + 1 && end < tokens.size() && tokens[end].text == "=")
      lines.push_back({where.file, tokens[i].line});
  }
  return lines;
}

Comes comes_to(const SourceLine &where,
               const std::string &array,
               const std::vector<long> &element,
               const BlockPlace &place) {
  const Statements &source = statements_of(where.file);
  const Tokens &tokens = source.tokens();
  auto result = Comes::unknown;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].line != where.line || tokens[i].text != array || tokens[i + 1].text != "[")
      continue;
    const Comes here = Index(source, i + 1).comes_to(element, place);
    if (here != Comes::no)
      return here;
    result = here;
  }
  return result;
}

bool goes_with_index(const SourceLine &where,
                     const std::string &array,
                     long index,
                     const BlockPlace &place,
                     const unsigned (&thread)[3]) {
  const Statements &source = statements_of(where.file);
  const Tokens &tokens = source.tokens();
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const size_t bracket = tokens[i + 1].text == ")" ? i + 2 : i + 1; // (pairs)[k]
    if (tokens[i].line == where.line && tokens[i].text == array && tokens[bracket].text == "[" &&
        Value(source, place, thread).of(bracket + 1, source.closing(bracket)) == index)
      return true;
  }
  return false;
}

std::string followed_in(const SourceLine &where, bool written) {
  const Tokens tokens = tokens_of(source_text(where));
  const auto assigns = [](const Token &token) {
    static constexpr std::string_view signs[] = {"=", "+=", "-=", "*=", "/=", "^=", "|="};
    return std::ranges::count(signs, token.text) != 0;
  };
  const auto sign = std::ranges::find_if(tokens, assigns);
  std::set<std::string> found;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool left = tokens.begin() + static_cast<std::ptrdiff_t>(i) < sign;
    const bool its_side = sign == tokens.end() ? !written : left == written;
    const bool index = tokens[i].is_name() && tokens[i + 1].text == "[";
    const bool star = tokens[i].text == "*" && tokens[i + 1].is_name() &&
                      (i == 0 || !(tokens[i - 1].is_name() || tokens[i - 1].text == ")" ||
                                   tokens[i - 1].text == "]"));
    if (its_side && (index || star))
      found.insert(tokens[i + (star ? 1 : 0)].text);
  }
  return found.size() == 1 ? *found.begin() : std::string();
}

namespace {
bool has(const Tokens &tokens, const std::string &name) {
  return std::ranges::any_of(tokens, [&](const Token &token) { return token.text == name; });
}
} // namespace

bool names(const SourceLine &where, const std::string &name) {
  return has(tokens_of(source_text(where)), name);
}

ToldByShuffle told_by_shuffle(const std::string &file, const std::string &kernel) {
  const Statements &source = statements_of(file);
  const Tokens &tokens = source.tokens();
  size_t body = 0, close = 0; // the braces of the kernel
  for (size_t i = 0; i + 1 < tokens.size() && close == 0; ++i) {
    if (tokens[i].text != kernel || tokens[i + 1].text != "(")
      continue;
    body = source.closing(i + 1) + 1;
    close = body < tokens.size() && tokens[body].text == "{" ? source.closing(body) : 0;
  }
  const auto shuffles = [](const Token &token) {
    return token.text.starts_with("__shfl") || token.text == "shfl";
  };
  for (size_t i = body; i < close; ++i) {
    if (!tokens[i].is_name() || tokens[i + 1].text != "=")
      continue;
    const auto end = std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                  tokens.end(),
                                  [](const Token &token) { return token.text == ";"; });
    const auto shuffle =
        std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(i), end, shuffles);
    if (shuffle == end)
      continue;
    for (const SourceTest &test : source.ends())
      if (test.line >= tokens[body].line && test.line <= tokens[close - 1].line &&
          has(tokens_of(test.text), tokens[i].text))
        return {tokens[i].text, shuffle->line, test};
  }
  return {};
}

} // namespace emu
