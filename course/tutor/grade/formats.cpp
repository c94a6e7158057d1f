#include "grade/formats.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tutor::grading {
namespace {

void write_file(const fs::path &file, const std::string &text) {
  std::error_code error;
  if (file.has_parent_path()) {
    fs::create_directories(file.parent_path(), error);
  }
  write_result(file, text);
}

/// A cell as RFC 4180 has it. A spreadsheet must not take what a student chose for a formula (full-width signs are as
/// good to some), nor for a further cell: in many countries semicolons part them.
std::string cell(const std::string &text) {
  std::string safe = printable(text);
  const std::string_view begun =
      std::string_view(safe).substr(std::min(safe.find_first_not_of(" \"'"), safe.size()));
  const auto begins = [&](const char *sign) { return begun.starts_with(sign); };
  if (std::ranges::any_of(std::array{"=", "+", "-", "@", "＝", "＋", "－", "＠"}, begins)) {
    safe.insert(safe.begin(), '\'');
  }
  if (safe.find_first_of(",;\"") == std::string::npos) {
    return safe;
  }
  return "\"" + replaced(std::move(safe), "\"", "\"\"") + "\"";
}

} // namespace

std::string FileNames::name_for(const std::string &student) {
  std::string name;
  for (char c : shown_name(student)) {
    name += c == '/' || c == '\\' || c == '?' ? '_' : c;
  }
  constexpr std::size_t longest =
      200; // file systems have 255 bytes, of which an ending and a number take some
  name = shortened(name, longest);
  std::string unique = name;
  for (int i = 2; !taken_.insert(unique).second; ++i) {
    unique = fmt::format("{}-{}", name, i);
  }
  return unique;
}

Format format_for(const std::optional<std::string> &name, const fs::path &out) {
  if (!name) {
    return out.extension() == ".csv"   ? Format::csv
           : out.extension() == ".xml" ? Format::junit
                                       : Format::json;
  }
  for (const auto &[known, format] : {std::pair("json", Format::json),
                                      {"csv", Format::csv},
                                      {"junit", Format::junit},
                                      {"gradescope", Format::gradescope}}) {
    if (*name == known) {
      return format;
    }
  }
  throw wrong_usage("no format '{}'; there are: json, csv, junit, gradescope", *name);
}

std::vector<CaseOutcome> outcomes(const Grade &grade, const Assigned &assigned) {
  const Result &result = grade.result;
  std::vector<CaseOutcome> list;
  if (assigned.cases.empty()) {
    for (const CaseResult &one : result.cases) {
      list.push_back({one.name, one.hidden, one.passed, one.message});
    }
  }
  for (const Case &asked : assigned.cases) {
    const std::string &why = result.by_hidden && !asked.hidden ? hidden_message : result.message;
    CaseOutcome outcome{asked.name, asked.hidden, false, first_line(why)};
    bool ran = false;
    for (const CaseResult &one : result.cases) {
      if (one.name == asked.name && one.hidden == asked.hidden) {
        outcome.passed = one.passed && (!ran || outcome.passed);
        outcome.message = one.message;
        ran = true;
      }
    }
    if (!ran) {
      outcome.message = fmt::format("did not run: {}", first_line(why));
    }
    list.push_back(std::move(outcome));
  }
  if (list.empty()) {
    list.push_back({"checked", false, result.verdict == Verdict::pass, first_line(result.message)});
  }
  for (CaseOutcome &outcome : list) {
    outcome.name = printable(outcome.name);
    outcome.message = outcome.passed ? "" : printable(outcome.message, true);
  }
  return list;
}

std::vector<CaseOutcome> shown_outcomes(const Grade &grade, const Assigned &assigned) {
  std::vector<CaseOutcome> list = outcomes(grade, assigned);
  int hidden = 0;
  for (CaseOutcome &outcome : list) {
    if (outcome.hidden) {
      outcome.name = fmt::format("not shown {}", ++hidden);
      outcome.message = outcome.passed ? "" : hidden_message;
    }
  }
  return list;
}

Result shown_result(Result result) {
  if (result.by_hidden) {
    result.judge(Verdict::fail, hidden_diagnosis, hidden_message);
    result.log.clear();
  }
  result.seconds -= result.hidden_seconds;
  return result;
}

std::string replay_command(const Report &report, const Grade &grade) {
  if (grade.file.empty()) {
    return "";
  }
  const Assigned &assigned = report.exercises[grade.exercise];
  std::vector<std::string> words{"./tutor",
                                 "check",
                                 assigned.exercise.id(),
                                 "--file",
                                 (report.folder / grade.file).string(),
                                 "--seed",
                                 std::to_string(grade.receipt.seed)};
  if (!assigned.extra_check.empty()) {
    const fs::path folder = assigned.extra_check.parent_path().parent_path();
    append(words, {"--extra-checks", folder.string()});
  }
  return shell_text(words);
}

std::string to_csv(const Report &report) {
  std::string text = "student,points,max_points,seed";
  for (const Assigned &assigned : report.exercises) {
    const std::string id = assigned.exercise.id();
    text += fmt::format(",{0} points,{0} verdict,{0} diagnosis,{0} note", id);
  }
  text += "\r\n";
  for (const std::string &student : report.students) {
    text += fmt::format("{},{:g},{:g},{}",
                        cell(shown_name(student)),
                        report.points_of(student),
                        report.most_points(),
                        seed_of(report.seed, student));
    for (std::size_t i = 0; i < report.exercises.size(); ++i) {
      auto grade = std::ranges::find_if(report.grades, [&](const Grade &one) {
        return one.student == student && one.exercise == i;
      });
      if (grade == report.grades.end()) {
        text += ",,,,";
        continue;
      }
      const Result shown = shown_result(grade->result);
      text += fmt::format(",{:g},{},{},{}",
                          grade->points,
                          name_of(shown.verdict),
                          cell(shown.diagnosis),
                          cell(grade->note));
    }
    text += "\r\n";
  }
  return text;
}

std::string write(const Report &report, Format format, const fs::path &out) {
  if (format == Format::gradescope) {
    if (report.students.size() == 1 && !fs::is_directory(out)) {
      write_file(out, to_gradescope(report, report.students.front()));
      return out.string();
    }
    if (fs::exists(out) && !fs::is_directory(out)) {
      throw wrong_usage("{} is a file; for a class, Gradescope's results are a folder with a file "
                        "for each student",
                        out);
    }
    FileNames names;
    for (const std::string &student : report.students) {
      write_file(out / (names.name_for(student) + ".json"), to_gradescope(report, student));
    }
    return fmt::format("{} with {}", out, counted(report.students.size(), "file"));
  }
  write_file(out,
             format == Format::csv     ? to_csv(report)
             : format == Format::junit ? to_junit(report)
                                       : to_json(report));
  return out.string();
}

} // namespace tutor::grading
