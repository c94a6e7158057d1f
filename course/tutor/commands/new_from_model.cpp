#include "commands/exercises.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exercises/answers.hpp"
#include "exercises/solution.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tutor::commands {
namespace {

bool is_of_a_name(unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '_'; }

bool is_chapters_name(const std::string &id) {
  return id.size() > 3 && std::isdigit(static_cast<unsigned char>(id[0])) &&
         std::isdigit(static_cast<unsigned char>(id[1])) && id[2] == '_' &&
         std::islower(static_cast<unsigned char>(id[3])) && std::ranges::all_of(id, is_of_a_name);
}

/// "Any shape" of any_shape.
std::string title_of(const std::string &name) {
  std::string title = replaced(name, "_", " ");
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

} // namespace

Exit new_chapter(const Course &course, const std::string &id) {
  if (!is_chapters_name(id)) {
    throw wrong_usage("'{}' is no name of a chapter: two digits, a line and a name in lower case, "
                      "as in 13_stencil",
                      id);
  }
  const std::string number = id.substr(0, 2), name = id.substr(3);
  for (const Chapter &chapter : course.chapters()) {
    if (chapter.id.substr(0, 2) == number || chapter.id.substr(3) == name) {
      throw wrong_usage("there is {} already", chapter.id);
    }
  }
  const fs::path model = course.root() / "tools" / "new_chapter";
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(model)) {
    if (entry.is_directory()) {
      continue;
    }
    std::string text = replaced(read_file(entry.path()), "NN_new_chapter", id);
    text = replaced(std::move(text), "NN", number);
    text = replaced(std::move(text), "New chapter", title_of(name));
    const fs::path file = course.root() / "chapters" / id / entry.path().lexically_relative(model);
    write_file(file, text);
    fmt::print("{}\n", file);
  }
  fmt::print("Now: ./tutor author lessons && ./tutor run {}\n", number);
  return Exit::ok;
}

Exit new_exercise(const Course &course, const std::string &word) {
  const std::size_t slash = word.find('/');
  const std::string name = word.substr(slash + 1);
  if (name.empty() || !std::islower(static_cast<unsigned char>(name[0])) ||
      !std::ranges::all_of(name, is_of_a_name)) {
    throw wrong_usage(
        "'{}' is no name of an exercise: a chapter and a name in lower case, as in 01/any_shape",
        word);
  }
  const Chapter &chapter = course.find(word.substr(0, slash));
  int number = 1;
  for (const Exercise &exercise : exercises_of(course)) {
    if (exercise.name == name) {
      throw wrong_usage("there is {} already", exercise.id());
    }
    if (exercise.chapter == chapter.id) {
      number = std::max(number, exercise.card.number + 1);
    }
  }
  const fs::path model = course.root() / "tools/new_exercise";
  const fs::path folder = course.root() / "exercises" / chapter.id / name;
  const auto filled = [&](const char *file) {
    std::string text = replaced(read_file(model / file), "new_exercise", name);
    text = replaced(std::move(text), "NN.N", fmt::format("{:02}.{}", chapter.number, number));
    text = replaced(std::move(text), "New exercise", title_of(name));
    return replaced(std::move(text), "number = 0", fmt::format("number = {}", number));
  };
  for (const char *file : {"stub.cu", "check.cu", "card.toml", "answers.toml"}) {
    write_file(folder / file, filled(file));
    fmt::print("{}\n", folder / file);
  }
  const Ground ground{
      .stub = filled("stub.cu"), .stub_file = folder / "stub.cu", .solved = filled("solved.cu")};
  std::vector<StoredAnswer> answers = read_answers(folder / "answers.toml");
  for (StoredAnswer &answer : answers) { // as they are stored: the shorter way of two
    take_from(answer, ground, written_out(answer, ground, folder / "answers.toml"));
  }
  write_file(folder / "answers.toml", to_toml(answers));
  const fs::path file = course.root() / "solutions" / chapter.id / (name + ".diff");
  write_file(file, to_text(make_solution(chapter.id + "/" + name, ground.stub, ground.solved)));
  fmt::print("{}\nIt is whole: ./tutor author --prove {} shows that. Now make it yours: "
             "CONTRIBUTING.md, \"Add an exercise\".\n",
             file,
             name);
  return Exit::ok;
}

} // namespace tutor::commands
