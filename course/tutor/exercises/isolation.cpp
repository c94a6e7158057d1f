#include "exercises/isolation.hpp"

#include "base/environment.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <unistd.h>

namespace tutor {
namespace {

/// Where the system keeps compilers, libraries and what these read.
const std::vector<fs::path> system_folders{"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin"};
const std::vector<fs::path> system_files{"/etc/ld.so.cache", "/etc/alternatives"};

bool is_of_system(const fs::path &path) {
  return std::ranges::any_of(system_folders, [&](const fs::path &folder) {
    return path.string().starts_with(folder.string() + "/");
  });
}

/// Makes the same path in bubblewrap's file system: read-only, and, as on many systems /lib is a
/// link to /usr/lib, as the link that it is.
void show(Command &command, const fs::path &path) {
  if (fs::is_symlink(path)) {
    append(command, {"--symlink", fs::read_symlink(path).string(), path.string()});
  } else if (fs::exists(path)) {
    append(command, {"--ro-bind", path.string(), path.string()});
  }
}

/// The beginning of a command that is to run in a control group of its own. The bus of a user's systemd is
/// found through a variable, which what is started does not get.
Command control_group() {
  const char *bus = std::getenv("XDG_RUNTIME_DIR");
  Command command{find_program("env").value_or("env").string(),
                  fmt::format("XDG_RUNTIME_DIR={}", bus != nullptr ? bus : ""),
                  find_program("systemd-run").value_or("systemd-run").string(),
                  geteuid() == 0 ? "--system" : "--user"};
  append(command,
         words_of("--scope --quiet --collect --no-ask-password --property=MemoryMax=4G "
                  "--property=MemorySwapMax=0 --property=TasksMax=512 -- "
                  "env --unset=XDG_RUNTIME_DIR"));
  return command;
}

} // namespace

std::string Walls::text() const {
  std::vector<std::string> there;
  if (bubblewrap) {
    there.emplace_back("bubblewrap");
  }
  if (landlock > 0) {
    there.push_back(fmt::format("landlock {}", landlock));
  }
  if (seccomp) {
    there.emplace_back("seccomp");
  }
  if (cgroup) {
    there.emplace_back("cgroup");
  }
  there.emplace_back("limits");
  return fmt::format("{}", fmt::join(there, ", "));
}

std::string Walls::warning() const {
  if (bubblewrap && seccomp) {
    return "";
  }
  std::string missing =
      !bubblewrap ? "bubblewrap is not here, or not allowed to work" : "this kernel has no seccomp";
  std::string open = landlock == 0 && !bubblewrap ? "submissions can read this machine's files"
                     : !seccomp                   ? "submissions can start processes"
                                : "the kernel's Landlock and seccomp stand in for it";
  std::string advice =
      !bubblewrap ? "; bring it with: " + install_command({"bubblewrap"}) : std::string();
  return fmt::format("{}: {}{}", missing, open, advice);
}

Isolation::Isolation(fs::path fence, std::vector<fs::path> readable)
    : fence_(std::move(fence)), readable_(std::move(readable)), walls_(find_walls()) {}

Isolation::Isolation(fs::path fence, std::vector<fs::path> readable, const Walls &walls)
    : fence_(std::move(fence)), readable_(std::move(readable)), walls_(walls) {}

Command Isolation::bubblewrap() {
  Command command{find_program("bwrap").value_or("bwrap").string()};
  append(command,
         words_of("--unshare-user-try --unshare-ipc --unshare-pid --unshare-net --unshare-uts "
                  "--unshare-cgroup-try --die-with-parent --new-session --cap-drop ALL "
                  "--proc /proc --dev /dev"));
  for (const fs::path &path : system_folders) {
    show(command, path);
  }
  for (const fs::path &path : system_files) {
    show(command, path);
  }
  return command;
}

Walls Isolation::find_walls() const {
  Walls walls;
  Captured probe = capture({fence_.string(), "probe"});
  int seccomp = 0;
  if (std::sscanf(probe.output.c_str(), "landlock=%d seccomp=%d", &walls.landlock, &seccomp) == 2) {
    walls.seccomp = seccomp != 0;
  }
  if (find_program("bwrap")) {
    Command trial = bubblewrap();
    append(trial, {"--", "/usr/bin/env", "true"});
    walls.bubblewrap = capture(trial).exit_code == 0; // namespaces may be forbidden here
  }
  if (find_program("systemd-run")) {
    Command trial = control_group();
    trial.emplace_back("true");
    walls.cgroup = capture(trial).exit_code == 0;
  }
  return walls;
}

Command Isolation::operator()(const IsolatedWork &work) const {
  // A compiler reads what its command names, and the course's headers. A program reads its own folder,
  // which holds no more than was made of the submission.
  std::set<fs::path> readable{fence_};
  if (work.runs_learners_code) {
    readable.insert(work.folder);
  } else {
    readable.insert(readable_.begin(), readable_.end());
    for (const std::string &word : work.command) {
      if (word.starts_with('/') && fs::exists(word) && !is_of_system(word)) {
        readable.insert(word);
      }
    }
  }

  Command command = walls_.cgroup ? control_group() : Command();
  if (walls_.bubblewrap) {
    append(command, bubblewrap());
    append(command, {"--size", "67108864", "--tmpfs", "/tmp"});
    for (const fs::path &path : readable) {
      append(command, {"--ro-bind-try", path.string(), path.string()});
    }
    if (!work.runs_learners_code) {
      append(command, {"--bind", work.folder.string(), work.folder.string()});
    }
    append(command, {"--chdir", work.folder.string(), "--"});
  }

  command.push_back(fence_.string());
  if (walls_.landlock > 0) {
    for (const fs::path &path : system_folders) {
      append(command, {"--read", path.string()});
    }
    for (const fs::path &path : system_files) {
      append(command, {"--read", path.string()});
    }
    for (const fs::path &path : readable) {
      append(command, {"--read", path.string()});
    }
    append(command, {"--read", "/proc", "--write", "/dev/null"});
    if (!work.runs_learners_code) {
      append(command, {"--write", work.folder.string()});
    }
  }
  append(command, {work.runs_learners_code ? "program" : "compiler", "--"});
  append(command, work.command);
  return command;
}

} // namespace tutor
