#include "base/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tutor {
namespace {

bool is_terminal(int descriptor) {
  const char *kind = std::getenv("TERM");
  return isatty(descriptor) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string styled(std::string_view text, int code) {
  return colours_shown() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

} // namespace

std::size_t terminal_columns(int descriptor, std::size_t otherwise) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

bool colours_shown() {
  static const bool shown = [] {
    const char *no_color = std::getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && (no_color == nullptr || *no_color == '\0');
  }();
  return shown;
}

void explain_once(const std::string &seen, bool again) {
  if (again || !is_terminal(STDOUT_FILENO)) {
    unsetenv("EMU_LEGENDS_SEEN");
  } else {
    setenv("EMU_LEGENDS_SEEN", seen.c_str(), 1);
  }
}

std::string bold(std::string_view text) { return styled(text, 1); }
std::string faint(std::string_view text) { return styled(text, 2); }
std::string red(std::string_view text) { return styled(text, 31); }
std::string green(std::string_view text) { return styled(text, 32); }

Progress::Progress(std::string what) : what_(std::move(what)) {}

Progress::~Progress() { finish(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(int done, int total) {
  if (seconds() < next_report_) {
    return;
  }
  if (is_terminal(STDERR_FILENO)) {
    next_report_ = seconds() + 0.1;
    draw_line(done, total);
  } else {
    next_report_ = seconds() + 20;
    std::string share = total > 0 ? fmt::format(" ({} of {})", done, total) : "";
    fmt::print(stderr, "tutor: {} …{}\n", what_, share);
  }
  shown_ = true;
}

void Progress::draw_line(int done, int total) {
  constexpr int width = 24;
  std::string bar;
  if (total > 0) {
    int filled = std::clamp(width * done / total, 0, width);
    bar = fmt::format(" [{:=<{}}{: <{}}] {}/{}", "", filled, "", width - filled, done, total);
  }
  std::string line = fmt::format("{}{} {:.0f} s", what_, bar, seconds());
  // A line longer than the terminal would wrap, and could then not be drawn over.
  line.resize(std::min(line.size(), terminal_columns(STDERR_FILENO, 80) - 1));
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void Progress::finish(bool failed) {
  if (finished_) {
    return;
  }
  finished_ = true;
  if (shown_ && is_terminal(STDERR_FILENO)) {
    fmt::print(stderr, "\r\x1b[K");
  }
  if (failed) {
    fmt::print(stderr, "tutor: {}: failed after {:.0f} s\n", what_, seconds());
  } else if (shown_) {
    fmt::print(stderr, "tutor: {}: done in {:.0f} s\n", what_, seconds());
  }
}

} // namespace tutor
