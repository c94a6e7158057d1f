// What a class file says: weights, dates, attempts, exceptions; and what students wrote themselves.
#include "base/failure.hpp"
#include "grade/formats.hpp"
#include "grade/journal.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace grade_test;

namespace {

/// \param csv  the exceptions, and the dates, too
ClassFile class_file(const std::string &toml, const std::string &csv = "student\n") {
  const TemporaryFolder folder;
  write(folder.path() / "class.toml", toml);
  write(folder.path() / "exceptions.csv", csv);
  write(folder.path() / "handed_in.csv", csv);
  return read_class_file(folder.path() / "class.toml", two);
}

/// Without the folder, which no test knows.
std::string complaint(const std::string &toml, const std::string &csv = "student\n") {
  try {
    class_file(toml, csv);
  } catch (const std::exception &error) {
    const std::string text = error.what();
    return line_count(text) == 0 ? text.substr(text.rfind('/', text.find(':')) + 1)
                                 : "several lines";
  }
  return "";
}

const std::string with_csv = "exceptions = \"exceptions.csv\"\n";
const std::string dates = "due = 2026-11-20T12:00:00+01:00\nattempts = \"best\"\n" + with_csv +
                          "[late]\nper_day = 0.25\nmost = 0.6\ngrace_hours = 1\n"
                          "[exercises.block_sum]\npoints = 8\n";

/// A date as the class file above has it, so many hours later.
void date_file(const fs::path &file, int hours) {
  const auto due =
      std::chrono::sys_days(std::chrono::year(2026) / 11 / 20) + std::chrono::hours(11);
  fs::last_write_time(file,
                      std::chrono::file_clock::from_sys(
                          std::chrono::time_point_cast<std::chrono::file_clock::duration>(
                              due + std::chrono::hours(hours))));
}

struct Course2026 {
  void hand_in(const std::string &student,
               const std::string &place,
               const std::string &verdict,
               int hours) {
    write(folder.path() / student / place / "block_sum.cu", verdict);
    date_file(folder.path() / student / place / "block_sum.cu", hours);
  }
  std::map<std::string, Grade> graded(const ClassFile &rules) {
    Report report = empty_report();
    report.rules = rules;
    apply_weights(report.exercises, rules);
    const TemporaryFolder elsewhere;
    Journal journal(elsewhere.path() / "journal", false);
    grade_class(report, find_submissions(folder.path(), {two[0]}, false, rules.attempts), journal);
    CHECK(report.complete());
    notes = report.notes;
    std::map<std::string, Grade> grades;
    for (const Grade &grade : report.grades) {
      CHECK(grades.emplace(grade.student, grade).second);
    }
    return grades;
  }
  TemporaryFolder folder;
  std::vector<std::string> notes; // of the last report
};

} // namespace

TEST_CASE("cases have weights, and whoever misses one never has all") {
  Assigned assigned = empty_report().exercises.front(); // 2 points, 3 cases
  assigned.weights = {{"large", 2}};
  Result one = result(Verdict::fail, "wrong_result");
  one.cases = {{"small", true, ""}, {"large", false, ""}, {"secret", true, ""}};
  CHECK(points_for(one, assigned) == doctest::Approx(2 * 2 / 4.0));
  one.cases[1].passed = true;
  CHECK(points_for(one, assigned) == doctest::Approx(2 * 3 / 4.0)); // the lightest is lost
  std::vector<Assigned> all{assigned};
  CHECK_THROWS_WITH_AS(
      apply_weights(all, class_file("[exercises.block_sum.cases]\nmedium = 2\n")),
      doctest::Contains(
          "a case \"medium\" of 05_reduction/block_sum; there are: \"small\", \"large\""),
      Failure);
}

TEST_CASE("lateness costs a share for each day begun, after the grace, up to a most") {
  Course2026 course;
  for (const auto &[student, hours] : std::map<std::string, int>{
           {"early", -5}, {"in the grace", 1}, {"late", 2}, {"later", 25}, {"very late", 900}}) {
    course.hand_in(student, "", "pass", hours);
  }
  fs::create_directories(course.folder.path() / "nobody");
  const auto grades = course.graded(class_file(dates));
  CHECK(grades.at("early").points == 8);
  CHECK(grades.at("early").note.empty());
  CHECK(grades.at("in the grace").points == 8);
  CHECK(grades.at("late").points == 6);
  CHECK(grades.at("late").earned == 8);
  CHECK(grades.at("late").note == "1 day late: 25 % less");
  CHECK(grades.at("later").points == 4);
  CHECK(grades.at("very late").points == doctest::Approx(3.2));
  CHECK(grades.at("nobody").note.empty());
}

TEST_CASE("an exception moves a date, or says what it is worth") {
  Course2026 course;
  for (const char *student : {"ada", "bob", "cid", "O\"Neil, jr"}) {
    course.hand_in(student, "", "pass", 30);
  }
  fs::create_directories(course.folder.path() / "eve");
  const auto grades =
      course.graded(class_file(dates,
                               "\xef\xbb\xbfstudent,exercise,due,handed_in,points,reason\r\n"
                               "ada,,2026-11-30 12:00:00Z,,,\r\n\r\n"
                               "bob,block_sum,,2026-11-20 11:59:00+01:00,,\r\n"
                               "eve,05.1,,,2.5,\"showed it, in person\"\r\n"
                               "\"O\"\"Neil, jr\",block_sum,,,1\r\n"));
  CHECK(grades.at("ada").points == 8);
  CHECK(grades.at("bob").points == 8);
  CHECK(grades.at("cid").points == 4);
  CHECK(grades.at("eve").points == 2.5);
  CHECK(grades.at("eve").note == "2.5 points by hand: showed it, in person");
  CHECK(grades.at("O\"Neil, jr").points == 1);
}

TEST_CASE("a platform's dates go before those of files, which are told of") {
  Course2026 course;
  for (const auto &[student, hours] :
       std::map<std::string, int>{{"ada", -5}, {"bob", 30}, {"cid", -5}}) {
    course.hand_in(student, "", "pass", hours);
  }
  const std::string by_files =
      " in time or late by the date of the file, which its author can choose: "
      "give the platform's dates with handed_in = \"FILE.csv\" in the class file";
  const auto grades = course.graded(class_file("due = 2026-11-20T12:00:00+01:00\nhanded_in = "
                                               "\"handed_in.csv\"\nlate.per_day = 0.25\n",
                                               "student,exercise,handed_in\n"
                                               "ada,block_sum,2026-11-20T12:30:00.5+01:00\n"
                                               "bob,,2026-11-20T11:00:00+01:00\n"
                                               "bob,tail,2026-11-30T11:00:00+01:00\n"
                                               "who left,,2026-11-20T11:00:00+01:00\n"));
  CHECK(grades.at("ada").note == "1 day late: 25 % less"); // whatever her file says
  CHECK(grades.at("bob").note.empty());
  CHECK(grades.at("cid").note.empty());
  CHECK(course.notes == std::vector{"1 submission is" + by_files});
  course.graded(class_file("due = 2026-11-20T12:00:00+01:00\n"));
  CHECK(course.notes == std::vector{"3 submissions are" + by_files});
  course.graded(class_file("")); // dates that do not matter
  CHECK(course.notes.empty());
  CHECK(complaint("handed_in = \"handed_in.csv\"\n", "student,handed_in\nada,soon\n") ==
        "handed_in.csv:2: handed_in 'soon': a date looks like 2026-11-20T23:59:00+01:00");
}

TEST_CASE("Gradescope's date is the one that counts") {
  const TemporaryFolder folder;
  write(folder.path() / "submission" / "block_sum.cu", "pass");
  const auto submission = [&] {
    return find_submissions(folder.path() / "submission", {two[0]}, true).submissions.at(0);
  };
  CHECK(submission().by_file);
  const fs::path noted = folder.path() / "submission_metadata.json";
  write(noted, R"({"id": 1, "created_at": "2026-11-20T03:00:00.123456-08:00"})");
  CHECK_FALSE(submission().by_file);
  CHECK(submission().handed_in == *moment_named("2026-11-20T12:00:00+01:00"));
  write(noted, R"({"created_at": 7})");
  CHECK_THROWS_WITH_AS(
      submission(), doctest::Contains("submission_metadata.json: no date in created_at"), Failure);
}

TEST_CASE("of several attempts the best one counts, after what lateness costs, or the last one") {
  Course2026 course;
  course.hand_in("ada", "first", "fail wrong_result", -9); // one case of three
  course.hand_in("ada", "second", "pass", 30); // half of it
  course.hand_in("bob", "early", "pass", -9);
  course.hand_in("bob", "late", "pass", -1);
  ClassFile rules = class_file(dates);
  auto grades = course.graded(rules);
  CHECK(grades.at("ada").points == 4);
  CHECK(grades.at("ada").file == "ada/second/block_sum.cu");
  CHECK(grades.at("ada").note == "2 days late: 50 % less; the best of 2 attempts");
  CHECK(grades.at("bob").file == "bob/early/block_sum.cu");
  rules.attempts = Attempts::last;
  grades = course.graded(rules);
  CHECK(grades.at("bob").file == "bob/late/block_sum.cu");
  CHECK(grades.at("bob").note.empty());
}

TEST_CASE("what is wrong with a class file is told with its line") {
  CHECK(complaint("colour = 1\n") == "class.toml:1: unknown key 'colour'; there are: attempts, "
                                     "due, exceptions, handed_in, late, exercises");
  CHECK(complaint("\ndue = 2026-11-20\n") ==
        "class.toml:2: due: a date looks like 2026-11-20T23:59:00+01:00");
  CHECK(complaint("due = 2026-11-20T12:00:00\n").ends_with("+01:00")); // whose noon?
  CHECK(complaint("attempts = \"first\"\n") ==
        "class.toml:1: attempts = \"first\"; there are: last, best");
  CHECK(complaint("[late]\nper_day = 10\n") == "class.toml:2: per_day must be a number, 0 to 1");
  CHECK(complaint("[exercises.block_summ]\n")
            .starts_with("class.toml:1: no exercise 'block_summ'; did"));
  CHECK(complaint("[exercises.tail]\npoints = -1\n") ==
        "class.toml:2: points must be a number, 0 to 1000000");
  for (const char *points : {"inf", "-inf", "nan", "1e300"}) {
    CHECK(holds(complaint(std::string("[exercises.tail]\npoints = ") + points + "\n"),
                "points must be a number"));
    CHECK(holds(complaint(std::string("[exercises.tail.cases]\nsmall = ") + points + "\n"),
                "small must be a number"));
    CHECK(holds(
        complaint(with_csv, std::string("student,exercise,points\nada,tail,") + points + "\n"),
        "a number is expected, 0 to 1000000"));
  }
  CHECK(
      complaint("[exercises.tail.cases]\nsmall = 0\n").starts_with("class.toml:2: small must be"));
  CHECK(complaint("due = \n").starts_with("class.toml:1: "));
  CHECK(holds(complaint("exceptions = \"none.csv\"\n"), "none.csv"));
  const auto of_csv = [](const std::string &text) { return complaint(with_csv, text); };
  CHECK(holds(of_csv("name\n"), "csv:1: unknown column 'name'; there are: student, exercise"));
  CHECK(holds(of_csv("student,due\nada,soon\n"), "csv:2: due 'soon': a date looks like"));
  CHECK(holds(of_csv("student,points\nada,3\n"), "csv:2: points are those of one exercise"));
  CHECK(holds(of_csv("student,exercise,points\nada,tail,3x\n"), "csv:2: points '3x': a number"));
  CHECK(holds(of_csv("student,exercise\nada,no_such\n"), "csv:2: no exercise 'no_such'"));
  CHECK(holds(of_csv("student\nada\nada\n"), "csv:3: a second line on ada"));
  CHECK(holds(of_csv("student,due\n,\n"), "csv:2: student is missing"));
  CHECK(holds(of_csv("student\nada,1,2\n"), "csv:2: more cells than the first line names"));
  CHECK(holds(of_csv("student\n\"ada\n"), "a quote is not closed"));
  CHECK(
      holds(of_csv("student\rada\rada\r"), "csv:3: a second line on ada")); // as old Macs end them
  CHECK(holds(of_csv("student;exercise\n"), "csv:1: commas part the cells"));
  CHECK(holds(of_csv("student,due,due\n"), "csv:1: the column due is there twice"));
  CHECK(holds(of_csv(std::string("\xff\xfes\0t\0", 6)), "is no plain text (UTF-16, perhaps)"));
}

TEST_CASE("what students wrote themselves is exported for those who look for copies") {
  const TemporaryFolder folder;
  Exercise one = two[0];
  one.stub = folder.path() / "stub.cu";
  write(one.stub, "// TODO\nint f() {\n}\n");
  write(folder.path() / "class" / "ada" / "BLOCK_SUM.cu",
        "\xef\xbb\xbf// TODO\r\nint f() {\r\n  return 1;\r\n}\r\n");
  fs::create_directories(folder.path() / "class" / "nobody");
  const Class all = find_submissions(folder.path() / "class", {one}, false);
  CHECK(holds(export_own_lines(all, folder.path() / "own"), "with 1 file"));
  CHECK(read_file(folder.path() / "own/05_reduction.block_sum/ada/block_sum.cu") ==
        "\n\n  return 1;\n\n");
}
