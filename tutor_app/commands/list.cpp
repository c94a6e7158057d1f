#include "commands/commands.hpp"

#include "terminal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace tutor::commands {
namespace {

bool built(const Course &course, const Chapter &chapter, Backend backend) {
  return fs::exists(Build(course.root(), backend).program(chapter));
}

void print_json(const Course &course) {
  nlohmann::ordered_json chapters = nlohmann::ordered_json::array();
  for (const Chapter &chapter : course.chapters()) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const Step &step : chapter.steps) {
      steps.push_back(step.name);
    }
    chapters.push_back({
        {"id", chapter.id},
        {"number", chapter.number},
        {"title", chapter.title},
        {"folder", fs::relative(chapter.folder, course.root()).generic_string()},
        {"steps", steps},
        {"built",
         {{"cpu", built(course, chapter, Backend::cpu)},
          {"gpu", built(course, chapter, Backend::gpu)}}},
    });
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"chapters", chapters}}.dump(2));
}

void print_table(const Course &course) {
  std::size_t width = 0;
  for (const Chapter &chapter : course.chapters()) {
    width = std::max(width, chapter.id.size());
  }
  for (const Chapter &chapter : course.chapters()) {
    bool ready = built(course, chapter, Backend::cpu) || built(course, chapter, Backend::gpu);
    std::string padded = fmt::format("{:<{}}", chapter.id, width);
    std::string state = ready ? "built" : "not built yet";
    fmt::print(
        "{}  {:>2} steps  {:<13}  {}\n", bold(padded), chapter.steps.size(), state, chapter.title);
  }
  if (!course.chapters().empty()) {
    fmt::print("\nNext: ./tutor run {}\n", course.chapters().front().id);
  }
}

} // namespace

Exit list(const Course &course, bool json) {
  json ? print_json(course) : print_table(course);
  return Exit::ok;
}

} // namespace tutor::commands
