#include "commands/commands.hpp"

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutor::commands {
namespace {

/// Runs one chapter's program on the GPU and returns what it measured.
nlohmann::ordered_json measure(const Build &build, const Chapter &chapter) {
  build.build(chapter.id, "building " + chapter.id);
  fs::path file = build.folder() / (chapter.id + ".bench.json");
  fs::remove(file);
  int exit_code = tutor::run({build.program(chapter).string(), "--json", file.string()});
  if (exit_code != 0) {
    throw failure("{} ended in exit {}; nothing was recorded", chapter.id, exit_code);
  }
  nlohmann::ordered_json result = read_json(file);
  if (result.is_discarded()) {
    throw failure("{} left no readable {}", chapter.id, file);
  }
  return result;
}

} // namespace

Exit bench(const Course &course, const ChapterRequest &request) {
  expect_writable(request.out);
  std::vector<Chapter> chapters = course.chapters();
  if (!request.words.empty()) {
    chapters = each(request.words, [&](const std::string &word) { return course.find(word); });
  }

  // Times on the emulator say nothing about a GPU, so there is no falling back to it here.
  Build build(course.root(), choose_backend("gpu"));
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const Chapter &chapter : chapters) {
    runs.push_back(measure(build, chapter));
  }

  write_result(request.out, nlohmann::ordered_json{{"runs", runs}}.dump(2) + "\n");
  fmt::print("Recorded {} chapters in {}\n", runs.size(), request.out);
  return Exit::ok;
}

} // namespace tutor::commands
