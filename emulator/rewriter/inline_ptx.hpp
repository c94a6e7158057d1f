/// \file
/// What `asm` becomes in device code: the instructions are a GPU's.
#pragma once

#include <cctype>
#include <string>

#include "code.hpp"

namespace rewriter {

/// An `asm` statement: its brackets are the tokens `open` and `close`.
class InlineAsm {
public:
  InlineAsm(const Code &code, size_t keyword) : code_(code), open_(keyword + 1) {
    while (code_.is_name(open_)) // volatile, goto
      ++open_;
    is_statement_ = code_.is(open_, "(");
    if (is_statement_)
      close_ = code_.partner(open_);
  }

  bool is_statement() const { return is_statement_; }
  size_t close() const { return close_; }
  /// Only there to keep the compiler from moving code.
  bool is_empty() const { return code_.text(open_ + 1) == "\"\""; }
  /// Instructions of PTX have a dot between letters (mov.u32), a host's have not.
  bool looks_like_ptx() const {
    for (size_t k = open_ + 1; k < close_ && code_[k].kind == Kind::string; ++k) {
      const std::string_view text = code_.text(k);
      for (size_t i = 1; i + 1 < text.size(); ++i)
        if (text[i] == '.' && is_letter(text[i - 1]) && is_letter(text[i + 1]))
          return true;
    }
    return false;
  }

  /// The same in C++ where it only reads the lane's number or a mask of lanes; else a call that
  /// ends the launch and names the instructions.
  std::string replacement() const {
    const std::string lane = "::emu::lane_id()";
    const std::string name = register_read();
    std::string value;
    if (name == "laneid")
      value = "static_cast<unsigned>(" + lane + ")";
    else if (name == "lanemask_eq")
      value = "1u << " + lane;
    else if (name == "lanemask_lt")
      value = "(1u << " + lane + ") - 1";
    else if (name == "lanemask_le")
      value = "(2u << " + lane + ") - 1";
    else if (name == "lanemask_gt")
      value = "~((2u << " + lane + ") - 1)";
    else if (name == "lanemask_ge")
      value = "~((1u << " + lane + ") - 1)";
    if (!value.empty())
      return code_.flat({open_ + 4, close_}) + " = " + value;
    const bool literal = code_[open_ + 1].kind == Kind::string;
    return "::emu::inline_ptx(" + (literal ? std::string(code_.text(open_ + 1)) : "\"\"") + ")";
  }

private:
  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

  // NAME in asm("mov.u32 %0, %NAME;" : "=r"(variable)), else nothing.
  std::string register_read() const {
    const bool one_output = code_.is(open_ + 2, ":") && open_ + 4 < close_ &&
                            code_.text(open_ + 3) == "\"=r\"" && code_.is(open_ + 4, "(") &&
                            code_.partner(open_ + 4) + 1 == close_;
    if (!one_output)
      return "";
    std::string name;
    for (const char c : code_.text(open_ + 1))
      if (c != '"' && c != ' ' && c != '%' && c != ';')
        name += c;
    const std::string start = "mov.u320,";
    return name.rfind(start, 0) == 0 ? name.substr(start.size()) : "";
  }

  const Code &code_;
  size_t open_, close_ = 0;
  bool is_statement_ = false;
};

} // namespace rewriter
