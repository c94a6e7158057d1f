#include "base/course.hpp"
#include "base/descriptor.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/linker.hpp"
#include "base/process.hpp"
#include "times/time_model.hpp"
#include "tutor/support.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

using namespace tutor;

TEST_CASE("a chapter answers to its number, its name, both, and the path of a file of it") {
  Course course(FIXTURE_FOLDER);
  REQUIRE(course.chapters().size() == 3);
  for (const char *word : {"05",
                           "5",
                           "005",
                           "reduction",
                           "05_reduction",
                           FIXTURE_FOLDER "/chapters/05_reduction/",
                           FIXTURE_FOLDER "/chapters/05_reduction/steps/v2_plain.cuh"}) {
    CAPTURE(word);
    CHECK(course.find(word).id == "05_reduction");
  }
  CHECK(course.find("05").title == "Reduction, step by step");
  CHECK(course.find("hello_threads").title == "Hello, threads");
}

TEST_CASE("an unknown chapter is answered with what comes close, else with all of them") {
  Course course(FIXTURE_FOLDER);
  auto answer = [&](const char *word) {
    return failure_of([&] { course.find(word); }, Exit::usage);
  };
  CHECK(answer("redaction") == "no chapter 'redaction'; did you mean 05_reduction?");
  CHECK(answer("hello") == "no chapter 'hello'; did you mean 01_hello_threads?");
  CHECK(answer("7") == "no chapter '7'; there are: 01_hello_threads, 02_broken, 05_reduction");
  CHECK(answer("05x") == "no chapter '05x'; there are: 01_hello_threads, 02_broken, 05_reduction");
  CHECK(answer("05_reduction/none").starts_with("no chapter '05_reduction/none'"));
  CHECK(answer("") == "no chapter ''; there are: 01_hello_threads, 02_broken, 05_reduction");
}

TEST_CASE("a chapter's kernels stand beside its rooms and in them, and in no other folder") {
  const Course course(COURSE_FOLDER);
  for (const auto &[word, name, is_one] : {std::tuple("05", "main.cu", true),
                                           {"05", "rivals/cub_rival.cu", true},
                                           {"05", "steps/trees.cu", true},
                                           {"05", "traps/traps.cu", true},
                                           {"05", "demos/demos.cu", true},
                                           {"05", "demos/ways.hpp", false},
                                           {"01", "standalone/first.cu", false},
                                           {"12", "ranks/ranks.cu", false}}) {
    const std::string file = name;
    CAPTURE(file);
    const Chapter &chapter = course.find(word);
    REQUIRE(std::filesystem::exists(chapter.folder / file));
    CHECK(std::ranges::count(chapter.kernels(), chapter.folder / file) == (is_one ? 1 : 0));
  }
}

TEST_CASE("steps are in the order of their numbers, and answer to number, beginning and name") {
  Course course(FIXTURE_FOLDER);
  const Chapter &chapter = course.find("05");
  REQUIRE(chapter.steps.size() == 2);
  CHECK(chapter.steps[0].name == "v2_plain");
  CHECK(chapter.steps[1].name == "v10_ten");
  CHECK(chapter.find_step("v10").name == "v10_ten");
  CHECK(chapter.find_step("v2_pl").name == "v2_plain");
  CHECK(chapter.find_step("v2_plain").name == "v2_plain");
  for (const char *word : {"v", "v9", ""}) {
    CAPTURE(word);
    std::string answer = failure_of([&] { chapter.find_step(word); }, Exit::usage);
    CHECK(answer.ends_with("its steps are: v2_plain, v10_ten"));
  }
}

TEST_CASE("a folder that is no course is refused") {
  CHECK(failure_of([] { Course("/dev"); }, Exit::usage) == "there is no course in /dev");
}

TEST_CASE("edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("reduction", "reduction") == 0);
  CHECK(edit_distance("redcution", "reduction") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a child's exit code, signal and output come back") {
  CHECK(capture({"sh", "-c", "echo out; echo err >&2; exit 7"}).exit_code == 7);
  CHECK(capture({"sh", "-c", "echo out; echo err >&2; exit 7"}).output == "out\nerr\n");
  CHECK(capture({"sh", "-c", "kill -9 $$"}).exit_code == 128 + 9);
  CHECK(capture({"this-program-does-not-exist"}).exit_code == 127);
  CHECK(capture({"true"}, "/this/folder/does/not/exist").exit_code == 127);
  CHECK(capture({"pwd"}, "/").output == "/\n");
  CHECK(capture({"printf", "no line break"}).output == "no line break\n");
}

TEST_CASE("lines come as they are written, however the pipe cuts them") {
  std::size_t lines = 0, longest = 0;
  int exit_code = run_by_line(
      {"sh", "-c", "i=0; while [ $i -lt 300 ]; do printf '%0999d\\n' $i; i=$((i+1)); done"},
      "/",
      [&](std::string_view line) {
        ++lines;
        longest = std::max(longest, line.size());
      });
  CHECK(exit_code == 0);
  CHECK(lines == 300);
  CHECK(longest == 999);
}

TEST_CASE("a command is shown as one would type it") {
  CHECK(shell_text({"cmake", "--build", "a b"}) == "cmake --build 'a b'");
  CHECK(shell_text({"echo", "it's", ""}) == "echo 'it'\\''s' ''");
}

TEST_CASE("programs are found on PATH only") {
  CHECK(find_program("sh").has_value());
  CHECK_FALSE(find_program("this-program-does-not-exist").has_value());
  CHECK(has({"vector.h/does-not-exist.h", "", "", "", false}) == false);
  CHECK(has({"doctest/doctest.h", "", "", "", false}));
}

TEST_CASE("a captured command can be told to end, with all that it has started") {
  std::stop_source stop;
  stop.request_stop();
  const auto start = std::chrono::steady_clock::now();
  const Captured ended = capture({"sh", "-c", "sleep 30 & sleep 30"}, ".", stop.get_token());
  CHECK(ended.exit_code == 128 + SIGTERM);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(capture({"echo", "two\nlines"}, ".", std::stop_token()).output == "two\nlines\n");
  CHECK(capture({"no-such-program"}, ".", std::stop_token()).exit_code == 127);
}

TEST_CASE("a work folder goes when its process does, however that ends") {
  for (const int signal : {0, SIGINT, SIGTERM, SIGKILL}) {
    CAPTURE(signal);
    Ends pipe = make_pipe();
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGTERM, SIG_DFL);
      {
        const WorkFolder folder;
        write_file(folder.path() / "some" / "file", "text");
        const std::string path = folder.path().string() + "\n";
        if (write(pipe.second.get(), path.data(), path.size()) < 0) {
          _exit(1);
        }
        if (signal != 0) {
          pause();
        }
      }
      _exit(0);
    }
    pipe.second.close_now();
    std::string path;
    for (char byte = 0; read(pipe.first.get(), &byte, 1) == 1 && byte != '\n';) {
      path += byte;
    }
    REQUIRE(path.size() > 1);
    if (signal != 0) {
      CHECK(std::filesystem::exists(path + "/some/file"));
      kill(child, signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)) == signal);
    const std::filesystem::path all = std::filesystem::path(path).parent_path(); // of that process
    for (int i = 0; i < 2000 && std::filesystem::exists(all); ++i) {
      usleep(10000);
    }
    CHECK_FALSE(std::filesystem::exists(all));
  }
}

TEST_CASE("without a clang that makes PTX there are no times, and a line says what to install") {
  const WorkFolder folder;
  const std::filesystem::path build = folder.path() / "build", source = folder.path() / "kernel.cu";
  std::filesystem::create_directories(build / "emulator/include");
  write_file(source, "__global__ void nothing() {}\n");
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  const auto refusal = [&] {
    TimeModel times(Course(COURSE_FOLDER), build, "h200", folder.path() / "model");
    times.compile({source}, {});
    return failure_of([&] { times.steps_json(false); }, Exit::environment);
  };
  CHECK(refusal().ends_with("there is no clang++ here: apt install clang"));
  write_file(folder.path() / "clang++", "#!/bin/sh\necho x86-64\nexit 1\n");
  std::filesystem::permissions(folder.path() / "clang++", std::filesystem::perms::owner_all);
  CHECK(refusal().find("clang++ cannot make: put Debian's (apt install clang)") !=
        std::string::npos);
  CHECK(refusal().find("clang++ cannot make") != std::string::npos); // what is fresh tells, too
  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("what a program lacks, or has twice, is read from the words of each linker") {
  using tutor::link_fault_in;
  const auto missing = [](const std::string &output) { return link_fault_in(output).missing; };
  const auto twice = [](const std::string &output) { return link_fault_in(output).twice; };
  CHECK(missing("a.cpp:1: undefined reference to `emu::run(int)'\nmore") == "emu::run(int)");
  CHECK(missing("a.cpp:1: error: undefined reference to 'main'") == "main");
  CHECK(missing("mold: error: undefined symbol: f(int)\n>>> referenced by") == "f(int)");
  CHECK(missing("ld.lld: error: undefined symbol: f(int)\n") == "f(int)");
  CHECK(twice("b.o: multiple definition of `f()'; a.o: first defined here") == "f()");
  CHECK(twice("b.o: error: multiple definition of 'emu::f()'") == "emu::f()");
  CHECK(twice("mold: error: duplicate symbol: a.o: b.o: emu::f()\n") == "emu::f()");
  CHECK(twice("ld.lld: error: duplicate symbol: f()\n>>> defined at") == "f()");
  CHECK_FALSE(missing("a.cpp:1: error: expected ';'"));
  CHECK_FALSE(twice("mold: error: undefined symbol: f()"));
  CHECK(missing("undefined symbol: " + std::string(500, 'x')) == std::string(200, 'x') + "…");
}

TEST_CASE("a file is written beside us, too, where its name has no folder") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("bare.txt", "text");
  fs::current_path(before);
  CHECK(tutor::read_file(folder.path() / "bare.txt") == "text");
}
