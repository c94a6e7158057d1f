#pragma once

#include "loop/keys.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

/// \file
/// The terminal that the loop draws on: plain ANSI escape sequences, no library.

namespace tutor {

/// Columns and rows.
struct Size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// The terminal while the loop has it: keys come at once and unechoed, and what stood on the screen
/// before comes back at the end, however that comes. One at a time.
class Tty {
public:
  /// True when stdin and stdout are a terminal on which one can draw.
  static bool usable();

  Tty();
  ~Tty();
  Tty(const Tty &) = delete;
  Tty &operator=(const Tty &) = delete;

  Size size() const;

  /// What happened.
  struct Event {
    std::optional<Key> key;
    int signal = 0; ///< one that asks the program to end
    bool redraw = false; ///< the size changed, or the terminal was somebody else's meanwhile
    bool closed = false; ///< there will be no more keys
  };
  /// Waits until something happens, wake() is called or the time is over.
  Event wait(std::chrono::milliseconds longest);
  /// Ends a wait(), from any thread.
  void wake() const;

  /// Puts text, with its escape sequences, on the screen.
  void write(const std::string &text) const;

  /// Gives the terminal to another program, and takes it again.
  void release();
  void take();

private:
  Event handle_signal(int signal);

  std::string bytes_; ///< that are not a key yet
};

} // namespace tutor
