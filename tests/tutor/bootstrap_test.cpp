#include "support.hpp"

#include "base/environment.hpp"

#include <doctest/doctest.h>
#include <fstream>

using tutor::Captured;

namespace {

/// A machine of our own making: a course with the real ./tutor script, and a PATH that holds the
/// tools we put there and nothing else.
struct Machine {
  TemporaryFolder folder;
  fs::path course = folder.path() / "course";
  fs::path bin = folder.path() / "bin";

  Machine() {
    copy_fixture(course);
    fs::copy(fs::path(COURSE_FOLDER) / "tutor", course / "tutor");
    fs::create_directory(bin);
    for (const std::string &tool :
         tutor::words_of("sh cat df dirname env flock grep id mkdir readlink rm sed sort tail true "
                         "printf c++ gcc as ld ar ranlib uname cmake ninja")) {
      add_tool(tool);
    }
  }

  /// Puts one of this machine's real tools on the PATH.
  void add_tool(const std::string &name) {
    fs::create_symlink(tutor::find_program(name).value(), bin / name);
  }

  /// Puts a shell script on the PATH instead of a real tool.
  void fake_tool(const std::string &name, const std::string &script) {
    fs::remove(bin / name);
    std::ofstream(bin / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(bin / name, fs::perms::owner_all);
  }

  Captured run(const tutor::Command &arguments, const std::string &extra = "A=1") const {
    return run_script(course / "tutor", arguments, extra);
  }

  Captured run_script(const fs::path &script,
                      const tutor::Command &arguments,
                      const std::string &extra = "A=1") const {
    tutor::Command command{"env", "-u", "CXX", "PATH=" + bin.string(), extra, script.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return tutor::capture(command, "/");
  }
};

} // namespace

TEST_CASE_FIXTURE(Machine, "the first run builds the tutor, the second hands over at once") {
  Captured first = run({"run", "two words", ""});
  CAPTURE(first.output);
  CHECK(first.exit_code == 5);
  CHECK(holds(first.output, "configuring the course"));
  CHECK(holds(first.output, "building the tutor"));
  std::string handed_over = "root=" + course.string() + "\n[run]\n[two words]\n[]\n";
  CHECK(first.output.ends_with(handed_over));

  Captured second = run({"run", "two words", ""});
  CHECK(second.exit_code == 5);
  CHECK(second.output == handed_over);

  fs::create_symlink(course / "tutor", folder.path() / "link");
  CHECK(run_script(folder.path() / "link", {"list"}).output.starts_with("root=" + course.string()));
}

TEST_CASE_FIXTURE(Machine,
                  "a changed source builds the tutor again, a moved course configures again") {
  REQUIRE(run({}).exit_code == 5);
  fs::path source = course / "course/tutor/main.cpp";
  std::ofstream(source) << "int main() { return 6; }\n";
  // A person never saves within the clock tick in which the build ended; a test does.
  fs::last_write_time(source, fs::last_write_time(source) + std::chrono::seconds(1));
  CHECK(run({}).exit_code == 6);
  fs::rename(course, folder.path() / "moved");
  CHECK(run_script(folder.path() / "moved/tutor", {}).exit_code == 6);
}

TEST_CASE_FIXTURE(Machine, "what the tutor is made of elsewhere builds it again, too") {
  const fs::path number = course / "chapters/05_reduction/number.hpp";
  std::ofstream(number) << "constexpr int number = 7;\n";
  std::ofstream(course / "course/tutor/main.cpp")
      << "#include \"../../chapters/05_reduction/number.hpp\"\nint main() { return number; }\n";
  REQUIRE(run({}).exit_code == 7);
  std::ofstream(number) << "constexpr int number = 8;\n";
  fs::last_write_time(number, fs::last_write_time(number) + std::chrono::seconds(1));
  CHECK(run({}).exit_code == 8);
}

TEST_CASE_FIXTURE(Machine, "while another tutor builds, one that is built does not wait for it") {
  REQUIRE(run({}).exit_code == 5);
  const std::string lock = (course / "build/cpu/.tutor-lock").string();
  expect(tutor::capture({"flock",
                         lock,
                         "timeout",
                         "20",
                         "env",
                         "PATH=" + bin.string(),
                         (course / "tutor").string()},
                        "/"),
         5);
}

TEST_CASE_FIXTURE(Machine, "a tutor that does not compile shows the compiler's message") {
  std::ofstream(course / "course/tutor/main.cpp") << "int main() { return no_such_name; }\n";
  expect(run({}), 1, {"no_such_name", "the whole log is in"});
}

TEST_CASE_FIXTURE(Machine, "without apt-get the missing packages are named") {
  fs::remove(bin / "cmake");
  fs::remove(bin / "ninja");
  refused(run({"list"}), "lacks: cmake ninja-build; bring it with: ", 3);
}

TEST_CASE_FIXTURE(Machine,
                  "without root and sudo the command is printed and nothing is installed") {
  fs::remove(bin / "cmake");
  fake_tool("id", "echo 1000");
  fake_tool("apt-get", "echo called >" + ("'" + (folder.path() / "apt").string() + "'"));
  refused(run({"list"}), "lacks: cmake; bring it with: sudo apt-get install -y cmake", 3);
  fake_tool("sudo", "exit 1"); // a sudo that asks for a password
  refused(run({"list"}), "lacks: cmake; bring it with: sudo apt-get install -y cmake", 3);
  CHECK_FALSE(fs::exists(folder.path() / "apt"));
}

TEST_CASE_FIXTURE(Machine, "root installs what is missing and goes on; so does sudo") {
  std::string real_cmake = tutor::find_program("cmake").value();
  std::string log = "'" + (folder.path() / "apt").string() + "'";
  std::string install = "echo \"$@\" >>" + log + "\ncase $1 in install) /bin/ln -sf " + real_cmake +
                        " '" + (bin / "cmake").string() + "';; esac";
  fs::remove(bin / "cmake");
  fake_tool("apt-get", install);
  SUBCASE("root") { fake_tool("id", "echo 0"); }
  SUBCASE("sudo") {
    fake_tool("id", "echo 1000");
    fake_tool("sudo", "[ \"$1\" = -n ] && shift && exec \"$@\"");
  }
  expect(run({"list"}), 5);
  CHECK(tutor::read_file(folder.path() / "apt") ==
        "update\ninstall -y --no-install-recommends cmake mold\n");
}

TEST_CASE_FIXTURE(Machine, "an apt-get that fails ends in exit 3 and its message, in one line") {
  fs::remove(bin / "cmake");
  fake_tool("id", "echo 0");
  fake_tool("apt-get", "echo 'W: hm'; echo 'E: no way to debian.org' >&2; exit 100");
  const Captured result = run({"list"});
  CAPTURE(result.output);
  CHECK(result.exit_code == 3);
  CHECK(holds(result.output,
              "updating the package lists failed: no way to debian.org (is there a network?"));
  CHECK(line_count(result.output) == 2); // the first says what was tried
}

TEST_CASE_FIXTURE(Machine, "two first runs at once: one builds, the other waits for it") {
  const fs::path both = folder.path() / "both";
  std::ofstream(both) << "#!/bin/sh\n'" << (course / "tutor").string() << "' one & first=$!\n'"
                      << (course / "tutor").string() << "' two; second=$?\n"
                      << "wait $first; echo \"ends $? $second\"\n";
  fs::permissions(both, fs::perms::owner_all);
  const Captured result = run_script(both, {});
  CAPTURE(result.output);
  CHECK(holds(result.output, "ends 5 5"));
  CHECK(result.output.find("configuring") == result.output.rfind("configuring"));
  CHECK(holds(result.output, "waiting for another tutor, which is at work in "));
}

TEST_CASE_FIXTURE(Machine,
                  "whoever was killed on the way leaves nothing that the next one trips over") {
  for (const char *moment : {"0.1", "0.4", "0.8", "1.2"}) {
    tutor::capture(typed("setsid timeout -s KILL {} env {} {}",
                         moment,
                         "PATH=" + bin.string(),
                         course / "tutor"),
                   "/");
  }
  expect(run({}), 5);
}

TEST_CASE_FIXTURE(Machine, "a folder that cannot be written is named in one line") {
  std::ofstream(course / "build") << "a file in the way";
  refused(run({"list"}), "build/cpu cannot be written; clone the course into a folder of yours", 3);
}

TEST_CASE_FIXTURE(Machine, "a full disk is named in one line") {
  fake_tool("ninja", "[ \"$1\" != --version ] || exec echo 1.11; echo 'No space left'; exit 1");
  fake_tool("df", "echo head; echo '/dev/x 100000 99990 10 100% /'");
  expect(run({"list"}), 3, {" is full; make room, then type the same again\n"});
}

TEST_CASE_FIXTURE(Machine, "tools that are too old are refused by name") {
  fake_tool("old-c++", "exec c++ -U__GNUC__ -D__GNUC__=11 \"$@\"");
  refused(run({"list"}, "CXX=old-c++"), "old-c++ is too old: g++ 12 or clang 14 is needed", 3);
  fake_tool("cmake", "echo 'cmake version 3.22.1'");
  refused(run({"list"}), "cmake version 3.22.1 is too old: 3.25 is needed", 3);
}

TEST_CASE_FIXTURE(
    Machine, "an installed course is shared, and each learner writes to a folder of their own") {
  const fs::path prefix = folder.path() / "shared", home = folder.path() / "a learner's";
  fs::create_directory(prefix);
  const auto as_learner = [&](const tutor::Command &arguments) {
    return run_script(prefix / "bin/build-first", arguments, "BUILD_FIRST_HOME=" + home.string());
  };
  const auto state = [&] {
    return tutor::capture({"find", prefix.string(), "-printf", "%p %T@ %s\\n"}).output;
  };
  const Captured installed =
      tutor::capture({"cmake", "--install", BUILD_FOLDER, "--prefix", prefix.string()});
  CAPTURE(installed.output);
  REQUIRE(installed.exit_code == 0);
  const std::string before = state();

  add_tool("ln");
  CHECK(as_learner({"list"}).exit_code == 0);
  CHECK(as_learner({"check", "05.2", "--task"}).exit_code == 0);
  CHECK(fs::exists(home / "workspace/05_reduction/block_sum.cu"));
  const Captured told_editors = as_learner({"editor"});
  CHECK_MESSAGE(told_editors.exit_code == 0, told_editors.output);
  CHECK(fs::exists(home / "compile_commands.json"));
  fake_tool("cmake", "echo cmake \"$@\"; exit 1");
  expect(as_learner({"check", "05.2", "--backend", "cpu"}), 1);
  CHECK(
      holds(tutor::read_file(home / "build/cpu/tutor.log"), "-B " + (home / "build/cpu").string()));
  // From their folder it is ./tutor, as lessons say.
  const std::string in_home = "HOME=" + home.string();
  CHECK(tutor::capture({"env", in_home, "BUILD_FIRST_" + in_home, home / "tutor", "list"})
            .exit_code == 0);
  CHECK(state() == before);
}
