#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Driving CMake: one build folder per preset, build/cpu and build/gpu, exactly those that
/// `cmake --preset cpu` uses.

namespace tutor {

/// Where kernels run; also the name of the CMake preset.
enum class Backend { cpu, gpu };

std::string_view name_of(Backend backend);

/// The backend a user asked for, or the GPU where nvcc and a GPU are found, else the emulator.
/// \throws Failure: usage for an unknown name, environment when gpu was asked for and is not there
Backend choose_backend(const std::optional<std::string> &asked);

/// One build folder.
class Build {
public:
  Build(fs::path root, Backend backend);

  /// Builds one target, or everything when `target` is "all", configuring first where that was not
  /// done. Shows progress; the whole output goes to the log.
  /// \throws Failure (failed) after printing the part of the log that matters
  void build(const std::string &target, const std::string &what) const;
  void build_all(const std::vector<std::string> &targets, const std::string &what) const;

  /// The same, while the screen belongs to somebody else: nothing is shown, and it ends when it is
  /// asked to.
  void build_quietly(const std::vector<std::string> &targets, const std::stop_token &stop) const;

  const fs::path &folder() const { return folder_; }
  fs::path log() const { return folder_ / "tutor.log"; }
  /// What has been explained to whoever works with this build.
  fs::path legends_seen() const { return folder_ / "legends_seen"; }
  /// The program of a chapter, built or not.
  fs::path program(const Chapter &chapter) const;
  /// The CMake target of the same program under the emulator's instruments, and its path.
  static std::string observed_target(const Chapter &chapter) { return chapter.id + ".observed"; }
  fs::path observed_program(const Chapter &chapter) const;

private:
  bool configured_here() const;
  void configure() const;

  fs::path root_;
  Backend backend_;
  fs::path folder_;
};

} // namespace tutor
