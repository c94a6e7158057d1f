#include "shares.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/engine/drawn_order.hpp"
#include "../src/engine/workers.hpp"
#include "bytes.hpp"
#include "recorder.hpp"
#include <observation/shares.hpp>

namespace emu {

namespace {

/// What a process tells, one after the other: what was before its first part, its parts, and the rest.
struct Told {
  enum class What : unsigned char { before, part, last_part, rest } what;
  size_t part; // which it was
  std::string text, printed, seen;
  void carry(Bytes &bytes) { bytes(what, part, text, printed, seen); }
};

void flush() {
  std::cout.flush(); // which has a buffer of its own after sync_with_stdio(false)
  std::fflush(nullptr);
}

bool write_whole(int to, const void *from, size_t bytes) {
  for (const char *at = static_cast<const char *>(from); bytes > 0;) {
    const ssize_t written = write(to, at, bytes);
    if (written < 0 && errno != EINTR)
      return false;
    at += std::max<ssize_t>(written, 0);
    bytes -= static_cast<size_t>(std::max<ssize_t>(written, 0));
  }
  return true;
}

/// The share of a process of its own, which prints into memory.
class OwnShare final : public Share {
public:
  OwnShare(size_t first, size_t step, size_t parts, int to)
      : first_(first), parts_(parts), step_(step), next_(first), to_(to),
        printed_(memfd_create("printed", MFD_CLOEXEC)) {
    dup2(printed_, STDOUT_FILENO);
  }
  bool next(size_t &part) override {
    begin();
    part = next_;
    return next_ < parts_;
  }
  void done(const std::string &text) override { end_part(Told::What::part, text); }
  void failed(const std::string &text) override {
    end_part(Told::What::last_part, text);
    next_ = parts_;
  }
  void tell(Told::What what, const std::string &text = {}, bool early = false) {
    flush();
    const bool at_the_end = what == Told::What::rest && !early;
    Told told{what, next_, text, {}, is_to_report() ? recorder()->hand_over(at_the_end) : ""};
    told.printed.resize(static_cast<size_t>(lseek(printed_, 0, SEEK_END)));
    if (pread(printed_, told.printed.data(), told.printed.size(), 0) < 0)
      told.printed.clear();
    if (ftruncate(printed_, 0) == 0)
      lseek(printed_, 0, SEEK_SET);
    Bytes bytes;
    bytes(told);
    const size_t length = bytes.text().size();
    if (!write_whole(to_, &length, sizeof length) || !write_whole(to_, bytes.text().data(), length))
      _exit(1);
  }

private:
  void begin() {
    if (begun_)
      return;
    begun_ = true;
    tell(Told::What::before);
    if (first_ > 0)
      recorder()->forget_made();
    if (!recorder()->has_managed_memory())
      return;
    // Where its pages lie, what was done before has decided.
    step_ = 1;
    next_ = first_ == 0 ? 0 : parts_;
  }
  void end_part(Told::What what, const std::string &text) {
    begin(); // or what comes before the first part has failed
    tell(what, text);
    next_ += step_;
  }

  const size_t first_, parts_;
  size_t step_, next_;
  const int to_, printed_;
  bool begun_ = false;
};

OwnShare *own = nullptr; // of this process

/// A process that does a share, as whoever has dealt it knows it.
struct Helper {
  pid_t process = -1;
  int from = -1;
  std::string bytes; // that it has told
  std::vector<Told> told;
  int status = 0; // with which it ended
};

constexpr size_t most_helpers = 64;
std::array<volatile pid_t, most_helpers> processes; // that do shares of this one's work; 0: none

[[noreturn]] void do_share(size_t first,
                           size_t step,
                           size_t parts,
                           int to,
                           bool reports,
                           const std::function<void(Share &)> &work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); // Ctrl-C is for who has dealt the work
  if (reports)
    report_here();
  OwnShare share(first, step, parts, to);
  own = &share;
  work(share);
  if (reports)
    std::exit(0); // which hands over the rest, when destructors have done their work
  share.tell(Told::What::rest);
  _exit(0);
}

Helper start(size_t first,
             size_t step,
             size_t parts,
             const sigset_t &signals,
             const std::function<void(Share &)> &work) {
  int ends[2];
  const bool reports = is_to_report();
  Helper helper;
  if (pipe(ends) != 0 || (helper.process = fork()) < 0) {
    std::perror("emulator: no process for a share of the work");
    std::abort();
  }
  if (helper.process == 0) {
    std::fill(processes.begin(), processes.end(), 0);
    close(ends[0]);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    do_share(first, step, parts, ends[1], reports, work);
  }
  close(ends[1]);
  helper.from = ends[0];
  processes[first] = helper.process;
  return helper;
}

void take_apart(Helper &helper) {
  size_t length = 0;
  for (size_t at = 0; at + sizeof length <= helper.bytes.size(); at += length) {
    helper.bytes.copy(reinterpret_cast<char *>(&length), sizeof length, at);
    at += sizeof length;
    if (at + length > helper.bytes.size())
      break; // it ended meanwhile
    Bytes bytes(helper.bytes.substr(at, length));
    bytes(helper.told.emplace_back());
  }
}

/// Until all have ended.
void listen(std::vector<Helper> &helpers) {
  std::vector<pollfd> ends;
  for (const Helper &helper : helpers)
    ends.push_back({helper.from, POLLIN, 0});
  for (size_t open = ends.size(); open > 0;) {
    if (poll(ends.data(), ends.size(), -1) < 0)
      continue; // a signal
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0)
        continue;
      std::array<char, 65536> buffer;
      const ssize_t bytes = read(ends[i].fd, buffer.data(), buffer.size());
      if (bytes > 0) {
        helpers[i].bytes.append(buffer.data(), static_cast<size_t>(bytes));
      } else if (bytes == 0 || errno != EINTR) {
        close(ends[i].fd);
        ends[i].fd = -1;
        --open;
      }
    }
  }
  for (Helper &helper : helpers) {
    while (waitpid(helper.process, &helper.status, 0) < 0 && errno == EINTR) {
    }
    take_apart(helper);
  }
  std::fill(processes.begin(), processes.end(), 0);
}

void take_over(const Told &told) {
  std::fwrite(told.printed.data(), 1, told.printed.size(), stdout);
  if (!told.seen.empty())
    recorder()->take_over(told.seen);
}

/// What each part has told, in order; takes over what was seen. Where a process did not come to its end, this one ends, too.
std::vector<std::string> told_by(const std::vector<Helper> &helpers) {
  std::map<size_t, const Told *> parts;
  int status = 0;
  for (const Helper &helper : helpers) {
    if (&helper == &helpers[0] && !helper.told.empty())
      take_over(helper.told[0]);
    for (const Told &told : helper.told)
      if (told.what == Told::What::part || told.what == Told::What::last_part)
        parts[told.part] = &told;
    status = status == 0 ? helper.status : status;
  }
  std::vector<std::string> texts;
  for (const auto &[part, told] : parts) {
    take_over(*told);
    texts.push_back(told->text);
    if (told->what == Told::What::last_part)
      break;
  }
  for (const Helper &helper : helpers)
    if (!helper.told.empty() && helper.told.back().what == Told::What::rest)
      take_over(helper.told.back());
  if (interrupted_by != 0)
    report_interrupted();
  if (status != 0)
    end_like(status);
  return texts;
}

} // namespace

bool hand_over_rest(bool early) {
  if (own)
    own->tell(Told::What::rest, {}, early);
  return own != nullptr;
}

bool pass_on(int signal) {
  bool any = false;
  for (const pid_t process : processes)
    if (process > 0)
      any = kill(process, signal) == 0 || any;
  return any;
}

std::vector<std::string> in_shares(size_t parts, const std::function<void(Share &)> &work) {
  // A drawn order goes on from what was drawn for the part before; a timeline and a trace are of one process.
  const bool of_one = drawn_order().drawn() || std::getenv("EMU_TIMELINE") ||
                      std::getenv("EMU_TIMELINE_SVG") || std::getenv("EMU_OBSERVE_TRACE");
  const size_t count =
      of_one ? 1 : std::min({parts, static_cast<size_t>(worker_count()), most_helpers});
  if (count < 2) {
    OnlyShare all(parts);
    work(all);
    return all.told;
  }
  flush();
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before); // until each process is known, to be told of them, too
  std::vector<Helper> helpers;
  for (size_t i = 0; i < count; ++i)
    helpers.push_back(start(i, count, parts, before, work));
  sigprocmask(SIG_SETMASK, &before, nullptr);
  listen(helpers);
  return told_by(helpers);
}

} // namespace emu
