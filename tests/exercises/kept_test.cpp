// What the tutor of an earlier course has written for learners and classes is still good.
#include "base/files.hpp"
#include "tutor/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>

namespace {

/// The files of kept.toml, in a folder of their own.
struct Kept {
  Kept() {
    const toml::table files = toml::parse_file(COURSE_FOLDER "/tests/exercises/kept.toml");
    for (const auto &[name, text] : files) {
      const fs::path file = folder.path() / name.str();
      fs::create_directories(file.parent_path());
      tutor::write_file(file, text.value<std::string>().value());
    }
  }

  TemporaryFolder folder;
  const std::string workspace = folder.path() / "workspace";
  const fs::path answer = fs::path(workspace) / "05_reduction/block_sum.cu";
};

} // namespace

TEST_CASE("a learner of an earlier course has the files, the passes and the hints of then") {
  const Kept kept;
  const std::string written = tutor::read_file(kept.answer);
  const tutor::Captured list = real_tutor("list --json --workspace {}", kept.workspace);
  INFO(list.output);
  REQUIRE(list.exit_code == 0);
  std::map<std::string, bool> passed;
  const nlohmann::json listed = nlohmann::json::parse(list.output);
  for (const auto &chapter : listed.at("chapters")) {
    for (const auto &exercise : chapter.at("exercises")) {
      passed[exercise.at("id")] = exercise.at("passed");
    }
  }
  CHECK(passed.at("05_reduction/block_sum"));
  CHECK_FALSE(passed.at("01_hello_threads/grid_stride"));

  const tutor::Captured hint = real_tutor("hint grid_stride --workspace {}", kept.workspace);
  CHECK(holds(hint.output, "Hint 2 of 3")); // the first one has been read

  const tutor::Captured check =
      real_tutor("check 05.2 --workspace {} --backend cpu", kept.workspace);
  INFO(check.output);
  CHECK(check.exit_code == 0);
  expect(real_tutor("update --workspace {}", kept.workspace), 0);
  CHECK(tutor::read_file(kept.answer) == written);
}

TEST_CASE("what a class handed in to an earlier course is graded, beside the journal of then") {
  const Kept kept;
  const fs::path report = kept.folder.path() / "class/grades.json";
  const tutor::Captured graded =
      real_tutor("grade {} --seed 7 --out {}", kept.folder.path() / "class/students", report);
  INFO(graded.output);
  REQUIRE(graded.exit_code == 0);
  CHECK_FALSE(holds(graded.output, "damaged"));
  std::map<std::string, std::string> verdicts;
  const nlohmann::json grades = nlohmann::json::parse(tutor::read_file(report));
  for (const auto &grade : grades.at("grades")) {
    verdicts[grade.at("student")] = grade.at("verdict");
  }
  CHECK(verdicts == std::map<std::string, std::string>{{"Ada", "pass"}, {"Bob", "fail"}});
}
