#include "commands/commands.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "base/terminal.hpp"

#include <fmt/format.h>

namespace tutor::commands {
namespace {

void print_coloured(const std::string &unified) {
  for (const std::string &line : split_lines(unified)) {
    bool header = line.starts_with("---") || line.starts_with("+++");
    std::string text = header                  ? bold(line)
                       : line.starts_with('+') ? green(line)
                       : line.starts_with('-') ? red(line)
                       : line.starts_with('@') ? faint(line)
                                               : line;
    fmt::print("{}", text);
  }
}

} // namespace

Exit steps(const Course &course, const ChapterRequest &request) {
  const Chapter &chapter = course.find(request.chapter);
  const std::vector<std::string> &two = request.words;
  if (two.empty()) {
    for (const Step &step : chapter.steps) {
      fmt::print("{}\n", step.name);
    }
    return Exit::ok;
  }
  if (two.size() != 2) {
    throw wrong_usage("steps takes a chapter and two of its steps, such as: steps 05 v2 v3");
  }

  const Step &from = chapter.find_step(two[0]);
  const Step &to = chapter.find_step(two[1]);
  print_coloured(to_unified(diff_texts(read_file(from.file), read_file(to.file)),
                            {.old_name = from.name + ".cuh", .new_name = to.name + ".cuh"}));
  return Exit::ok;
}

} // namespace tutor::commands
