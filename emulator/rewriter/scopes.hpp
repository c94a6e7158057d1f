/// \file
/// Where in the source a token stands: inside a function or not, and for whom that function is.
#pragma once

#include <vector>

#include "code.hpp"

namespace rewriter {

class Scopes {
public:
  explicit Scopes(const Code &code) : code_(code) {}

  /// Who runs the code at hand.
  enum class Side {
    none, // it is outside functions
    host,
    device,
    both
  };

  /// To be told of every token, in order.
  void follow(size_t i) {
    if (code_[i].directive)
      return;
    if (code_.is(i, "{"))
      open_.push_back(side_of_brace(i));
    else if (code_.is(i, "}") && !open_.empty())
      open_.pop_back();
  }

  Side side() const { return open_.empty() ? Side::none : open_.back(); }
  bool in_function() const { return side() != Side::none; }

private:
  Side side_of_brace(size_t brace) const {
    if (in_function())
      return is_device_lambda(brace) ? Side::device : side();
    return opens_function(brace) ? side_of_function(brace) : Side::none;
  }

  bool opens_function(size_t brace) const {
    // A namespace, a linkage specification or a class: nothing that ends a statement between the
    // keyword and the brace.
    for (size_t k = brace; k-- > 0;) {
      if (code_.is(k, ";") || code_.is(k, "{") || code_.is(k, "}") || code_.is(k, ")") ||
          code_.is(k, "=") || code_[k].directive)
        return code_.is(k, ")") || code_.is(k, "=");
      if (code_.is(k, "namespace") || code_.is(k, "extern") || code_.is(k, "struct") ||
          code_.is(k, "class") || code_.is(k, "union") || code_.is(k, "enum"))
        return false;
      if (code_.is(k, "const") || code_.is(k, "noexcept") || code_.is(k, "override") ||
          code_.is(k, "mutable"))
        continue;
    }
    return false;
  }

  // By the keywords between the end of the statement before and the brace.
  Side side_of_function(size_t brace) const {
    bool host = false, device = false;
    for (size_t k = brace; k-- > 0;) {
      if (code_.is(k, ";") || code_.is(k, "{") || code_.is(k, "}"))
        break;
      host |= code_.is(k, "__host__");
      device |= code_.is(k, "__device__") || code_.is(k, "__global__");
      if (code_.is(k, "__global__"))
        break;
    }
    return host && device ? Side::both : device ? Side::device : Side::host;
  }

  // [=] __device__ (int i) {
  bool is_device_lambda(size_t brace) const {
    size_t k = brace;
    while (k > 0 && (code_.is(k - 1, "mutable") || code_.is(k - 1, "constexpr")))
      --k;
    if (k == 0 || !code_.is(k - 1, ")"))
      return false;
    k = code_.matching_open(k - 1);
    return k > 1 && code_.is(k - 1, "__device__") && !code_.is(k - 2, "__host__");
  }

  const Code &code_;
  std::vector<Side> open_; // of the open braces
};

} // namespace rewriter
