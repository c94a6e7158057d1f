#include "base/failure.hpp"
#include "grade/class_view.hpp"
#include "grade/journal.hpp"
#include "grade/text.hpp"
#include "grade/toolchain.hpp"
#include "support.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>

using namespace grade_test;

namespace {

/// The file of a student for the first exercise; "-" when there is none.
std::string found(const fs::path &folder, const std::string &student, Class *out = nullptr) {
  Class all = find_submissions(folder, two, false);
  if (out != nullptr) {
    *out = all;
  }
  for (const Submission &one : all.submissions) {
    if (one.student == student && one.exercise->name == "block_sum") {
      return one.file.empty() ? "-" : one.file.lexically_relative(all.folder / student).string();
    }
  }
  return "no such student";
}

bool noted(const Class &all, const std::string &words) {
  return std::ranges::any_of(all.notes,
                             [&](const std::string &note) { return holds(note, words); });
}

} // namespace

TEST_CASE("a student's file is found wherever it lies") {
  TemporaryFolder folder;
  write(folder.path() / "ada" / "05_reduction" / "block_sum.cu", "a");
  write(folder.path() / "Bärbel von der Höhe" / "my stuff" / "final, really" / "block_sum.cu", "b");
  write(folder.path() / "nobody" / "notes.txt", "c");
  Class all;
  CHECK(found(folder.path(), "ada", &all) == "05_reduction/block_sum.cu");
  CHECK(found(folder.path(), "Bärbel von der Höhe") == "my stuff/final, really/block_sum.cu");
  CHECK(found(folder.path(), "nobody") == "-");
  CHECK(all.students.size() == 3);
  CHECK(all.submissions.size() == 6);
  CHECK(all.notes.empty());
}

TEST_CASE("of several copies the one in its place is taken, and the line says so") {
  TemporaryFolder folder;
  write(folder.path() / "ada" / "block_sum.cu", "flat");
  write(folder.path() / "ada" / "hand in" / "05_reduction" / "block_sum.cu", "in its place");
  write(folder.path() / "ada" / ".stubs" / "block_sum.cu", "hidden");
  write(folder.path() / "bob" / "deep" / "er" / "block_sum.cu", "deep");
  write(folder.path() / "bob" / "block_sum.cu", "flat");
  Class all;
  CHECK(found(folder.path(), "ada", &all) == "hand in/05_reduction/block_sum.cu");
  CHECK(noted(all, "ada: 2 files are called block_sum.cu; hand in/05_reduction/block_sum.cu"));
  CHECK(found(folder.path(), "bob") == "block_sum.cu");
}

TEST_CASE("capitals in a file's name are told, and cost nothing") {
  TemporaryFolder folder;
  write(folder.path() / "ada" / "BLOCK_SUM.CU", "a");
  write(folder.path() / "bob" / "Block_Sum.cu", "b");
  write(folder.path() / "bob" / "deep" / "block_sum.cu", "c");
  Class all;
  CHECK(found(folder.path(), "ada", &all) == "BLOCK_SUM.CU");
  CHECK(noted(all, "ada: BLOCK_SUM.CU is taken for block_sum.cu"));
  CHECK(found(folder.path(), "bob") == "deep/block_sum.cu");
  CHECK_FALSE(noted(all, "bob"));
  CHECK(looks_like_one_student(folder.path() / "ada", two));
  CHECK_FALSE(looks_like_one_student(folder.path(), two));
}

TEST_CASE("links, devices and huge files are passed over, each with a line") {
  TemporaryFolder folder;
  write(folder.path() / "ada" / "block_sum.cu", "ada's own");
  fs::create_directories(folder.path() / "mallory");
  fs::create_symlink(folder.path() / "ada" / "block_sum.cu",
                     folder.path() / "mallory" / "block_sum.cu");
  fs::create_directories(folder.path() / "loop");
  fs::create_directory_symlink(folder.path() / "loop", folder.path() / "loop" / "again");
  fs::create_directories(folder.path() / "pipe");
  REQUIRE(mkfifo((folder.path() / "pipe" / "block_sum.cu").c_str(), 0600) == 0);
  write(folder.path() / "huge" / "block_sum.cu", std::string(largest_submission + 1, 'x'));
  fs::create_directory_symlink(folder.path() / "ada", folder.path() / "link to ada");
  write(folder.path() / "readme.txt", "no student");
  Class all;
  CHECK(found(folder.path(), "ada", &all) == "block_sum.cu");
  CHECK(found(folder.path(), "mallory") == "-");
  CHECK(found(folder.path(), "loop") == "-");
  CHECK(found(folder.path(), "pipe") == "-");
  CHECK(found(folder.path(), "huge") == "-");
  CHECK(noted(all, "mallory: block_sum.cu is a link to somewhere else"));
  CHECK(noted(all, "pipe: block_sum.cu is no file"));
  CHECK(noted(all, "huge: block_sum.cu is larger than 256 KiB"));
  CHECK(noted(all, "link to ada: a link"));
  CHECK(noted(all, "readme.txt: not a student's folder"));
  CHECK(all.students.size() == 5);
}

TEST_CASE("what may have been meant for an exercise's file is told of") {
  TemporaryFolder folder;
  for (const char *file : {"ada/block_sum (1).cu",
                           "bob/block_sum.cu.txt",
                           "cid/homework.ZIP",
                           "dan/block_sum.cu",
                           "dan/block_sum-old.cu",
                           "block_sum.cu/block_sum.cu",
                           ".eve/block_sum.cu"}) {
    write(folder.path() / file, "x");
  }
  Class all;
  CHECK(found(folder.path(), "block_sum.cu", &all) == "block_sum.cu"); // as somebody is called
  CHECK(noted(all, "ada: block_sum (1).cu is not called block_sum.cu; it is not graded"));
  CHECK(noted(all, "bob: block_sum.cu.txt is not called block_sum.cu; it is not graded"));
  CHECK(noted(all, "cid: homework.ZIP is an archive; what is in it is not looked for"));
  CHECK(noted(all, ".eve: hidden; not taken for a student's folder"));
  CHECK_FALSE(noted(all, "block_sum-old.cu")); // there is the right one beside it
}

TEST_CASE("a folder that cannot be a class is refused") {
  TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(find_submissions(folder.path() / "none", two, false),
                       doctest::Contains("there is no folder"),
                       Failure);
  CHECK_THROWS_WITH_AS(
      find_submissions(folder.path(), two, false), doctest::Contains("holds no folders"), Failure);
  write(folder.path() / "05_reduction" / "block_sum.cu", "mine");
  CHECK_THROWS_WITH_AS(find_submissions(folder.path(), two, false),
                       doctest::Contains("looks like one student's folder"),
                       Failure);
  CHECK(find_submissions(folder.path(), two, true).students.size() == 1);
}

TEST_CASE("seeds differ from student to student and stay the same") {
  CHECK(seed_of(2026, "ada") == seed_of(2026, "ada"));
  CHECK(seed_of(2026, "ada") != seed_of(2027, "ada"));
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 1000; ++i) {
    seeds.insert(seed_of(2026, "student " + std::to_string(i)));
  }
  CHECK(seeds.size() == 1000);
  CHECK(*seeds.rbegin() < (1ull << 31));
}

TEST_CASE("credit goes by cases, and only a pass has all of it") {
  const Assigned assigned = empty_report().exercises.front(); // 2 points, 3 cases
  CHECK(points_for(result(Verdict::pass), assigned) == 2);
  CHECK(points_for(result(Verdict::build_error), assigned) == 0);
  Result one = result(Verdict::fail, "wrong_result");
  CHECK(points_for(one, assigned) == 0);
  one.cases = {{"small", true, ""}, {"large", false, ""}, {"not asked", true, ""}};
  CHECK(points_for(one, assigned) == doctest::Approx(2.0 / 3));
  one.verdict = Verdict::timeout;
  CHECK(points_for(one, assigned) == doctest::Approx(2.0 / 3));
  one.verdict = Verdict::not_run;
  CHECK(points_for(one, assigned) == 0);
  one.verdict = Verdict::hazard;
  one.cases = {{"small", true, ""}, {"large", true, ""}, {"secret", true, ""}};
  CHECK(points_for(one, assigned) == doctest::Approx(4.0 / 3));
  one.cases = {{"small", true, ""}, {"small", false, ""}};
  CHECK(points_for(one, assigned) == 0);
}

TEST_CASE("nobody is credited for what the stub does already") {
  Assigned assigned = empty_report().exercises.front(); // 2 points, 3 cases
  assigned.stub_passes = {"small"};
  Result one = result(Verdict::fail, "wrong_result");
  one.cases = {{"small", true, ""}, {"large", false, ""}, {"secret", false, ""}};
  CHECK(points_for(one, assigned) == 0);
  one.cases[1].passed = true;
  CHECK(points_for(one, assigned) == doctest::Approx(1)); // one of the two that the stub fails
  CHECK(points_for(result(Verdict::pass), assigned) == 2);
  assigned.cases.clear(); // no solution to ask
  CHECK(points_for(one, assigned) == doctest::Approx(1));
  assigned.stub_passes = {"small", "large", "secret"}; // and fails by what it has not done
  CHECK(points_for(one, assigned) == 0);
}

TEST_CASE("a pass without every case of the solution's run is none") {
  const Assigned assigned = empty_report().exercises.front();
  Result one = result(Verdict::pass);
  one.cases = {{"small", true, ""}, {"large", true, ""}};
  demand_every_case(one, assigned);
  CHECK(one.verdict == Verdict::not_run);
  CHECK(one.diagnosis == "missing_case");
  CHECK(holds(one.message, "secret"));
  one = result(Verdict::pass);
  one.cases = {{"small", true, ""}, {"large", true, ""}, {"secret", true, ""}};
  demand_every_case(one, assigned);
  CHECK(one.verdict == Verdict::pass);
}

TEST_CASE("a checker built from another header is another checker") {
  TemporaryFolder build;
  const fs::path exercises = build.path() / "exercises", object = build.path() / "block_sum.o";
  write(exercises / "tools.txt", "link\tc++\n");
  write(exercises / "05_reduction" / "block_sum.o.txt", object.string() + "\n");
  setenv("BUILD_FIRST_BUILD", build.path().c_str(), 1);
  const Toolchain toolchain(Course(COURSE_FOLDER), Backend::cpu);
  const Assigned assigned{two[0], {}, {}};
  write(object, "compiled");
  const std::string key = toolchain.receipt_for(assigned).key();
  CHECK(toolchain.receipt_for(assigned).key() == key);
  write(object, "compiled with an edited header");
  CHECK(toolchain.receipt_for(assigned).key() != key);
  unsetenv("BUILD_FIRST_BUILD");
}

TEST_CASE("another library of the course is another grade, wherever the course lies") {
  TemporaryFolder build; // its name holds a space
  const fs::path library = build.path() / "checker" / "libchecker.a";
  write(build.path() / "exercises" / "tools.txt", "libraries\t-Wl,-s\t" + library.string() + "\n");
  write(build.path() / "exercises" / "05_reduction" / "block_sum.o.txt", "none.o\n");
  setenv("BUILD_FIRST_BUILD", build.path().c_str(), 1);
  const auto key = [&](const std::string &content) {
    write(library, content);
    return Toolchain(Course(COURSE_FOLDER), Backend::cpu).receipt_for({two[0], {}, {}}).key();
  };
  const std::string first = key("one");
  CHECK(key("another") != first);
  CHECK(key("one") == first);
  unsetenv("BUILD_FIRST_BUILD");
}

TEST_CASE("another header of the course is another grade, though no library changes by it") {
  TemporaryFolder build;
  const fs::path headers = build.path() / "headers";
  write(build.path() / "exercises" / "tools.txt",
        "compile\tc++\t-isystem\t" + headers.string() + "\n");
  write(build.path() / "exercises" / "05_reduction" / "block_sum.o.txt", "none.o\n");
  setenv("BUILD_FIRST_BUILD", build.path().c_str(), 1);
  const auto key = [&](const std::string &content) {
    write(headers / "emu" / "cub.hpp", content);
    return Toolchain(Course(COURSE_FOLDER), Backend::cpu).receipt_for({two[0], {}, {}}).key();
  };
  const std::string first = key("one");
  CHECK(key("another") != first);
  CHECK(key("one") == first);
  unsetenv("BUILD_FIRST_BUILD");
}

TEST_CASE("names that look alike are told, and those that do not are not") {
  TemporaryFolder folder;
  for (const char *name : {"Ann Lee", "Ann\u00a0Lee", "Оlga", "Olga", "Zoë", "Zoe", "zoe"}) {
    write(folder.path() / name / "block_sum.cu", "x");
  }
  const Class all = find_submissions(folder.path(), {two[0]}, false);
  CHECK(all.notes.size() == 2);
  CHECK(noted(all, "Olga and Оlga look alike and are two folders"));
}

TEST_CASE("whatever stops one check, the others go on") {
  TemporaryFolder folder;
  write(folder.path() / "ada" / "block_sum.cu", "pass");
  write(folder.path() / "bob" / "block_sum.cu", "nonsense"); // read_verdict throws
  fs::create_directories(folder.path() / "eve");
  Report report = empty_report();
  Journal journal(folder.path() / "journal", false);
  grade_class(report, find_submissions(folder.path(), {two[0]}, false), journal);
  REQUIRE(report.grades.size() == 3);
  CHECK(report.grades[0].result.verdict == Verdict::pass);
  CHECK(report.grades[1].result.diagnosis == "grader_error");
  CHECK(report.grades[2].result.diagnosis == "missing_file");
  CHECK(report.grades[2].points == 0);
  CHECK_THROWS_WITH_AS(Journal(folder.path() / "journal", false),
                       doctest::Contains("another tutor is grading"),
                       Failure);
}

TEST_CASE("the class view puts the most common mistake first") {
  Report report = empty_report();
  const auto add = [&](const std::string &student, Verdict verdict, const std::string &diagnosis) {
    Grade grade;
    grade.student = student;
    grade.file = student + "/block_sum.cu";
    grade.result = result(verdict, diagnosis);
    grade.points = points_for(grade.result, report.exercises[0]);
    report.students.push_back(student);
    report.grades.push_back(grade);
  };
  add("ada", Verdict::pass, "");
  add("bob", Verdict::fail, "wrong_result");
  for (const char *student : {"cid", "dan", "eve", "fay", "gus"}) {
    add(student, Verdict::hazard, "shared_race");
  }
  const std::vector<Cluster> clusters = clusters_of(report);
  REQUIRE(clusters.size() == 2);
  CHECK(clusters[0].diagnosis == "shared_race");
  CHECK(clusters[0].students.size() == 5);
  const std::string view = class_view(report);
  CHECK(holds(view, "05.1 block_sum  1 of 7 passed (14 %), 7 handed in, 0.29 of 2 points"));
  CHECK(holds(view, "   5  hazard shared_race: what went wrong\n"));
  CHECK(holds(view, "cid, dan, eve, fay and 1 more\n"));
  CHECK(view.find("shared_race") < view.find("wrong_result"));
}

TEST_CASE("a mistake is guessed at where only one is known to end so") {
  TemporaryFolder folder;
  std::string stored;
  for (const auto &[name, verdict] : {std::pair("one", "hazard shared_race"),
                                      std::pair("two", "fail tail_missing"),
                                      std::pair("three", "fail tail_missing"),
                                      std::pair("four", "fail wrong_result")}) {
    stored += fmt::format("[wrong.{0}]\nmistake = \"The mistake {0}.\"\nverdict = \"{1}\"\n"
                          "body = \"b\"\n",
                          name,
                          verdict);
  }
  const fs::path answers = folder.path() / "answers.toml";
  write(answers, stored);
  Report report = empty_report();
  report.exercises[0].exercise.answers = answers;
  for (const auto &[verdict, diagnosis] : {std::pair(Verdict::hazard, "shared_race"),
                                           std::pair(Verdict::fail, "tail_missing"),
                                           std::pair(Verdict::fail, "wrong_result")}) {
    Grade grade;
    grade.student = diagnosis;
    grade.result = result(verdict, diagnosis);
    report.grades.push_back(grade);
  }
  for (const Cluster &cluster : clusters_of(report)) {
    CHECK(cluster.perhaps == (cluster.diagnosis == "shared_race" ? "The mistake one." : ""));
  }
  CHECK(holds(class_view(report), "        perhaps: The mistake one.\n"));
}

TEST_CASE("text from submissions is made harmless") {
  CHECK(printable("Zoë 世界") == "Zoë 世界");
  CHECK(printable("\x1b[2J\r\n\x7f") == "\\x1b[2J\\x0d\\x0a\\x7f");
  CHECK(printable("a\nb", true) == "a\nb");
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("\xed\xa0\x80\xef\xbf\xbf\xc2\x9b") == R"(\xed\xa0\x80\xef\xbf\xbf\xc2\x9b)");
}

TEST_CASE("no two names look the same, and each is read back") {
  std::set<std::string> shown;
  for (const std::string name : {"x\ny",
                                 "x?y",
                                 "x\xffy",
                                 "x\\x0ay",
                                 "x\\\\x0ay",
                                 "x\\x5cx0ay",
                                 "x\\y",
                                 "x\u200by",
                                 "x\\x"}) {
    const std::string as_shown = shown_name(name);
    CHECK(shown.insert(as_shown).second);
    CHECK(as_shown == printable(as_shown));
    CHECK(unescaped(as_shown) == name);
  }
}
