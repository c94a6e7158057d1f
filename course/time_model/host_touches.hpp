/// \file
/// Which of a program's pages its host code touches, though nobody has rewritten it: those that are watched cannot be
/// reached until they are.
#pragma once

#include <csignal>
#include <cstddef>
#include <utility>
#include <vector>

namespace model {

/// One at a time, in a program of one host thread.
class HostTouches {
public:
  HostTouches();
  ~HostTouches();
  HostTouches(const HostTouches &) = delete;
  HostTouches &operator=(const HostTouches &) = delete;

  using Range = std::pair<char *, char *>; // first byte, and the one behind the last

  /// The next touch of each piece of 2 MiB is noted, as a driver moves pages in such pieces, too.
  void watch(std::vector<Range> ranges);
  /// Nothing is watched any more. \return the pieces touched since watch()
  std::vector<Range> stop();

private:
  static void touched(int, siginfo_t *info, void *);

  std::vector<Range> watched_, touched_;
  struct sigaction before_ {};
};

} // namespace model
