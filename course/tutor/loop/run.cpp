#include "loop/run.hpp"

#include "base/failure.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "exercises/check.hpp"
#include "loop/checks.hpp"
#include "loop/loop.hpp"
#include "loop/tty.hpp"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <tuple>
#include <utility>

namespace tutor {
namespace {

/// What tells one state of a file from another. Polled, because notifications do not cross network
/// mounts and WSL; the inode too, because editors replace files.
using Stamp = std::tuple<bool, long, long, long, unsigned long>;

Stamp stamp_of(const fs::path &file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) {
    return {};
  }
  return {true, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size, info.st_ino};
}

/// Notices when the watched file has changed.
class Watch {
public:
  /// True once after each change. A file that was not watched before has not changed.
  bool changed(const fs::path &file) {
    const Stamp now = stamp_of(file);
    const bool same_file = file == file_;
    const bool change = same_file && now != stamp_;
    file_ = file;
    stamp_ = now;
    return change;
  }

private:
  fs::path file_;
  Stamp stamp_;
};

/// Notices files of other exercises. They are many, so it looks at them now and then only.
class WatchOthers {
public:
  /// Of those that were there already, one that has changed; none most of the time.
  std::optional<std::string>
  changed(const std::vector<Exercise> &exercises, const Workspace &workspace, double now) {
    constexpr double seconds_between = 1;
    if (now < next_) {
      return std::nullopt;
    }
    next_ = now + seconds_between;
    std::optional<std::string> changed;
    for (const Exercise &exercise : exercises) {
      const Stamp stamp = stamp_of(workspace.file(exercise));
      const Stamp before = std::exchange(stamps_[exercise.id()], stamp);
      if (before != Stamp{} && stamp != Stamp{} && stamp != before) {
        changed = exercise.id();
      }
    }
    return changed;
  }

private:
  double next_ = 0;
  std::map<std::string, Stamp> stamps_;
};

/// Starts the learner's editor, which may need the whole terminal.
std::string edit_with(Tty &tty, const fs::path &file) {
  const char *editor = std::getenv("VISUAL");
  editor = editor != nullptr && *editor != '\0' ? editor : std::getenv("EDITOR");
  if (editor == nullptr || *editor == '\0') {
    return "o starts the editor that $EDITOR names, nano say. Any other will do, too";
  }
  tty.release();
  // A shell, because "code --wait" is a program and an option.
  const int exit_code = run({"sh", "-c", std::string(editor) + " \"$1\"", "sh", file.string()});
  tty.take();
  return exit_code == 0 ? "" : fmt::format("{} ended with {}", editor, exit_code);
}

/// Builds the checkers of exercises, each one once, while the learner still reads what is asked.
class Preparations {
public:
  Preparations(const fs::path &course, Backend backend) : build_(course, backend) {}

  /// Ends what is being built; nothing is built any more.
  void give_up() { stop_.request_stop(); }

  /// Sees to it that the exercise's checker is there; whoever comes second waits for the first.
  /// \throws Failure when the course itself does not build
  void ensure(const Exercise &exercise) {
    std::lock_guard lock(mutex_);
    if (!ready_.contains(exercise.id())) {
      if (stop_.stop_requested()) {
        throw failure("given up");
      }
      build_.build_quietly({check_target(exercise)}, stop_.get_token());
      ready_.insert(exercise.id());
    }
  }

  /// The same in the background; a failure comes up when the exercise is checked.
  void begin(const Exercise &exercise) {
    threads_.emplace_back([this, exercise] {
      try {
        ensure(exercise);
      } catch (const Failure &) {
      }
    });
  }

private:
  Build build_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::set<std::string> ready_;
  std::vector<std::jthread> threads_; // last, because what they use must outlive them
};

double seconds_now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Puts a screen on the terminal, each line at its place: nothing scrolls, nothing flickers.
std::string frame_of(const Lines &lines, const Size &size) {
  std::string frame;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const std::string text = to_terminal(lines[row], size.columns, colours_shown());
    frame += fmt::format("\x1b[{};1H\x1b[2K{}", row + 1, text);
  }
  return frame;
}

void deliver(const CheckNews &news, Loop &loop) {
  if (news.phase) {
    loop.phase(*news.phase);
  }
  if (news.result) {
    loop.judged(*news.result);
  }
  if (news.trouble) {
    loop.trouble(*news.trouble);
  }
}

} // namespace

int run_loop(const std::vector<Exercise> &exercises,
             const Workspace &workspace,
             Backend backend,
             const std::string &id,
             const std::string &notice) {
  constexpr auto poll_time = std::chrono::milliseconds(250);
  Tty tty;
  Preparations preparations(exercises.front().root, backend);
  BackgroundChecks checks([&] { tty.wake(); });
  struct GiveUp { // before the checks are waited for, which may be waiting for a checker
    Preparations &preparations;
    ~GiveUp() { preparations.give_up(); }
  } give_up{preparations};
  LoopHands hands;
  hands.prepare = [&](const Exercise &exercise) { preparations.begin(exercise); };
  hands.now = seconds_now;
  hands.stop_check = [&] { checks.stop(); };
  hands.edit = [&](const fs::path &file) { return edit_with(tty, file); };
  hands.start_check = [&](const Exercise &exercise) {
    checks.start([&preparations, exercise, backend, file = workspace.file(exercise)](
                     std::stop_token stop, const BackgroundChecks::Phase &on_phase) {
      on_phase("building its checker");
      preparations.ensure(exercise);
      CheckOptions options;
      options.backend = backend;
      options.stop = stop;
      options.on_phase = on_phase;
      return check(exercise, file, options);
    });
  };
  Loop loop(exercises, workspace, hands);
  loop.begin(id, notice);

  Watch watch;
  WatchOthers watch_others;
  std::string shown;
  double next_poll = 0;
  while (!loop.over()) {
    if (seconds_now() >= next_poll) {
      next_poll = seconds_now() + std::chrono::duration<double>(poll_time).count();
      if (watch.changed(loop.watched())) {
        loop.file_changed();
      }
      if (const auto id = watch_others.changed(exercises, workspace, seconds_now())) {
        loop.saved_elsewhere(*id);
      }
    }
    const Size size = tty.size();
    if (std::string frame = frame_of(loop.draw(size), size); frame != shown) {
      tty.write(frame);
      shown = std::move(frame);
    }
    const Tty::Event event = tty.wait(poll_time);
    if (event.signal != 0 || event.closed) {
      return event.signal;
    }
    if (event.redraw) {
      tty.write("\x1b[2J");
      shown.clear();
    }
    if (event.key) {
      loop.press(*event.key);
    }
    deliver(checks.take(), loop);
  }
  return 0;
}

} // namespace tutor
