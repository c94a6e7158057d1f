#include "commands/exercises.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fs = std::filesystem;

namespace tutor::commands {
namespace {

bool is_chapters_name(const std::string &id) {
  const auto is_of_a_name = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '_';
  };
  return id.size() > 3 && std::isdigit(static_cast<unsigned char>(id[0])) &&
         std::isdigit(static_cast<unsigned char>(id[1])) && id[2] == '_' &&
         std::islower(static_cast<unsigned char>(id[3])) && std::ranges::all_of(id, is_of_a_name);
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

} // namespace

Exit new_chapter(const Course &course, const std::string &id) {
  if (!is_chapters_name(id)) {
    throw Failure(Exit::usage,
                  fmt::format("'{}' is no name of a chapter: two digits, a line and a name in "
                              "lower case, as in 13_stencil",
                              id));
  }
  const std::string number = id.substr(0, 2), name = id.substr(3);
  for (const Chapter &chapter : course.chapters()) {
    if (chapter.id.substr(0, 2) == number || chapter.id.substr(3) == name) {
      throw Failure(Exit::usage, fmt::format("there is {} already", chapter.id));
    }
  }
  std::string title = replaced(name, "_", " ");
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  const fs::path model = course.root() / "tools" / "new_chapter";
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(model)) {
    if (entry.is_directory()) {
      continue;
    }
    std::string text = replaced(read_file(entry.path()), "NN_new_chapter", id);
    text = replaced(std::move(text), "NN", number);
    text = replaced(std::move(text), "New chapter", title);
    const fs::path file = course.root() / "chapters" / id / entry.path().lexically_relative(model);
    write_file(file, text);
    fmt::print("{}\n", file.string());
  }
  fmt::print("Now: ./tutor lessons && ./tutor run {}\n", number);
  return Exit::ok;
}

} // namespace tutor::commands
