/// \file
/// Objects of which each host thread has its own.
#pragma once

#include <utility>

namespace emu {

/// This host thread's T, made when it is first asked for; ends with the thread. As destructors of static objects
/// launch, too, it is made anew when it has ended, as no `thread_local T` is.
template <class T> T &of_this_thread() {
  static constinit thread_local T *made = nullptr;
  struct End {
    ~End() { delete std::exchange(made, nullptr); }
  };
  if (made == nullptr) {
    made = new T;
    [[maybe_unused]] thread_local const End end;
  }
  return *made;
}

} // namespace emu
