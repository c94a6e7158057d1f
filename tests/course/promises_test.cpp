#include "tutor/support.hpp"

#include "base/course.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

// The real course, end to end: what every chapter promises to whoever runs it.

using tutor::Captured;
using tutor::Chapter;

namespace {

const tutor::Course &course() {
  static const tutor::Course real(COURSE_FOLDER);
  return real;
}

/// Runs the program of a chapter as this build made it.
template <class... Values>
Captured run(const Chapter &chapter, const std::string &line, const Values &...values) {
  return tutor::capture(
      typed("{} " + line, fs::path(CHAPTERS_FOLDER) / chapter.id / chapter.id, values...));
}

nlohmann::json read_json(const fs::path &file) {
  return nlohmann::json::parse(tutor::read_file(file));
}

/// A size that is no multiple of anything, and larger than any tile or block; of a matrix, n is the
/// edge, and multiplying takes n cubed.
std::string large_prime(const Chapter &chapter) {
  return holds(run(chapter, "--help").output, "ROWSxCOLS") ? "257" : "100003";
}

/// The lines of a difference that are added or removed, its header aside.
std::size_t changed_lines(const std::string &unified) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < unified.size(); begin = unified.find('\n', begin) + 1) {
    std::string_view line = std::string_view(unified).substr(begin);
    bool header = line.starts_with("--- ") || line.starts_with("+++ ");
    count += !header && (line.starts_with('-') || line.starts_with('+'));
  }
  return count;
}

} // namespace

TEST_CASE("every chapter is right for any n, and says so in JSON with the agreed keys") {
  REQUIRE(course().chapters().size() >= 2);
  TemporaryFolder folder;
  const fs::path file = folder.path() / "result.json";
  for (const Chapter &chapter : course().chapters()) {
    for (const std::string &n :
         {std::string("0"), std::string("1"), std::string("33"), large_prime(chapter)}) {
      CAPTURE(chapter.id);
      CAPTURE(n);
      fs::remove(file);
      Captured result = run(chapter, "--n {} --json {}", n, file);
      CAPTURE(result.output);
      REQUIRE(result.exit_code == 0);

      nlohmann::json json = read_json(file);
      CHECK(json.at("chapter") == chapter.id);
      CHECK(json.at("n") == std::stoll(n));
      for (const char *key : {"backend", "device", "driver", "toolkit", "copy_gbps"}) {
        CHECK_MESSAGE(json.contains(key), key);
      }
      std::set<std::string> right;
      for (const nlohmann::json &step : json.at("steps")) {
        if (step.contains("skipped")) {
          CHECK(step.at("skipped") != ""); // the reason
          continue;
        }
        CHECK(step.contains("ms"));
        CHECK((step.contains("gbps") || step.contains("tflops")));
        CHECK(step.contains("percent_of_ceiling"));
        CHECK(step.at("counters").is_object());
        if (step.at("ok") == true) {
          right.insert(step.at("name").get<std::string>());
        }
      }
      for (const tutor::Step &step : chapter.steps) {
        CHECK_MESSAGE(right.contains(step.name), step.name);
      }
    }
  }
}

TEST_CASE("what a ladder is measured against of CUB is checked without a GPU, too") {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "result.json";
  for (const auto &[chapter, name] : {std::pair("05", "cub_device_reduce"),
                                      std::pair("06", "cub_device_histogram"),
                                      std::pair("10", "cub_device_scan")}) {
    const std::string rival = name; // CAPTURE is a lambda, and clang 14 lets none have a binding
    CAPTURE(rival);
    const Captured result =
        run(course().find(chapter), "--check-only --only {} --json {}", rival, file);
    CAPTURE(result.output);
    CHECK(result.exit_code == 0);
    const nlohmann::json step = read_json(file).at("steps").at(0);
    CHECK(step.at("name") == rival);
    CHECK_FALSE(step.contains("skipped"));
    CHECK(step.at("ok") == true);
  }
}

TEST_CASE("a bad value gets one clear line and exit 2") {
  for (const Chapter &chapter : course().chapters()) {
    for (const char *words : {"--n -5",
                              "--n abc",
                              "--n {}", // an empty one
                              "--n 1e400",
                              "--n 99999999999999999999",
                              "--n",
                              "--only v99",
                              "--reps 0",
                              "--no-such-option"}) {
      CAPTURE(chapter.id);
      CAPTURE(words);
      Captured result = run(chapter, words, "");
      CAPTURE(result.output);
      CHECK(result.exit_code == 2);
      CHECK(line_count(result.output) == 1);
    }
    CHECK(holds(run(chapter, "--only v99").output, chapter.steps.front().name));
  }
}

TEST_CASE("--list names every step, --only runs one") {
  for (const Chapter &chapter : course().chapters()) {
    Captured list = run(chapter, "--list");
    CHECK(list.exit_code == 0);
    for (const tutor::Step &step : chapter.steps) {
      CHECK_MESSAGE(holds(list.output, step.name), step.name);
    }
    Captured only = run(chapter, "--only v1 --n 33");
    CHECK(only.exit_code == 0);
    CHECK(holds(only.output, chapter.find_step("v1").name));
    CHECK_FALSE(holds(only.output, chapter.find_step("v0").name));
  }
}

TEST_CASE("a result that cannot be written is a failure, not a success without a file") {
  Captured result = run(course().find("05"), "--n 33 --json /no/such/folder/result.json");
  CHECK(result.exit_code != 0);
}

TEST_CASE("every step opens with what was, what is new and what to watch") {
  for (const Chapter &chapter : course().chapters()) {
    REQUIRE(chapter.steps.size() >= 2);
    for (const tutor::Step &step : chapter.steps) {
      const std::string text = tutor::read_file(step.file);
      for (const char *word : {"// Was:", "// Now:", "// Watch:"}) {
        CHECK_MESSAGE(holds(text, word), step.name << " lacks " << word);
      }
    }
  }
}

TEST_CASE("the difference between two steps is short enough to be the lesson") {
  Captured diff = real_tutor("steps 05 v2 v3");
  CHECK(diff.exit_code == 0);
  CHECK(changed_lines(diff.output) > 0);
  CHECK(changed_lines(diff.output) <= 20);
}

TEST_CASE("the tutor lists the chapters there are") {
  Captured result = real_tutor("list --json");
  REQUIRE(result.exit_code == 0);
  nlohmann::json chapters = nlohmann::json::parse(result.output).at("chapters");
  REQUIRE(chapters.size() == course().chapters().size());
  CHECK(chapters[0].at("id") == "01_hello_threads");
  for (const nlohmann::json &chapter : chapters) {
    CHECK(chapter.at("steps").size() >= 2);
    CHECK(chapter.at("title") != "");
  }
}
