// ./tutor grade, as an instructor types it, on the real course.
#include "exercises/support.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/stat.h>

using namespace grade_test;
using Json = nlohmann::json;

namespace {

struct Desk : BlockSum {
  void hand_in(const std::string &student, const std::string &text) const {
    write(students() / student / "block_sum.cu", text);
  }

  /// `tutor grade` with more words.
  template <class... Values>
  Captured grade(const std::string &line, const Values &...values) const {
    return real_tutor("grade {} " + line, students(), values...);
  }

  fs::path students() const { return folder.path() / "students"; }
  std::string out(const std::string &name) const { return (folder.path() / name).string(); }

  TemporaryFolder folder;
};

} // namespace

TEST_CASE("a class is graded, and again without being checked again") {
  const Desk desk;
  desk.hand_in("Zoë", desk.solution);
  desk.hand_in("bob", read_file(desk.exercise.stub));
  desk.hand_in("cid", "int main( {");
  fs::create_directories(desk.students() / "nobody");

  const Captured first = desk.grade("--out {} --seed 7", desk.out("grades.json"));
  INFO(first.output);
  REQUIRE(first.exit_code == 0);
  CHECK(holds(first.output, "1 of 4 passed (25 %), 3 handed in"));
  CHECK(holds(first.output, "fail wrong_result"));
  CHECK(holds(first.output, "not_run missing_file: no block_sum.cu was handed in"));
  const Json json = Json::parse(read_file(desk.out("grades.json")));
  REQUIRE(json.at("grades").size() == 4);
  CHECK(json.at("complete") == true);
  const Json &zoe = json.at("grades").at(0);
  CHECK(zoe.at("student") == "Zoë");
  CHECK(zoe.at("verdict") == "pass");
  for (const char *part : {"submission_sha256", "stub_sha256", "checker_sha256", "course_sha256"}) {
    CHECK(zoe.at("receipt").at(part).get<std::string>().size() == 64);
  }
  CHECK(zoe.at("receipt").at("extra_check_sha256") == "");
  CHECK_FALSE(zoe.at("receipt").at("compiler").get<std::string>().empty());
  CHECK(zoe.at("cases").size() >= 2);

  desk.hand_in("cid", desk.solution); // too late for the first run
  write(desk.out("exceptions.csv"), "student,exercise,points,reason\nbob,05.2,0.5,was ill\n");
  write(desk.out("class.toml"),
        "exceptions = \"exceptions.csv\"\n[exercises.block_sum]\npoints = 4\n");
  const Captured second =
      desk.grade("--out {} --seed 7 --class {}", desk.out("grades.json"), desk.out("class.toml"));
  INFO(second.output);
  CHECK(second.exit_code == 0);
  CHECK(holds(second.output, "2 of 4 were graded before and have not changed"));
  CHECK(holds(second.output, "2 of 4 passed"));
  const Json weighed = Json::parse(read_file(desk.out("grades.json")));
  CHECK(weighed.at("grades").at(0).at("points") == 4);
  CHECK(weighed.at("grades").at(1).at("points") == 0.5);
  CHECK(weighed.at("grades").at(1).at("note") == "0.5 points by hand: was ill");
  CHECK(weighed.at("class_file_sha256").get<std::string>().size() == 64);

  const std::string replay = weighed.at("grades").at(1).at("replay"); // begins with ./tutor
  expect(typed_in_shell(replay + " --backend cpu"), 1, {"wrong_result"});
}

TEST_CASE("a stored file that does not compile writes nothing to the terminal but text") {
  const Desk desk;
  desk.hand_in("eve", "#error \x1b]0;gone\x07\x1b[2J\n");
  const Captured end =
      real_tutor("check 05.2 --backend cpu --file {}", desk.students() / "eve/block_sum.cu");
  CHECK(end.exit_code == 1);
  CHECK(holds(end.output, "build_error"));
  CHECK(end.output.find('\x1b') == std::string::npos);
  CHECK(end.output.find('\x07') == std::string::npos);
}

TEST_CASE("what is no file is not waited for") {
  const Desk desk;
  const std::string pipe = desk.out("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string &odd : {pipe, std::string("/dev/zero"), desk.out("")}) {
    expect(real_tutor("check 05.2 --backend cpu --file {}", odd),
           1,
           {"no file", "of a sensible size"});
  }
}

TEST_CASE("whoever stops it loses nothing") {
  const Desk desk;
  for (int i = 0; i < 4; ++i) {
    desk.hand_in("student " + std::to_string(i), desk.solution + "// " + std::to_string(i) + "\n");
  }
  const std::string script =
      "BUILD_FIRST_ROOT=$1 BUILD_FIRST_BUILD=$2 \"$3\" grade \"$4\" --backend cpu --jobs 1 --out "
      "\"$5\" &\n"
      "while kill -0 $! && ! grep -q verdict \"$5.journal\" 2>/dev/null; do sleep 0.05; done\n"
      "kill -TERM $!\n"
      "wait $!\n";
  expect(capture(typed("sh -c {} sh {} {} {} {} {}",
                       script,
                       COURSE_FOLDER,
                       BUILD_FOLDER,
                       TUTOR_PROGRAM,
                       desk.students(),
                       desk.out("grades.csv"))),
         1,
         {"of 4; the same command goes on from here"});
  CHECK(fs::exists(desk.out("grades.csv")));

  expect(desk.grade("--out {}", desk.out("grades.csv")),
         0,
         {"of 4 were graded before and have not changed", "4 of 4 passed"});
  CHECK(line_count(read_file(desk.out("grades.csv"))) == 5);
}

TEST_CASE("one student's folder is graded as Gradescope hands it over") {
  const Desk desk;
  write(desk.students() / "block_sum.cu", desk.solution); // no folder for the student
  expect(desk.grade("--out {}", desk.out("grades.json")), 2, {"looks like one student's folder"});
  // The autograder's folder, with this build of the course in it.
  const fs::path top = desk.folder.path();
  fs::rename(desk.students(), top / "submission");
  write(top / "source" / "course" / "tutor",
        fmt::format("#!/bin/sh\nBUILD_FIRST_ROOT={} BUILD_FIRST_BUILD={} exec {} \"$@\"\n",
                    COURSE_FOLDER,
                    BUILD_FOLDER,
                    TUTOR_PROGRAM));
  fs::permissions(top / "source" / "course" / "tutor", fs::perms::owner_all);
  write(top / "source" / "class.toml",
        "due = 2026-11-20T12:00:00+01:00\nlate.per_day = 0.5\n[exercises.block_sum]\npoints = 3\n");
  write(top / "submission_metadata.json", R"({"created_at": "2026-11-20T03:30:00.5-08:00"})");
  write(top / "source" / "hidden" / "05_reduction" / "block_sum.extra.cu",
        hidden_check("one element"));
  fs::create_directory(top / "results");
  const Captured graded =
      capture({"env",
               "AUTOGRADER=" + top.string(),
               std::string(COURSE_FOLDER) + "/tools/gradescope/run_autograder"});
  INFO(graded.output);
  REQUIRE(graded.exit_code == 0);
  const Json json = Json::parse(read_file(top / "results" / "results.json"));
  CHECK(json.at("score") == 1.5); // half an hour late
  CHECK(json.at("tests").at(0).at("max_score") == 3);
  CHECK(json.at("tests").back().at("visibility") == "hidden");
  // The schema of Gradescope's documentation, "Output format".
  const std::set<std::string> of_all{
      "score", "execution_time", "visibility", "stdout_visibility", "extra_data", "tests"};
  const std::set<std::string> of_tests{
      "score", "max_score", "status", "name", "number", "output", "output_format", "visibility"};
  for (const auto &entry : json.items()) { // no structured binding: clang 14 captures none
    CHECK_MESSAGE(of_all.contains(entry.key()), entry.key());
  }
  for (const Json &test : json.at("tests")) {
    for (const auto &entry : test.items()) {
      CHECK_MESSAGE(of_tests.contains(entry.key()), entry.key());
    }
  }
}

TEST_CASE("a hidden check that hands over more than a frame holds is told the limit") {
  const Desk desk;
  desk.hand_in("ada", desk.solution);
  write(fs::path(desk.out("large")) / "05_reduction" / "block_sum.extra.cu",
        "#include \"checker/checker.hpp\"\nTEST_CASE(\"large\") {\n"
        "  CHECK(checker::on_device(std::vector<int>(17 << 20, 1)).download()[0] == 1);\n}\n");
  const Captured graded =
      desk.grade("--out {} --extra-checks {}", desk.out("grades.json"), desk.out("large"));
  INFO(graded.output);
  CHECK(graded.exit_code == 1);
  CHECK(holds(graded.output, "more than 64 MiB in one call or copy in the case 'large'"));
}

TEST_CASE("what makes no sense is refused in one line") {
  const Desk desk;
  desk.hand_in("ada", desk.solution);
  const auto refuses = [&](const std::string &why, const auto &...words) {
    refused(desk.grade(words...), why);
  };
  const std::string out = desk.out("grades");
  refuses("--out", "");
  refuses("there are: json, csv, junit, gradescope", "--out {} --format excel", out);
  refuses("no_such", "--out {} --exercise no_such", out);
  refuses("--jobs", "--out {} --jobs 0", out);
  refuses("--seed: -1: write a whole number from 0 on", "--out {} --seed -1", out);
  refuses("write 2/4", "--out {} --shard 1/99999999999", out);
  refuses("shares a process with its checker", "--out {} --backend gpu", out);
  refuses("there is no folder", "--out {} --extra-checks {}", out, desk.out("none"));
  refuses("holds no hidden check", "--out {} --extra-checks {}", out, desk.students());
  refuses("none.toml", "--out {} --class {}", out, desk.out("none.toml"));
  write(desk.out("class.toml"), "exceptions = \"list.csv\"\n");
  write(desk.out("list.csv"), "student\neve\n");
  refuses("the nearest name is 'ada'", "--out {} --class {}", out, desk.out("class.toml"));
  const Captured own = desk.grade("--own-lines {}", desk.out("own"));
  CHECK_MESSAGE(own.exit_code == 0, own.output);
  CHECK(fs::exists(desk.out("own") + "/05_reduction.block_sum/ada/block_sum.cu"));
  fs::remove(desk.students() / "ada" / "block_sum.cu");
  refuses("nobody in", "--out {}", out);
}

TEST_CASE("a task of a cluster's array takes its part, and the job behind it merges") {
  const TemporaryFolder folder;
  write(folder.path() / "tutor", "#!/bin/sh\necho \"$@\"\n");
  fs::permissions(folder.path() / "tutor", fs::perms::owner_all);
  const std::string script = std::string(COURSE_FOLDER) + "/tools/slurm_grade.sh";
  const auto run_task = [&](const std::string &variables) {
    return capture(typed("env {} SLURM_CPUS_PER_TASK=4 " + variables + " sh {} {} g.csv --seed 7",
                         "SLURM_SUBMIT_DIR=" + folder.path().string(),
                         script,
                         "my class"))
        .output;
  };
  CHECK(run_task("SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_COUNT=8") ==
        "grade my class --out g.csv --jobs 4 --shard 2/8 --seed 7\n");
  CHECK(run_task("") == "grade my class --out g.csv --jobs 4 --merge --seed 7\n");
  CHECK(capture({"sh", script, "my class"}).exit_code == 2);
}
