#pragma once

#include "base/failure.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tutor {

/// A file descriptor that closes itself.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close_now(); }
  void close_now() {
    if (number_ >= 0) {
      close(std::exchange(number_, -1));
    }
  }
  /// Less than 0: there is none.
  int get() const { return number_; }

private:
  int number_ = -1;
};

/// Of a pipe what is read and what is written, or the two ends of a channel. No other child inherits them.
struct Ends {
  Descriptor first, second;
};

/// \throws Failure (failed) when there is none to be had
inline Ends make_pipe() {
  int both[2];
  if (pipe2(both, O_CLOEXEC) != 0) {
    throw failure("cannot make a pipe: {}", std::strerror(errno));
  }
  return {Descriptor(both[0]), Descriptor(both[1])};
}

} // namespace tutor
