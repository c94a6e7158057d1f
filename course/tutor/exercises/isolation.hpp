#pragma once

#include "base/paths.hpp"
#include "base/process.hpp"
#include "exercises/check.hpp"

#include <string>
#include <vector>

/// \file
/// What stands between a submission and the machine that grades it.
///
/// Walls, each there if this machine has it: bubblewrap (a file system with nothing but what
/// is needed in it, no network, its own processes), Landlock (the kernel lets nothing else be read
/// or written) and seccomp (the kernel refuses new processes, sockets, signals to others). A control group,
/// where systemd makes them for this user, counts the memory of all of a compiler's processes together.
/// Limits (limits.hpp), which are those of each process, are there always.

namespace tutor {

/// The walls that one machine has.
struct Walls {
  bool bubblewrap = false;
  int landlock = 0; ///< version of the kernel's Landlock; 0: none
  bool seccomp = false;
  bool cgroup = false; ///< by systemd-run

  /// "bubblewrap, landlock 7, seccomp, cgroup, limits": for receipts.
  std::string text() const;
  /// One line on what a submission could do because a wall is missing, and what brings it; empty
  /// when nothing that matters is missing.
  std::string warning() const;
};

/// Turns commands into the same commands behind walls; for CheckOptions::isolate.
class Isolation {
public:
  /// Finds out which walls there are, by trying them.
  /// \param fence     the program tutor_fence
  /// \param readable  what compilers may read besides the system's own folders; programs see only
  ///                  their own folder. What is in neither, the hidden checks say, is not seen.
  Isolation(fs::path fence, std::vector<fs::path> readable);
  /// The same with walls given, of which there may be more on this machine: for tests.
  Isolation(fs::path fence, std::vector<fs::path> readable, const Walls &walls);

  const Walls &walls() const { return walls_; }
  Command operator()(const IsolatedWork &work) const;

private:
  Walls find_walls() const;
  /// The beginning of a bubblewrap command: namespaces and the system's folders.
  static Command bubblewrap();

  fs::path fence_;
  std::vector<fs::path> readable_;
  Walls walls_;
};

} // namespace tutor
