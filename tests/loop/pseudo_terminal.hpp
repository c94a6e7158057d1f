#pragma once

#include "base/process.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <pty.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

/// \file
/// A program on a pseudo-terminal, with as much of a terminal behind it as the tutor draws with.

/// Rows of characters, and the sequences that put text there.
class Screen {
public:
  void resize(std::size_t rows, std::size_t columns) {
    rows_.resize(rows);
    columns_ = columns;
  }

  void take(const std::string &bytes) {
    for (char byte : bytes) {
      if (!sequence_.empty() || byte == '\x1b') {
        sequence_ += byte;
        if (sequence_.size() > 2 && byte >= '@' && byte <= '~') {
          obey();
        }
      } else if (byte == '\n') {
        ++row_;
        column_ = 0;
      } else if (byte == '\r') {
        column_ = 0;
      } else if (row_ < rows_.size()) {
        std::string &row = rows_[row_]; // bytes, not characters: enough to look for words
        row.resize(std::max(row.size(), column_ + 1), ' ');
        row[column_++] = byte;
      }
    }
  }

  std::string text() const {
    std::string all;
    for (const std::string &row : rows_) {
      all += row + "\n";
    }
    return all;
  }
  const std::string &row(std::size_t i) const { return rows_.at(i); }
  bool alternate() const { return alternate_; }
  /// True when there ever was a colour, or bold text.
  bool coloured() const { return coloured_; }

private:
  void obey() {
    std::size_t row = 0, column = 0;
    if (std::sscanf(sequence_.c_str(), "\x1b[%zu;%zuH", &row, &column) == 2 &&
        sequence_.back() == 'H') {
      row_ = row - 1;
      column_ = column - 1;
    } else if (sequence_ == "\x1b[2K" && row_ < rows_.size()) {
      rows_[row_].clear();
    } else if (sequence_ == "\x1b[2J") {
      rows_.assign(rows_.size(), "");
    } else if (sequence_ == "\x1b[?1049h" || sequence_ == "\x1b[?1049l") {
      alternate_ = sequence_.back() == 'h';
      rows_.assign(rows_.size(), "");
    }
    coloured_ = coloured_ || (sequence_.back() == 'm' && sequence_ != "\x1b[0m");
    sequence_.clear();
  }

  std::vector<std::string> rows_;
  std::size_t columns_ = 80, row_ = 0, column_ = 0;
  std::string sequence_;
  bool alternate_ = false;
  bool coloured_ = false;
};

/// The program. Ended, if it is still there, when this goes.
class PseudoTerminal {
public:
  explicit PseudoTerminal(const tutor::Command &command,
                          unsigned short rows = 24,
                          unsigned short columns = 80) {
    winsize size{rows, columns, 0, 0};
    screen_.resize(rows, columns);
    child_ = forkpty(&master_, nullptr, nullptr, &size);
    if (child_ == 0) {
      tutor::become(command);
    }
    tcgetattr(master_, &before_);
  }
  ~PseudoTerminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal &) = delete;
  PseudoTerminal &operator=(const PseudoTerminal &) = delete;

  void press(const std::string &keys) const {
    [[maybe_unused]] const ssize_t written = write(master_, keys.data(), keys.size());
  }
  void resize(unsigned short rows, unsigned short columns) {
    winsize size{rows, columns, 0, 0};
    screen_.resize(rows, columns);
    ioctl(master_, TIOCSWINSZ, &size);
  }
  void send(int signal) const { kill(child_, signal); }

  /// Waits until the screen holds the words.
  bool shows(const std::string &words, double seconds = 60) {
    return until(seconds, [&] { return screen_.text().find(words) != std::string::npos; });
  }
  /// Waits until this row of it holds them.
  bool shows_in_row(std::size_t row, const std::string &words) {
    return until(60, [&] { return screen_.row(row).find(words) != std::string::npos; });
  }
  /// Waits until the screen does not hold them.
  bool hides(const std::string &words, double seconds = 60) {
    return until(seconds, [&] { return screen_.text().find(words) == std::string::npos; });
  }

  /// Waits for the program's end, or for its being stopped; returns waitpid's status.
  int wait(int options = 0) {
    int status = SIGKILL; // what a program that does not end in time will end by
    until(60, [&] {
      int its = 0;
      const bool over = waitpid(child_, &its, WNOHANG | options) == child_;
      status = over ? its : status;
      return over;
    });
    until(0.3, [] { return false; }); // its last words
    if (kill(child_, 0) != 0) { // it is gone, and its number may become another's
      child_ = -1;
    }
    return status;
  }

  /// The terminal's modes are what they were at first.
  bool modes_restored() const {
    termios now{};
    tcgetattr(master_, &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag;
  }
  const Screen &screen() const { return screen_; }

private:
  template <class Condition> bool until(double seconds, const Condition &condition) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!condition()) {
      if (Clock::now() > end) {
        return false;
      }
      pollfd source{master_, POLLIN, 0};
      char chunk[4096];
      if (poll(&source, 1, 20) > 0) {
        const ssize_t length = read(master_, chunk, sizeof chunk);
        if (length > 0) {
          screen_.take(std::string(chunk, static_cast<std::size_t>(length)));
        } else {
          usleep(20'000); // the program has ended: only the condition may still change
        }
      }
    }
    return true;
  }

  pid_t child_ = -1;
  int master_ = -1;
  termios before_{};
  Screen screen_;
};
