#include "output.hpp"

#include "base/files.hpp"
#include "markers.hpp"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <regex>
#include <sstream>
#include <sys/wait.h>

namespace tutor::lessons {
namespace {

/// A word as the shell must see it to hand it on unchanged.
std::string shell_word(const std::string &word) {
  return "'" + std::regex_replace(word, std::regex("'"), "'\\''") + "'";
}

/// "01" of .../chapters/01_hello_threads/README.md: the short name a learner types.
std::string chapter_number(const std::filesystem::path &lesson) {
  const std::string folder = lesson.parent_path().filename().string();
  return folder.substr(0, folder.find('_'));
}

/// From the first line that matches `from` to the first one after it that matches `to`.
std::string lines_between(const std::string &text, const std::string &from, const std::string &to) {
  const std::regex first(from), last(to);
  std::string shown;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const bool begun = !shown.empty();
    if (!begun && !std::regex_search(line, first))
      continue;
    shown += line + "\n";
    if (begun && std::regex_search(line, last))
      return shown;
  }
  throw LessonError(fmt::format("the recording has no line '{}' with '{}' after it", from, to));
}

} // namespace

OutputRequest parse_output_request(const std::string &marker_arguments) {
  Arguments arguments(marker_arguments);
  OutputRequest request;
  request.name = arguments.take("the name of a recorded output");
  request.arguments = arguments.option("args", "");
  request.observe = arguments.take_if("observe");
  request.varies = arguments.take_if("varies");
  request.from = arguments.option("from", "");
  request.to = arguments.option("to", "");
  if (request.from.empty() != request.to.empty())
    throw LessonError("from=\"REGEX\" and to=\"REGEX\" go together");
  arguments.expect_end();
  return request;
}

std::filesystem::path recording_of(const std::filesystem::path &lesson,
                                   const OutputRequest &request) {
  return lesson.parent_path() / "output" / (request.name + ".txt");
}

std::string mask_output(const std::string &text) {
  static const std::regex time(R"(( *)([0-9][0-9.,]*)( ?(?:ns|us|µs|ms|s))(?![A-Za-z0-9]))");
  static const std::regex threads(R"([0-9]+ host threads?)");
  // How much memory the emulator offers depends on the machine, and so does where the line breaks.
  static const std::regex summary(
      R"((CPU emulator) \([0-9]+ host threads?\) · [^\n]*(?:\n[^\n]+)*)");
  static const std::regex checkout(R"(( at )/[^ \n]*/(chapters/))"); // wherever it lies
  std::string masked;
  auto rest = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), time), end; match != end; ++match) {
    const std::string spaces = (*match)[1], number = (*match)[2];
    masked.append(rest, (*match)[0].first);
    // Two spaces or more mean a column set flush right: the mask must end where the figure ended.
    masked += spaces.size() < 2 ? spaces : std::string(spaces.size() + number.size() - 1, ' ');
    masked += "…" + (*match)[3].str();
    rest = (*match)[0].second;
  }
  masked.append(rest, text.cend());
  masked = std::regex_replace(masked, summary, "$1");
  masked = std::regex_replace(masked, threads, "… host threads");
  masked = std::regex_replace(masked, checkout, "$1$2");
  masked = std::regex_replace(masked, std::regex(" +\n"), "\n");
  return std::regex_replace(masked, std::regex("\n{2,}$"), "\n");
}

std::string run_for_output(const std::filesystem::path &program, const OutputRequest &request) {
  const std::filesystem::path observed = program.string() + ".observed";
  for (const std::filesystem::path &needed : {request.observe ? observed : program, program})
    if (!std::filesystem::exists(needed))
      throw LessonError(fmt::format("{} is not built: build that chapter first", needed.string()));
  std::string command = "NO_COLOR=1 ";
  if (request.observe)
    command += "EMU_OBSERVE=1 EMU_OBSERVE_TO=stdout " + shell_word(observed.string());
  else
    command += shell_word(program.string());
  if (!request.observe && std::filesystem::exists(observed))
    command += " --counted-by " + shell_word(observed.string());
  std::istringstream words(request.arguments);
  for (std::string word; words >> word;)
    command += " " + shell_word(word);
  command += " 2>&1 </dev/null";

  FILE *pipe = popen(command.c_str(), "r");
  if (pipe == nullptr)
    throw LessonError(fmt::format("cannot start {}", program.string()));
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t length = fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), length);
  const int status = pclose(pipe);
  if (!WIFEXITED(status))
    throw LessonError(fmt::format("{} was killed by a signal", program.string()));
  if (WEXITSTATUS(status) != 0)
    text += fmt::format("(exit code {})\n", WEXITSTATUS(status));
  return mask_output(text);
}

std::string show_output(const std::filesystem::path &lesson, const OutputRequest &request) {
  const std::filesystem::path recording = recording_of(lesson, request);
  if (!std::filesystem::exists(recording))
    throw LessonError(
        fmt::format("{} is not recorded yet: run ./tutor lessons --record", recording.string()));
  const std::string command = (request.observe ? "./tutor observe " : "./tutor run ") +
                              chapter_number(lesson) +
                              (request.arguments.empty() ? "" : " -- " + request.arguments);
  std::string text = read_file(recording);
  if (!request.from.empty())
    text = "…\n" + lines_between(text, request.from, request.to) + "…\n";
  return "```console\n$ " + command + "\n" + text + "```\n";
}

} // namespace tutor::lessons
