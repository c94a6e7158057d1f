#include "exercises/check_build.hpp"

#include "base/course.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/linker.hpp"
#include "base/merge.hpp"
#include "base/own_program.hpp"
#include "base/text.hpp"
#include "exercises/elf_object.hpp"
#include "exercises/limited_program.hpp"
#include "exercises/screen.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <unistd.h>
#include <unordered_set>

namespace tutor {
namespace {

constexpr std::size_t most_log = 8000; // characters that anybody would read
constexpr std::uintmax_t largest_preprocessed = 32u << 20; // which the tutor itself has to read

/// The environment of compilers: where things are, and English messages.
std::vector<std::string> compiler_environment(const fs::path &work) {
  const char *path = std::getenv("PATH");
  std::vector<std::string> environment{"PATH=" + std::string(path ? path : "/usr/bin:/bin"),
                                       "LC_ALL=C.UTF-8",
                                       "TMPDIR=" + work.string()};
  append(environment, inherited({"HOME", "CUDA_PATH", "LD_LIBRARY_PATH"}));
  return environment;
}

/// g++ takes a few hundred MiB for an exercise, nvcc with all its programs more.
Limits compiler_limits(Backend backend) {
  Limits limits;
  limits.file_bytes = 256ull << 20;
  if (backend == Backend::gpu) {
    limits.wall_seconds = limits.cpu_seconds = 120;
    limits.memory_bytes = 16ull << 30;
    return limits;
  }
  limits.file_bytes = 64ull << 20; // the tutor reads the object, too
  limits.wall_seconds = 60; // on a machine that has much else to do
  limits.cpu_seconds = 10; // an answer takes one or two
  limits.memory_bytes = 3ull << 30;
  return limits;
}

/// One step of building.
ProgramEnd run_tool(const Command &command, const fs::path &work, const CheckOptions &options) {
  LimitedProgram tool;
  tool.command = options.isolate ? options.isolate({command, work, false}) : command;
  if (std::optional<fs::path> program = find_program(tool.command[0])) {
    tool.command[0] = program->string();
  }
  tool.folder = work;
  tool.environment = compiler_environment(work);
  tool.limits = compiler_limits(options.backend);
  tool.stop = options.stop;
  return run_limited(tool);
}

/// No line is longer than anybody reads: std::regex has no limit but the stack's.
std::string with_short_lines(std::string text) {
  constexpr std::size_t longest = 1000;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    if (end - at > longest) {
      text.erase(at + longest, end - at - longest);
      end = at + longest;
    }
    at = end;
  }
  return text;
}

/// Nobody can change the compiler's options, which it advises where it gives up.
std::string without_options(const std::string &text) {
  static const std::regex advice(
      " \\(use [^ ]*-f[a-z-]+=[^ ]* to increase the (?:limit|maximum)\\)");
  return std::regex_replace(text, advice, ": does it come to an end?");
}

/// Removes the places where we compile: what is left are names a learner knows.
std::string without_folders(std::string text, const fs::path &work, const Exercise &exercise) {
  for (const std::string &prefix :
       {work.string() + "/", exercise.checker.parent_path().string() + "/"}) {
    text = replaced(std::move(text), prefix, "");
  }
  return text;
}

std::string cut(std::string text) {
  if (text.size() > most_log) {
    text.resize(most_log);
    text += "\n…\n";
  }
  return text;
}

/// In a line of the learner's own.
void tell_error(Result &result, const Place &place) {
  result.judge(Verdict::build_error,
               "compile_error",
               fmt::format("{}:{}: {}", place.file, place.line, place.what));
  result.where.push_back(place);
}

/// "block_sum.cu:12:3: error: 'x' was not declared", and nvcc's "block_sum.cu(12): error: …".
void tell_compile_error(Result &result, const Exercise &exercise) {
  static const std::regex gnu("^([^:\n]+):([0-9]+):(?:[0-9]+:)? (?:fatal )?error: (.*)$",
                              std::regex::multiline);
  static const std::regex nvcc("^([^(\n]+)\\(([0-9]+)\\): error: (.*)$", std::regex::multiline);
  std::smatch found;
  if (!std::regex_search(result.log, found, gnu) && !std::regex_search(result.log, found, nvcc)) {
    result.judge(Verdict::build_error, "compile_error", exercise.file_name() + " does not compile");
    return;
  }
  tell_error(result, {found[1].str(), std::stoi(found[2].str()), {}, {}, found[3].str()});
  if (result.where.back().file != exercise.file_name()) {
    result.where.pop_back();
  }
}

/// A function that `source` declares or defines outside of all braces but those of extern "C".
struct Heading {
  std::string
      text; ///< "void block_sum(const unsigned *in, int n, unsigned *out)"; empty: there is none
  std::string kept_by; ///< the word that keeps it to its file: static, inline, constexpr
  int line = 0;
};

Heading heading_of(std::string_view name, const std::string &source) {
  Heading heading;
  int parentheses = 0;
  bool found = false;
  std::string_view before;
  const std::vector<SourceToken> tokens = tokens_of(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const SourceToken &token = tokens[i];
    if (token.begins_directive) {
      while (i + 1 < tokens.size() && !tokens[i + 1].first_in_line) {
        ++i;
      }
      continue;
    }
    const bool ends =
        token.text == ";" || token.text == "{" || token.text == "}" || token.text == "=";
    if (ends && parentheses == 0) {
      if (found) {
        return heading;
      }
      heading = Heading();
      before = {};
      continue;
    }
    if (token.text == "constexpr" || token.text == "inline" || token.text == "static") {
      heading.kept_by = token.text;
    }
    if (parentheses == 0 && token.text == name && i + 1 < tokens.size() &&
        tokens[i + 1].text == "(" && !heading.text.empty()) { // a call has no type before it
      found = true;
      heading.line = token.line;
    }
    parentheses += token.text == "(" ? 1 : token.text == ")" ? -1 : 0;
    const bool apart = !before.empty() && token.text != "," && token.text != ")" &&
                       token.text != "(" && before != "(" && before != "*" && before != "&" &&
                       token.text != ":" && before != ":";
    heading.text += (apart ? " " : "") + token.text;
    before = token.text;
  }
  return {};
}

/// What is wrong with the function that the linker misses: others do not see it, it has other parameters than in the
/// stub, or there is none.
std::string
missing_text(const std::string &missing, const std::string &stub, const std::string &source) {
  const std::string_view name = std::string_view(missing).substr(0, missing.find('('));
  const Heading asked = heading_of(name, stub), mine = heading_of(name, source);
  if (asked.text.empty()) {
    return fmt::format("{} is not defined, and something calls it", missing);
  }
  if (mine.text.empty()) {
    return fmt::format("{}() is not defined: the checker calls {}", name, asked.text);
  }
  if (!mine.kept_by.empty()) {
    return fmt::format("{0}() is called by the checker, from another file. Line {1} has it, but a "
                       "function that is "
                       "{2} is one of this file alone: leave out {2}",
                       name,
                       mine.line,
                       mine.kept_by);
  }
  return fmt::format("{}() has other parameters in line {} than what the checker calls: {}",
                     name,
                     mine.line,
                     asked.text);
}

void tell_link_error(Result &result,
                     const std::string &output,
                     const Exercise &exercise,
                     const std::string &source) {
  const auto [missing, twice] = link_fault_in(output);
  if (missing) {
    result.judge(Verdict::build_error,
                 "link_error",
                 missing_text(*missing, read_file(exercise.stub), source));
  } else if (twice) {
    result.judge(
        Verdict::build_error,
        "link_error",
        fmt::format("{} is the checker's: leave it out, or give yours another name", *twice));
  } else {
    result.judge(Verdict::build_error, "link_error", exercise.file_name() + " does not link");
    result.log = cut(output);
  }
}

bool says(const ProgramEnd &end, std::string_view words) {
  return end.output.find(words) != std::string::npos;
}

/// By the system, or by the limit of its time. The compiler tells so of its parts.
bool was_killed(const ProgramEnd &end) {
  return end.signal == SIGKILL || says(end, "Killed signal terminated") ||
         says(end, "ld terminated with signal");
}

bool found_no_room(const ProgramEnd &end) {
  return says(end, "No space left on device") || says(end, "Disk full?"); // the linker's words
}

bool tell_early_end(Result &result, const ProgramEnd &end) {
  if (end.stopped) {
    result.judge(Verdict::not_run, "stopped", "stopped");
  } else if (end.time_limit) {
    result.judge(Verdict::build_error, "compile_error", "the compiler does not come to an end");
    result.ended_from_outside = true;
  } else if (end.exit_code == 127) {
    throw lacking("cannot start the compiler: {}", end.output);
  } else {
    return false;
  }
  return true;
}

void tell_forbidden(Result &result, const Exercise &exercise, const Forbidden &forbidden) {
  constexpr std::size_t longest = 500; // names have no end of their own
  const std::string what = forbidden.what.substr(0, longest);
  const std::string line = forbidden.line > 0 ? fmt::format(":{}", forbidden.line) : "";
  result.judge(forbidden.by_nvcc ? Verdict::build_error : Verdict::not_run,
               forbidden.by_nvcc ? "compile_error" : "forbidden_call",
               fmt::format("{}{}: {}", exercise.file_name(), line, what));
  if (forbidden.line > 0) {
    result.where.push_back({exercise.file_name(), forbidden.line, {}, {}, what});
  }
}

/// The end of a header's path that a learner knows: what he would include.
std::string included_as(const std::string &header) {
  const std::size_t folder = header.rfind("include/");
  return folder == std::string::npos ? header : header.substr(folder + std::strlen("include/"));
}

/// A name of the learner's that a header has, too: an error in one of the two places does not name the other.
std::string
shared_name(const std::string &output, const Exercise &exercise, const fs::path &source) {
  static const std::regex previous(
      "^([^:\n]+):[0-9]+:[0-9]+: note: previous (?:declaration|definition)(?: of)? (.+)$",
      std::regex::multiline);
  static const std::regex error("^([^:\n]+):([0-9]+):[0-9]+: (?:fatal )?error: ",
                                std::regex::multiline);
  std::smatch found;
  if (std::regex_search(output, found, previous) && found[1] != exercise.file_name()) {
    return fmt::format("; {}, which this file includes, has {}, too: give yours another name",
                       included_as(found[1]),
                       found[2] == "is here" ? "that name" : found[2].str()); // clang's words
  }
  if (!std::regex_search(output, found, error) || found[1] == exercise.file_name() ||
      !fs::is_regular_file(found[1].str())) {
    return "";
  }
  const std::vector<SourceToken> macros = defined_macros(read_file(source));
  for (const SourceToken &token : tokens_of(read_file(found[1].str()))) {
    const auto macro = std::ranges::find(macros, token.text, &SourceToken::text);
    if (token.line == std::stoi(found[2]) && macro != macros.end()) {
      return fmt::format("; the macro {} of line {} is a name in {}, which this file includes: "
                         "give yours another one",
                         macro->text,
                         macro->line,
                         included_as(found[1]));
    }
  }
  return "";
}

/// What a tool's failure means for the learner.
bool failed(const ProgramEnd &end, const Exercise &exercise, const fs::path &work, Result &result) {
  if (tell_early_end(result, end)) {
    return true;
  }
  if (end.exit_code == 0 && end.signal == 0) {
    return false;
  }
  result.ended_from_outside = was_killed(end) || found_no_room(end);
  if (was_killed(end)) {
    // Who had all the time that there is would take it once more.
    result.ended_from_outside &= end.seconds < compiler_limits(Backend::cpu).cpu_seconds;
    result.judge(
        Verdict::build_error,
        "compile_error",
        "the compiler was killed: this file takes more time or memory than it gets. Is there a "
        "template that needs itself again and again, or a very large array with values?");
    return true;
  }
  const std::string text =
      without_options(without_folders(with_short_lines(end.output), work, exercise));
  result.log = cut(trimmed_diagnostics(split(text, '\n')));
  tell_compile_error(result, exercise);
  result.message += shared_name(text, exercise, work / exercise.file_name());
  return true;
}

/// The names that begin with an underscore and mean something: on the CPU those of the emulator's headers; of nvcc's
/// own, nobody has a list.
NameTest known_reserved(const CheckTools &tools) {
  if (!tools.has("names")) {
    return [](std::string_view name) { return name.starts_with("__"); };
  }
  static const NameTest names = names_listed_in(tools.get("names")[0]);
  return names;
}

/// What somebody meant who has written a name like one of CUDA's; empty: nobody knows.
std::string meant_by(const std::string &name, const CheckTools &tools) {
  static const Names names = names_in(read_file(tools.get("names")[0]));
  if (names.contains(name + "_sync")) { // __ballot, __shfl_down
    return fmt::format(
        "{0} is gone since compute capability 7.0: {0}_sync takes a mask first, which "
        "names the lanes that call it",
        name);
  }
  constexpr std::size_t longest = 100; // letters: longer than any of these names
  if (name.size() > longest) {
    return "";
  }
  const auto nearest = std::ranges::min_element(
      names, {}, [&](const std::string &one) { return edit_distance(one, name); });
  return nearest != names.end() && edit_distance(*nearest, name) <= 2
             ? fmt::format("there is no {}; did you mean {}?", name, *nearest)
             : "";
}

/// The screen of the text that macros have become, in one of the two passes of a compilation.
/// \return false when something was found
bool passes_screen(const CheckTools &tools,
                   const Exercise &exercise,
                   const std::string &source_text,
                   const fs::path &source,
                   const fs::path &preprocessed,
                   Result &result) {
  if (fs::file_size(preprocessed) > largest_preprocessed) {
    tell_forbidden(
        result, exercise, {1, "with what it includes it is too large: no exercise needs that"});
    return false;
  }
  const std::string text = read_file(preprocessed);
  if (const auto shared = said_by_a_header(defined_macros(source_text), text, source)) {
    tell_error(result,
               {exercise.file_name(),
                shared->macro.line,
                {},
                {},
                fmt::format("the macro {} is a name in {}, which this file includes: give yours "
                            "another one",
                            shared->macro.text,
                            included_as(shared->header))});
    return false;
  }
  const auto forbidden = screen_preprocessed(text, source, known_reserved(tools));
  if (!forbidden) {
    return true;
  }
  if (const std::string meant =
          forbidden->unknown.empty() ? "" : meant_by(forbidden->unknown, tools);
      !meant.empty()) {
    tell_error(result, {exercise.file_name(), forbidden->line, {}, {}, meant});
  } else {
    tell_forbidden(result, exercise, *forbidden);
  }
  return false;
}

/// The names that a file of ours defines, read once for as long as the file stays the same.
std::shared_ptr<const std::unordered_set<std::string>> names_defined_in(const fs::path &file) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, fs::file_time_type>,
                  std::shared_ptr<const std::unordered_set<std::string>>>
      known;
  const std::lock_guard lock(mutex);
  auto &names = known[{file, fs::last_write_time(file)}];
  if (!names) {
    std::vector<std::string> read = names_defined_by(file);
    names = std::make_shared<const std::unordered_set<std::string>>(
        std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  }
  return names;
}

const std::vector<fs::path> &linked_of(const BuiltChecker &checker) {
  return checker.judge.empty() ? checker.objects : checker.calls;
}

/// Whether one of these files defines a name.
NameTest names_of(std::vector<fs::path> parts) {
  std::erase_if(parts, [](const fs::path &part) { return !fs::is_regular_file(part); }); // -pthread
  return [parts = std::move(parts)](std::string_view name) {
    return std::ranges::any_of(parts, [name = std::string(name)](const fs::path &part) {
      return names_defined_in(part)->contains(name);
    });
  };
}

/// The same of all that a submission is linked with.
NameTest names_of_ours(const CheckTools &tools, const std::vector<BuiltChecker> &checkers) {
  std::vector<fs::path> parts;
  for (const BuiltChecker &checker : checkers) {
    parts.insert(parts.end(), linked_of(checker).begin(), linked_of(checker).end());
  }
  for (const char *key : {"main", "libraries"}) {
    parts.insert(parts.end(), tools.get(key).begin(), tools.get(key).end());
  }
  return names_of(std::move(parts));
}

/// \return false when it failed
bool link(const CheckTools &tools,
          const Exercise &exercise,
          const BuiltChecker &checker,
          const fs::path &object,
          const fs::path &program,
          const CheckOptions &options,
          Result &result) {
  Command command = tools.get("link");
  const Command &first = tools.get("main"), &libraries = tools.get("libraries");
  append(command, first);
  for (const fs::path &part : linked_of(checker)) {
    command.push_back(part.string());
  }
  append(command, {object.string(), "-o", program.string()});
  append(command, libraries);
  const ProgramEnd end = run_tool(command, object.parent_path(), options);
  if (tell_early_end(result, end)) {
    return false;
  }
  if (end.exit_code != 0 || end.signal != 0) {
    result.ended_from_outside = was_killed(end) || found_no_room(end);
    tell_link_error(
        result, end.output, exercise, read_file(object.parent_path() / exercise.file_name()));
    return false;
  }
  return true;
}

} // namespace

std::vector<fs::path> build_programs(const CheckTools &tools,
                                     const Exercise &exercise,
                                     const std::vector<BuiltChecker> &checkers,
                                     const std::string &source_text,
                                     const fs::path &work,
                                     const CheckOptions &options,
                                     Result &result) {
  if (const int line = first_conflict(source_text)) {
    tell_error(result,
               {exercise.file_name(),
                line,
                {},
                {},
                "two versions stand here, between <<<<<<< and >>>>>>>: keep what is right of both, "
                "then remove the lines of signs"});
    return {};
  }
  if (options.screen_calls) {
    if (std::optional<Forbidden> forbidden = screen_source(source_text, known_reserved(tools))) {
      tell_forbidden(result, exercise, *forbidden);
      return {};
    }
  }
  fs::path source = work / exercise.file_name(), object = work / "learner.o";
  write_file(source, source_text);
  Command compile = tools.get("compile");
  append(compile, {"-w", "-c", source.string(), "-o", object.string()});
  if (tools.has("rewriter")) {
    compile.push_back(
        "-ffunction-sections"); // what they call in their own file stands in the object, too
  }
  if (tools.has("rewriter") && options.screen_calls) {
    // The text that is screened is the text that is compiled.
    const fs::path prepared = work / "learner.ii", of_device = work / "learner.ii.device";
    const auto step = [&](const char *name) {
      Command command{tools.get("rewriter")[0], name, prepared.string()};
      append(command, compile);
      return command;
    };
    if (failed(run_tool(step("--prepare"), work, options), exercise, work, result) ||
        !passes_screen(tools, exercise, source_text, source, prepared, result) ||
        (fs::exists(of_device) &&
         !passes_screen(tools, exercise, source_text, source, of_device, result))) {
      return {};
    }
    compile = step("--finish");
  } else if (tools.has("rewriter")) {
    compile.insert(compile.begin(), tools.get("rewriter")[0]);
  }
  if (failed(run_tool(compile, work, options), exercise, work, result)) {
    return {};
  }
  if (options.screen_calls) {
    const Command &first = tools.get("main");
    if (std::optional<Forbidden> forbidden =
            screen_object(object,
                          source,
                          options.backend == Backend::gpu,
                          names_of_ours(tools, checkers),
                          names_of({first.begin(), first.end()}))) {
      tell_forbidden(result, exercise, *forbidden);
      return {};
    }
  }

  std::vector<fs::path> programs;
  for (const BuiltChecker &checker : checkers) {
    programs.push_back(work / fmt::format("check{}", programs.size()));
    if (!link(tools, exercise, checker, object, programs.back(), options, result)) {
      return {};
    }
  }
  return programs;
}

} // namespace tutor
