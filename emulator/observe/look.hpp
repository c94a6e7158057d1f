/// \file
/// While the instruments look at something, what they do themselves is nobody's access.
#pragma once

#include <utility>

namespace emu {

/// The linker keeps one copy of an inline function, such as the standard library's, and it may be the
/// program's observed one: so callbacks come also while the instruments are at work.
extern constinit thread_local bool looking;

/// The instruments look, until the end of the scope. No thread may be switched within it.
class Look {
public:
  Look() : before_(std::exchange(looking, true)) {}
  ~Look() { looking = before_; }
  Look(const Look &) = delete;
  Look &operator=(const Look &) = delete;

private:
  bool before_;
};

} // namespace emu
