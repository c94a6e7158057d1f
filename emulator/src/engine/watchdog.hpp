#pragma once

/// @file
/// Ends the program when a launch no longer moves: a loop without end cannot be stopped from inside.

namespace emu {

/// One more block is done, on the calling host thread.
void block_finished();

/// A launch that is running. While it is there, and no block finishes for EMU_TIMEOUT seconds (60; 0:
/// never), the instruments end it and name the line. Without them, or where they see nothing of the loop,
/// the program ends with exit code 124 and one line that names the kernel.
class WatchedLaunch {
public:
  explicit WatchedLaunch(const char *kernel);
  ~WatchedLaunch();
  WatchedLaunch(const WatchedLaunch &) = delete;
  WatchedLaunch &operator=(const WatchedLaunch &) = delete;
};

} // namespace emu
