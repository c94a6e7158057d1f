#include "exercises/answers.hpp"

#include "base/text.hpp"
#include "exercises/solution.hpp"
#include "exercises/table_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace tutor {
namespace {

constexpr std::string_view quotes = "'''";

std::vector<std::string> texts_of(const TableReader &table, std::string_view key) {
  const toml::node &node = table.need(key);
  const toml::array *array = node.as_array();
  std::vector<std::string> texts;
  const auto take = [&](const toml::node &text) {
    if (!text.is_string()) {
      table.refuse(text.source().begin.line, fmt::format("{} is lines of a file, as a text", key));
    }
    texts.push_back(text.as_string()->get());
  };
  if (!array) {
    take(node);
    return texts;
  }
  for (const toml::node &element : *array) {
    take(element);
  }
  return texts;
}

Judgement judgement(const TableReader &table, std::string_view key) {
  const std::string text = table.text(key);
  const std::optional<Judgement> named = judgement_named(text);
  if (!named) {
    table.refuse(table.need(key).source().begin.line,
                 fmt::format("'{}' is no verdict with a diagnosis", text));
  }
  return *named;
}

void read_mistake(StoredAnswer &answer, const TableReader &table) {
  table.allow({"mistake", "verdict", "clang", "gpu", "says", "body", "edits"});
  answer.why = table.text("mistake");
  const Judgement meant = judgement(table, "verdict");
  answer.verdict = meant.verdict;
  answer.diagnosis = meant.diagnosis;
  if (table.has("clang")) {
    answer.with_clang = judgement(table, "clang");
  }
  answer.passes_on_gpu = table.has("gpu");
  if (answer.passes_on_gpu && table.text("gpu") != "passes") {
    table.refuse(table.need("gpu").source().begin.line, "gpu is passes, or absent");
  }
}

StoredAnswer read_answer_of(const TableReader &table, const std::string &name, bool wrong) {
  StoredAnswer answer;
  answer.name = name;
  answer.wrong = wrong;
  if (wrong) {
    read_mistake(answer, table);
  } else {
    table.allow({"style", "says", "body", "edits"});
    answer.why = table.text("style");
    answer.passes_on_gpu = true;
  }
  answer.says = table.text_or_nothing("says");
  if (table.has("body") == table.has("edits")) {
    table.refuse(table.line(), "an answer has either a body or edits of the solution");
  }
  if (table.has("body")) {
    answer.bodies = texts_of(table, "body");
  } else {
    answer.edits = table.text("edits");
  }
  return answer;
}

std::string in_quotes(std::string_view text) {
  const std::string escaped = replaced(std::string(text), "\\", "\\\\");
  return '"' + replaced(escaped, "\"", "\\\"") + '"';
}

/// Many lines as they stand. (No C++ has three single quotes in a row; a file that has them would not read as it was.)
std::string as_it_stands(std::string_view text) { return fmt::format("{0}\n{1}{0}", quotes, text); }

std::string to_toml(const StoredAnswer &answer) {
  std::string text = fmt::format("[{}.{}]\n{} = {}\n",
                                 answer.wrong ? "wrong" : "right",
                                 answer.name,
                                 answer.wrong ? "mistake" : "style",
                                 in_quotes(answer.why));
  const auto judged = [](Verdict verdict, const std::string &diagnosis) {
    return in_quotes(fmt::format("{} {}", name_of(verdict), diagnosis));
  };
  if (answer.wrong) {
    text += fmt::format("verdict = {}\n", judged(answer.verdict, answer.diagnosis));
  }
  if (answer.with_clang) {
    text += fmt::format("clang = {}\n",
                        judged(answer.with_clang->verdict, answer.with_clang->diagnosis));
  }
  if (answer.wrong && answer.passes_on_gpu) {
    text += "gpu = \"passes\"\n";
  }
  if (!answer.says.empty()) {
    text += fmt::format("says = {}\n", in_quotes(answer.says));
  }
  if (answer.bodies.empty()) {
    return text + fmt::format("edits = {}\n", as_it_stands(answer.edits));
  }
  if (answer.bodies.size() == 1) {
    return text + fmt::format("body = {}\n", as_it_stands(answer.bodies[0]));
  }
  text += "body = [\n";
  for (const std::string &body : answer.bodies) {
    text += as_it_stands(body) + ",\n";
  }
  return text + "]\n";
}

std::string joined(const std::vector<std::string> &lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    text += lines[i];
  }
  return text;
}

/// What stands between the regions of a stub: before the first one, …, behind the last one.
std::vector<std::string> fixed_parts(std::string_view stub,
                                     const std::vector<TodoRegion> &regions) {
  const std::vector<std::string> lines = split_lines(stub);
  std::vector<std::string> parts;
  std::size_t next = 0;
  for (const TodoRegion &region : regions) {
    parts.push_back(joined(lines, next, region.first - 1));
    next = region.last;
  }
  parts.push_back(joined(lines, next, lines.size()));
  return parts;
}

/// What somebody wrote into the regions; nothing if anything else changed, too.
std::optional<std::vector<std::string>> bodies_of(std::string_view written,
                                                  const std::vector<std::string> &parts) {
  const std::string &last = parts.back();
  if (!written.starts_with(parts.front()) || !written.ends_with(last) ||
      written.size() < parts.front().size() + last.size()) {
    return std::nullopt;
  }
  written.remove_prefix(parts.front().size());
  written.remove_suffix(last.size());
  std::vector<std::string> bodies;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t at = written.find(parts[i]);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    bodies.emplace_back(written.substr(0, at));
    written.remove_prefix(at + parts[i].size());
  }
  bodies.emplace_back(written);
  return bodies;
}

} // namespace

std::vector<TodoRegion> todo_regions(std::string_view stub, const fs::path &file) {
  std::vector<TodoRegion> regions;
  std::size_t first = 0, number = 0;
  const auto refuse = [&](std::size_t line, const char *what) {
    throw failure("{}:{}: {}", file, line, what);
  };
  for (const std::string &line : split_lines(stub)) {
    ++number;
    if (line.find("end of TODO") != std::string::npos) {
      if (first == 0) {
        refuse(number, "'end of TODO' without a TODO before it");
      }
      regions.push_back({first, number});
      first = 0;
    } else if (line.find("TODO") != std::string::npos && first == 0) {
      first = number;
    }
  }
  if (first != 0) {
    refuse(first, "this TODO has no line 'end of TODO'");
  }
  if (regions.empty()) {
    refuse(1, "there is no TODO: nothing says where the learner writes");
  }
  return regions;
}

std::optional<Judgement> judgement_named(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::optional<Verdict> verdict = verdict_named(text.substr(0, space));
  if (!verdict || *verdict == Verdict::pass || space == std::string_view::npos) {
    return std::nullopt;
  }
  return Judgement{*verdict, std::string(text.substr(space + 1))};
}

std::vector<StoredAnswer> read_answers(const fs::path &file) {
  std::vector<StoredAnswer> answers;
  if (!fs::exists(file)) {
    return answers;
  }
  const toml::table table = parse_toml(file);
  const TableReader reader(table, file, "");
  reader.allow({"wrong", "right"});
  for (const bool wrong : {true, false}) {
    const char *kind = wrong ? "wrong" : "right";
    if (!reader.has(kind)) {
      continue;
    }
    const TableReader of_kind = reader.table(kind);
    for (const auto &[name, node] : of_kind.raw()) {
      answers.push_back(read_answer_of(of_kind.table(name.str()), std::string(name.str()), wrong));
    }
  }
  return answers;
}

std::string to_toml(const std::vector<StoredAnswer> &answers) {
  std::string text;
  for (const StoredAnswer &answer : answers) {
    text += (text.empty() ? "" : "\n") + to_toml(answer);
  }
  return text;
}

void put(std::vector<StoredAnswer> &answers, StoredAnswer answer) {
  const auto place = [](const StoredAnswer &a) { return std::tuple(!a.wrong, a.name); };
  std::erase_if(answers, [&](const StoredAnswer &other) { return place(other) == place(answer); });
  answers.push_back(std::move(answer));
  std::ranges::sort(answers, {}, place);
}

std::string written_out(const StoredAnswer &answer, const Ground &ground, const fs::path &file) {
  if (answer.bodies.empty()) {
    return apply_edits(answer.edits, ground.solved, fmt::format("{}: {}", file, answer.name));
  }
  const std::vector<std::string> parts =
      fixed_parts(ground.stub, todo_regions(ground.stub, ground.stub_file));
  if (answer.bodies.size() + 1 != parts.size()) {
    throw failure("{}: {} has {} bodies for {} TODO regions; store it anew with ./tutor author",
                  file,
                  answer.name,
                  answer.bodies.size(),
                  parts.size() - 1);
  }
  std::string text = parts.front();
  for (std::size_t i = 0; i < answer.bodies.size(); ++i) {
    text += answer.bodies[i] + parts[i + 1];
  }
  return text;
}

void take_from(StoredAnswer &answer, const Ground &ground, std::string_view written) {
  for (const auto &[other, name] :
       {std::pair(&ground.stub, "stub"), {&ground.solved, "solution"}}) {
    if (*other == written) {
      throw failure("{}: nothing differs from the {}", answer.name, name);
    }
  }
  answer.edits = edits_between(ground.solved, written, answer.name);
  answer.bodies =
      bodies_of(written, fixed_parts(ground.stub, todo_regions(ground.stub, ground.stub_file)))
          .value_or(std::vector<std::string>());
  std::size_t lines = 0;
  for (const std::string &body : answer.bodies) {
    lines += split_lines(body).size();
  }
  if (answer.bodies.empty() || split_lines(answer.edits).size() < lines) {
    answer.bodies.clear();
  } else {
    answer.edits.clear();
  }
}

} // namespace tutor
