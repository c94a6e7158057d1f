#include "base/observed_file.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/linker.hpp"
#include "base/process.hpp"
#include "base/sha256.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tutor {
namespace {

/// A name that neither Ninja nor a shell takes for more than a name.
std::string plain_name(const std::string &name) {
  std::string plain;
  for (char c : name) {
    plain += is_of_word(c) || c == '-' ? c : '_';
  }
  return plain;
}

/// A text, a path with spaces perhaps, that stands in a variable of a build.ninja.
std::string ninja_value(const std::string &text) { return replaced(text, "$", "$$"); }

void write_if_changed(const fs::path &file, const std::string &text) {
  if (fs::exists(file) && read_file(file) == text) {
    return;
  }
  write_result(file, text);
}

} // namespace

ObservedFile::ObservedFile(const fs::path &source,
                           const fs::path &observe_folder,
                           std::vector<fs::path> include_dirs)
    : source_(fs::absolute(source).lexically_normal()), include_dirs_(std::move(include_dirs)) {
  if (!fs::is_regular_file(source_)) {
    throw wrong_usage("there is no file {}", source);
  }
  name_ = plain_name(source_.stem().string());
  folder_ = observe_folder / fmt::format("{}-{}", name_, sha256(source_.string()).substr(0, 8));
}

void ObservedFile::write_rules() const {
  Command include_options;
  for (const fs::path &folder : include_dirs_) {
    include_options.push_back("-I" + fs::absolute(folder).lexically_normal().string());
  }
  fs::create_directories(folder_);
  std::string rules =
      fmt::format("include ../rules.ninja\n"
                  "include_dirs = {}\n"
                  "source = {}\n"
                  "here = {}\n"
                  "build $here/kernel.o: compile $source | $rewriter\n"
                  "build $here/{}: link $here/kernel.o | $instruments $nccl $emulator\n",
                  ninja_value(include_options.empty() ? "" : shell_text(include_options)),
                  ninja_value(source_.string()),
                  ninja_value(folder_.string()),
                  name_);
  write_if_changed(folder_ / "build.ninja", rules);
}

void ObservedFile::build() const {
  write_rules();
  Progress progress("compiling " + source_.filename().string());
  std::vector<std::string> lines;
  int exit_code = run_by_line({"ninja", "-C", folder_.string()}, ".", [&](std::string_view line) {
    lines.emplace_back(line);
    progress.update(0, 0);
  });
  progress.finish();
  if (exit_code != 0) {
    const bool no_main = std::ranges::any_of(
        lines, [](const std::string &line) { return link_fault_in(line).missing == "main"; });
    if (no_main) {
      throw wrong_usage("{} has no main(): only a whole program can be observed. A file of an "
                        "exercise is observed by its check: ./tutor check ID",
                        source_.filename());
    }
    fmt::print(stderr, "{}", trimmed_diagnostics(lines));
    throw failure("{} does not compile", source_.filename());
  }
}

std::string trimmed_diagnostics(const std::vector<std::string> &lines) {
  constexpr std::size_t most_errors = 5;
  std::string text;
  std::size_t errors = 0;
  bool showing = false; // the lines that quote the source belong to the error before them
  for (const std::string &line : lines) {
    bool quote = line.starts_with(' ');
    if (!quote) {
      bool error = line.find("error: ") != std::string::npos || link_fault_in(line).missing;
      errors += error;
      showing = error;
    }
    if (showing && errors <= most_errors) {
      text += line + "\n";
    }
  }
  if (errors == 0) { // something unforeseen: better all of it than nothing
    for (const std::string &line : lines) {
      text += line + "\n";
    }
  }
  if (errors > most_errors) {
    text += fmt::format("… and {} more errors\n", errors - most_errors);
  }
  return text;
}

} // namespace tutor
