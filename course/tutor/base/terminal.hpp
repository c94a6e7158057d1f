#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

/// \file
/// What the tutor writes for people: colours where a terminal shows them, and progress of long
/// work.

namespace tutor {

/// True when stdout is a terminal that shows colours and NO_COLOR is not set.
bool colours_shown();

/// The columns of the terminal behind a descriptor; `otherwise` where there is none.
std::size_t terminal_columns(int descriptor, std::size_t otherwise);

/// Lets programs that are started explain their words on a terminal once, and then no more: `seen` is the file that
/// remembers (emulator/observation/legend.hpp). All of them where `again` is true, and to whoever is no terminal.
void explain_once(const std::string &seen, bool again);

/// The text in bold, faint, red or green, or unchanged where no colours are shown.
std::string bold(std::string_view text);
std::string faint(std::string_view text);
std::string red(std::string_view text);
std::string green(std::string_view text);

/// The progress of one piece of long work, on stderr.
///
/// On a terminal: one line that is drawn over and removed at the end. Elsewhere: a line at the
/// start and one every 20 seconds. Work done within a second shows nothing at all.
class Progress {
public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Says how far the work is; `total` 0 means that nobody knows yet.
  void update(int done, int total);
  /// Ends the display; `failed` leaves a line saying so.
  void finish(bool failed = false);

private:
  using Clock = std::chrono::steady_clock;
  double seconds() const;
  void draw_line(int done, int total);

  std::string what_;
  Clock::time_point start_ = Clock::now();
  double next_report_ = 1.0; ///< seconds after the start; nothing is shown before
  bool shown_ = false;
  bool finished_ = false;
};

} // namespace tutor
