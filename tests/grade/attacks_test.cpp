// What a student could do to the tutor itself, to its reports and to whoever reads them. No check runs here:
// those are in hostile_test.cpp.
#include "base/files.hpp"
#include "exercises/screen.hpp"
#include "grade/formats.hpp"
#include "grade/text.hpp"
#include "support.hpp"

#include <ctime>
#include <doctest/doctest.h>

using namespace grade_test;

namespace {

const auto nothing_known = [](std::string_view) { return false; };

std::string repeated(const std::string &text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

std::string refused(const std::string &source) {
  const auto found = screen_source(source, nothing_known);
  return found ? found->what : "";
}

/// Exports what these students handed in; each file that was written, and what is in it.
std::map<std::string, std::string> exported(const fs::path &folder,
                                            Attempts attempts = Attempts::in_place) {
  Exercise one = two[0];
  one.stub = folder / "stub.cu";
  write(one.stub, "int f() {\n}\n");
  export_own_lines(find_submissions(folder / "class", {one}, false, attempts), folder / "own");
  std::map<std::string, std::string> files;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder / "own")) {
    if (entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder / "own").string()] = read_file(entry.path());
    }
  }
  return files;
}

} // namespace

TEST_CASE("macros that double twenty times do not fill the tutor's memory") {
  const auto found =
      screen_preprocessed(repeated("int f(int);", 400'000), "learner.cu", nothing_known);
  REQUIRE(found);
  CHECK(holds(found->what, "macros make megabytes"));
}

TEST_CASE("no file of the machine is included, by whatever path") {
  for (const char *name : {"</dev/zero>",
                           "</proc/self/environ>",
                           "<../../etc/passwd>",
                           "<a/../../b>",
                           "\"/proc/self/fd/3\"",
                           "\"..\\x\""}) {
    CHECK(holds(refused(std::string("#include ") + name + "\n"), "#include"));
  }
  CHECK(holds(refused("%:include </dev/zero>\n"), "#include"));
  CHECK(holds(refused("/**/ # /**/ include </dev/zero>\n"), "#include"));
  CHECK(holds(refused("#in\\\nclude </dev/zero>\n"), "#include"));
  CHECK(holds(refused("#include_next <x>\n"), "#include_next"));
  CHECK(holds(refused("#embed </etc/passwd>\n"), "#embed"));
  CHECK(holds(refused("#pragma GCC dependency \"/etc/passwd\"\n"), "#pragma GCC"));
}

TEST_CASE(
    "texts that are nested, spliced, unclosed or binary cost the screen no time and no stack") {
  const std::clock_t start = std::clock();
  for (const std::string &text : {repeated("(", 50'000),
                                  repeated("\\\n", 50'000),
                                  repeated("/*", 50'000),
                                  repeated("R\"x(", 20'000),
                                  repeated("[[", 30'000),
                                  repeated("__attribute__((", 10'000),
                                  repeated(")std ", 50'000),
                                  repeated("]emu ", 50'000),
                                  "asm(\"" + repeated("//\\n", 45) + "!\");",
                                  repeated("#\n", 30'000),
                                  repeated("\"", 50'000),
                                  std::string(50'000, '\0'),
                                  std::string(50'000, '\xff')}) {
    (void)screen_source(text, nothing_known);
    (void)screen_preprocessed(text, "learner.cu", nothing_known);
  }
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 10); // it takes a fraction of one
  CHECK(refused("int a;") == "");
}

TEST_CASE("of several attempts none hides what another one has copied") {
  const TemporaryFolder folder;
  write(folder.path() / "class" / "ada" / "old" / "block_sum.cu", "mine\n");
  write(folder.path() / "class" / "ada" / "new" / "block_sum.cu", "copied\n");
  fs::last_write_time(folder.path() / "class" / "ada" / "old" / "block_sum.cu",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto files = exported(folder.path(), Attempts::best);
  REQUIRE(files.size() == 2);
  CHECK(files.at("05_reduction.block_sum/ada/block_sum.cu") == "copied\n");
  CHECK(files.at("05_reduction.block_sum/ada/attempt 2/block_sum.cu") == "mine\n");
}

TEST_CASE("a file of lines that nobody else has is exported in no more than its own size") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 35'000; ++i) {
    lines += std::to_string(i) + "\n";
  }
  write(folder.path() / "class" / "ada" / "block_sum.cu", lines + "int f() {\nint f() {\n");
  const auto files = exported(folder.path());
  REQUIRE(files.size() == 1);
  CHECK(files.begin()->second == lines + "\nint f() {\n"); // one of the stub, one of hers
}

TEST_CASE("names of students lead to no other folder, and no two to the same") {
  const TemporaryFolder folder;
  for (const char *name : {"a\nb", "a\tb", "=1+1", "...", "a b", "-rf", "a\\..\\b"}) {
    write(folder.path() / "class" / name / "block_sum.cu", "x\n");
  }
  const auto files = exported(folder.path());
  CHECK(files.size() == 6); // "..." is hidden
  for (const auto &[name, text] : files) {
    CHECK(name.starts_with("05_reduction.block_sum/"));
    CHECK(std::ranges::count(name, '/') == 2);
    CHECK(name == printable(name));
  }
}

TEST_CASE("who hands in a thousand attempts has the last twenty graded") {
  const TemporaryFolder folder;
  for (int i = 0; i < 1000; ++i) {
    write(folder.path() / "class" / "ada" / std::to_string(i) / "block_sum.cu", "x");
  }
  const Class all = find_submissions(folder.path() / "class", {two[0]}, false, Attempts::best);
  CHECK(all.submissions.size() == most_attempts);
  CHECK(holds(all.notes.at(0), "1000 attempts at block_sum.cu; the last 20 are graded"));
}

TEST_CASE(
    "a date that is none, or of another century, changes no points by more than the policy says") {
  Report report = empty_report();
  report.rules.due = std::chrono::sys_days(std::chrono::year(2026) / 11 / 20);
  report.rules.late = {0.5, 0.5, {}};
  for (const auto &[handed_in, points] :
       std::vector<std::pair<Moment, double>>{{Moment::max() - std::chrono::years(2000), 1},
                                              {Moment(), 2},
                                              {Moment() - std::chrono::years(500), 2}}) {
    Grade grade;
    grade.student = "ada";
    grade.file = "ada/block_sum.cu";
    grade.handed_in = handed_in;
    grade.result = result(Verdict::pass);
    for (const Case &one : report.exercises[0].cases) {
      grade.result.cases.push_back({one.name, true, ""});
    }
    give_points(grade, report);
    CHECK(grade.points == points);
  }
}

TEST_CASE("what somebody wrote as a reason is no formula, and ends no line") {
  Report report = empty_report();
  report.students = {"ada"};
  Grade grade;
  grade.student = "ada";
  grade.result = result(Verdict::fail, "=cmd|' /C calc'!A0");
  report.rules.exceptions[{"ada", "05_reduction/block_sum"}] = {
      {}, {}, 1, "@SUM(A1)\r\n\x1b[2J\",x"};
  report.grades = {settle({grade}, report)};
  const std::string csv = to_csv(report);
  CHECK(line_count(csv) == 2);
  CHECK(csv.find('\x1b') == std::string::npos);
  CHECK(holds(csv,
              ",'=cmd|' /C calc'!A0,\"1 points by hand: @SUM(A1)\\x0d\\x0a\\x1b[2J\"\",x\"\r\n"));
}
