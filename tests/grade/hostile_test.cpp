// A class of students who mean harm, graded behind the walls, with hidden checks, by the real checker.
// Each gets a verdict, and nobody else notices. The screen that refuses most of them before they run is
// on once and off twice: behind bubblewrap, and where there is none.
#include "base/failure.hpp"
#include "exercises/isolation.hpp"
#include "exercises/support.hpp"
#include "grade/formats.hpp"
#include "grade/journal.hpp"
#include "grade/reference.hpp"
#include "grade/toolchain.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <map>
#include <unistd.h>

using namespace grade_test;

namespace {

constexpr const char *secret_word = "known_to_the_hidden_checks_only";
const std::string secret_check =
    "// " + std::string(secret_word) + "\n" + hidden_check("hidden: one element");

/// The course as this build has it, the walls that this machine has, and a hidden check: built once, for all classes.
struct Here : BlockSum {
  Here() {
    assigned.exercise = exercise;
    assigned.extra_check = folder.path() / "secret" / "05_reduction" / "block_sum.extra.cu";
    write(assigned.extra_check, secret_check);
    learn_cases(assigned, options(walls, true));
  }

  CheckOptions options(const Walls &behind, bool screen) const {
    CheckOptions options;
    options.limits.wall_seconds = 4; // where several tests share a processor
    options.limits.cpu_seconds = 1; // these and the memory are sooner eaten than the usual
    options.limits.memory_bytes = 1ull << 29;
    options.screen_calls = screen;
    options.isolate = Isolation(FENCE_PROGRAM, headers, behind);
    return options;
  }

  const Walls walls = Isolation(FENCE_PROGRAM, {}).walls();
  const std::vector<fs::path> headers = headers_for(course, Backend::cpu);
  const TemporaryFolder folder;
  Assigned assigned;
};

const Here &here() {
  static const Here here;
  return here;
}

/// A class in a folder, and what may come to harm.
struct Ground {
  void hand_in(const std::string &student, const std::string &text) {
    write(folder.path() / "class" / student / "block_sum.cu", text);
  }

  void withdraw(const std::string &student) { fs::remove_all(folder.path() / "class" / student); }

  /// Another hidden check.
  void check_by(const std::string &text) {
    assigned.extra_check = file("secret") / "05_reduction" / "block_sum.extra.cu";
    write(assigned.extra_check, text);
    assigned.cases.clear();
  }

  void learn() { learn_cases(assigned, here().options(here().walls, true)); }

  /// Grades the class; verdict and diagnosis of each student.
  std::map<std::string, std::string> graded(const Walls &walls, bool screen) {
    const CheckOptions options = here().options(walls, screen);
    report = Report{};
    report.exercises = {assigned};
    Journal journal(folder.path() / "journal", true);
    const auto check = [&](const Assigned &one, const fs::path &file, std::uint64_t seed) {
      CheckOptions mine = options_for(one, options);
      mine.seed = seed;
      return tutor::check(one.exercise, file, mine);
    };
    grade_class(report,
                find_submissions(folder.path() / "class", {assigned.exercise}, false),
                journal,
                check);
    std::map<std::string, std::string> verdicts;
    for (const Grade &grade : report.grades) {
      verdicts[grade.student] = std::string(name_of(grade.result.verdict)) +
                                (grade.result.diagnosis.empty() ? "" : " ") +
                                grade.result.diagnosis;
    }
    return verdicts;
  }

  fs::path file(const std::string &name) const { return folder.path() / name; }

  const TemporaryFolder folder;
  Assigned assigned = here().assigned;
  Report report;
};

void hand_in_all(Ground &ground) {
  const std::string secret = ground.assigned.extra_check.string();
  const std::string me = std::to_string(getpid());
  ground.hand_in("honest", here().solution);
  ground.hand_in("wrong", wrong_kernel);
  ground.hand_in("forks", wrong_kernel + early("for (int i = 0; i < 1000; ++i) fork();"));
  ground.hand_in("fills the disk",
                 wrong_kernel + early("FILE *f = fopen(\"" + ground.file("full").string() +
                                      "\", \"w\"); for (int i = 0; f && i < 9999; ++i) "
                                      "fputs(\"full\", f);"));
  ground.hand_in("prints for ever", wrong_kernel + early("for (;;) puts(\"for ever and ever\");"));
  ground.hand_in("kills its parent",
                 wrong_kernel + early("kill(getppid(), SIGKILL); kill(" + me +
                                      ", SIGKILL); kill(0, SIGKILL);"));
  ground.hand_in("reads the hidden checks",
                 wrong_kernel +
                     early("int f = open(\"" + secret +
                           "\", O_RDONLY); char t[200] = {}; read(f, t, 199); puts(t);"));
  ground.hand_in("includes the hidden checks", "#include \"" + secret + "\"\n" + wrong_kernel);
  // Assembly, once the macro has pasted it together.
  ground.hand_in("embeds the hidden checks",
                 wrong_kernel +
                     "#define P(a, b) a##b\nP(__as, m__)(\".data\\n.globl t\\nt: .incbin \\\"" +
                     secret + "\\\"\\n.byte 0\\n.text\");\nextern \"C\" const char t[];\n" +
                     early("puts(t);"));
  ground.hand_in("prints pass",
                 wrong_kernel + early("printf(\"{\\\"verdict\\\":\\\"pass\\\"}\\npass\\n\");"));
  ground.hand_in("calls _exit", here().solution + early("_exit(0);"));
  ground.hand_in("closes descriptors",
                 here().solution + early("for (int f = 0; f < 4096; ++f) close(f);"));
  ground.hand_in("loops for ever", wrong_kernel + early("for (volatile int i = 0;;) i = 0;"));
  ground.hand_in("eats memory",
                 wrong_kernel + early("for (;;) memset(malloc(1 << 26), 1, 1 << 26);"));
  ground.hand_in("forges verdicts",
                 wrong_kernel +
                     early("char t[99]; const int n = sprintf(t, \"%032d\\tend\\t3\\t0\", 0); for "
                           "(int f = 0; f < 4096; ++f) { write(f, t, n); send(f, t, n, 0); }"));
  ground.hand_in("reads the channel's name",
                 wrong_kernel +
                     early("const char *t = getenv(\"BF_CHANNEL\"); puts(t ? t : \"none\");"));
  ground.hand_in("is half right",
                 wrong_kernel.substr(0, wrong_kernel.find("out[0]")) +
                     "if (threadIdx.x == 0) out[blockIdx.x] = 41; }\n");
}

void look_for_harm(const Ground &ground) {
  CHECK_FALSE(fs::exists(ground.file("full")));
  CHECK(read_file(ground.assigned.extra_check) == secret_check);
  for (const Grade &grade : ground.report.grades) {
    INFO(grade.student);
    CHECK_FALSE(holds(grade.result.log, secret_word));
    CHECK_FALSE(holds(grade.result.message, secret_word));
    CHECK(grade.result.seconds < 60);
  }
  CHECK_FALSE(holds(to_json(ground.report), secret_word));
}

using Verdicts = std::map<std::string, std::string>;

const Verdicts behind_walls{
    {"honest", "pass"},
    {"wrong", "fail wrong_result"},
    {"forks", "fail wrong_result"},
    {"fills the disk", "fail wrong_result"},
    {"prints for ever", "fail output_limit"},
    {"kills its parent", "fail wrong_result"},
    {"reads the hidden checks", "fail wrong_result"},
    {"includes the hidden checks", "build_error compile_error"},
    {"embeds the hidden checks", "build_error compile_error"},
    {"prints pass", "fail wrong_result"},
    {"calls _exit", "not_run ended_early"},
    {"closes descriptors", "not_run ended_early"},
    {"loops for ever", "timeout time_limit"},
    {"eats memory", "fail out_of_memory"},
    {"forges verdicts", "not_run protocol"},
    {"reads the channel's name", "fail wrong_result"},
    {"is half right", "fail one_number"},
};

void compare(const Verdicts &verdicts, const Verdicts &expected) {
  CHECK(verdicts.size() == expected.size());
  for (const auto &entry : expected) {
    const std::string &student = entry.first, &verdict = entry.second;
    INFO(student);
    // How much memory a program had used when it crashed does not get through bubblewrap.
    const bool hungry = student == "eats memory" && verdicts.at(student) == "fail crash";
    CHECK((hungry ? verdict : verdicts.at(student)) == verdict);
  }
}

} // namespace

TEST_CASE("with every wall that this machine has, but no screen") {
  const Walls &walls = here().walls;
  needs(walls.seccomp, "no seccomp: what is handed in could end this test");
  Ground ground;
  hand_in_all(ground);
  MESSAGE("walls: " << walls.text());
  compare(ground.graded(walls, false), behind_walls);
  look_for_harm(ground);
  // The hidden case counts, and what passes there is credited.
  REQUIRE(ground.report.exercises[0].cases.size() >= 3);
  CHECK(ground.report.exercises[0].cases.back().hidden);
  CHECK(ground.report.exercises[0].cases.back().name == "hidden: one element");
  for (const Grade &grade : ground.report.grades) {
    CHECK((grade.points == 1) == (grade.student == "honest"));
    CHECK((grade.points > 0) == (grade.student == "honest" || grade.student == "is half right"));
  }
}

TEST_CASE("without bubblewrap and without the screen" * doctest::skip()) {
  Walls walls = here().walls;
  needs(walls.landlock > 0, "no Landlock: without bubblewrap, files can be read");
  walls.bubblewrap = false;
  Ground ground;
  hand_in_all(ground);
  // Those that bubblewrap would have to do with.
  Verdicts expected = behind_walls;
  for (const char *student :
       {"prints for ever", "loops for ever", "eats memory", "is half right", "prints pass"}) {
    ground.withdraw(student);
    expected.erase(student);
  }
  compare(ground.graded(walls, false), expected);
  look_for_harm(ground);
}

TEST_CASE("the screen names what it finds before it runs") {
  Ground ground;
  hand_in_all(ground);
  Verdicts expected{{"honest", "pass"}, {"is half right", "fail one_number"}};
  for (const char *student : {"forks",
                              "fills the disk",
                              "kills its parent",
                              "reads the hidden checks",
                              "includes the hidden checks",
                              "embeds the hidden checks",
                              "calls _exit",
                              "closes descriptors",
                              "forges verdicts",
                              "reads the channel's name"}) {
    expected[student] = "not_run forbidden_call";
  }
  for (const auto &[student, verdict] : behind_walls) {
    if (!expected.contains(student)) {
      ground.withdraw(student); // nothing that the screen looks for
    }
  }
  ground.hand_in("calls the checker",
                 wrong_kernel +
                     "#include <initializer_list>\n#include <string>\n"
                     "namespace checker::detail { void send(const char *, "
                     "std::initializer_list<std::string>); }\n" +
                     early("checker::detail::send(\"end\", {\"3\", \"0\"});"));
  expected["calls the checker"] = "not_run forbidden_call";
  compare(ground.graded(here().walls, true), expected);
  look_for_harm(ground);
}

TEST_CASE("an untouched stub earns nothing, though it passes a case") {
  Ground ground;
  ground.check_by(secret_check + "TEST_CASE(\"hidden: asks for nothing\") {\n"
                                 "  checker::expect(true, \"never\", \"\");\n}\n");
  ground.learn();
  ground.hand_in("untouched", read_file(ground.assigned.exercise.stub));
  ground.graded(here().walls, true);
  REQUIRE(ground.report.grades.size() == 1);
  CHECK(ground.report.grades[0].result.passed_cases() == 1);
  CHECK(ground.report.grades[0].points == 0);
}

TEST_CASE("what hidden cases hand in reaches no case that is shown") {
  Ground ground;
  // It keeps what it was given in every way that outlives a launch, and shows that in whatever comes next.
  ground.hand_in("keeps",
                 "#include <cstdio>\n#include <cuda_runtime.h>\n#include <string>\n"
                 "__device__ unsigned kept;\nunsigned host_kept;\n"
                 "__global__ void block_sum(const unsigned *in, int n, unsigned *out) {\n"
                 "  if (threadIdx.x == 0 && n == 1 && in[0] == 41) { kept = 41; printf(\"kept "
                 "7000041\\n\"); }\n"
                 "  if (threadIdx.x == 0) out[blockIdx.x] = kept == 41 && n != 1 ? 7000041 : 41;\n"
                 "}\n");
  const auto verdicts = ground.graded(here().walls, true);
  CHECK(verdicts.at("keeps") == "fail one_number");
  REQUIRE(ground.report.grades.size() == 1);
  const Grade &grade = ground.report.grades[0];
  CHECK(grade.result.cases.back().name == "hidden: one element");
  CHECK(grade.result.cases.back().passed); // it ran, and saw its input
  for (const std::string &shown :
       {to_junit(ground.report), to_csv(ground.report), to_gradescope(ground.report, "keeps")}) {
    CHECK_FALSE(holds(shown, "7000041"));
  }
}

TEST_CASE("how a hidden case goes wrong, and how long it takes, tells nobody what it handed in") {
  Ground ground;
  const auto of_41 = [&](const std::string &code) {
    return replaced(here().solution,
                    "  if (tid == 0)\n",
                    "  if (n == 1 && in[0] == 41) { " + code + " }\n  if (tid == 0)\n");
  };
  ground.hand_in("hazard", of_41("out[1 << 20] = 1;"));
  ground.hand_in("loop", of_41("while (true) ((volatile unsigned *)out)[0] = in[0];"));
  ground.graded(here().walls, true);
  REQUIRE(ground.report.grades.size() == 2);
  for (const Grade &grade : ground.report.grades) {
    INFO(grade.student, " ", grade.result.message);
    CHECK(grade.result.diagnosis != "wrong_result"); // for the instructor
    CHECK(grade.result.hidden_seconds > 0);
    const Result shown = shown_result(grade.result);
    CHECK(shown.verdict == Verdict::fail);
    CHECK(shown.diagnosis == "hidden_check");
    CHECK(shown.seconds < grade.result.seconds);
  }
}

TEST_CASE("hidden checks that the solution does not pass are refused") {
  Ground ground;
  ground.check_by(replaced(secret_check, "41u", "42u"));
  CHECK_THROWS_WITH_AS(ground.learn(),
                       doctest::Contains("the solution of 05_reduction/block_sum does not pass"),
                       Failure);
  ground.check_by(hidden_check("a block of 96 threads"));
  CHECK_THROWS_WITH_AS(ground.learn(),
                       doctest::Contains("has a case \"a block of 96 threads\", and so has"),
                       Failure);
  std::vector<Assigned> one{ground.assigned};
  one[0].extra_check.clear();
  for (const char *folder : {"a", "b"}) {
    write(ground.file("two") / folder / "05_reduction" / "block_sum.extra.cu", "x");
  }
  CHECK_THROWS_WITH_AS(add_extra_checks(one, here().course, ground.file("two")),
                       doctest::Contains("are of the same exercise"),
                       Failure);
  one[0].extra_check.clear();
  write(ground.file("misspelt") / "05_reduction" / "block_sum_extra.cu", "x");
  write(ground.file("misspelt") / "05_reduction" / "block_sum.extra.cu", "x");
  CHECK_THROWS_WITH_AS(add_extra_checks(one, here().course, ground.file("misspelt")),
                       doctest::Contains("is no hidden check"),
                       Failure);
  write(ground.file("odd") / "05_reduction" / "no_such.extra.cu", "x");
  CHECK_THROWS_WITH_AS(add_extra_checks(one, here().course, ground.file("odd")),
                       doctest::Contains("belongs to no exercise"),
                       Failure);
}
