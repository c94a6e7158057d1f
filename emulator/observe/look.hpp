/// \file
/// Who may touch what the instruments remember, and when they are at work.
///
/// Blocks run on one host thread, one grid at a time: what only they write (BlockObserver, LaunchObserver,
/// Counters, Races, TraceLog) needs no lock. What the program's host threads come to, too, is touched under one
/// mutex, which every function of RuntimeWatcher takes at its entry (LockedLook), and in what blocks call
/// whoever keeps things of both kinds (Pages, Links, TaskRaces, the list of hazards). Within it nothing of the
/// emulator's is called that takes a lock.
#pragma once

#include <mutex>
#include <utility>

namespace emu {

/// The linker keeps one copy of an inline function, such as the standard library's, and it may be the
/// program's observed one: so callbacks come also while the instruments are at work.
extern constinit thread_local bool looking;

/// The instruments look, until the end of the scope: what they do themselves is nobody's access. No thread may
/// be switched within it.
class Look {
public:
  Look() : before_(std::exchange(looking, true)) {}
  ~Look() { looking = before_; }
  Look(const Look &) = delete;
  Look &operator=(const Look &) = delete;

private:
  bool before_;
};

std::recursive_mutex &instruments_mutex();

/// The same, at what all host threads come to.
class LockedLook {
public:
  LockedLook() : lock_(instruments_mutex()) {}

private:
  Look look_;
  std::lock_guard<std::recursive_mutex> lock_;
};

} // namespace emu
