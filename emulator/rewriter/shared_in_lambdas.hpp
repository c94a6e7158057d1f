/// \file
/// `__shared__` variables of a kernel in its lambdas.
///
/// In CUDA they have static storage: a lambda uses them without capturing them. Here they are
/// references (shared_declaration.hpp), which `[=]` would copy with what they refer to and `[]`
/// would not let in. So each lambda that mentions one declares it once more for itself.
#pragma once

#include <string>
#include <vector>

#include "code.hpp"
#include "shared_declaration.hpp"

namespace rewriter {

class SharedInLambdas {
public:
  explicit SharedInLambdas(const Code &code) : code_(code) {}

  /// To be told of every token, in order.
  void follow(size_t i) {
    if (code_[i].directive)
      return;
    if (code_.is(i, "{"))
      ++depth_;
    if (!code_.is(i, "}"))
      return;
    while (!visible_.empty() && visible_.back().depth == depth_)
      visible_.pop_back();
    --depth_;
  }

  /// The block at hand has declared them.
  void declared(const std::vector<SharedName> &names) {
    for (const SharedName &name : names)
      visible_.push_back({depth_, name});
  }

  /// What the lambda whose body begins with the brace at `brace` has to declare first; empty if
  /// that is no lambda, or one that mentions no shared variable.
  std::string declarations(size_t brace) const {
    std::string result;
    if (visible_.empty() || code_[brace].directive)
      return result;
    const size_t begin = lambda_begin(brace);
    if (begin == brace)
      return result;
    for (size_t v = visible_.size(); v-- > 0;) {
      const SharedName &shared = visible_[v].shared;
      // Of two with one name, the inner one.
      if (result.find(shared.again) == std::string::npos && !mentions(begin, brace, shared.name) &&
          mentions(brace, code_.matching_close(brace), shared.name))
        result += shared.again;
    }
    return result;
  }

private:
  // Whether the tokens (first, last) use the name, other than as a member's.
  bool mentions(size_t first, size_t last, const std::string &name) const {
    for (size_t k = first + 1; k < last; ++k)
      if (code_.is(k, name) && !code_.is(k - 1, ".") && !code_.is(k - 1, "->") &&
          !code_.is(k - 1, "::"))
        return true;
    return false;
  }

  bool is_specifier(size_t k) const {
    return code_.is(k, "mutable") || code_.is(k, "constexpr") || code_.is(k, "noexcept") ||
           code_.is(k, "__device__") || code_.is(k, "__host__") || code_.is(k, "static");
  }

  // The [ of the lambda whose body begins at `brace`; `brace` itself if there is none.
  size_t lambda_begin(size_t brace) const {
    size_t k = brace;
    const auto skip_specifiers = [&] {
      while (k > 0 && is_specifier(k - 1))
        --k;
    };
    // A return type behind its arrow.
    for (size_t type = k; type > 0 && is_of_type(type - 1); --type) {
      if (code_.is(type - 1, "->"))
        k = type - 1;
      else if (code_.is(type - 1, ")"))
        type = code_.matching_open(type - 1) + 1;
    }
    skip_specifiers();
    if (k > 0 && code_.is(k - 1, ")")) {
      k = code_.matching_open(k - 1);
      skip_specifiers();
      if (k > 0 && code_.is(k - 1, ">"))
        k = code_.matching_less(k - 1);
    }
    if (k == 0 || !code_.is(k - 1, "]"))
      return brace;
    k = code_.matching_open(k - 1);
    // Behind a name or another ] it would be the bounds of an array.
    const bool is_array = k > 0 && (code_.is_name(k - 1) || code_.is(k - 1, "]"));
    const bool is_keyword = k > 0 && (code_.is(k - 1, "return") || code_.is(k - 1, "else"));
    return is_array && !is_keyword ? brace : k;
  }
  // Whether token k can be part of a return type behind its arrow.
  bool is_of_type(size_t k) const {
    for (const char *sign : {"->", "::", "<", ">", "*", "&", ",", ")"})
      if (code_.is(k, sign))
        return true;
    return code_.is_name(k);
  }

  struct Visible {
    int depth; // of the block that declares it
    SharedName shared;
  };
  const Code &code_;
  int depth_ = 0;
  std::vector<Visible> visible_;
};

} // namespace rewriter
