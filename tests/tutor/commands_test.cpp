#include "support.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>

using tutor::Captured;

namespace {

/// A copy of the test course for one test.
struct Fixture {
  TemporaryFolder folder;
  fs::path root = folder.path() / "course";
  Fixture() { copy_fixture(root); }
  tutor::Command environment{};
  template <class... Values> Captured run(const std::string &line, const Values &...values) const {
    return tutor_on(root, typed(line, values...), environment);
  }
};

void write_program(const fs::path &file, const std::string &script) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(file, fs::perms::owner_all);
}

} // namespace

TEST_CASE_FIXTURE(Fixture, "run builds a program, passes its arguments and its exit code on") {
  expect(run("run 1 -- --n -5 {} --", "two words"), 0, {"[--n]\n[-5]\n[two words]\n[--]\n"});
  CHECK(fs::exists(root / "build/cpu/chapters/01_hello_threads/01_hello_threads"));
  CHECK_FALSE(fs::exists(root / "build/cpu/chapters/05_reduction/05_reduction"));

  Captured second = run("run hello_threads -- --exit 37");
  CHECK(second.exit_code == 37);
  CHECK(second.output == "[--exit]\n[37]\n"); // nothing to build, nothing to say
  CHECK(run("run 5").exit_code == 0);
}

TEST_CASE_FIXTURE(Fixture, "run shows the compiler's message when a chapter does not build") {
  expect(run("run broken"), 1, {"this_name_does_not_exist", "the whole log is in"});
  CHECK(holds(tutor::read_file(root / "build/cpu/tutor.log"), "this_name_does_not_exist"));
}

TEST_CASE_FIXTURE(Fixture, "a build folder that cannot be written is named in one line") {
  const Captured run =
      tutor_on(COURSE_FOLDER, typed("run 01 --backend cpu"), {"BUILD_FIRST_BUILD=/dev/null/x"});
  CHECK(run.exit_code == 3);
  CHECK(run.output ==
        "tutor: /dev/null/x cannot be written; name a folder of yours in the variable "
        "BUILD_FIRST_HOME, or clone the course into one\n");
}

TEST_CASE_FIXTURE(Fixture, "run configures anew when the course has moved") {
  REQUIRE(run("run 1").exit_code == 0);
  fs::path moved = folder.path() / "moved";
  fs::rename(root, moved);
  expect(tutor_on(moved, typed("run 1 -- here")), 0, {"[here]\n"});
}

TEST_CASE_FIXTURE(Fixture, "wrong command lines get one line and exit 2") {
  refused(run("chekc"),
          "no command 'chekc'; there are: run, observe, steps, export, bench, learn, lesson, list");
  refused(run("run"), "TARGET is required");
  refused(run("run 7"), "no chapter '7'; there are: 01_hello_threads");
  refused(run("run 1 --n 33"), "goes after --");
  refused(run("run 1 --backend tpu"), "no backend 'tpu'; there are: cpu, gpu");
  refused(run("steps 5 v2"), "two of its steps");
  refused(run("steps 5 v2 v3"), "no single step 'v3'");
  refused(run("bench"), "--out is required");
  refused(run("list --jsno"), "--jsno");
  refused(tutor_on(folder.path(), {"list"}), "there is no course in");
}

TEST_CASE_FIXTURE(Fixture, "steps prints the difference and nothing but the difference") {
  Captured diff = run("steps 05 v2 v10");
  CHECK(diff.exit_code == 0);
  CHECK(diff.output ==
        "--- v2_plain.cuh\n+++ v10_ten.cuh\n@@ -1,3 +1,3 @@\n // A step.\n"
        " inline int first = 1;\n-inline int second = 2;\n+inline int second = 10;\n");
  CHECK(run("steps 05").output == "v2_plain\nv10_ten\n");
  CHECK(run("steps 05 v2 v2").output == "");
}

TEST_CASE_FIXTURE(Fixture, "list --json names chapters, steps and what is built") {
  REQUIRE(run("run 1").exit_code == 0);
  Captured result = run("list --json");
  REQUIRE(result.exit_code == 0);
  nlohmann::json chapters = nlohmann::json::parse(result.output).at("chapters");
  REQUIRE(chapters.size() == 3);
  CHECK(chapters[0]["id"] == "01_hello_threads");
  CHECK(chapters[0]["built"] == nlohmann::json{{"cpu", true}, {"gpu", false}});
  CHECK(chapters[2]["number"] == 5);
  CHECK(chapters[2]["title"] == "Reduction, step by step");
  CHECK(chapters[2]["folder"] == "chapters/05_reduction");
  CHECK(chapters[2]["steps"] == nlohmann::json{"v2_plain", "v10_ten"});
  CHECK(chapters[2]["built"]["cpu"] == false);
  CHECK(line_count(run("list").output) == 5);
}

TEST_CASE_FIXTURE(Fixture, "without nvcc the gpu backend and bench are refused with exit 3") {
  // A PATH of two tools: neither nvcc nor nvidia-smi is on it. CUDA_PATH covers the usual home.
  write_program(folder.path() / "bin/nvidia-smi", "exit 9");
  write_program(folder.path() / "bin/nvcc", "exit 0");
  environment = {"PATH=" + (folder.path() / "bin").string()};
  const fs::path out = folder.path() / "out.json";
  for (const char *line : {"run 1 --backend gpu", "bench --out {}"}) {
    refused(run(line, out), "nvidia-smi finds none", 3);
  }
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE_FIXTURE(Fixture, "with nvcc and a GPU run chooses the GPU, and bench records") {
  write_program(folder.path() / "bin/nvidia-smi", "echo 'GPU 0: Test Card (UUID: 1)'");
  write_program(folder.path() / "bin/nvcc", "exit 0");
  environment = {"PATH=" + (folder.path() / "bin").string() + ":" + std::getenv("PATH")};

  REQUIRE(run("run 1").exit_code == 0);
  CHECK(fs::exists(root / "build/gpu/chapters/01_hello_threads/01_hello_threads"));
  CHECK_FALSE(fs::exists(root / "build/cpu"));
  REQUIRE(run("run 1 --backend cpu").exit_code == 0);
  CHECK(fs::exists(root / "build/cpu/chapters/01_hello_threads/01_hello_threads"));

  fs::path out = folder.path() / "out.json";
  CHECK(run("bench 1 --out {}", out).exit_code == 0);
  std::ifstream file(out);
  CHECK(nlohmann::json::parse(file)["runs"][0]["chapter"] == "01_hello_threads");

  expect(run("bench 5 --out {}", out), 1, {"left no readable"});
  std::ofstream(root / "chapters/05_reduction/main.cpp") << "int main() { return 4; }\n";
  expect(run("bench 5 --out {}", out), 1, {"ended in exit 4; nothing was recorded"});
  CHECK(run("bench 1 --out /dev/full").exit_code == 1);
  CHECK(holds(run("doctor").output, "GPU: Test Card\n"));
}

TEST_CASE_FIXTURE(Fixture, "nothing is coloured where there is no terminal") {
  for (const char *line : {"list", "doctor", "steps 5 v2 v10", "run 2", ""}) {
    CHECK_FALSE(holds(run(line).output, "\x1b"));
  }
}

TEST_CASE_FIXTURE(Fixture, "help names every command, and a bare tutor gives it") {
  Captured help = run("--help");
  CHECK(help.exit_code == 0);
  CHECK(run("").output == help.output);
  for (const std::string &command : tutor::words_of(
           "run observe steps bench learn list hint diff reset test doctor predict docs "
           "update editor completion lesson")) {
    CHECK(holds(help.output, "\n  " + command + " "));
    CHECK(run("{} --help", command).exit_code == 0);
  }
  CHECK(holds(run("author lessons --help").output, "--record"));
}

TEST_CASE("calibrate makes a device of what chapters measured: for another H200 one like the "
          "stored one") {
  TemporaryFolder folder;
  const fs::path course = COURSE_FOLDER, file = folder.path() / "mine.json";
  const std::string results = (course / "docs/results/nvidia-h200").string();
  Captured made = real_tutor("calibrate {} --like t4 --from {}", file, results);
  CAPTURE(made.output);
  REQUIRE(made.exit_code == 0);
  std::ifstream mine(file), stored(course / "emulator/devices/h200.json");
  const auto a = nlohmann::json::parse(mine), b = nlohmann::json::parse(stored);
  for (const std::string &key :
       tutor::words_of("clock_ghz latency_l1 latency_l2 latency_memory latency_shared "
                       "latency_constant l2_bytes_per_cycle read_gbps copy_gbps")) {
    CAPTURE(key);
    CHECK(a.at(key).at("value").get<double>() ==
          doctest::Approx(b.at(key).at("value").get<double>()).epsilon(0.05)); // of two cards
  }
  expect(real_tutor("calibrate {} --like t4 --from nowhere", file), 1, {"tools/record_gpu.py"});
  expect(real_tutor("calibrate {} --like b200 --from {}", file, results), 1, {"b200"});
}
