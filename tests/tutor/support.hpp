#pragma once

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

/// \file
/// A throw-away copy of the test course, and the tutor run on it.

namespace fs = std::filesystem;

/// A folder that is removed at the end of its test. Its name holds a space, as many do at home.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "build first ").string() + std::string(6, 'X');
    path_ = fs::canonical(mkdtemp(name.data()));
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

/// Makes a copy of tests/fixture.
inline void copy_fixture(const fs::path &to) {
  fs::copy(FIXTURE_FOLDER, to, fs::copy_options::recursive);
}

/// Runs the tutor program on the course in `root`, from the file system's root folder.
/// `environment` holds words such as "NO_COLOR=1".
inline tutor::Captured tutor_on(const fs::path &root,
                                const tutor::Command &arguments,
                                const tutor::Command &environment = {}) {
  tutor::Command command{"env", "BUILD_FIRST_ROOT=" + root.string()};
  command.insert(command.end(), environment.begin(), environment.end());
  command.push_back(TUTOR_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return tutor::capture(command, "/");
}

/// The words of a command line; {} is the next of `values`, which may hold blanks.
template <class... Values> tutor::Command typed(const std::string &line, const Values &...values) {
  const std::vector<std::string> given{fs::path(values).string()...};
  tutor::Command words = tutor::words_of(line);
  auto next = given.begin();
  for (std::string &word : words) {
    word = word == "{}" ? *next++ : word;
  }
  return words;
}

/// The tutor on the real course, with the build that these tests belong to.
template <class... Values>
tutor::Captured real_tutor(const std::string &line, const Values &...values) {
  return tutor_on(COURSE_FOLDER, typed(line, values...), {"BUILD_FIRST_BUILD=" BUILD_FOLDER});
}

/// The same as a shell has it, from a line that begins with ./tutor.
inline tutor::Captured typed_in_shell(std::string line) {
  const std::string program = std::string("'") + TUTOR_PROGRAM + "'";
  return tutor::capture(typed("env {} {} sh -c {}",
                              "BUILD_FIRST_ROOT=" COURSE_FOLDER,
                              "BUILD_FIRST_BUILD=" BUILD_FOLDER,
                              tutor::replaced(std::move(line), "./tutor", program)));
}

/// True when the text holds the words.
inline bool holds(const std::string &text, const std::string &words) {
  return text.find(words) != std::string::npos;
}

/// Number of lines in a text.
inline std::size_t line_count(const std::string &text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Checks how a command has ended, and that it has printed all of these words.
inline void
expect(const tutor::Captured &end, int exit_code, const std::vector<std::string> &words = {}) {
  INFO(end.output);
  CHECK(end.exit_code == exit_code);
  for (const std::string &each : words) {
    CHECK_MESSAGE(holds(end.output, each), each);
  }
}

/// The same of a command that is refused, in one line.
inline void refused(const tutor::Captured &end, const std::string &words, int exit_code = 2) {
  expect(end, exit_code, {words});
  CHECK_MESSAGE(line_count(end.output) == 1, end.output);
}

/// What the Failure says in which a call ends.
template <typename Call>
std::string failure_of(Call call, tutor::Exit expected = tutor::Exit::failed) {
  try {
    call();
  } catch (const tutor::Failure &failure) {
    CHECK(failure.exit() == expected);
    return failure.what();
  }
  FAIL("no failure");
  return "";
}
