#include "loop/tty.hpp"

#include "base/failure.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace tutor {
namespace {

// The alternate screen, so that the learner's scrollback stays; no cursor; no wrapping of long lines.
constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leave_screen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

// Signal handlers know no objects: what they need stands here.
termios terminal_before;
volatile std::sig_atomic_t screen_taken = 0;
int wake_pipe[2] = {-1, -1};

constexpr std::array waking_signals = {
    SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
constexpr std::array crash_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t handled_count = waking_signals.size() + crash_signals.size();
std::array<struct sigaction, handled_count> actions_before;

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

/// Safe in a signal handler.
void give_screen_back() {
  if (screen_taken != 0) {
    screen_taken = 0;
    write_all(leave_screen);
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
  }
}

void on_waking_signal(int signal) {
  const int error = errno;
  const auto byte = static_cast<char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1);
  errno = error;
}

void on_crash(int signal) {
  give_screen_back();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void set_handlers() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  std::size_t i = 0;
  action.sa_handler = on_waking_signal;
  for (int signal : waking_signals) {
    sigaction(signal, &action, &actions_before[i++]);
  }
  action.sa_handler = on_crash;
  for (int signal : crash_signals) {
    sigaction(signal, &action, &actions_before[i++]);
  }
}

void restore_handlers() {
  std::size_t i = 0;
  for (int signal : waking_signals) {
    sigaction(signal, &actions_before[i++], nullptr);
  }
  for (int signal : crash_signals) {
    sigaction(signal, &actions_before[i++], nullptr);
  }
}

} // namespace

bool Tty::usable() {
  const char *kind = std::getenv("TERM");
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && kind != nullptr &&
         *kind != '\0' && std::string_view(kind) != "dumb";
}

Tty::Tty() {
  if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw failure("cannot make a pipe: {}", std::strerror(errno));
  }
  set_handlers();
  take();
}

Tty::~Tty() {
  release();
  restore_handlers();
  close(wake_pipe[0]);
  close(wake_pipe[1]);
}

void Tty::take() {
  tcgetattr(STDIN_FILENO, &terminal_before);
  termios raw = terminal_before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO); // ISIG stays: Ctrl-C and Ctrl-Z work
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON); // Ctrl-S does not freeze the screen
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  screen_taken = 1;
  write_all(enter_screen);
}

void Tty::release() { give_screen_back(); }

Size Tty::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

void Tty::wake() const {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1); // full: it wakes anyway
}

void Tty::write(const std::string &text) const { write_all(text); }

Tty::Event Tty::handle_signal(int signal) {
  Event event;
  if (signal == SIGTSTP) { // Ctrl-Z: hand the terminal to the shell until it wakes us
    release();
    raise(SIGSTOP);
    take();
    event.redraw = true;
  } else if (signal == SIGWINCH || signal == SIGCONT) {
    event.redraw = true;
  } else if (signal != 0) {
    event.signal = signal;
  }
  return event;
}

Tty::Event Tty::wait(std::chrono::milliseconds longest) {
  constexpr int escape_wait_ms = 30; // what follows an escape within it belongs to the same key
  Event event;
  event.key = take_key(bytes_, false);
  if (event.key) {
    return event;
  }
  pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}};
  const int time = bytes_.empty() ? static_cast<int>(longest.count()) : escape_wait_ms;
  if (poll(sources, 2, time) <= 0) {
    event.key = take_key(bytes_, true);
    return event;
  }
  if (char signal = 0; (sources[1].revents & POLLIN) != 0 && read(wake_pipe[0], &signal, 1) == 1) {
    return handle_signal(signal);
  }
  if ((sources[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
    char chunk[64];
    const ssize_t length = read(STDIN_FILENO, chunk, sizeof chunk);
    event.closed = length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
    bytes_.append(chunk, static_cast<std::size_t>(length > 0 ? length : 0));
    event.key = take_key(bytes_, false);
  }
  return event;
}

} // namespace tutor
