#include "commands/commands.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>

/// \file
/// `export`: a step with all that it includes of the course's, as one file.

namespace tutor::commands {
namespace {

/// The first groups of all matches that begin with these words: in a long text they are found sooner than an expression
/// is, which is tried at each character.
std::vector<std::string>
all_from(const std::string &begin, const std::string &text, const std::string &pattern) {
  const std::regex behind(pattern);
  std::vector<std::string> all;
  std::smatch match;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    if (std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(at),
                          text.end(),
                          match,
                          behind,
                          std::regex_constants::match_continuous)) {
      all.push_back(match[1]);
      at += static_cast<std::size_t>(match.length());
    }
  }
  return all;
}
std::string
found_from(const std::string &begin, const std::string &text, const std::string &pattern) {
  const std::vector<std::string> all = all_from(begin, text, pattern);
  return all.empty() ? "" : all.front();
}

/// The first group of the first match, or nothing.
std::string found_in(const std::string &text, const std::string &pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

/// Puts files together: each once, those that it includes before it.
class OneFile {
public:
  OneFile(const Course &course, const Chapter &chapter)
      : folders_{chapter.folder, course.root() / "course", course.root()} {}

  void add(const fs::path &file) {
    if (!seen_.insert(file).second) {
      return;
    }
    int depth = 0; // of conditions: what depends on one stays where it is
    std::string own;
    for (const std::string &line : split_lines(read_file(file))) {
      std::smatch name;
      depth += line.starts_with("#if") - line.starts_with("#endif");
      if (std::regex_match(line, name, quoted_)) {
        add(header(name[1], file.parent_path()));
      } else if (depth == 0 && line.starts_with("#include <")) {
        system_.insert(line);
      } else if (!line.starts_with("#pragma once") && !line.starts_with("/// @file")) {
        own += line;
      }
    }
    const std::size_t begin = own.find_first_not_of('\n');
    text_ += fmt::format("\n// {} {}\n\n{}",
                         fs::relative(file, folders_.back()),
                         std::string(60, '-'),
                         begin == std::string::npos ? "" : own.substr(begin));
    for (const char *extension : {".cpp", ".cu"}) {
      const fs::path source = fs::path(file).replace_extension(extension);
      if (file.extension() == ".hpp" && fs::exists(source)) {
        sources_.push_back(source);
      }
    }
  }

  /// What stands in source files of the headers so far, and in those of `rooms` that are called, here or in `main`.
  void add_sources(std::vector<fs::path> rooms = {}, const std::string &main = "") {
    for (bool more = true; more;) {
      while (!sources_.empty()) {
        const fs::path source = sources_.front();
        sources_.erase(sources_.begin());
        add(source);
      }
      const auto wanted = std::ranges::find_if(
          rooms, [&](const fs::path &file) { return defines_what_is_called(file, text_ + main); });
      more = wanted != rooms.end();
      if (more) {
        sources_.push_back(*wanted);
        rooms.erase(wanted);
      }
    }
  }

  std::string text() const {
    std::string all;
    for (const std::string &line : system_) {
      all += line;
    }
    return all + text_;
  }

private:
  fs::path header(const std::string &name, const fs::path &beside) const {
    static const std::set<std::string> ladder{
        "ladder/chapter.hpp", "ladder/ceiling.hpp", "ladder/observe.hpp"};
    for (const fs::path &folder : folders_) {
      const fs::path found = folder / (ladder.contains(name) ? "ladder/one_step.hpp" : name);
      if (fs::exists(found)) {
        return found;
      }
    }
    return beside / name;
  }

  /// Whether a source has a function that is declared and named in a text.
  static bool defines_what_is_called(const fs::path &file, const std::string &text) {
    for (const std::string &name :
         all_from("\n", read_file(file), R"re(\w[\w:<>&* ]* \*?(\w+)\([^;{]*\) \{)re")) {
      const std::size_t declared = text.find(" " + name + "(");
      if (declared != std::string::npos &&
          text.find(name, declared + name.size()) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  const std::regex quoted_{R"re(\s*#\s*include "([^"]+)".*\n?)re"};
  std::vector<fs::path> folders_, sources_;
  std::set<fs::path> seen_;
  std::set<std::string> system_;
  std::string text_;
};

/// Sources of the steps' room without a header of their own, in which no step is registered.
std::vector<fs::path> helpers_of(const Chapter &chapter) {
  std::vector<fs::path> helpers;
  for (const fs::path &file : chapter.kernels()) {
    const std::string text = read_file(file);
    const bool registers = std::ranges::any_of(chapter.steps, [&](const Step &step) {
      return text.find(fmt::format("\"{}\"", step.name)) != std::string::npos;
    });
    if (file.parent_path().filename() == "steps" && !registers &&
        !fs::exists(fs::path(file).replace_extension(".hpp"))) {
      helpers.push_back(file);
    }
  }
  return helpers;
}

/// The sources in which a chapter's ladder is registered.
std::string registration(const Chapter &chapter) {
  std::string text;
  std::vector<fs::path> sources = chapter.kernels();
  sources.push_back(chapter.folder / "main.cpp");
  for (const fs::path &file : sources) {
    text += fs::exists(file) ? read_file(file) : "";
  }
  return text;
}

/// A function of the chapter's main program that the step is registered with.
std::string definition(const std::string &name, const std::string &text) {
  return found_in(
      text,
      fmt::format(R"re(\n((?:template [^\n]*>\s)?(?:void|lab::Verdict) {}\([^)]*\) \{{)re"
                  R"re((?:[^\n]*\}}\n|[\s\S]*?\n\}}\n)))re",
                  name));
}

/// How a step is registered: its function, what comes before each run, and what checks it.
struct Registered {
  std::string run, before, check;
  std::string block; ///< its own threads per block
};

Registered registered(const Step &step, const std::string &text) {
  const std::string how = found_from(fmt::format("\"{}\",", step.name), text, R"re( ?([^;{}]*))re");
  Registered found{found_in(how, R"re(^([\w:]+))re"),
                   found_in(how, R"re(\.before\(([^)]+)\))re"),
                   found_in(how, R"re(\.check\(([^)]+)\))re"),
                   found_in(how, R"re(\.block\((\d+)\))re")};
  if (how.find(").") == std::string::npos && found.before.empty()) { // a row of a table
    found.before = found_in(how, R"re(^[\w:]+, (\w+))re");
    found.check = found_in(how, R"re(^[\w:]+, \w+, (\w+))re");
  }
  return found;
}

/// What a hook lacks: the step in whose namespace it is, or its definition in the main program.
std::string
add_hook(OneFile &file, const Chapter &chapter, const std::string &hook, const std::string &text) {
  const std::string space = found_in(hook, R"re(^(\w+)::)re"),
                    name = found_in(hook, R"re((\w+)(?:<.*>)?$)re");
  if (!space.empty()) {
    for (const fs::directory_entry &entry : fs::directory_iterator(chapter.folder / "steps")) {
      if (entry.path().extension() == ".cuh" &&
          read_file(entry.path()).find(fmt::format("namespace {} {{", space)) !=
              std::string::npos) {
        file.add(entry.path());
      }
    }
    return "";
  }
  const bool there =
      name.empty() || file.text().find(fmt::format(" {}(", name)) != std::string::npos;
  return there ? "" : definition(name, text) + "\n";
}

/// What the sources of the registration define for several steps: run_any_shape, by one of them.
std::string add_shared(OneFile &file, const Chapter &chapter, const std::string &text) {
  const std::string so_far = file.text();
  std::string own;
  for (const std::string &name : all_from("\nvoid ", so_far, R"re((\w+)\(\w+ &\w+\);)re")) {
    const std::string call = fmt::format(" {}(", name);
    const std::size_t declared = so_far.find(call);
    if (so_far.find(call, declared + 1) == std::string::npos ||
        so_far.find(fmt::format("\nvoid {}(", name), declared + 1) != std::string::npos) {
      continue; // never called, or defined
    }
    const std::string its = definition(name, text);
    add_hook(file, chapter, found_in(its, R"re((\w+::\w+)\()re"), text);
    own += its + "\n";
  }
  return own;
}

/// The program: the step is run and checked as the ladder has it.
std::string main_of(OneFile &file, const Chapter &chapter, const Step &step) {
  const std::string text = registration(chapter);
  const Registered how = registered(step, text);
  const std::string problem = found_from("lab::Ladder<", text, R"re((\w+)> ladder\()re");
  const std::string timed = found_from("ladder.blocks({", text, R"re([^;]*\.timed = (\d+))re");
  const std::string own = add_hook(file, chapter, how.before, text) +
                          add_hook(file, chapter, how.check, text) +
                          add_shared(file, chapter, text);
  return fmt::format(R"(
// {} {}

{}/// ./step [n …]
int main(int argc, char **argv) {{
  std::vector<std::size_t> sizes = {{{}, {}}};
  if (argc > 1)
    sizes.clear();
  for (int i = 1; i < argc; ++i)
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  return lab::check_step<{}>(sizes, {}, {}, {}, {});
}}
)",
                     step.name,
                     std::string(60, '-'),
                     own,
                     found_from("ladder.sizes(", text, R"re([^;]*\.check = \{([^}]*)\})re"),
                     found_from("ladder.sizes(", text, R"re([^;]*\.emulator = ([^,]*),)re"),
                     problem,
                     !how.block.empty() ? how.block
                     : timed.empty()    ? "0"
                                        : timed,
                     how.before.empty() ? "nullptr" : how.before,
                     how.run,
                     how.check.empty() ? fmt::format("[]({} &p) {{ return p.check(); }}", problem)
                                       : how.check);
}

} // namespace

Exit export_step(const Course &course, const ChapterRequest &request) {
  const Chapter &chapter = course.find(request.chapter);
  const Step &step = chapter.find_step(request.words.front());
  const std::string &target = request.out;
  if (!target.empty() && fs::exists(target)) {
    throw wrong_usage("{} is there already: name another file", target);
  }
  OneFile file(course, chapter);
  file.add(course.root() / "course/ladder/one_step.hpp");
  file.add(chapter.folder / "problem.hpp");
  file.add_sources();
  file.add(step.file);
  const std::string main = main_of(file, chapter, step);
  file.add_sources(helpers_of(chapter), main);
  const std::string text =
      fmt::format("// {} of chapter {}, with all that it needs: its kernel stands at the end.\n"
                  "//   nvcc -std=c++20 -O3 --expt-relaxed-constexpr -o step FILE.cu && ./step\n\n",
                  step.name,
                  chapter.id) +
      "#include <cstdlib>\n" + file.text() + main;
  if (target.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(fs::absolute(target), text);
  }
  return Exit::ok;
}

} // namespace tutor::commands
