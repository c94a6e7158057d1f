#include "inline_ptx.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>

#include "../include/emu/ptx/opcodes.hpp"

namespace rewriter {

namespace {

using emu::ptx::find_opcode, emu::ptx::opcode_count, emu::ptx::opcodes;

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_letter(c) || c == '_' || c == '$'; }

// Where the characters of a kind end that begin at `at`.
template <class Is> size_t end_of(const std::string &text, size_t at, Is is) {
  while (at < text.size() && is(text[at]))
    ++at;
  return at;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

// What a string literal holds, comments of PTX as blanks.
std::string unescaped(std::string_view literal) {
  std::string text;
  if (literal.substr(0, 2) == "R\"") {
    const size_t open = literal.find('('), close = literal.rfind(')');
    text = literal.substr(open + 1, close - open - 1);
  } else {
    for (size_t i = 1; i + 1 < literal.size(); ++i) {
      const bool escape = literal[i] == '\\';
      i += escape;
      text += escape && (literal[i] == 'n' || literal[i] == 't' || literal[i] == 'r')
                  ? (literal[i] == 'n' ? '\n' : ' ')
                  : literal[i];
    }
  }
  return text;
}

std::string without_comments(std::string text) {
  for (size_t at; (at = text.find("//")) != std::string::npos;)
    text.erase(at, std::min(text.find('\n', at), text.size()) - at);
  for (size_t at; (at = text.find("/*")) != std::string::npos;) {
    const size_t end = text.find("*/", at);
    text.erase(at, end == std::string::npos ? end : end + 2 - at);
  }
  return text;
}

/// Instructions of PTX, in C++.
class Translation {
public:
  /// `text` is empty where it did not work out.
  explicit Translation(const std::string &instructions) : scopes_(1) {
    for (char c : instructions) {
      const bool brace =
          (c == '{' || c == '}') && between_statements(); // of a scope, not of a vector
      if (brace)
        finish_statement();
      if (brace && c == '{')
        scopes_.emplace_back();
      else if (brace)
        close_scope();
      else if (c == ';')
        finish_statement();
      else
        statement_ += c;
    }
    finish_statement();
  }
  std::string text() const {
    if (failed_ || scopes_.size() != 1)
      return "";
    const Scope &all = scopes_.front();
    return all.labels.empty() && all.registers.empty() ? all.body : all.text();
  }

  const std::vector<MissingInstruction> &missing() const { return missing_; }

private:
  /// What is between braces. Labels and registers stand at its beginning, so that no branch passes by a register.
  struct Scope {
    std::string labels, registers, body;
    std::string text() const { return "{ " + labels + registers + body + "} "; }
  };
  std::string &out() { return scopes_.back().body; }

  void close_scope() {
    if (scopes_.size() == 1) {
      failed_ = true;
      return;
    }
    const std::string text = scopes_.back().text();
    scopes_.pop_back();
    out() += text;
  }

  // How long a label is, with its colon, that the text begins with; 0: there is none.
  static size_t label_length(const std::string &text) {
    const size_t end = end_of(text, 0, is_word);
    return end > 0 && text[end] == ':' && text[end + 1] != ':' ? end + 1 : 0;
  }
  bool between_statements() const {
    const std::string text = trimmed(statement_);
    return text.empty() || label_length(text) == text.size();
  }

  void finish_statement() {
    std::string statement = trimmed(statement_);
    statement_.clear();
    while (const size_t length = label_length(statement)) {
      const std::string name = label(statement.substr(0, length - 1));
      scopes_.back().labels += "__label__ " + name + "; ";
      out() += name + ": __attribute__((unused)); ";
      statement = trimmed(std::string_view(statement).substr(length));
    }
    if (statement.empty())
      return;
    if (statement[0] == '.') {
      declare(statement);
      return;
    }
    if (statement[0] == '@') {
      const bool negated = statement.size() > 1 && statement[1] == '!';
      const size_t end =
          end_of(statement, 1u + negated, [](char c) { return is_word(c) || c == '%'; });
      out() += std::string("if (") + (negated ? "!" : "") +
               operand(statement.substr(1u + negated, end - 1 - negated)) + ") ";
      statement = trimmed(std::string_view(statement).substr(end));
    }
    instruction(statement);
  }

  void instruction(const std::string &statement) {
    const size_t end =
        end_of(statement, 0, [](char c) { return is_word(c) || c == '.' || c == ':'; });
    const std::string name = statement.substr(0, end);
    const std::string base = name.substr(0, name.find('.'));
    if (base == "bra") {
      out() += "goto " + label(trimmed(std::string_view(statement).substr(end))) + "; ";
      return;
    }
    if (const size_t row = find_opcode(name); row == opcode_count || !opcodes[row].here) {
      const std::string instead(row == opcode_count ? "" : opcodes[row].instead);
      missing_.push_back({name, instead});
      out() += "::emu::absent_ptx(\"" + name + "\", \"" + instead + "\"); ";
      return;
    }
    out() += "::emu::ptx::run<\"" + name + "\">(::emu::ptx::here()";
    for (const std::string &part : split(statement.substr(end)))
      out() += ", " + operand(part);
    out() += "); ";
  }

  // Between the commas that stand in no bracket.
  static std::vector<std::string> split(const std::string &list) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : list) {
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      if (c == ',' && depth == 0)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    if (parts.size() == 1 && trimmed(parts[0]).empty())
      parts.clear();
    return parts;
  }

  // .reg .pred p, q; .reg .b32 r<4>;
  void declare(const std::string &statement) {
    const size_t type = statement.find('.', 1);
    if (statement.rfind(".reg", 0) != 0 || type == std::string::npos) {
      failed_ = true;
      return;
    }
    const size_t end = end_of(statement, type + 1, is_letter);
    const std::string cpp = "[[maybe_unused]] ::emu::ptx::Register<\"" +
                            statement.substr(type + 1, end - type - 1) + "\"> ";
    for (const std::string &part : split(statement.substr(end))) {
      const std::string name = trimmed(part);
      const size_t angle = name.find('<');
      if (angle == std::string::npos) {
        scopes_.back().registers += cpp + variable(name) + "{}; ";
        continue;
      }
      for (int i = 0; i < std::atoi(name.c_str() + angle + 1) && i < 64; ++i)
        scopes_.back().registers +=
            cpp + variable(name.substr(0, angle) + std::to_string(i)) + "{}; ";
    }
  }

  static std::string variable(const std::string &name) { return "emu_r_" + in_cpp(name); }
  static std::string label(const std::string &name) { return "emu_l_" + in_cpp(name); }
  static std::string in_cpp(const std::string &name) {
    std::string result;
    for (const char c : name)
      result += is_word(c) && c != '$' ? c : '_';
    return result;
  }

  std::string operand(const std::string &written) {
    const std::string text = trimmed(written);
    if (text.empty()) {
      failed_ = true;
      return "0";
    }
    const char first = text[0];
    if (first == '[' || first == '{') {
      const std::string inside = text.substr(1, text.find(first == '[' ? ']' : '}') - 1);
      if (first == '[')
        return address(inside);
      return tuple(split(inside));
    }
    if (const size_t bar = text.find('|'); bar != std::string::npos)
      return tuple({text.substr(0, bar), text.substr(bar + 1)});
    if (first == '!')
      return "!" + operand(text.substr(1));
    if (first == '%' && text.size() > 1 && std::all_of(text.begin() + 1, text.end(), is_digit))
      return "emu_" + text.substr(1);
    if (first == '%')
      if (const std::optional<std::string> value = special(text.substr(1)))
        return *value;
    if (is_digit(first) || first == '-')
      return immediate(text);
    if (first == '_' && text.size() == 1)
      return "::emu::ptx::Sink()";
    return variable(text);
  }

  std::string tuple(const std::vector<std::string> &parts) {
    std::string result = "::std::forward_as_tuple(";
    for (const std::string &part : parts)
      result += (&part == &parts[0] ? "" : ", ") + operand(part);
    return result + ")";
  }

  std::string address(const std::string &inside) {
    // A tensor's map and the corner of a box: [%0, {%1, %2}]
    if (const std::vector<std::string> parts = split(inside); parts.size() == 2)
      return "::emu::ptx::box_at(" + address(parts[0]) + ", " + operand(parts[1]) + ")";
    const size_t plus = inside.find_first_of("+-", 1);
    const std::string base = operand(inside.substr(0, plus));
    const std::string offset =
        plus == std::string::npos ? "0"
                                  : immediate(trimmed(inside.substr(plus + (inside[plus] == '+'))));
    return "::emu::ptx::Address{::emu::ptx::get<uint64_t>(" + base + ") + static_cast<uint64_t>(" +
           offset + ")}";
  }

  // 12, -1, 0x96, 1.5e-3, 0f3F800000, 0d3FF0000000000000
  std::string immediate(const std::string &text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const bool of_exponent = i > 0 && (text[i - 1] == 'e' || text[i - 1] == 'E');
      const bool sign = text[i] == '-' || text[i] == '+';
      if (!is_letter(text[i]) && text[i] != '.' && !(sign && (i == 0 || of_exponent))) {
        failed_ = true; // what is not one would go into the program as C++
        return "0";
      }
    }
    if (text.rfind("0f", 0) == 0 || text.rfind("0F", 0) == 0)
      return "__builtin_bit_cast(float, 0x" + text.substr(2) + "u)";
    if (text.rfind("0d", 0) == 0 || text.rfind("0D", 0) == 0)
      return "__builtin_bit_cast(double, 0x" + text.substr(2) + "ull)";
    const bool is_signed = text[0] == '-';
    std::string digits = trimmed(std::string_view(text).substr(is_signed));
    while (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u'))
      digits.pop_back();
    if (digits.find('.') != std::string::npos)
      return text;
    return (is_signed ? "-" : "") + digits + "ll";
  }

  static std::optional<std::string> special(const std::string &name) {
    static const std::map<std::string, std::string> registers = {
        {"laneid", "static_cast<unsigned>(::emu::lane_id())"},
        {"lanemask_eq", "1u << ::emu::lane_id()"},
        {"lanemask_lt", "(1u << ::emu::lane_id()) - 1"},
        {"lanemask_le", "(2u << ::emu::lane_id()) - 1"},
        {"lanemask_gt", "~((2u << ::emu::lane_id()) - 1)"},
        {"lanemask_ge", "~((1u << ::emu::lane_id()) - 1)"},
        {"tid", "threadIdx"},
        {"ntid", "blockDim"},
        {"ctaid", "blockIdx"},
        {"nctaid", "gridDim"},
        {"cluster_ctaid", "::emu::index_in_cluster()"},
        {"cluster_nctaid", "::emu::cluster_dim()"},
        {"cluster_ctarank", "::emu::cluster_rank()"},
        {"cluster_nctarank", "::emu::cluster_blocks()"},
        {"clusterid", "::emu::cluster_index()"},
        {"nclusterid", "::emu::clusters_of_grid()"},
        {"is_explicit_cluster", "::emu::has_clusters()"},
        {"clock", "static_cast<unsigned>(::clock64())"},
        {"clock64", "static_cast<uint64_t>(::clock64())"},
        {"globaltimer", "static_cast<uint64_t>(::clock64())"},
    };
    const size_t dot = name.find('.');
    const auto found = registers.find(name.substr(0, dot));
    const std::string part = dot == std::string::npos ? "" : name.substr(dot);
    if (found != registers.end() &&
        (part.empty() || (part.size() == 2 && std::strchr("xyz", part[1]))))
      return "(" + found->second + ")" + part;
    static const char *const of_engine[] = {"smid", "nsmid", "warpid", "nwarpid", "gridid"};
    for (const char *known : of_engine)
      if (name == known)
        return "::emu::ptx::" + name + "()";
    return std::nullopt;
  }

  std::string statement_;
  std::vector<Scope> scopes_;
  std::vector<MissingInstruction> missing_;
  bool failed_ = false;
};

} // namespace

InlineAsm::InlineAsm(const Code &code, size_t keyword)
    : code_(code), keyword_(keyword), open_(keyword + 1) {
  while (code_.is_name(open_)) // volatile, goto
    ++open_;
  is_statement_ = code_.is(open_, "(");
  if (is_statement_)
    close_ = code_.partner(open_);
}

bool InlineAsm::is_empty() const {
  size_t k = open_ + 1;
  while (k < close_ && code_.text(k) == "\"\"")
    ++k;
  return k > open_ + 1 && code_[k].kind != Kind::string;
}

std::string InlineAsm::reference(Range expression) const {
  for (size_t k = expression.begin; k < expression.end; ++k)
    if (code_.is_index(k))
      return "const auto &";
  return "auto &&";
}

std::string InlineAsm::barrier() const {
  std::string before, statement, behind;
  int number = 0, colons = 0;
  for (size_t k = keyword_; k <= close_; ++k) {
    statement += std::string(code_.text(k)) + " ";
    colons += code_.is(k, "::") ? 2 : code_.is(k, ":");
    const bool is_operand =
        code_[k].kind == Kind::string && code_.is(k + 1, "(") && (colons == 1 || colons == 2);
    if (!is_operand)
      continue;
    const std::string_view constraint = code_.text(k);
    const std::string name = "emu_" + std::to_string(number++), inside = name + "_in";
    const Range operand{k + 1, code_.partner(k + 1) + 1};
    const std::string expression = code_.flat(operand);
    k = operand.end - 1;
    if (colons == 2 && constraint.find_first_not_of("\"ni") == constraint.npos) {
      statement += expression + " "; // a number that the compiler has to know
      continue;
    }
    if (colons == 2) {
      before += "const auto " + inside + " = " + expression + "; ";
    } else {
      before += reference(operand) + name + " = " + expression +
                "; ::std::remove_cvref_t<decltype(" + name + ")> " + inside +
                (constraint.find('+') != constraint.npos ? " = " + name + "; " : "; ");
      behind += name + " = " + inside + "; ";
    }
    statement += "(" + inside + ") ";
  }
  return "do { " + before + statement + "; " + behind + "} while (0)";
}

bool InlineAsm::looks_like_ptx() const {
  for (size_t k = open_ + 1; k < close_ && code_[k].kind == Kind::string; ++k) {
    const std::string_view text = code_.text(k);
    for (size_t i = 1; i + 1 < text.size(); ++i)
      if (text[i] == '.' && is_letter(text[i - 1]) && is_letter(text[i + 1]))
        return true;
  }
  return false;
}

std::string InlineAsm::replacement(std::vector<MissingInstruction> &missing) const {
  std::string instructions, literals;
  size_t k = open_ + 1;
  for (; k < close_ && code_[k].kind == Kind::string; ++k) {
    literals += (literals.empty() ? "" : " ") + std::string(code_.text(k));
    instructions += unescaped(code_.text(k));
  }
  for (size_t at = 0; (at = instructions.find("%%", at)) != std::string::npos; ++at)
    instructions.erase(at, 1);
  for (size_t at; (at = instructions.find("%=")) != std::string::npos;)
    instructions.erase(at, 2); // a number that makes labels unique: here each statement has its own
  const std::string unsupported =
      "::emu::inline_ptx(" + (literals.empty() ? std::string("\"\"") : literals) + ")";
  // Outputs and inputs: "constraint" (expression), between colons.
  std::string operands;
  int number = 0, colons = 0;
  for (; k < close_; ++k) {
    if (code_.is_one_of(k, ": ::"))
      colons += code_.is(k, "::") ? 2 : 1;
    if (code_.is(k, "[") || colons > 2) // symbolic names; what is clobbered
      break;
    if (code_[k].kind != Kind::string)
      continue;
    if (!code_.is(k + 1, "("))
      return unsupported;
    const std::string name = "emu_" + std::to_string(number++);
    const Range operand{k + 1, code_.partner(k + 1) + 1};
    operands += (colons == 1 ? reference(operand) : "const auto ") + name + " = " +
                code_.flat(operand) + "; ";
    k = operand.end - 1;
  }
  const Translation translation(without_comments(instructions));
  const std::string text = translation.text();
  missing.insert(missing.end(), translation.missing().begin(), translation.missing().end());
  return text.empty() || code_.is(k, "[") ? unsupported : "do { " + operands + text + "} while (0)";
}

} // namespace rewriter
