#include "base/own_program.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/linker.hpp"
#include "base/process.hpp"
#include "base/sha256.hpp"
#include "base/source_tokens.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

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

/// "ns::shift<int>(int*)" is defined where there is a shift.
std::string plain_symbol(std::string_view symbol) {
  const std::string_view name = symbol.substr(0, symbol.find_first_of("(<["));
  const std::size_t colon = name.rfind(':');
  return std::string(name.substr(colon == std::string_view::npos ? 0 : colon + 1));
}

/// Whether a source defines a function or a variable of that name. It looks at words alone.
bool defines(const std::vector<SourceToken> &tokens, const std::string &name) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != name || i == 0 || i + 1 == tokens.size()) {
      continue;
    }
    std::size_t next = i + 1;
    if (tokens[next].text != "(") { // of a type: `int times = 0;`
      bool declared = tokens[i - 1].kind == SourceToken::Kind::word || tokens[i - 1].text == "*";
      for (std::size_t k = i; declared && k-- > 0 && tokens[k].line == tokens[i].line;) {
        declared = tokens[k].text != "extern" && tokens[k].text != "return";
      }
      if (declared && std::string_view("=;[{").find(tokens[next].text) != std::string_view::npos) {
        return true;
      }
      continue;
    }
    for (int open = 0; next < tokens.size(); ++next) {
      open += (tokens[next].text == "(") - (tokens[next].text == ")");
      if (open == 0) {
        break;
      }
    }
    while (++next < tokens.size() &&
           (tokens[next].text == "const" || tokens[next].text == "noexcept")) {
    }
    if (next < tokens.size() && tokens[next].text == "{") {
      return true;
    }
  }
  return false;
}

/// The file beside these sources, and none of them, that defines a symbol; or none.
fs::path file_that_defines(const std::string &symbol, const std::vector<fs::path> &sources) {
  const std::string name = plain_symbol(symbol);
  std::set<fs::path> folders, named;
  for (const fs::path &source : sources) {
    named.insert(fs::absolute(source).lexically_normal());
    folders.insert(source.parent_path());
  }
  for (const fs::path &folder : folders) {
    for (const fs::directory_entry &file : fs::directory_iterator(folder.empty() ? "." : folder)) {
      if (!names_source(file.path().string()) || !file.is_regular_file() ||
          named.contains(fs::absolute(file.path()).lexically_normal())) {
        continue;
      }
      const std::vector<SourceToken> tokens = tokens_of(read_file(file.path()));
      if (defines(tokens, name) && (name == "main" || !defines(tokens, "main"))) {
        return file.path();
      }
    }
  }
  return {};
}

} // namespace

bool names_source(std::string_view word) {
  return !word.starts_with('-') &&
         std::ranges::any_of(std::array{".cu", ".cpp", ".cc", ".cxx", ".c"},
                             [&](const char *ending) { return word.ends_with(ending); });
}

bool is_own(const std::vector<std::string> &words) {
  return std::ranges::any_of(words, names_source);
}

const std::string &only_word(const std::vector<std::string> &words) {
  if (words.size() > 1) {
    throw wrong_usage("'{}' is one too many: give one chapter, or FILE.cu… with nvcc's options",
                      words[1]);
  }
  return words.front();
}

OwnProgram::OwnProgram(std::vector<std::string> words, const fs::path &build, bool observed)
    : words_(std::move(words)), build_(build), observed_(observed) {
  std::ranges::copy_if(words_, std::back_inserter(sources_), names_source);
  for (const fs::path &source : sources_) {
    if (!fs::is_regular_file(source)) {
      throw wrong_usage("there is no file {}", source);
    }
  }
  std::string all = fs::absolute(sources_.front()).lexically_normal();
  std::for_each(sources_.begin() + 1, sources_.end(), [&](const fs::path &source) {
    all += '\n' + source.string();
  });
  name_ = plain_name(sources_.front().stem().string());
  folder_ = build / (observed ? "observe" : "own") /
            fmt::format("{}-{}", name_, sha256(all).substr(0, 8));
}

const std::vector<std::string> &OwnProgram::targets() {
  static const std::vector<std::string> all{"emulator_package"};
  return all;
}

void OwnProgram::make() const {
  Command command{"env",
                  observed_ ? "EMU_OBSERVED=1" : "EMU_OBSERVED=0",
                  (build_ / "emulator/nvcc/emu-nvcc").string(),
                  "--ninja",
                  folder_.string(),
                  "-w"};
  append(command, words_);
  append(command, {"-o", program().string()});
  Progress progress("compiling " + sources_.front().filename().string());
  std::vector<std::string> lines;
  const int exit_code = run_by_line(command, ".", [&](std::string_view line) {
    lines.emplace_back(line);
    progress.update(0, 0);
  });
  progress.finish();
  if (exit_code == 2 && !lines.empty()) {
    throw wrong_usage("{}", lines.back());
  }
  if (exit_code != 0) {
    explain(lines);
  }
}

void OwnProgram::explain(const std::vector<std::string> &lines) const {
  for (const std::string &line : lines) {
    const std::optional<std::string> missing = link_fault_in(line).missing;
    if (!missing) {
      continue;
    }
    if (const fs::path file = file_that_defines(*missing, sources_); !file.empty()) {
      throw failure("`{}` is defined in {}, beside {}: name that file, too",
                    *missing,
                    file.filename(),
                    sources_.front().filename());
    }
    if (*missing == "main") {
      throw wrong_usage("{} has no main(): only a whole program can be run. A file of an "
                        "exercise is observed by its check: ./tutor check ID",
                        sources_.front().filename());
    }
  }
  fmt::print(stderr, "{}", trimmed_diagnostics(lines));
  throw failure("{} does not compile",
                sources_.size() == 1 ? sources_.front().filename() : "the program");
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
