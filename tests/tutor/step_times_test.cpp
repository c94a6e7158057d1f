// The times that are shown where there is no clang: of steps as they stand, and of nothing else.
#include "base/build.hpp"
#include "base/course.hpp"
#include "base/files.hpp"
#include "commands/step_times.hpp"
#include "commands/times_arguments.hpp"
#include "tutor/support.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace tutor;
using namespace tutor::commands;
using nlohmann::ordered_json;

namespace {

/// A course of one chapter, whose program tells what a ladder does, and of one device.
class SmallCourse {
public:
  SmallCourse() {
    write("chapters/05_reduction/README.md", "# Reduction\n");
    write("chapters/05_reduction/problem.hpp", "#include <common/random.hpp>\nint sizes();\n");
    write("chapters/05_reduction/problem.cpp", "int sizes() { return 8; }\n");
    write("chapters/05_reduction/steps/sums.cuh",
          "__device__ int twice(int a) { return a + a; }\n");
    write("chapters/05_reduction/steps/v0_plain.cuh", v0);
    write("chapters/05_reduction/steps/v1_other.cuh", "__global__ void other() {}\n");
    write("common/random.hpp", "__device__ int random_int() { return 4; }\n");
    write("emulator/devices/h200.json", R"({"name": "NVIDIA H200", "sms": {"value": 132}})");
    const std::string entry = R"({"name": "%", "kind": "step", "reasons": "--n 4096 --block 256"})";
    write("build/chapters/05_reduction/05_reduction",
          "#!/bin/sh\ncat >\"$3\" <<'END'\n{\"n\": 4096, \"entries\": [" + with(entry, "v0_plain") +
              ", " + with(entry, "v1_other") + "]}\nEND\n");
    fs::permissions(folder_.path() / "build/chapters/05_reduction/05_reduction",
                    fs::perms::owner_all);
    setenv("BUILD_FIRST_BUILD", (folder_.path() / "build").c_str(), 1);
    record();
  }
  ~SmallCourse() { unsetenv("BUILD_FIRST_BUILD"); }

  void write(const std::string &name, const std::string &text) const {
    write_file(folder_.path() / name, text);
  }
  std::string times(const std::vector<std::string> &arguments = {},
                    const std::string &device = "h200") const {
    return recorded(arguments, device).text;
  }
  RecordedTimes recorded(const std::vector<std::string> &arguments = {},
                         const std::string &device = "h200") const {
    const Course course(folder_.path());
    return recorded_times(course,
                          Build(course.root(), Backend::cpu),
                          course.find("05"),
                          device,
                          times_arguments(arguments));
  }

  static constexpr const char *v0 = "#include \"problem.hpp\"\n#include \"steps/sums.cuh\"\n"
                                    "__global__ void plain(int *a) { a[0] = twice(a[1] + 1); }\n";

private:
  static std::string with(std::string text, const std::string &name) {
    return text.replace(text.find('%'), 1, name);
  }
  void record() const {
    const Course course(folder_.path());
    ordered_json steps = ordered_json::array();
    for (const char *name : {"v0_plain", "v1_other"}) {
      steps.push_back({{"name", name},
                       {"text", text_of_step(course, course.find("05"), name)},
                       {"block", 256},
                       {"ms", 2.5},
                       {"low", 1.5},
                       {"high", 4},
                       {"binds", "waits for memory"}});
    }
    const ordered_json all{
        {"device", "NVIDIA H200"},
        {"model", time_model_version},
        {"description", text_of_device(course, "h200")},
        {"runs",
         {{{"chapter", "05_reduction"}, {"n", 4096}, {"size", "n = 4096"}, {"steps", steps}}}}};
    write("docs/results/nvidia-h200_step_times.json", all.dump());
  }

  TemporaryFolder folder_;
};

bool holds(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

const std::string both = "  v0_plain  about   2.5 ms  (1.5 ms to 4 ms)  waits for memory\n"
                         "  v1_other  about   2.5 ms  (1.5 ms to 4 ms)  waits for memory\n";

} // namespace

TEST_CASE("steps as they stand have the times that were recorded") {
  const SmallCourse course;
  CHECK(holds(course.times(), "about, on an NVIDIA H200, at n = 4096, by a model"));
  CHECK(holds(course.times(), both));
  CHECK(holds(course.times({"--n", "4096", "--block=256"}), both));
  CHECK(!holds(course.times({"--only", "v1"}), "v0_plain"));
  CHECK(holds(course.times({"--only", "v1"}), "v1_other  about"));
}

TEST_CASE("a model is asked only for what is not as it was recorded") {
  const SmallCourse course;
  CHECK(course.recorded().whole);
  CHECK(!course.recorded({"--n", "8192"}).whole);
  course.write("chapters/05_reduction/steps/v0_plain.cuh",
               "__global__ void plain(int *a) { a[0] = a[1]; }\n");
  CHECK(!course.recorded().whole);
  CHECK(course.recorded({"--only", "v1"}).whole);
}

TEST_CASE("traps and demos are not asked times for") {
  const auto asks = [](const std::vector<std::string> &arguments) {
    return asks_for_steps(ordered_json::parse(R"({"entries": [{"name": "v1_other", "kind": "step"},
      {"name": "trap_x", "kind": "trap"}, {"name": "parts", "kind": "demo"}]})"),
                          times_arguments(arguments));
  };
  CHECK(asks({}));
  CHECK(asks({"--only", "parts", "--only=v1"}));
  CHECK(!asks({"--only", "parts", "--only=trap_x"}));
}

TEST_CASE("a comment, and how lines are laid out, change no time") {
  const SmallCourse course;
  course.write("chapters/05_reduction/steps/v0_plain.cuh",
               "// Was: slow.\n#include \"problem.hpp\" // sizes\n#include \"steps/sums.cuh\"\n\n"
               "__global__ void plain(int *a) { /* here */ a[0] = twice(a[1]   + 1); }\n");
  CHECK(holds(course.times(), both));
}

TEST_CASE(
    "who changes an operator, or what a step includes, takes the time of the steps it is part of") {
  const auto lost = [](const std::string &file, const std::string &text) {
    const SmallCourse course;
    course.write(file, text);
    const std::string times = course.times();
    CHECK(holds(times, "  v1_other  about"));
    return holds(times, "  v0_plain  no time: its source, or what it includes,");
  };
  const std::string v0 = SmallCourse::v0;
  CHECK(lost("chapters/05_reduction/steps/v0_plain.cuh",
             std::string(v0).replace(v0.find(" + 1"), 4, " - 1")));
  CHECK(lost("chapters/05_reduction/steps/sums.cuh",
             "__device__ int twice(int a) { return 2 * a; }\n"));
  CHECK(lost("chapters/05_reduction/problem.cpp", "int sizes() { return 9; }\n"));
  CHECK(lost("common/random.hpp", "__device__ int random_int() { return 5; }\n"));
}

TEST_CASE("another size, block, order, device or model has no time, and that is said") {
  const SmallCourse course;
  CHECK(holds(course.times({"--n", "1000"}), "recorded are those for n = 4096, not 1000\n"));
  CHECK(holds(course.times({"--block", "128"}),
              "v0_plain  no time: recorded with blocks of 256, not 128\n"));
  CHECK(holds(course.times({"--l2", "cold"}), "recorded are those with the data in the L2\n"));
  CHECK(holds(course.times({"--seed", "7"}), "recorded are those of the usual seed\n"));
  CHECK(holds(course.times({}, "t4"), "none are recorded for t4\n"));
  course.write("emulator/devices/h200.json", R"({"name": "NVIDIA H200", "sms": {"value": 133}})");
  CHECK(holds(course.times(), "emulator/devices/h200.json is another one"));
}
