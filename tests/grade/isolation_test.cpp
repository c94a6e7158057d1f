// The walls around submissions, each on its own: a program that is not checked tries to get over them.
#include "base/environment.hpp"
#include "exercises/isolation.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace grade_test;

namespace {

Walls walls_here() { return Isolation(FENCE_PROGRAM, {}).walls(); }

Walls without_bubblewrap() {
  Walls walls = walls_here();
  walls.bubblewrap = false;
  return walls;
}

/// A submission's folder with its program in it, a secret elsewhere.
struct Ground {
  Ground() {
    fs::permissions(folder.path(), fs::perms::others_all, fs::perm_options::add);
    write(secret(), "the hidden checks");
    fs::create_directories(work());
    fs::permissions(work(), fs::perms::others_all, fs::perm_options::add);
    fs::copy_file(PROBE_PROGRAM, program());
  }
  fs::path secret() const { return folder.path() / "secret" / "block_sum.extra.cu"; }
  fs::path work() const { return folder.path() / "work"; }
  fs::path program() const { return work() / "probe"; }

  std::string probe(const Walls &walls,
                    const Command &attempts,
                    bool runs_learners_code = true,
                    const Command &before = {}) const {
    const Isolation isolation(FENCE_PROGRAM, {}, walls);
    IsolatedWork task{{program().string()}, work(), runs_learners_code};
    task.command.insert(task.command.end(), attempts.begin(), attempts.end());
    Command command = before;
    const Command isolated = isolation(task);
    command.insert(command.end(), isolated.begin(), isolated.end());
    const Captured end = capture(command);
    return end.output + (end.exit_code == 0 ? "" : "exit " + std::to_string(end.exit_code) + "\n");
  }

  TemporaryFolder folder;
};

const Command harmful{"fork", "socket", "session", "shared", "memory", "trace", "limit", "run"};
const std::string all_refused =
    "fork no\nsocket no\nsession no\nshared no\nmemory no\ntrace no\nlimit no\nrun no\n";

Command files(const Ground &ground) {
  return {"read=" + ground.program().string(),
          "write=" + (ground.work() / "new").string(),
          "write=" + (fs::temp_directory_path() / "new-of-probe").string(),
          "remove=" + ground.secret().string()};
}
const std::string own_folder_only = "read yes\nwrite no\nwrite no\nremove no\n";

Command elsewhere(const Ground &ground) {
  return {"read=" + ground.secret().string(), "read=/etc/passwd"};
}

Command compiles(const Ground &ground) {
  return {"write=" + (ground.work() / "object.o").string(),
          "write=" + (ground.folder.path() / "elsewhere").string(),
          "read=" + ground.secret().string(),
          "fork"};
}
const std::string compiler_only = "write yes\nwrite no\nread no\nfork yes\n";

} // namespace

TEST_CASE("without walls, all of it works: the probe can fail") {
  const Ground ground;
  CHECK(capture({ground.program().string(), "fork", "socket", "run", "memory", "limit"}).output ==
        "fork yes\nsocket yes\nrun yes\nmemory yes\nlimit yes\n");
  const Captured files = capture({ground.program().string(),
                                  "read=" + ground.secret().string(),
                                  "write=" + (ground.folder.path() / "new").string(),
                                  "signal=" + std::to_string(getpid())});
  CHECK(files.output == "read yes\nwrite yes\nsignal yes\n");
}

// Each of these suites is a test of its own, which CTest calls skipped where the wall is missing: run
// without an argument, this program leaves them out. See needs() in support.hpp.

TEST_SUITE("seccomp") {
  TEST_CASE("a program starts nothing and reaches nobody" * doctest::skip()) {
    needs(walls_here().seccomp, "this kernel has no seccomp");
    const Ground ground;
    CHECK(ground.probe(walls_here(), harmful) == all_refused);
    CHECK(ground.probe(without_bubblewrap(), harmful) == all_refused);
    CHECK(ground.probe({false, 0, true}, harmful) == all_refused);
    // In a bubble there are other numbers; without one, ours is there, and out of reach.
    CHECK(ground.probe(without_bubblewrap(), {"signal=" + std::to_string(getpid())}) ==
          "signal no\n");
    CHECK(ground.probe({false, 0, true}, {"signal=" + std::to_string(getpid())}) == "signal no\n");
    CHECK(ground.probe(walls_here(), {"thread"}) == "thread yes\n");
    CHECK(ground.probe(without_bubblewrap(), {"thread"}) == "thread yes\n");
  }

  TEST_CASE("a program writes nowhere" * doctest::skip()) {
    needs(walls_here().seccomp, "this kernel has no seccomp");
    const Ground ground;
    CHECK(ground.probe(without_bubblewrap(), files(ground)) == own_folder_only);
    CHECK(ground.probe({false, 0, true}, files(ground)) == own_folder_only);
    CHECK(fs::exists(ground.secret()));
  }
}

TEST_SUITE("bubblewrap") {
  TEST_CASE("a program in a bubble sees its own folder and writes nowhere" * doctest::skip()) {
    needs(walls_here().bubblewrap, "bubblewrap is not here, or not allowed to work");
    const Ground ground;
    CHECK(ground.probe(walls_here(), files(ground)) == own_folder_only);
    CHECK(ground.probe(walls_here(), elsewhere(ground)) == "read no\nread no\n");
    CHECK(ground.probe(walls_here(), compiles(ground), false) == compiler_only);
    CHECK(holds(ground.probe(walls_here(), {"abort"}), "exit 134"));
    CHECK(fs::exists(ground.secret()));
  }
}

TEST_SUITE("landlock") {
  TEST_CASE("a program sees its own folder" * doctest::skip()) {
    needs(walls_here().landlock > 0, "this kernel has no Landlock");
    const Ground ground;
    CHECK(ground.probe(without_bubblewrap(), elsewhere(ground)) == "read no\nread no\n");
  }

  TEST_CASE("a compiler writes into the submission's folder only, and reads what it is told to" *
            doctest::skip()) {
    needs(walls_here().landlock > 0, "this kernel has no Landlock");
    const Ground ground;
    CHECK(ground.probe(without_bubblewrap(), compiles(ground), false) == compiler_only);
  }
}

TEST_SUITE("cgroup") {
  TEST_CASE("a program runs in a control group of its own" * doctest::skip()) {
    needs(walls_here().cgroup, "no systemd makes control groups for this user");
    const TemporaryFolder folder;
    const Isolation isolation(FENCE_PROGRAM, {}, walls_here());
    const IsolatedWork task{{"/bin/cat", "/proc/self/cgroup"}, folder.path(), false};
    CHECK(holds(capture(isolation(task)).output, ".scope"));
  }
}

TEST_SUITE("user") {
  TEST_CASE("the walls stand for an ordinary user too" * doctest::skip()) {
    const Command become_nobody{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    Command trial = become_nobody;
    trial.insert(trial.end(), {FENCE_PROGRAM, "probe"});
    needs(getuid() == 0 && capture(trial).exit_code == 0,
          "not root, or nobody may not look into the build folder");
    const Ground ground;
    CHECK(ground.probe(walls_here(), harmful, true, become_nobody) == all_refused);
    CHECK(ground.probe(without_bubblewrap(), harmful, true, become_nobody) == all_refused);
  }
}

TEST_CASE("a crash is told") {
  const Ground ground;
  CHECK(holds(ground.probe(without_bubblewrap(), {"abort"}), "exit 134"));
}

TEST_CASE("a wall is there when it has been seen to stand") {
  const TemporaryFolder folder;
  const auto pretend = [&](const std::string &name, const std::string &script) {
    write(folder.path() / name, "#!/bin/sh\n" + script);
    fs::permissions(folder.path() / name, fs::perms::owner_all);
  };
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  // Where namespaces are forbidden; and a systemd that does what it is asked.
  pretend("bwrap", "echo 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n");
  pretend("systemd-run",
          "while [ \"$1\" != -- ]; do echo \"$1\"; shift; done\nshift\nexec \"$@\"\n");
  const Walls walls = walls_here();
  const Command command = Isolation(FENCE_PROGRAM, {}, walls)(
      {{"/bin/sh", "-c", "echo ${XDG_RUNTIME_DIR-gone}"}, folder.path(), false});
  const std::string told = capture(command).output;
  pretend("systemd-run", "exit 1\n"); // no systemd, as in a container
  CHECK_FALSE(walls_here().cgroup);
  setenv("PATH", path.c_str(), 1);
  CHECK_FALSE(walls.bubblewrap);
  CHECK(walls.cgroup);
  CHECK(holds(told, "--scope\n"));
  CHECK(holds(told, "--property=MemoryMax=4G\n"));
  CHECK(told.ends_with("gone\n"));
  CHECK(holds(walls.warning(), "bubblewrap is not here, or not allowed to work"));
}

TEST_CASE("what is missing is said in one line") {
  CHECK(Walls{true, 0, true}.warning().empty());
  CHECK(holds(Walls{false, 0, true}.warning(), "submissions can read this machine's files"));
  CHECK(holds(Walls{false, 0, true}.warning(), "apt-get install -y"));
  CHECK(holds(Walls{false, 5, true}.warning(), "Landlock and seccomp stand in for it"));
  CHECK(holds(Walls{true, 5, false}.warning(), "submissions can start processes"));
  CHECK(line_count(Walls{false, 0, false}.warning()) == 0);
  CHECK(Walls{true, 7, true, true}.text() == "bubblewrap, landlock 7, seccomp, cgroup, limits");
}
