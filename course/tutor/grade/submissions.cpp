#include "grade/submissions.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "grade/text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tutor::grading {
namespace {

std::string shown(const fs::path &path) { return shown_name(path.string()); }

/// Folders of Windows and of macOS do not tell "BLOCK_SUM.CU" from "block_sum.cu".
std::string lower_case(std::string name) {
  for (char &c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

/// The beginning of time where the file is gone meanwhile.
Moment written(const fs::path &file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? Moment()
               : std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
}

/// All files that might be a submission, by their names.
class Search {
public:
  Search(const fs::path &folder, std::string student, std::vector<std::string> &notes)
      : folder_(folder), student_(std::move(student)), notes_(notes) {
    std::error_code error;
    inside_ = fs::canonical(folder, error);
    look_into(folder, 0);
  }

  /// The files to judge: none, one, or with Attempts::best all that there are.
  std::vector<fs::path> choose(const Exercise &exercise, Attempts attempts) const {
    std::vector<fs::path> copies = called(exercise.file_name());
    std::ranges::sort(copies, {}, [&](const fs::path &file) {
      const fs::path relative = file.lexically_relative(folder_);
      const bool as_in_workspace = file.parent_path().filename() == exercise.chapter;
      return std::tuple(attempts == Attempts::in_place ? 0
                                                       : -written(file).time_since_epoch().count(),
                        !as_in_workspace,
                        std::distance(relative.begin(), relative.end()),
                        relative.string());
    });
    if (copies.size() > 1 && attempts != Attempts::best) {
      note(fmt::format("{} files are called {}; {} is graded",
                       copies.size(),
                       exercise.file_name(),
                       shown(copies.front().lexically_relative(folder_))));
      copies.resize(1);
    }
    if (copies.size() > most_attempts) {
      note(fmt::format("{} attempts at {}; the last {} are graded",
                       copies.size(),
                       exercise.file_name(),
                       most_attempts));
      copies.resize(most_attempts);
    }
    for (const fs::path &file : copies) {
      if (const std::string name = file.filename().string(); name != exercise.file_name()) {
        note(fmt::format("{} is taken for {}", shown(name), exercise.file_name()));
      }
    }
    return copies;
  }

  /// What there is instead of an exercise's file.
  void tell_what_is_near(const Exercise &exercise, const std::vector<Exercise> &all) const {
    std::vector<std::string> names = others_;
    for (const auto &[name, files] : files_) {
      names.push_back(name);
    }
    for (const std::string &name : names) {
      const std::string lower = lower_case(name);
      if (std::ranges::find(archives, fs::path(lower).extension()) != archives.end()) {
        note(fmt::format("{} is an archive; what is in it is not looked for", shown(name)));
      } else if (lower.find(exercise.name) != std::string::npos &&
                 std::ranges::find(all, lower, &Exercise::file_name) == all.end()) {
        note(fmt::format(
            "{} is not called {}; it is not graded", shown(name), exercise.file_name()));
      }
    }
  }

private:
  static constexpr int deepest = 12;
  static constexpr std::array archives{".zip", ".tar", ".gz", ".tgz", ".7z", ".rar"};

  /// The files of this name; where there is none, those that differ from it by capitals.
  std::vector<fs::path> called(const std::string &name) const {
    const auto found = files_.find(name);
    if (found != files_.end()) {
      return found->second;
    }
    std::vector<fs::path> alike;
    for (const auto &[other, files] : files_) {
      if (lower_case(other) == lower_case(name)) {
        alike.insert(alike.end(), files.begin(), files.end());
      }
    }
    return alike;
  }

  void note(const std::string &text) const {
    std::string line = fmt::format("{}: {}", shown_name(student_), text);
    if (std::ranges::find(notes_, line) == notes_.end()) {
      notes_.push_back(std::move(line));
    }
  }

  void look_into(const fs::path &folder, int depth) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) {
      note(fmt::format("{} cannot be read: {}", shown(folder.filename()), error.message()));
      return;
    }
    for (const fs::directory_entry &entry : entries) {
      consider(entry, depth);
    }
  }

  void consider(const fs::directory_entry &entry, int depth) {
    const std::string name = entry.path().filename().string();
    const bool cuda = lower_case(entry.path().extension().string()) == ".cu";
    std::error_code error;
    if (name.starts_with(".") || name == "__MACOSX") {
      return;
    }
    if (entry.is_symlink(error) && !stays_inside(entry.path())) {
      note(fmt::format("{} is a link to somewhere else; it is not followed", shown(name)));
      return;
    }
    if (entry.is_directory(error)) {
      if (entry.is_symlink(error)) {
        return; // what it leads to is found without it
      }
      if (depth >= deepest) {
        note(fmt::format(
            "{} lies more than {} folders down; not looked into", shown(name), deepest));
        return;
      }
      look_into(entry.path(), depth + 1);
      return;
    }
    if (!cuda) {
      others_.push_back(name);
      return;
    }
    if (!entry.is_regular_file(error)) {
      note(fmt::format("{} is no file", shown(name)));
      return;
    }
    if (entry.file_size(error) > largest_submission) {
      note(fmt::format(
          "{} is larger than {} KiB; it is not read", shown(name), largest_submission / 1024));
      return;
    }
    files_[name].push_back(entry.path());
  }

  bool stays_inside(const fs::path &link) const {
    std::error_code error;
    const fs::path target = fs::canonical(link, error);
    if (error || inside_.empty()) {
      return false;
    }
    const fs::path relative = target.lexically_relative(inside_);
    return !relative.empty() && *relative.begin() != "..";
  }

  fs::path folder_;
  fs::path inside_; ///< the same, all links resolved
  std::string student_;
  std::vector<std::string> &notes_;
  std::map<std::string, std::vector<fs::path>> files_;
  std::vector<std::string> others_; ///< that are no .cu files, by their names
};

void add_student(Class &all,
                 const std::string &student,
                 const fs::path &folder,
                 Attempts attempts) {
  all.students.push_back(student);
  const Search search(folder, student, all.notes);
  for (const Exercise &exercise : *all.exercises) {
    const std::vector<fs::path> files = search.choose(exercise, attempts);
    for (const fs::path &file : files) {
      all.submissions.push_back({student, &exercise, file, written(file)});
    }
    if (files.empty()) {
      search.tell_what_is_near(exercise, *all.exercises);
      all.submissions.push_back({student, &exercise, {}, {}});
    }
  }
}

/// When Gradescope took in what lies in `folder`, as it notes beside it; nothing where it has noted nothing.
std::optional<Moment> noted_by_gradescope(const fs::path &folder) {
  const fs::path file = folder.parent_path() / "submission_metadata.json";
  if (!fs::exists(file)) {
    return {};
  }
  const auto noted = nlohmann::json::parse(read_file(file), nullptr, false);
  const auto created = noted.is_object() ? noted.find("created_at") : noted.end();
  const std::optional<Moment> moment = created != noted.end() && created->is_string()
                                           ? moment_named(created->get<std::string>())
                                           : std::nullopt;
  if (!moment) {
    throw failure("{}: no date in created_at", file);
  }
  return moment;
}

} // namespace

Class shard_of(const Class &all, int index, int count) {
  Class part = all;
  part.students.clear();
  part.submissions.clear();
  std::set<std::string> mine;
  for (std::size_t i = 0; i < all.students.size(); ++i) {
    if (i % static_cast<std::size_t>(count) == static_cast<std::size_t>(index - 1)) {
      part.students.push_back(all.students[i]);
      mine.insert(all.students[i]);
    }
  }
  std::ranges::copy_if(all.submissions,
                       std::back_inserter(part.submissions),
                       [&](const Submission &one) { return mine.contains(one.student); });
  return part;
}

void mark_anew(Class &all, const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    bool found = false;
    for (Submission &one : all.submissions) {
      const bool meant = one.student == unescaped(word) || one.exercise->is_meant_by(word);
      one.anew = one.anew || meant;
      found = found || meant;
    }
    if (!found) {
      throw wrong_usage(
          "--regrade {}: neither a student's folder nor an exercise that is graded here", word);
    }
  }
}

bool looks_like_one_student(const fs::path &folder, const std::vector<Exercise> &exercises) {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error)) { // as a student may be called
      names.insert(lower_case(entry.path().filename().string()));
    }
  }
  return std::ranges::any_of(exercises, [&](const Exercise &exercise) {
    return names.contains(lower_case(exercise.file_name())) || fs::exists(exercise.file_in(folder));
  });
}

Class find_submissions(const fs::path &folder,
                       const std::vector<Exercise> &exercises,
                       bool whole_is_one,
                       Attempts attempts) {
  if (!fs::is_directory(folder)) {
    throw wrong_usage("there is no folder {}", folder);
  }
  Class all;
  all.folder = fs::canonical(folder);
  all.exercises = std::make_shared<const std::vector<Exercise>>(exercises);
  if (whole_is_one) {
    add_student(all, all.folder.filename().string(), all.folder, attempts);
    if (const std::optional<Moment> noted = noted_by_gradescope(all.folder)) {
      for (Submission &one : all.submissions) {
        one.handed_in = *noted;
        one.by_file = false;
      }
    }
    return all;
  }
  if (looks_like_one_student(folder, exercises)) {
    throw wrong_usage(
        "{} looks like one student's folder; name the folder that holds a folder for each student",
        folder);
  }

  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(all.folder)) {
    const std::string name = entry.path().filename().string();
    std::error_code gone;
    if (name.starts_with(".")) {
      if (entry.is_directory(gone)) {
        all.notes.push_back(
            fmt::format("{}: hidden; not taken for a student's folder", shown(name)));
      }
    } else if (entry.is_symlink(gone)) {
      all.notes.push_back(fmt::format("{}: a link; it is not followed", shown(name)));
    } else if (entry.is_directory(gone)) {
      folders.push_back(entry.path());
    } else {
      all.notes.push_back(fmt::format("{}: not a student's folder", shown(name)));
    }
  }
  if (folders.empty()) {
    throw wrong_usage("{} holds no folders; a folder for each student is expected, with the files "
                      "somewhere inside",
                      folder);
  }
  std::ranges::sort(folders);
  std::map<std::string, std::string> seen;
  for (const fs::path &one : folders) {
    const std::string student = one.filename().string();
    const auto [twin, is_new] = seen.try_emplace(looks_like(student), student);
    if (!is_new) {
      all.notes.push_back(
          fmt::format("{} and {} look alike and are two folders: their seeds differ",
                      shown_name(twin->second),
                      shown_name(student)));
    }
    add_student(all, student, one, attempts);
  }
  return all;
}

} // namespace tutor::grading
