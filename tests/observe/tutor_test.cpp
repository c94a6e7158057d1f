#include "tutor/support.hpp"

#include "base/build.hpp"
#include "base/course.hpp"
#include "base/own_program.hpp"
#include "commands/step_times.hpp"
#include "commands/times_arguments.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

// `tutor observe` on the real course and on files of a user's own, with the build that these tests
// belong to.

using tutor::Captured;

namespace {

template <class... Values> Captured observe(const std::string &line, const Values &...values) {
  return real_tutor("observe " + line, values...);
}

/// What stands between the first `before` and the next `behind`; nothing, if one of them is not there.
std::string between(const std::string &text, const std::string &before, const std::string &behind) {
  const std::size_t found = text.find(before), begin = found + before.size();
  const std::size_t end = found == std::string::npos ? found : text.find(behind, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

/// A user's folder: its name holds a space, as that of every TemporaryFolder here.
struct User {
  TemporaryFolder folder;
  User() {
    fs::create_directories(fs::path(BUILD_FOLDER) / "observe");
    fs::create_directories(fs::path(BUILD_FOLDER) / "own");
  }
  fs::path write(const std::string &name, const std::string &text) const {
    fs::path file = folder.path() / name;
    tutor::write_file(file, text);
    return file;
  }
  ~User() { // what the tutor built for this folder is of no use any more
    for (const char *kind : {"observe", "own"}) {
      for (const fs::directory_entry &built :
           fs::directory_iterator(fs::path(BUILD_FOLDER) / kind)) {
        const fs::path rules = built.path() / "build.ninja";
        if (fs::exists(rules) && holds(tutor::read_file(rules), folder.path().string())) {
          fs::remove_all(built.path());
        }
      }
    }
  }
};

const std::string race = R"(#include "size.h"
__global__ void shift(int *data) {
  __shared__ int s_data[SIZE];
  s_data[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = s_data[(threadIdx.x + 1) % SIZE];
}
int main(int argc, char **) {
  int *data;
  cudaMalloc(&data, SIZE * sizeof(int));
  cudaMemset(data, 0, SIZE * sizeof(int));
  shift<<<1, SIZE>>>(data);
  cudaFree(data);
  return argc > 1 ? 7 : 0;
}
)";

/// What the instruments take memory with, too.
const std::string own_new = R"(#include <cstdlib>
static std::size_t taken = 0;
void *operator new(std::size_t n) { taken += n; return std::malloc(n); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
)";

std::string corrected() {
  std::string text = race;
  std::string read = "  data[threadIdx.x] = s_data";
  return text.insert(text.find(read), "  __syncthreads();\n");
}

nlohmann::json read_json(const fs::path &file) {
  return nlohmann::json::parse(tutor::read_file(file));
}

void has_keys(const nlohmann::json &json, const std::string &keys) {
  for (const std::string &key : tutor::words_of(keys)) {
    CHECK_MESSAGE(json.contains(key), key);
  }
}

/// Where pages of `--html` and their JSON stay: the test docs.browser opens them.
fs::path page(const char *name, const char *extension) {
  const fs::path folder = fs::path(BUILD_FOLDER) / "observe" / "pages";
  fs::create_directories(folder);
  return folder / (std::string(name) + extension);
}

} // namespace

TEST_CASE("a chapter: every step once, named, without a hazard") {
  Captured result = observe("05 -- --n 70000");
  CAPTURE(result.output);
  CHECK(result.exit_code == 0);
  for (const char *step :
       {"v0_interleaved_modulo", "v3_first_add_during_load", "v7_warp_shuffle"}) {
    CHECK_MESSAGE(holds(result.output, std::string("\n") + step + " · "), step);
  }
  CHECK(holds(result.output, "3.92 wavefronts, 8-way"));
  CHECK(holds(result.output, "no hazard seen"));
  CHECK_FALSE(holds(result.output, "\x1b"));
  CHECK(observe("05 -- --n abc").exit_code == 2);
  CHECK(observe("01 -- --only v2").exit_code == 0);
}

TEST_CASE(
    "a trap on request: the hazard, both its lines, and exit 1; JSON with the promised keys") {
  const fs::path file = page("chapter", ".json");
  Captured result = observe(
      "05 --json {} --html {} -- --only trap_volatile_tail", file, page("chapter", ".html"));
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(holds(result.output, "HAZARD: shared_race in trap_volatile_tail · reduce"));
  const std::string pair =
      between(result.output, "thread 1 of block 0   trap_volatile_tail.cuh:19 ", "   s_data");
  CHECK(holds(pair, "\n    thread 0 of block 0   trap_volatile_tail.cuh:"));
  CHECK(line_count(pair) == 1);
  CHECK(holds(result.output, "try: a __syncwarp(), as they are in one warp"));
  nlohmann::json report = read_json(file);
  const nlohmann::json &kernel = report.at("kernels").at(0);
  has_keys(kernel, "name grid block blocks_traced lines barriers");
  CHECK(kernel.at("block") == nlohmann::json{64, 1, 1});
  has_keys(kernel.at("lines").at(0),
           "file line access bytes requests active_lanes sectors_per_request bytes_used_percent "
           "wavefronts_per_request max_conflict");
  const nlohmann::json &hazard = report.at("hazards").at(0);
  has_keys(hazard, "kind kernel file line thread block other message count");
  has_keys(hazard.at("other"), "file line thread block");
}

TEST_CASE("a user's file, with a header beside it, in a folder with spaces") {
  User user;
  user.write("size.h", "#define SIZE 64\n");
  fs::path file = user.write("my race.cu", race + own_new);
  Captured bad =
      observe("{} --on h200 --json {} --html {}", file, page("own", ".json"), page("own", ".html"));
  CAPTURE(bad.output);
  CHECK(bad.exit_code == 1);
  CHECK(holds(bad.output, "HAZARD: shared_race in shift"));
  CHECK(holds(bad.output, "my race.cu:5   data[threadIdx.x] = s_data[(threadIdx.x + 1) % SIZE];"));
  CHECK(holds(bad.output, "my race.cu:4   s_data[threadIdx.x] = data[threadIdx.x];"));

  user.write("my race.cu", corrected() + own_new);
  // By a relative path, too.
  expect(tutor::capture(typed("env {} {} {} observe {}",
                              "BUILD_FIRST_ROOT=" COURSE_FOLDER,
                              "BUILD_FIRST_BUILD=" BUILD_FOLDER,
                              TUTOR_PROGRAM,
                              "my race.cu"),
                        user.folder.path()),
         0,
         {"1 barrier a block", "shift<<<1, 64>>>"});

  user.write("size.h", "#define SIZE 96\n"); // what a file includes counts as a change of it
  CHECK(holds(observe("{}", file).output, "shift<<<1, 96>>>"));

  expect(observe("{} -- argument", file), 1, {"no hazard seen", "the program ended in exit 7"});
}

TEST_CASE(
    "nothing is built again when nothing has changed; files of one name in two folders apart") {
  User user;
  user.write("size.h", "#define SIZE 64\n");
  const auto own = [&](const char *name) {
    return tutor::OwnProgram({user.write(name, race).string()}, BUILD_FOLDER, true);
  };
  const tutor::OwnProgram file = own("race.cu");
  file.make();
  const auto built = fs::last_write_time(file.program());
  file.make();
  CHECK(fs::last_write_time(file.program()) == built);
  CHECK(own("one/race.cu").program() != own("two/race.cu").program());
  CHECK(own("one/race.cu").program() == own("one/race.cu").program());
}

TEST_CASE("a program of several files with nvcc's options, plain and observed; whose file is "
          "missing is said") {
  User user;
  user.write("in c/scale.h", "__global__ void scale(int *p, int by);\nint of_host();\n");
  const fs::path main = user.write("main.cu", R"(#include <cstdio>
#include <scale.h>
extern __device__ int launches;
int main(int argc, char **) {
  int *p, first = of_host(), count;
  cudaMalloc(&p, 4);
  cudaMemcpy(p, &first, 4, cudaMemcpyHostToDevice);
  scale<<<1, 1>>>(p, BY);
  cudaMemcpy(&first, p, 4, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, launches, 4);
  printf("%d after %d launch, %d arguments\n", first, count, argc - 1);
  cudaFree(p);
}
)");
  const fs::path scale = user.write("scale.cu", R"(#include <scale.h>
__device__ int launches;
__global__ void scale(int *p, int by) {
  ++launches;
  *p *= by;
}
)");
  const fs::path host = user.write("host.cpp", "int of_host() { return 7; }\n");
  const std::string folder = (user.folder.path() / "in c").string();
  expect(
      real_tutor(
          "run {} -I {} {} {} -D BY=6 -rdc=true -arch sm_80 -lm -- a b", main, folder, scale, host),
      0,
      {"42 after 1 launch, 2 arguments\n"});
  expect(observe("--blocks 1 {} {} {} -DBY=6 {}", main, scale, "-I" + folder, host),
         0,
         {"42 after 1 launch", "scale.cu", "no hazard seen in 1 launch"});
  expect(observe("{} {} -I {} -DBY=6", main, scale, folder),
         1,
         {"tutor: `of_host", "is defined in host.cpp, beside main.cu: name that file, too\n"});
  expect(observe("{} {} -I {} -DBY=6", main, host, folder), 1, {"is defined in scale.cu, beside"});
  refused(real_tutor("run {} -ptx", host), "emu-nvcc: -ptx: a CPU has nothing of that kind");
  refused(real_tutor("run {} --on h200", host), "run FILE.cu is for the emulator");
  refused(observe("05 06"), "'06' is one too many");
}

TEST_CASE("headers elsewhere are found with -I") {
  User user;
  fs::path header = user.write("in c/size.h", "#define SIZE 64\n");
  std::string text = corrected();
  text.replace(text.find("\"size.h\""), 8, "<size.h>");
  fs::path file = user.write("race.cu", text);
  const std::string missing = observe("{}", file).output; // in g++'s words, or in clang's
  CHECK((holds(missing, "size.h: No such file") || holds(missing, "'size.h' file not found")));
  CHECK(observe("{} -I {}", file, header.parent_path()).exit_code == 0);
}

TEST_CASE("a file that does not compile: the errors, on the user's own lines, and nothing else") {
  User user;
  fs::path file = user.write("wrong.cu",
                             "__global__ void k(int *p) {\n  int unused;\n  *p = missing;\n}\n"
                             "int main() { k<<<1, 1>>>(nullptr); }\n");
  Captured result = observe("{}", file);
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(holds(result.output, "wrong.cu:3:8: error: "));
  CHECK(holds(result.output, "\ntutor: wrong.cu does not compile\n"));
  CHECK_FALSE(holds(result.output, "unused"));
  CHECK_FALSE(holds(result.output, "FAILED"));
  // How long it took is said where the machine is slow.
  std::size_t lines = line_count(result.output);
  for (std::size_t at = 0; (at = result.output.find("tutor: compiling ", at)) != std::string::npos;
       ++at) {
    --lines;
  }
  CHECK(lines <= 6);
}

TEST_CASE("of many errors the first are shown, of strange failures everything") {
  std::vector<std::string> lines{"[1/2] compile kernel.o", "FAILED: kernel.o", "c++ -c a.cu"};
  for (int i = 1; i <= 9; ++i) {
    lines.push_back("a.cu:" + std::to_string(i) + ":1: error: wrong");
    lines.push_back("    1 | code");
    lines.push_back("a.cu:" + std::to_string(i) + ":1: warning: strange");
    lines.push_back("    1 | other code");
  }
  std::string text = tutor::trimmed_diagnostics(lines);
  CHECK(text.starts_with("a.cu:1:1: error: wrong\n    1 | code\na.cu:2:1: error: wrong\n"));
  CHECK(text.ends_with("a.cu:5:1: error: wrong\n    1 | code\n… and 4 more errors\n"));
  CHECK(tutor::trimmed_diagnostics({"killed"}) == "killed\n");
}

TEST_CASE("what cannot be observed gets one line") {
  User user;
  refused(observe("/no/such/file.cu"), "there is no file /no/such/file.cu");
  refused(observe("77"), "no chapter '77'");
  refused(observe(""), "TARGET is required");
  refused(observe("05 --schedules 0"), "--schedules");
  refused(observe("05 --blocks many"), "--blocks");
  refused(observe("05.7 --html page.html"),
          "05.7 is an exercise, which its check observes: without options");
  for (const char *kind : {"--json", "--html", "--svg"}) {
    refused(observe("05 {} /no/such/folder/file", kind), "cannot write /no/such/folder/file", 1);
  }
  const fs::path part = user.write("part.cu", "__global__ void half() {}\n");
  CHECK(holds(observe("{}", part).output, "part.cu has no main()"));
  const fs::path missing = user.write("missing.cu", "#include <thrust/no_such.h>\nint main() {}\n");
  CHECK(holds(observe("{}", missing).output,
              "missing.cu:1:10: error: the emulator has no <thrust/no_such.h>: of Thrust it has "));
  refused(observe("05 --n 33"), "goes after --: ./tutor observe 05 -- --n 33");

  fs::path crash = user.write(
      "crash.cu",
      "#include <cstdlib>\nint main(int argc, char **) { argc == 1 ? abort() : exit(0); }\n");
  Captured result = observe("{}", crash);
  CHECK(result.exit_code == 134);
  CHECK(holds(result.output, "no kernel ran\ntutor: the program was ended by a signal, Aborted\n"));
  const fs::path page = user.folder.path() / "page.html";
  expect(observe("{} --html {} -- well", crash, page),
         1,
         {"\ntutor: the program launched no kernel, so "});
  CHECK_FALSE(fs::exists(page));
}

TEST_CASE("a picture in the terminal and as an image; a line without accesses is refused") {
  User user;
  user.write("size.h", "#define SIZE 64\n");
  fs::path file = user.write("race.cu", corrected());
  fs::path svg = user.folder.path() / "picture.svg";
  fs::path timeline = user.folder.path() / "timeline.svg";
  expect(observe("{} --picture race.cu:4 --svg {} --timeline {}", file, svg, timeline),
         0,
         {"\nrace.cu:4  s_data[threadIdx.x] = data[threadIdx.x];\n",
          " in all;\n  copies to the device "});
  CHECK(holds(tutor::read_file(svg), "<svg"));
  CHECK(holds(tutor::read_file(timeline), " in all; copies to the device "));

  expect(observe("{} --picture race.cu:1", file),
         2,
         {"no warp accessed memory at race.cu:1; lines that did: race.cu:4"});
}

TEST_CASE("another order of the threads shows what the usual one hides, and shows it again") {
  User user;
  fs::path file = user.write("order.cu", R"(
__global__ void late(int *flag, int *data) {
  if (threadIdx.x == 40 && atomicAdd(flag, 0) == 0)
    data[64] = 1; // thread 3, usually first, prevents it
  if (threadIdx.x == 3)
    atomicExch(flag, 1);
}
int main() {
  int *flag, *data;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  late<<<1, 64>>>(flag, data);
  cudaFree(flag);
  cudaFree(data);
}
)");
  CHECK(observe("{}", file).exit_code == 0);
  fs::path report = user.folder.path() / "report.json";
  Captured result = observe("{} --schedules 40 --json {}", file, report);
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(holds(result.output, "no hazard seen in 1 launch\n"));
  CHECK(holds(result.output, "HAZARD: out_of_bounds in late\n"));
  CHECK(holds(result.output, "thread (40,0,0) of block (0,0,0)   order.cu:4\n"));

  const std::string seed = between(result.output, "(EMU_SCHEDULE=", " ./tutor");
  CHECK(read_json(report).at("hazards").at(0).at("schedule") == std::stoi(seed));
  setenv("EMU_SCHEDULE", seed.c_str(), 1);
  Captured replayed = observe("{}", file);
  unsetenv("EMU_SCHEDULE");
  CHECK(replayed.exit_code == 1);
  CHECK(holds(replayed.output, "1 hazard in 1 launch, with EMU_SCHEDULE=" + seed));

  // The command that it prints is whole: with what the program is built and run with.
  user.write("in c/which.h", "#define WHICH 3\n");
  std::string text = R"(#include <cstring>
#include <which.h>
__global__ void late(int *flag, int *data) {
  if (threadIdx.x == 40 && atomicAdd(flag, 0) == 0)
    data[64] = 1;
  if (threadIdx.x == WHICH)
    atomicExch(flag, 1);
}
int main(int argc, char **argv) {
  int *flag, *data;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  if (argc == 3 && std::strcmp(argv[2], "two words") == 0)
    late<<<5, 64>>>(flag, data);
  cudaFree(flag);
  cudaFree(data);
}
)";
  fs::path asked = user.write("asked.cu", text);
  const std::string folder = (user.folder.path() / "in c").string();
  result = observe("{} -I {} --blocks 1 --schedules 40 -- --only {}", asked, folder, "two words");
  CAPTURE(result.output);
  const std::string again = between(result.output, "(EMU_SCHEDULE=", " shows it again");
  REQUIRE(again != "");
  expect(typed_in_shell("EMU_SCHEDULE=" + again),
         1,
         {"1 of 5 blocks counted",
          "HAZARD: out_of_bounds in late\n",
          "in 1 launch, with EMU_SCHEDULE="});

  fs::path right = user.write("right.cu", corrected());
  user.write("size.h", "#define SIZE 64\n");
  CHECK(holds(observe("{} --schedules 5", right).output,
              "5 orders of the threads tried: no other hazard"));
}

TEST_CASE("who interrupts a program gets the report of what was seen") {
  User user;
  const fs::path file = user.write("long.cu", R"(#include <csignal>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main(int argc, char **) {
  int *p;
  cudaMalloc(&p, 256);
  k<<<1, 64>>>(p);
  raise(argc == 1 ? SIGINT : SIGTERM);
  for (;;)
    k<<<1, 64>>>(p);
}
)");
  const fs::path endless = user.write("endless.cu", R"(#include <csignal>
__global__ void waits(volatile int *p) { while (p[0] >= 0) ; }
int main() {
  int *p;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  raise(SIGINT);
  waits<<<1, 1>>>(p);
}
)");
  expect(observe("{}", endless),
         130,
         {"does this loop end? (it was interrupted)\n",
          "thread 0 of block 0   endless.cu:2",
          "1 hazard in 1 launch, until the program ended early"});

  const fs::path json = user.folder.path() / "report.json";
  for (const auto &[line, exit_code] :
       {std::pair("{} --json {}", 130), {"{} --json {} -- SIGTERM", 143}}) {
    expect(observe(line, file, json),
           exit_code,
           {"k<<<1, 64>>>\n  2 launches · 2 of 2 blocks counted",
            "no hazard seen in 2 launches, until the program ended early"});
    CHECK(read_json(json).at("partial") == true);
    fs::remove(json);
  }
}

TEST_CASE("blocks to count are the user's choice") {
  Captured result = observe("05 --blocks 3 -- --only v2 --n 70000");
  CHECK(holds(result.output, "3 of 274 blocks counted"));
}

TEST_CASE("run shows what was counted, not what the CPU took; without clang++ the GPU's times as "
          "they were recorded") {
  const TemporaryFolder path; // all that can be called, but clang
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code none;
    for (const fs::directory_entry &program : fs::directory_iterator(folder, none)) {
      const std::string name = program.path().filename();
      if (!name.starts_with("clang")) {
        fs::create_symlink(program.path(), path.path() / name, none); // the first of a name
      }
    }
  }
  const Captured result =
      tutor_on(COURSE_FOLDER,
               typed("run 05 --backend cpu -- --only v1"),
               {"BUILD_FIRST_BUILD=" BUILD_FOLDER, "PATH=" + path.path().string()});
  CAPTURE(result.output);
  CHECK(result.exit_code == 0);
  CHECK(holds(result.output, "right  sectors  used %  lanes  conflict  barriers\n"));
  CHECK_FALSE(holds(result.output, "emulated in"));

  const nlohmann::json recorded = nlohmann::json::parse(
      tutor::read_file(COURSE_FOLDER "/docs/results/nvidia-h200_step_times.json"));
  const nlohmann::json &run = recorded.at("runs").at(4);
  const nlohmann::json &step = run.at("steps").at(1);
  CHECK(run.at("chapter") == "05_reduction");
  CHECK(holds(result.output, "at " + run.at("size").get<std::string>() + ", by a model"));
  CHECK(holds(result.output,
              fmt::format("{}   about {:5.3g} ms",
                          step.at("name").get<std::string>(),
                          step.at("ms").get<double>())));

  CHECK_FALSE(
      holds(real_tutor("run 05 --backend cpu -- --only trap_early_return").output, "by a model"));
}

TEST_CASE(
    "a comment in a step of the course keeps its recorded time, an operator takes it away, and "
    "one in a header those of all steps that call it") {
  const TemporaryFolder copy;
  for (const char *part :
       {"chapters/01_hello_threads", "common", "docs/results", "emulator/devices"}) {
    fs::create_directories((copy.path() / part).parent_path());
    fs::copy(fs::path(COURSE_FOLDER) / part, copy.path() / part, fs::copy_options::recursive);
  }
  setenv("BUILD_FIRST_BUILD", BUILD_FOLDER, 1);
  const tutor::Course course(copy.path());
  const tutor::Build build(course.root(), tutor::Backend::cpu);
  unsetenv("BUILD_FIRST_BUILD");
  // The steps that have a time, by their first letters: "v0 v1 …".
  const auto timed = [&] {
    const std::string text =
        tutor::commands::recorded_times(course, build, course.find("01"), "h200", {}).text;
    std::string names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  v") && holds(line, " about ")) {
        names += line.substr(2, 2) + " ";
      }
    }
    return names;
  };
  const auto edit = [&](const char *name, const std::string &from, const std::string &to) {
    const fs::path file = copy.path() / "chapters/01_hello_threads/steps" / name;
    const std::string before = tutor::read_file(file);
    REQUIRE(holds(before, from));
    tutor::write_file(file, std::string(before).replace(before.find(from), from.size(), to));
  };
  CHECK(timed() == "v0 v1 v2 v3 v4 v5 ");
  edit("v2_thread_per_point.cuh", "#pragma once\n", "#pragma once // once\n\n/* no more */\n");
  CHECK(timed() == "v0 v1 v2 v3 v4 v5 ");
  edit("v2_thread_per_point.cuh", " < ", " <= ");
  CHECK(timed() == "v0 v1 v3 v4 v5 ");
  edit("linear_id.cuh", " + ", " - ");
  CHECK(timed() == "v0 v1 v3 ");
}
