/// \file
/// The functions, classes, variables and blocks of a source: as much of C++'s grammar as it takes to tell
/// whose code a token is.
#pragma once

#include <string>
#include <vector>

#include "code.hpp"

namespace rewriter {

/// Who runs a piece of code.
enum class Side { host, device, both };

constexpr size_t none = static_cast<size_t>(-1);

/// A function or a lambda: its definition, or a declaration without a body.
struct Function {
  size_t first = 0; // of all its tokens, template heads included
  size_t begin = 0; // behind the template heads; a lambda's [
  Range name; // with qualifiers and template arguments; empty for a lambda
  size_t open = none; // the ( of its parameters; none for a lambda without
  size_t body = none; // its {
  size_t end = 0; // the token behind it
  size_t parent = none; // the function in which it stands
  std::vector<Range> templates; // parameters of its template heads
  bool is_lambda = false;
  bool in_class = false;
  bool is_kernel = false;
  bool is_constexpr = false;
  bool is_friend = false;
  bool deleted_or_defaulted = false;
  Side side = Side::host;
};

/// A declaration outside functions that declares variables, or may do so.
struct Declaration {
  size_t first = 0;
  size_t end = 0; // its semicolon
  bool in_class = false;
  size_t begin = 0; // behind the template heads
  std::vector<Range> templates = {}; // parameters of its template heads

  bool is_template() const { return begin != first; }
};

/// Around statements within functions.
struct Braces {
  size_t open = 0;
  bool is_switch = false;
};

struct Structure {
  std::vector<Function> functions; // as they begin: outer ones first
  std::vector<Declaration> declarations;
  std::vector<Braces> braces; // as they begin, bodies among them
  std::vector<size_t> class_names; // tokens; of an unnamed one, the name behind it
  std::vector<size_t> namespaces; // their {

  explicit Structure(const Code &code);

  /// The innermost function whose body holds token `i`; none outside functions.
  size_t function_at(size_t i, const Code &code) const;
  /// `::a::b::` around token `i`.
  std::string namespace_of(size_t i, const Code &code) const;
  /// The innermost pair that holds token `i`.
  const Braces *braces_at(size_t i, const Code &code) const;
};

/// The last part of a function's name: `f` of `ns::f<int>`, `operator` of operators.
std::string_view plain_name(const Code &code, const Function &function);

} // namespace rewriter
