#pragma once

#include "base/files.hpp"
#include "lessons/markers.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

/// @file
/// What several tests need.

/// A folder that is empty at first and gone afterwards.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lessons-").string();
    name += std::string(6, 'X'); // replaced by mkdtemp
    if (mkdtemp(name.data()) == nullptr)
      throw tutor::lessons::LessonError("cannot make a scratch folder");
    path_ = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  const std::filesystem::path &path() const { return path_; }

  std::filesystem::path write(const std::string &name, const std::string &text) const {
    tutor::write_file(path_ / name, text);
    return path_ / name;
  }
  std::string read(const std::string &name) const { return tutor::read_file(path_ / name); }

private:
  std::filesystem::path path_;
};

/// The message an action throws, "line: message" where it knows the line; "" when it throws
/// nothing.
inline std::string thrown_by(const std::function<void()> &action) {
  try {
    action();
  } catch (const tutor::lessons::LessonError &error) {
    return (error.line > 0 ? std::to_string(error.line) + ": " : "") + error.what();
  } catch (const tutor::Failure &failure) {
    return failure.what();
  }
  return "";
}
