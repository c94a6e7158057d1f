#include "commands/step_times.hpp"

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/sha256.hpp"
#include "base/source_tokens.hpp"
#include "commands/recording.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

using nlohmann::ordered_json;

namespace tutor::commands {
namespace {

std::string hash_of(const std::string &text) { return sha256(text).substr(0, 16); }

bool is_in(const fs::path &file, const fs::path &folder) {
  return !file.lexically_relative(folder).empty() &&
         *file.lexically_relative(folder).begin() != "..";
}

/// A step's file, and all that it includes of the chapter and of `common`; beside a header also the source of its name.
class Sources {
public:
  Sources(const Course &course, const Chapter &chapter)
      : root_(course.root()), chapter_(chapter.folder) {}

  void add(const fs::path &given) {
    const fs::path file = given.lexically_normal();
    if (!fs::is_regular_file(file) || !files_.insert(file).second) {
      return;
    }
    const std::vector<SourceToken> tokens = tokens_of(read_file(file));
    for (const SourceToken &token : tokens) {
      if (token.kind == SourceToken::Kind::header && token.text.size() > 2) {
        add_header(file, token.text.substr(1, token.text.size() - 2));
      }
    }
  }

  void add_steps() {
    for (const fs::directory_entry &entry : fs::directory_iterator(chapter_ / "steps")) {
      add(entry.path());
    }
  }

  std::string text() const {
    std::string all;
    for (const fs::path &file : files_) {
      all += file.lexically_relative(root_).string() + "\n";
      bool directive = false;
      for (const SourceToken &token : tokens_of(read_file(file))) {
        directive = token.begins_directive || (directive && !token.first_in_line);
        all += (directive && token.begins_directive) || (!directive && token.first_in_line) ? "\n"
                                                                                            : " ";
        all += token.text;
      }
    }
    return all;
  }

private:
  void add_header(const fs::path &includer, const std::string &name) {
    for (const fs::path &folder : {includer.parent_path(), chapter_, root_, root_ / "course"}) {
      const fs::path file = (folder / name).lexically_normal();
      if (!fs::is_regular_file(file)) {
        continue;
      }
      if (is_in(file, chapter_) || is_in(file, root_ / "common")) {
        add(file);
        for (const char *extension : {".cpp", ".cu"}) {
          add(fs::path(file).replace_extension(extension));
        }
      }
      return;
    }
  }

  fs::path root_, chapter_;
  std::set<fs::path> files_;
};

std::string ms_text(double ms) {
  if (ms < 0.1) {
    return fmt::format("{:.3g} us", ms * 1000);
  }
  return ms < 1000 ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.3g} s", ms / 1000);
}

/// The value of an option among a program's arguments, the last one; or nothing.
std::optional<std::string> given(const TimesArguments &chosen, const std::string &option) {
  const auto found = chosen.given.find(option);
  return found == chosen.given.end() ? std::nullopt : std::optional(found->second.back());
}

bool asked_for(const TimesArguments &chosen, const std::string &step) {
  const auto only = chosen.given.find("--only");
  return only == chosen.given.end() ||
         std::ranges::any_of(only->second, [&](const std::string &wanted) {
           return step == wanted || step.starts_with(wanted + "_");
         });
}

/// What of a run is not as it was recorded; empty if nothing is.
std::string difference(const Course &course,
                       const ordered_json &recorded,
                       const ordered_json &run,
                       const std::string &device,
                       const TimesArguments &chosen) {
  const std::string n = given(chosen, "--n").value_or(run.at("n").dump());
  if (recorded.at("model") != time_model_version) {
    return "the time model is another one than when they were recorded";
  }
  if (recorded.at("description") != text_of_device(course, device)) {
    return fmt::format("emulator/devices/{}.json is another one than when they were recorded",
                       device);
  }
  if (n != run.at("n").dump()) {
    return fmt::format("recorded are those for n = {}, not {}", run.at("n").dump(), n);
  }
  if (chosen.cold) {
    return "recorded are those with the data in the L2";
  }
  return given(chosen, "--seed") ? "recorded are those of the usual seed" : "";
}

std::string line_of(const ordered_json &step, std::size_t width, const std::string &refused) {
  const std::string name = step.at("name");
  if (!refused.empty()) {
    return fmt::format("  {:{}}  no time: {}\n", name, width, refused);
  }
  const std::string assumes = step.value("assumes", "");
  return fmt::format("  {:{}}  about {:>8}  ({} to {})  {}{}\n",
                     name,
                     width,
                     ms_text(step.at("ms")),
                     ms_text(step.at("low")),
                     ms_text(step.at("high")),
                     step.at("binds").get<std::string>(),
                     assumes.empty() ? "" : "; taken for granted: " + assumes);
}

} // namespace

fs::path step_times_file(const Course &course, const std::string &device) {
  return course.root() / "docs/results" / fmt::format("nvidia-{}_step_times.json", device);
}

std::string text_of_step(const Course &course, const Chapter &chapter, const std::string &step) {
  Sources sources(course, chapter);
  const fs::path own = chapter.folder / "steps" / (step + ".cuh");
  if (fs::is_regular_file(own)) {
    sources.add(own);
  } else {
    sources.add_steps();
  }
  return hash_of(sources.text());
}

std::string text_of_device(const Course &course, const std::string &device) {
  const fs::path file = course.root() / "emulator/devices" / (device + ".json");
  if (!fs::is_regular_file(file)) {
    return "";
  }
  const ordered_json description = read_json(file);
  ordered_json figures; // without where they are from
  for (const auto &[key, figure] : description.items()) {
    figures[key] = figure.is_object() && figure.contains("value") ? figure["value"] : figure;
  }
  return hash_of(figures.dump());
}

ordered_json list_of(const Build &build, const Chapter &chapter) {
  const WorkFolder folder;
  const fs::path list = folder.path() / "list.json";
  const Captured said =
      capture({build.program(chapter).string(), "--list", "--json", list.string()});
  if (said.exit_code != 0) {
    throw failure("{} --list failed: {}", chapter.id, said.output);
  }
  return read_recording(list);
}

int timed_block(const ordered_json &list, const std::string &step) {
  const auto found = find_named(list.at("entries"), step);
  if (found == list.at("entries").end() || !found->at("reasons").is_string()) {
    return 0;
  }
  const std::string options = found->at("reasons");
  const std::size_t at = options.find("--block ");
  return at == std::string::npos ? 0 : std::stoi(options.substr(at + 8));
}

bool asks_for_steps(const ordered_json &list, const TimesArguments &chosen) {
  return std::ranges::any_of(list.at("entries"), [&](const ordered_json &entry) {
    return entry.at("kind") == "step" && asked_for(chosen, entry.at("name"));
  });
}

RecordedTimes recorded_times(const Course &course,
                             const Build &build,
                             const Chapter &chapter,
                             const std::string &device,
                             const TimesArguments &chosen) {
  const fs::path file = step_times_file(course, device);
  const ordered_json recorded = fs::is_regular_file(file) ? read_recording(file) : ordered_json();
  const std::string others =
      fmt::format("\nOf changed steps and other sizes: ./tutor predict {}{}\n",
                  chapter.id.substr(0, 2),
                  find_program("clang++") ? " (builds the time model first)"
                                          : ", with clang++ (apt install clang)");
  const auto none = [&](const std::string &why) {
    return RecordedTimes{fmt::format("\nno times on a GPU: {}\n{}", why, others), false};
  };
  if (recorded.is_null()) {
    return none(fmt::format("none are recorded for {}", device));
  }
  const ordered_json &runs = recorded.at("runs");
  const auto run = std::ranges::find_if(
      runs, [&](const ordered_json &one) { return one.at("chapter") == chapter.id; });
  if (run == runs.end()) {
    return none("none are recorded for this chapter");
  }
  if (const std::string other = difference(course, recorded, *run, device, chosen);
      !other.empty()) {
    return none(other);
  }
  const ordered_json list = list_of(build, chapter);
  const std::optional<std::string> block = given(chosen, "--block");
  std::size_t width = 0;
  for (const ordered_json &step : run->at("steps")) {
    width = std::max(width, step.at("name").get<std::string>().size());
  }
  std::string text = fmt::format("\nabout, on an {}, at {}, by a model (docs/time_model.md), as "
                                 "recorded: no GPU was asked\n",
                                 recorded.at("device").get<std::string>(),
                                 run->at("size").get<std::string>());
  bool whole = true;
  for (const ordered_json &step : run->at("steps")) {
    const std::string name = step.at("name");
    if (!asked_for(chosen, name)) {
      continue;
    }
    std::string refused = step.value("refused", "");
    const int timed = timed_block(list, name);
    if (step.at("text") != text_of_step(course, chapter, name)) {
      refused = "its source, or what it includes, is not what was recorded";
    } else if (block.value_or(std::to_string(timed)) != step.at("block").dump()) {
      refused = fmt::format("recorded with blocks of {}, not {}",
                            step.at("block").dump(),
                            block.value_or(std::to_string(timed)));
    }
    whole = whole && refused == step.value("refused", "");
    text += line_of(step, width, refused);
  }
  return {text + others, whole};
}

} // namespace tutor::commands
