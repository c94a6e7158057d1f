#include "exercises/workspace.hpp"

#include "base/diff.hpp"
#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/merge.hpp"
#include "exercises/answers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace tutor {
namespace {

constexpr std::string_view stubs_folder = ".stubs";
constexpr std::string_view stub_ending = ".stub";

[[noreturn]] void cannot(const char *what, const fs::path &file, const std::string &why) {
  throw failure("cannot {} {}: {}", what, file, why);
}

std::string read(const fs::path &file) {
  if (fs::is_directory(file) || access(file.c_str(), R_OK) != 0) {
    cannot("read", file, fs::is_directory(file) ? "it is a folder" : std::strerror(errno));
  }
  return read_file(file);
}

void copy_new(const fs::path &from, const fs::path &to) { write_whole(to, read(from)); }

/// Tells a learner who looks into the folder what it is and where the lesson lies.
void write_page(const fs::path &workspace, const Exercise &exercise) {
  const fs::path page = workspace / exercise.chapter / "README.md";
  if (fs::exists(page)) {
    return;
  }
  write_whole(page,
              fmt::format("Your copies of the exercises of chapter {}. Edit them here: updates of "
                          "the course leave them alone.\n\nThe lesson: {}\n",
                          exercise.chapter,
                          fs::proximate(exercise.lesson(), page.parent_path()).generic_string()));
}

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.substr(first).starts_with("//");
}

/// Without the comments of these regions.
std::string without_words(const std::vector<std::string> &stub,
                          const std::vector<TodoRegion> &regions) {
  std::string kept;
  for (std::size_t line = 1; line <= stub.size(); ++line) {
    const bool inside = std::ranges::any_of(
        regions, [&](const TodoRegion &one) { return one.first <= line && line <= one.last; });
    if (!inside || !is_comment(stub[line - 1])) {
      kept += stub[line - 1];
    }
  }
  return kept;
}

/// Brings the course's changes into the learner's file. Of a TODO that is done, and its words gone, new words are no change.
Merge merge_stubs(const std::string &base, const std::string &mine, const std::string &stub) {
  const std::vector<std::string> old_lines = split_lines(base), new_lines = split_lines(stub);
  std::vector<TodoRegion> of_old, of_new;
  try {
    of_old = todo_regions(base, {});
    of_new = todo_regions(stub, {});
  } catch (const Failure &) { // stubs did not always say where a TODO ends
    return merge_texts(base, mine, stub);
  }
  if (of_old.size() != of_new.size()) {
    return merge_texts(base, mine, stub);
  }
  for (std::size_t k = of_old.size(); k-- > 0;) {
    // Without its end: a learner's file may end lines in another way.
    const std::string &task = old_lines[of_old[k].first - 1];
    if (mine.find(task.substr(0, task.find_first_of("\r\n"))) != std::string::npos) {
      of_old.erase(of_old.begin() + static_cast<std::ptrdiff_t>(k));
      of_new.erase(of_new.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return merge_texts(without_words(old_lines, of_old), mine, without_words(new_lines, of_new));
}

} // namespace

Workspace::Workspace(fs::path folder) : folder_(fs::absolute(folder).lexically_normal()) {}

Workspace Workspace::of(const Course &course, const std::optional<std::string> &folder) {
  return Workspace(folder ? fs::path(*folder) : home_of(course.root()) / "workspace");
}

fs::path Workspace::file(const Exercise &exercise) const { return exercise.file_in(folder_); }

fs::path Workspace::kept_stub(const std::string &id) const {
  return folder_ / stubs_folder / (id + std::string(stub_ending));
}

fs::path Workspace::kept_stub(const Exercise &exercise) const { return kept_stub(exercise.id()); }

fs::path Workspace::open(const Exercise &exercise) const {
  const fs::path mine = file(exercise);
  if (!fs::exists(mine)) {
    copy_new(exercise.stub, mine);
    copy_new(exercise.stub, kept_stub(exercise));
    write_page(folder_, exercise);
  } else if (!fs::exists(kept_stub(exercise))) {
    copy_new(exercise.stub, kept_stub(exercise)); // a file brought from elsewhere: the best guess
  }
  return mine;
}

bool Workspace::untouched(const Exercise &exercise) const {
  const fs::path mine = file(exercise);
  if (!fs::exists(mine)) {
    return true;
  }
  const fs::path stub = fs::exists(kept_stub(exercise)) ? kept_stub(exercise) : exercise.stub;
  return read(mine) == read(stub);
}

bool Workspace::outdated(const Exercise &exercise) const {
  return fs::exists(file(exercise)) && fs::exists(kept_stub(exercise)) &&
         read(kept_stub(exercise)) != read(exercise.stub);
}

fs::path Workspace::back_up(const fs::path &file) const {
  for (int number = 1;; ++number) {
    fs::path backup = file;
    backup += fmt::format(".bak-{}", number);
    if (!fs::exists(backup)) {
      copy_new(file, backup);
      return backup;
    }
  }
}

std::optional<fs::path> Workspace::reset(const Exercise &exercise) const {
  const fs::path mine = file(exercise);
  const std::string stub = read(exercise.stub);
  std::optional<fs::path> backup;
  if (fs::exists(mine) && read(mine) != stub) {
    backup = back_up(mine);
  }
  write_whole(mine, stub);
  write_whole(kept_stub(exercise), stub);
  write_page(folder_, exercise);
  return backup;
}

Update Workspace::update(const Exercise &exercise) const {
  Update update;
  update.file = file(exercise);
  if (!outdated(exercise)) {
    return update;
  }
  const std::string base = read(kept_stub(exercise));
  const std::string mine = read(update.file);
  const std::string stub = read(exercise.stub);
  if (mine == base) {
    update.kind = Update::Kind::replaced;
    write_whole(update.file, stub);
  } else {
    const Merge merge = merge_stubs(base, mine, stub);
    update.kind = merge.conflicts > 0 ? Update::Kind::conflict : Update::Kind::merged;
    update.conflicts = merge.conflicts;
    if (merge.text != mine) {
      update.backup = back_up(update.file);
      write_whole(update.file, merge.text);
    }
  }
  write_whole(kept_stub(exercise), stub); // last: an update that is interrupted is done again
  return update;
}

std::vector<std::string> Workspace::orphans(const std::vector<Exercise> &exercises) const {
  std::vector<std::string> old_ids;
  const fs::path stubs = folder_ / stubs_folder;
  if (!fs::is_directory(stubs)) {
    return old_ids;
  }
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(stubs)) {
    if (entry.is_regular_file() && entry.path().extension() == stub_ending) {
      std::string id = fs::relative(entry.path(), stubs).replace_extension().generic_string();
      bool known = std::ranges::any_of(exercises, [&](const Exercise &e) { return e.id() == id; });
      if (!known && fs::exists(folder_ / (id + ".cu"))) {
        old_ids.push_back(std::move(id));
      }
    }
  }
  std::ranges::sort(old_ids);
  return old_ids;
}

std::optional<Update> Workspace::adopt(const std::string &was, const Exercise &exercise) const {
  Update update{Update::Kind::moved, 0, file(exercise), {}, was};
  if (fs::exists(update.file)) {
    return std::nullopt;
  }
  const bool same_name = fs::path(was).filename() == exercise.name;
  if (!same_name && read(kept_stub(was)) != read(exercise.stub)) {
    return std::nullopt;
  }
  const fs::path old_file = folder_ / (was + ".cu");
  copy_new(old_file, update.file);
  copy_new(kept_stub(was), kept_stub(exercise));
  write_page(folder_, exercise);
  fs::remove(kept_stub(was));
  fs::remove(old_file);
  return update;
}

void write_whole(const fs::path &file, const std::string &text) {
  std::error_code error;
  if (!file.parent_path().empty()) {
    fs::create_directories(file.parent_path(), error);
  }
  // In the same folder, because only then does the renaming replace the file in one go. A link to a
  // file elsewhere stays a link.
  const fs::path target = fs::is_symlink(file) ? fs::weakly_canonical(file) : file;
  const fs::path draft = fmt::format("{}.new-{}", target, getpid());
  std::ofstream stream(draft, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    const std::string why = std::strerror(errno);
    fs::remove(draft, error);
    cannot("write", file, why);
  }
  if (fs::exists(target)) {
    fs::permissions(draft, fs::status(target).permissions(), error);
  }
  fs::rename(draft, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(draft, error);
    cannot("write", file, why);
  }
}

std::string typed_path(const fs::path &file) {
  std::error_code error;
  const fs::path near = fs::proximate(file, error);
  const std::string text = error ? file.string() : near.string();
  return text.starts_with("../..") || text.size() > file.string().size() ? file.string() : text;
}

} // namespace tutor
