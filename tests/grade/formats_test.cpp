#include "base/failure.hpp"
#include "grade/formats.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace grade_test;
using Json = nlohmann::json;

namespace {

constexpr const char *odd = "O\"Neil, <b>&\x01\xff Zoë";

/// One student who passed, one with an odd name who did not, one who handed in nothing.
Report sample() {
  Report report;
  report.folder = "/submissions";
  report.seed = 7;
  report.walls = "limits";
  report.exercises = {{exercise("block_sum", 1, 3),
                       "/secret/05_reduction/block_sum.extra.cu",
                       {{"small", false}, {"large", false}, {"secret", true}}}};
  report.students = {"ada", odd, "eve"};
  report.total = 3;

  Grade ada;
  ada.student = "ada";
  ada.file = "ada/05_reduction/block_sum.cu";
  ada.result = result(Verdict::pass);
  ada.result.cases = {{"small", true, ""}, {"large", true, ""}, {"secret", true, ""}};
  ada.result.seconds = 1.25;

  Grade other;
  other.student = odd;
  other.file = fs::path(odd) / "block_sum.cu";
  other.result = result(Verdict::hazard, "shared_race");
  other.result.message = "a race <in> \"secret\" data]]>\nsecond line";
  other.result.log = "printed: \x1b[31m the hidden numbers";
  other.result.cases = {{"small", true, ""}, {"large", true, ""}, {"secret", false, "a race"}};
  other.result.by_hidden = true;
  other.result.seconds = 7.75;
  other.result.hidden_seconds = 7.5; // in which it may have counted up to what it was given

  Grade eve;
  eve.student = "eve";
  eve.result = result(Verdict::not_run, "missing_file");
  eve.result.message = "no block_sum.cu was handed in";
  for (Grade *grade : {&ada, &other, &eve}) {
    if (!grade->result.cases.empty()) {
      grade->result.cases.back().hidden = true;
    }
    grade->points = points_for(grade->result, report.exercises[0]);
    grade->receipt.seed = seed_of(7, grade->student);
    report.grades.push_back(*grade);
  }
  return report;
}

} // namespace

TEST_CASE("JSON tells everything") {
  const Json json = Json::parse(to_json(sample()));
  CHECK(json.at("complete") == true);
  REQUIRE(json.at("grades").size() == 3);
  const Json &ada = json.at("grades").at(0);
  CHECK(ada.at("verdict") == "pass");
  CHECK(ada.at("points") == 3);
  CHECK(ada.at("replay") == "./tutor check 05_reduction/block_sum --file "
                            "/submissions/ada/05_reduction/block_sum.cu --seed " +
                                std::to_string(seed_of(7, "ada")) + " --extra-checks /secret");
  CHECK(ada.at("receipt").at("seed") == seed_of(7, "ada"));
  CHECK(ada.at("handed_in") == "1970-01-01T00:00:00Z");
  CHECK(ada.at("handed_in_by") == "file");
  const Json &eve = json.at("grades").at(2);
  CHECK(eve.at("replay") == "");
  CHECK(eve.at("cases").size() == 3);
  CHECK(eve.at("cases").at(0).at("message") == "did not run: no block_sum.cu was handed in");
  CHECK(json.at("grades").at(1).at("cases").at(2).at("hidden") == true);
  CHECK(json.at("clusters").size() == 2);
  CHECK(json.at("students").at(1).at("student") == R"(O"Neil, <b>&\x01\xff Zoë)");
}

TEST_CASE("CSV has a header and a line for each student") {
  const std::string csv = to_csv(sample());
  CHECK(line_count(csv) == 4);
  CHECK(csv.starts_with("student,points,max_points,seed,05_reduction/block_sum points,"
                        "05_reduction/block_sum verdict,05_reduction/block_sum diagnosis,"
                        "05_reduction/block_sum note\r\n"));
  CHECK(holds(csv, "ada,3,3," + std::to_string(seed_of(7, "ada")) + ",3,pass,,\r\n"));
  CHECK(holds(csv, R"("O""Neil, <b>&\x01\xff Zoë",2,3,)"));
  CHECK(holds(csv, ",0,not_run,missing_file,\r\n"));

  Report report = sample();
  report.students.push_back("=HYPERLINK(1)");
  CHECK(holds(to_csv(report), "\r\n'=HYPERLINK(1),"));
  for (const auto &[name, in_cell] :
       std::map<std::string, std::string>{{"Bob;=1+1", "\"Bob;=1+1\""},
                                          {"＝1+1", "'＝1+1"},
                                          {" @SUM(A1)", "' @SUM(A1)"},
                                          {"\"=1", "\"'\"\"=1\""},
                                          {"\t=1", "\\x09=1"},
                                          {"Ann\u202e\u200b", "Ann\\xe2\\x80\\xae\\xe2\\x80\\x8b"},
                                          {"Zoë 世界", "Zoë 世界"}}) {
    report.students.back() = name;
    CHECK(holds(to_csv(report), "\r\n" + in_cell + ","));
  }
  CHECK(holds(to_csv(report), ",2,fail,hidden_check,\r\n")); // whatever the hidden check calls it
}

TEST_CASE("JUnit's XML is well-formed, counts right and tells nothing of hidden checks") {
  const std::string xml = to_junit(sample());
  CHECK(holds(xml, "<testsuites name=\"grades\" tests=\"9\" failures=\"1\" errors=\"3\""));
  CHECK(holds(xml, "time=\"1.250\""));
  CHECK(holds(xml, "time=\"0.250\""));
  CHECK(holds(xml, "errors=\"3\" time=\"1.500\""));
  CHECK(holds(xml, "name=\"verdict\" value=\"fail\""));
  CHECK(
      holds(xml, "name=\"not shown 1\">\n      <failure type=\"hidden_check\" message=\"A check "));
  for (const char *of_hidden : {"secret", "a race", "shared_race", "hidden numbers"}) {
    CHECK_FALSE(holds(xml, of_hidden));
  }
  Report failed = sample();
  failed.grades[1].result.cases[0] = {"small", false, "a <race>"};
  failed.grades[1].result.by_hidden = false;
  CHECK(holds(to_junit(failed), "<failure type=\"shared_race\" message=\"a &lt;race&gt;\">"));
  CHECK(holds(to_junit(failed), "the hidden numbers")); // what the public cases printed
  CHECK(holds(xml, "<error type=\"missing_file\""));
  CHECK(xml.find('\x1b') == std::string::npos);

  TemporaryFolder folder;
  const fs::path file = folder.path() / "grades.xml";
  CHECK(grading::write(sample(), Format::junit, file) == file.string());
  if (capture({"xmllint", "--version"}).exit_code != 0) {
    MESSAGE("xmllint is not here: the XML was not parsed");
    return;
  }
  const Captured lint = capture({"xmllint", "--noout", file.string()});
  CHECK_MESSAGE(lint.exit_code == 0, lint.output);
}

TEST_CASE("Gradescope's file tells a student nothing about hidden checks") {
  const std::string text = to_gradescope(sample(), odd);
  const Json json = Json::parse(text);
  CHECK(json.at("score") == 2);
  CHECK(json.at("execution_time") == 0);
  CHECK(json.at("stdout_visibility") == "hidden");
  const Json &tests = json.at("tests");
  REQUIRE(tests.size() == 4);
  CHECK(tests.at(0).at("score") == 2);
  CHECK(tests.at(0).at("max_score") == 3);
  CHECK(tests.at(0).at("output") == "A check that is not shown did not pass.");
  std::size_t visible = 0;
  for (const Json &test : tests) {
    if (test.at("visibility") == "visible") {
      ++visible;
      CHECK_FALSE(holds(test.dump(), "secret"));
      CHECK_FALSE(holds(test.dump(), "hidden numbers"));
    }
    CHECK(test.contains("score") == (test.at("name") == "The title of block_sum"));
    CHECK((test.at("status") == "passed" || test.at("status") == "failed"));
  }
  CHECK(visible == 3);
  Report unsolved =
      sample(); // where nobody can ask the solution, and a case has the name of another one
  unsolved.exercises[0].cases.clear();
  unsolved.grades[1].result.cases[2].name = "small";
  for (const Json &test : Json::parse(to_gradescope(unsolved, odd)).at("tests")) {
    CHECK((test.at("visibility") == "hidden" || !holds(test.dump(), "a race")));
  }
}

TEST_CASE("Gradescope gets one file for one student, a folder for a class") {
  TemporaryFolder folder;
  Report report = sample();
  grading::write(report, Format::gradescope, folder.path() / "class");
  CHECK(fs::exists(folder.path() / "class" / "ada.json"));
  CHECK(fs::exists(folder.path() / "class" / "eve.json"));
  CHECK(std::distance(fs::directory_iterator(folder.path() / "class"), {}) == 3);
  report.students = {"ada"};
  grading::write(report, Format::gradescope, folder.path() / "results" / "results.json");
  CHECK(fs::is_regular_file(folder.path() / "results" / "results.json"));
}

TEST_CASE("a student's name may be as long as a file's, and longer than one with an ending") {
  TemporaryFolder folder;
  Report report = sample();
  report.students = {std::string(255, 'x'), std::string(250, 'x') + "yyyyy"};
  grading::write(report, Format::gradescope, folder.path() / "class");
  CHECK(std::distance(fs::directory_iterator(folder.path() / "class"), {}) == 2);
}

TEST_CASE("where a report finds no room, the one before it stays") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "grades.json";
  grading::write(sample(), Format::json, file);
  const std::string before = read_file(file);
  on_a_full_disk([&] {
    Report other = sample();
    other.seed = 8;
    CHECK_THROWS_WITH_AS(
        grading::write(other, Format::json, file), doctest::Contains("cannot write"), Failure);
  });
  CHECK(read_file(file) == before);
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("a format is named or follows from the file's ending") {
  CHECK(format_for(std::nullopt, "grades.csv") == Format::csv);
  CHECK(format_for(std::nullopt, "grades.xml") == Format::junit);
  CHECK(format_for(std::nullopt, "grades") == Format::json);
  CHECK(format_for("gradescope", "grades.csv") == Format::gradescope);
  CHECK_THROWS_WITH_AS(
      format_for("excel", "grades.csv"), doctest::Contains("there are: json"), Failure);
}

TEST_CASE("a report that cannot be written says so") {
  CHECK_THROWS_WITH_AS(grading::write(sample(), Format::csv, "/proc/no/grades.csv"),
                       doctest::Contains("cannot write"),
                       Failure);
}
