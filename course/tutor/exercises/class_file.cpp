#include "exercises/class_file.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "exercises/table_reader.hpp"

#include <charconv>

namespace tutor {
namespace {

/// \return nothing where the offset is missing: whose midnight it is nobody could tell
std::optional<Moment> moment_of(const toml::node *node) {
  const auto value = node != nullptr ? node->value<toml::date_time>() : std::nullopt;
  if (!value || !value->offset) {
    return {};
  }
  const std::chrono::year_month_day day{std::chrono::year(value->date.year),
                                        std::chrono::month(value->date.month),
                                        std::chrono::day(value->date.day)};
  return std::chrono::sys_days(day) + std::chrono::hours(value->time.hour) +
         std::chrono::minutes(value->time.minute - value->offset->minutes) +
         std::chrono::seconds(value->time.second);
}

constexpr double most_points = 1'000'000; // sums and shares of more lose their digits
constexpr const char *how_dates_look = "a date looks like 2026-11-20T23:59:00+01:00";

std::optional<Moment> date(const TableReader &table, std::string_view key) {
  if (!table.has(key)) {
    return {};
  }
  const std::optional<Moment> moment = moment_of(table.raw().get(key));
  if (!moment) {
    table.refuse(table.need(key).source().begin.line, fmt::format("{}: {}", key, how_dates_look));
  }
  return moment;
}

LatePolicy late_policy(const TableReader &table) {
  table.allow({"per_day", "most", "grace_hours"});
  LatePolicy late;
  late.per_day = table.number("per_day", 0, 1);
  late.most = table.has("most") ? table.number("most", 0, 1) : 1;
  late.grace = std::chrono::seconds(
      table.has("grace_hours") ? std::llround(3600 * table.number("grace_hours", 0, 8760)) : 0);
  return late;
}

ExerciseRules rules_of(const TableReader &table) {
  table.allow({"points", "due", "cases"});
  ExerciseRules rules;
  rules.points =
      table.has("points") ? std::optional(table.number("points", 0, most_points)) : std::nullopt;
  rules.due = date(table, "due");
  if (table.has("cases")) {
    const TableReader cases = table.table("cases");
    for (const auto &[name, weight] : cases.raw()) {
      rules.weights[std::string(name.str())] = cases.number(name.str(), 0.001, most_points);
    }
  }
  return rules;
}

/// \param place  where it is written, for the message
std::string
id_of(const std::vector<Exercise> &known, std::string_view word, const std::string &place) {
  try {
    return find_exercise(known, word).id();
  } catch (const Failure &failure) {
    throw Failure(failure.exit(), fmt::format("{}: {}", place, failure.what()));
  }
}

/// One line of a table about students, by the names of its columns.
class LineReader {
public:
  LineReader(std::string place, std::map<std::string, std::string> cells)
      : place_(std::move(place)), cells_(std::move(cells)) {}

  [[noreturn]] void refuse(const std::string &what) const { throw failure("{}: {}", place_, what); }
  std::string text(const std::string &column) const {
    const auto found = cells_.find(column);
    return found == cells_.end() ? "" : found->second;
  }
  std::optional<Moment> date(const std::string &column) const {
    std::string text = this->text(column);
    if (text.empty()) {
      return {};
    }
    if (const std::optional<Moment> moment = moment_named(text)) {
      return moment;
    }
    refuse(fmt::format("{} '{}': {}", column, text, how_dates_look));
  }
  std::optional<double> points() const {
    const std::string text = this->text("points");
    if (text.empty()) {
      return {};
    }
    double points = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
    if (error != std::errc() || end != text.data() + text.size() ||
        !(points >= 0 && points <= most_points)) {
      refuse(fmt::format("points '{}': a number is expected, 0 to {}", text, most_points));
    }
    return points;
  }

private:
  std::string place_;
  std::map<std::string, std::string> cells_;
};

/// Reads a table with one line for each student, or student and exercise, at the most.
/// \param columns  which there may be
/// \param take  is given each line, the student and the exercise's id ("": all); false: a second line on both
template <class Take>
void read_students(const fs::path &file,
                   const std::vector<std::string> &columns,
                   const std::vector<Exercise> &known,
                   const Take &take) {
  const auto lines = read_csv(file);
  const auto place = [&](std::size_t line) { return fmt::format("{}:{}", file, line + 1); };
  const std::vector<std::string> header = lines.empty() ? std::vector<std::string>() : lines[0];
  if (header.size() == 1 && header[0].find_first_of(";\t") != std::string::npos) {
    throw failure("{}: commas part the cells: student,exercise,points", place(0));
  }
  for (const std::string &name : header) {
    if (std::ranges::find(columns, name) == columns.end()) {
      throw failure(
          "{}: unknown column '{}'; there are: {}", place(0), name, fmt::join(columns, ", "));
    }
    if (std::ranges::count(header, name) > 1) {
      throw failure("{}: the column {} is there twice", place(0), name);
    }
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) {
      continue;
    }
    std::map<std::string, std::string> cells;
    for (std::size_t column = 0; column < std::min(header.size(), lines[i].size()); ++column) {
      cells[header[column]] = lines[i][column];
    }
    const LineReader reader(place(i), std::move(cells));
    const std::string student = unescaped(reader.text("student")), word = reader.text("exercise");
    if (student.empty() || lines[i].size() > header.size()) {
      reader.refuse(student.empty() ? "student is missing"
                                    : "more cells than the first line names");
    }
    const std::string id = word.empty() ? word : id_of(known, word, place(i));
    if (!take(reader, std::pair(student, id))) {
      reader.refuse(fmt::format("a second line on {} {}", student, id));
    }
  }
}

void read_exceptions(ClassFile &rules, const fs::path &file, const std::vector<Exercise> &known) {
  read_students(file,
                {"student", "exercise", "due", "handed_in", "points", "reason"},
                known,
                [&](const LineReader &reader, const auto &whose) {
                  ExceptionLine line{reader.date("due"),
                                     reader.date("handed_in"),
                                     reader.points(),
                                     reader.text("reason")};
                  if (line.points && whose.second.empty()) {
                    reader.refuse("points are those of one exercise, which is missing");
                  }
                  return rules.exceptions.emplace(whose, std::move(line)).second;
                });
}

void read_times(ClassFile &rules, const fs::path &file, const std::vector<Exercise> &known) {
  read_students(file,
                {"student", "exercise", "handed_in"},
                known,
                [&](const LineReader &reader, const auto &whose) {
                  const std::optional<Moment> time = reader.date("handed_in");
                  return !time || rules.times.emplace(whose, *time).second;
                });
}

/// What a field of a student's lines says.
std::optional<Moment> said(const ClassFile &rules,
                           const std::string &student,
                           const std::string &exercise,
                           std::optional<Moment> ExceptionLine::*field) {
  for (const std::string &id : {exercise, std::string()}) {
    const auto found = rules.exceptions.find({student, id});
    if (found != rules.exceptions.end() && found->second.*field) {
      return found->second.*field;
    }
  }
  return {};
}

} // namespace

std::optional<Moment> moment_named(const std::string &text) {
  if (text.find_first_not_of("0123456789-+:. TZ") != std::string::npos) {
    return {};
  }
  try {
    const toml::table table = toml::parse("date = " + text);
    return moment_of(table.get("date"));
  } catch (const toml::parse_error &) { // it is no date
    return {};
  }
}

std::optional<Moment> ClassFile::due_of(const std::string &student,
                                        const std::string &exercise) const {
  if (const auto own = said(*this, student, exercise, &ExceptionLine::due)) {
    return own;
  }
  const auto found = exercises.find(exercise);
  return found != exercises.end() && found->second.due ? found->second.due : due;
}

std::optional<Moment> ClassFile::handed_in(const std::string &student,
                                           const std::string &exercise) const {
  if (const auto by_hand = said(*this, student, exercise, &ExceptionLine::handed_in)) {
    return by_hand;
  }
  for (const std::string &id : {exercise, std::string()}) {
    if (const auto found = times.find({student, id}); found != times.end()) {
      return found->second;
    }
  }
  return {};
}

const ExceptionLine *ClassFile::points_of(const std::string &student,
                                          const std::string &exercise) const {
  const auto found = exceptions.find({student, exercise});
  return found != exceptions.end() && found->second.points ? &found->second : nullptr;
}

std::vector<std::vector<std::string>> read_csv(const fs::path &file) {
  const std::string text = without_mark(read_file(file)); // spreadsheets write it
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  if (text.find('\0') != std::string::npos) {
    throw failure("{} is no plain text (UTF-16, perhaps): save it as CSV in UTF-8", file);
  }
  const auto end_line = [&] {
    if (!cells.empty() || !cell.empty()) {
      cells.push_back(std::exchange(cell, {}));
    }
    lines.push_back(std::exchange(cells, {}));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const bool twice = quoted && i + 1 < text.size() && text[i + 1] == '"';
      cell += twice ? "\"" : "";
      i += twice ? 1 : 0;
      quoted = twice || !quoted;
    } else if (quoted || (text[i] != ',' && text[i] != '\n' && text[i] != '\r')) {
      cell += text[i];
    } else if (text[i] == ',') {
      cells.push_back(std::exchange(cell, {}));
    } else if (text[i] == '\n' || text.substr(i + 1, 1) != "\n") { // or the "\r" of old Macs
      end_line();
    }
  }
  if (quoted) {
    throw failure("{}: a quote is not closed", file);
  }
  end_line();
  return lines;
}

ClassFile read_class_file(const fs::path &file, const std::vector<Exercise> &known) {
  const toml::table parsed = parse_toml(file);
  const TableReader table(parsed, file, "");
  table.allow({"attempts", "due", "exceptions", "handed_in", "late", "exercises"});
  ClassFile rules;
  rules.text = read_file(file);
  rules.due = date(table, "due");
  if (table.has("attempts")) {
    const std::string which = table.text("attempts");
    if (which != "last" && which != "best") {
      table.refuse(table.need("attempts").source().begin.line,
                   fmt::format("attempts = \"{}\"; there are: last, best", which));
    }
    rules.attempts = which == "last" ? Attempts::last : Attempts::best;
  }
  if (table.has("late")) {
    rules.late = late_policy(table.table("late"));
  }
  if (table.has("exercises")) {
    const TableReader exercises = table.table("exercises");
    for (const auto &[word, node] : exercises.raw()) {
      const std::string place =
          fmt::format("{}:{}", file, static_cast<unsigned>(node.source().begin.line));
      const std::string id = id_of(known, word.str(), place);
      if (!rules.exercises.emplace(id, rules_of(exercises.table(word.str()))).second) {
        exercises.refuse(node.source().begin.line, fmt::format("{} stands here twice", id));
      }
    }
  }
  for (const auto &[key, read] :
       {std::pair("exceptions", &read_exceptions), std::pair("handed_in", &read_times)}) {
    if (table.has(key)) {
      const fs::path beside = file.parent_path() / table.text(key);
      read(rules, beside, known);
      rules.text += read_file(beside);
    }
  }
  return rules;
}

} // namespace tutor
