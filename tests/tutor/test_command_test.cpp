// `tutor test`, on a course with three tests.
#include "base/files.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using tutor::Captured;

namespace {

struct Tested {
  TemporaryFolder folder;
  fs::path root = folder.path() / "course";
  fs::path lesson = root / "chapters/01_hello_threads/README.md";

  Tested() {
    copy_fixture(root);
    tutor::write_file(root / ".gitignore", "build\n");
    REQUIRE(tutor::capture({"git", "init", "-q", root.string()}).exit_code == 0);
  }
  Captured test(const std::string &line) const { return tutor_on(root, typed("test " + line)); }
};

} // namespace

TEST_CASE_FIXTURE(Tested,
                  "a name runs the tests that it begins, ends or is, and builds what they need") {
  expect(test("05_reduction"), 0, {"100% tests passed, 0 tests failed out of 1"});
  // 02 does not compile, and nobody has asked for it.
  CHECK(fs::exists(root / "build/cpu/chapters/05_reduction/05_reduction"));
  CHECK_FALSE(fs::exists(root / "build/cpu/chapters/01_hello_threads/01_hello_threads"));
  // Another build, which a test has left there, has tests of the same names.
  const fs::path other = root / "build/cpu/other";
  tutor::write_file(other / "CMakeCache.txt", "");
  tutor::write_file(other / "CTestTestfile.cmake",
                    fmt::format("add_test([=[05_reduction.check]=] \"{}/nothing/nowhere\")\n",
                                (root / "build/cpu").string()));
  expect(test("05_reduction"), 0, {"100% tests passed, 0 tests failed out of 1"});
  CHECK(holds(test("tests/lessons").output, "lessons.title"));
  CHECK(holds(test("title").output, "out of 1\n"));

  const Captured unknown = test("lessons.titel");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.output == "tutor: no test 'lessons.titel'; near to it: lessons.title\n");

  tutor::write_file(lesson, "no title\n");
  CHECK(test("lessons").exit_code == 1);
}

TEST_CASE_FIXTURE(Tested, "what has not changed since it passed is listed, never passed") {
  const std::string all = "lessons 05_reduction --changed";
  CHECK(holds(test(all).output, "0 of 3 tests are unchanged since they passed: \n"));
  const Captured again = test(all);
  INFO(again.output);
  CHECK(again.exit_code == 0);
  CHECK(holds(again.output, "2 of 3 tests are unchanged since they passed: "));
  CHECK(holds(again.output, "lessons.skipped")); // what was skipped runs again
  CHECK_FALSE(holds(again.output, "Passed"));

  tutor::write_file(lesson, "no title\n");
  const Captured changed = test(all);
  INFO(changed.output);
  CHECK(changed.exit_code == 1); // 05's program reads no lesson
  CHECK(
      holds(changed.output, "1 of 3 tests are unchanged since they passed: 05_reduction.check\n"));
  CHECK(test(all).exit_code == 1); // what failed has no receipt

  tutor::write_file(lesson, "# A title\n");
  CHECK(test(all).exit_code == 0);
  const fs::path number = root / "chapters/05_reduction/main.cpp";
  tutor::write_file(number, tutor::read_file(number) + "// changed\n");
  fs::last_write_time(number, fs::last_write_time(number) + std::chrono::seconds(2));
  const Captured built = test(all);
  INFO(built.output);
  CHECK(holds(built.output,
              "0 of 3 tests are unchanged")); // the source is of the program, and of the course
}

TEST_CASE_FIXTURE(Tested, "every run leaves receipts of what passed, which --changed alone uses") {
  const std::string all = "lessons 05_reduction";
  CHECK(holds(test(all).output, "0 tests failed out of 3"));
  CHECK(holds(test(all).output, "0 tests failed out of 3"));
  CHECK(holds(test(all + " --changed").output, "2 of 3 tests are unchanged since they passed: "));

  // A run that fails takes away what an earlier one has left of the same files.
  tutor::write_file(root / ".gitignore", "build\nREADME.md\n"); // which is now not compared
  CHECK(test(all).exit_code == 0);
  tutor::write_file(lesson, "no title\n");
  CHECK(test("lessons.title").exit_code == 1);
  expect(test(all + " --changed"),
         1,
         {"1 of 3 tests are unchanged since they passed: 05_reduction.check\n"});
}

TEST_CASE_FIXTURE(Tested, "all seeds and orders are tried of a commit, and recorded with it") {
  const fs::path record = root / "docs/results/tests.json";
  expect(test("lessons --all"), 2, {"--all stands alone"});
  expect(test("--all"), 2, {"commit what has changed first"});
  CHECK_FALSE(fs::exists(record));
}
