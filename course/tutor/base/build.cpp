#include "base/build.hpp"

#include "base/course.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/file_lock.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace tutor {
namespace {

constexpr const char *lock_file = ".tutor-lock"; // of a build folder

/// Reads ninja's "[12/40] Building …".
bool read_progress(std::string_view line, int &done, int &total) {
  std::size_t slash = line.find('/');
  if (!line.starts_with('[') || slash == std::string_view::npos) {
    return false;
  }
  const char *end = line.data() + line.size();
  return std::from_chars(line.data() + 1, line.data() + slash, done).ec == std::errc() &&
         std::from_chars(line.data() + slash + 1, end, total).ec == std::errc();
}

/// What a reader needs from a failed run: from the first failure on, or the end when none is
/// marked.
std::string relevant_part(const std::vector<std::string> &lines) {
  constexpr std::size_t most = 40;
  std::size_t begin = lines.size() > most ? lines.size() - most : 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("FAILED:") || lines[i].starts_with("CMake Error")) {
      begin = i;
      break;
    }
  }
  std::string part;
  for (std::size_t i = begin; i < std::min(begin + most, lines.size()); ++i) {
    // Ninja repeats the whole compiler command, a screenful that tells a learner nothing.
    bool command_line = i > 0 && lines[i - 1].starts_with("FAILED:");
    part += command_line ? "" : lines[i] + "\n";
  }
  return part;
}

/// Whether a command failed for lack of room; what it had begun may be gone again.
bool is_full(const fs::path &folder, const std::vector<std::string> &lines) {
  constexpr std::uintmax_t room = 10'000'000;
  std::error_code unknown;
  return fs::space(folder, unknown).available < room ||
         std::ranges::any_of(lines, [](const std::string &line) {
           return line.find("No space left on device") != std::string::npos ||
                  line.find("Disk quota exceeded") != std::string::npos;
         });
}

void run_logged(const Command &command,
                const fs::path &folder,
                const fs::path &log,
                const std::string &what) {
  std::ofstream file(log, std::ios::app);
  file << "$ " << shell_text(command) << "\n";
  std::vector<std::string> lines;
  Progress progress(what);
  int done = 0, total = 0;
  int exit_code = run_by_line(command, folder, [&](std::string_view line) {
    lines.emplace_back(line);
    file << line << "\n";
    read_progress(line, done, total);
    progress.update(done, total);
  });
  progress.finish(exit_code != 0);
  if (exit_code != 0 && is_full(log.parent_path(), lines)) {
    throw lacking("{} failed: the disk of {} is full; make room, then type the same again",
                  what,
                  log.parent_path());
  }
  if (exit_code != 0) {
    fmt::print(stderr, "{}", relevant_part(lines));
    throw failure("{} failed; the whole log is in {}", what, log);
  }
}

} // namespace

std::string_view name_of(Backend backend) { return backend == Backend::cpu ? "cpu" : "gpu"; }

Backend choose_backend(const std::optional<std::string> &asked) {
  if (asked && *asked != "cpu" && *asked != "gpu") {
    throw wrong_usage("no backend '{}'; there are: cpu, gpu", *asked);
  }
  if (asked == "cpu") {
    return Backend::cpu;
  }
  bool nvcc = find_nvcc().has_value();
  bool gpu = nvcc && find_gpu().has_value();
  if (asked == "gpu" && !nvcc) {
    throw lacking("the gpu backend needs nvcc: install the CUDA Toolkit 12.4 or newer "
                  "(https://developer.nvidia.com/cuda-downloads), or use --backend cpu");
  }
  if (asked == "gpu" && !gpu) {
    throw lacking(
        "the gpu backend needs an NVIDIA GPU, and nvidia-smi finds none; use --backend cpu");
  }
  return gpu ? Backend::gpu : Backend::cpu;
}

Build::Build(fs::path root, Backend backend)
    : root_(std::move(root)), backend_(backend),
      folder_(home_of(root_) / "build" / name_of(backend)) {
  // Tests name the build folder that they belong to.
  if (const char *folder = std::getenv("BUILD_FIRST_BUILD"); folder && backend == Backend::cpu) {
    folder_ = folder;
  }
}

bool Build::configured_here() const {
  // A course that was moved or copied brings a build folder that belongs to its old place.
  std::ifstream cache(folder_ / "CMakeCache.txt");
  std::string home = fmt::format("CMAKE_HOME_DIRECTORY:INTERNAL={}", root_);
  for (std::string line; std::getline(cache, line);) {
    if (line == home) {
      return fs::exists(folder_ / "build.ninja");
    }
  }
  return false;
}

void Build::configure() const {
  run_logged(
      {"cmake", "--fresh", "--preset", std::string(name_of(backend_)), "-B", folder_.string()},
      root_,
      log(),
      fmt::format("configuring {}", name_of(backend_)));
}

void Build::build(const std::string &target, const std::string &what) const {
  build_all({target}, what);
}

void Build::build_all(const std::vector<std::string> &targets, const std::string &what) const {
  std::error_code unwritable;
  fs::create_directories(folder_, unwritable);
  if (access(folder_.c_str(), W_OK) != 0) {
    throw lacking("{} cannot be written; name a folder of yours in the variable BUILD_FIRST_HOME, "
                  "or clone the course into one",
                  folder_);
  }
  const FileLock lock(folder_ / lock_file, "at work in " + folder_.string());
  std::ofstream(log(), std::ios::trunc).close();
  if (!configured_here()) {
    configure();
  }
  Command command{"cmake", "--build", folder_.string(), "--target"};
  append(command, targets);
  run_logged(command, root_, log(), what);
}

void Build::build_quietly(const std::vector<std::string> &targets,
                          const std::stop_token &stop) const {
  const FileLock lock(folder_ / lock_file);
  Command command{"cmake", "--build", folder_.string(), "--target"};
  append(command, targets);
  const Captured result = capture(command, root_, stop);
  std::ofstream(log()) << result.output;
  if (result.exit_code != 0) {
    throw failure("the course's own files do not build; the log is in {}", log());
  }
}

fs::path Build::program(const Chapter &chapter) const {
  return folder_ / "chapters" / chapter.id / chapter.id;
}

fs::path Build::observed_program(const Chapter &chapter) const {
  return folder_ / "chapters" / chapter.id / observed_target(chapter);
}

} // namespace tutor
