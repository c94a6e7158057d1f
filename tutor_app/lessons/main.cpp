#include "lessons.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

/// Fills the generated blocks of the lessons, or checks that regenerating them would change
/// nothing.
int main(int argc, char **argv) {
  tutor::lessons::Request request;
  request.root = ".";
  request.programs = "build/cpu";

  CLI::App app("Fills the generated blocks (code, tables, figures, outputs) of the lessons");
  app.add_option("--root", request.root, "The repository")->capture_default_str();
  app.add_flag(
      "--check", request.check, "Change nothing; exit 1 when a block is stale or a rule is broken");
  app.add_flag("--record", request.record, "Run the chapters' programs anew for the output blocks");
  app.add_option("--programs", request.programs, "Build folder with the chapters' programs")
      ->capture_default_str();
  app.add_option("FILES", request.files, "Lessons; none: all of them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    fmt::print(stderr, "lesson_tool: {} (see lesson_tool --help)\n", error.what());
    return 2;
  }
  request.rules = request.check;
  return tutor::lessons::run(request);
}
