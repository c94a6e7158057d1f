#include "times/kernels_ptx.hpp"

#include "base/parallel.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace tutor {
namespace {

constexpr std::string_view cannot_compile = "// clang cannot compile ";

/// The newest of the files that a source may include.
fs::file_time_type newest(const std::vector<fs::path> &folders) {
  fs::file_time_type latest = fs::file_time_type::min();
  for (const fs::path &folder : folders) {
    if (fs::is_regular_file(folder)) {
      latest = std::max(latest, fs::last_write_time(folder));
    } else if (fs::is_directory(folder)) {
      for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
          latest = std::max(latest, entry.last_write_time());
        }
      }
    }
  }
  return latest;
}

Command clang_command(const fs::path &clang,
                      const fs::path &source,
                      const fs::path &output,
                      const std::vector<fs::path> &include_dirs,
                      const std::vector<fs::path> &headers) {
  Command command{clang.string()};
  append(
      command,
      words_of(
          "-x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nogpulib "
          "-S -std=c++20 -O3 -fmath-errno -mllvm -inline-threshold=100000 "
          // Loops with two ends are unrolled, as nvcc does,
          "-mllvm -scev-cheap-expansion-budget=100 "
          // by four, and bodies as long as nvcc takes;
          "-mllvm -unroll-max-count=4 -mllvm -unroll-partial-threshold=150 "
          // to the end, those that nvcc unrolls to the end.
          "-mllvm -unroll-threshold=800 "
          // A loop's branches tell where it stands in the source.
          "-gline-directives-only "
          "-Xclang -target-feature -Xclang +ptx71 -Wno-unknown-cuda-version -w "
          "-Xclang -fcuda-allow-variadic-functions "
          // The code is sm_80's, which the model reads; what kernels ask for is as in the emulator.
          "-U__CUDA_ARCH__ -D__CUDA_ARCH__=900"));
  for (const fs::path &folder : headers) {
    append(command, {"-isystem", folder.string()});
  }
  append(command, {"-include", (headers.front() / "prelude.hpp").string()});
  for (const fs::path &folder : include_dirs) {
    append(command, {"-I", folder.string()});
  }
  append(command, {source.string(), "-o", output.string()});
  return command;
}

} // namespace

fs::path ptx_of(const fs::path &source, const fs::path &folder) {
  return folder / (source.stem().string() + ".ptx");
}

bool compile_to_ptx(const fs::path &clang,
                    const std::vector<fs::path> &sources,
                    const std::vector<fs::path> &include_dirs,
                    const std::vector<fs::path> &headers,
                    const fs::path &folder) {
  std::vector<fs::path> inputs = include_dirs;
  inputs.insert(inputs.end(), sources.begin(), sources.end());
  inputs.insert(inputs.end(), headers.begin(), headers.end());
  const fs::file_time_type changed = newest(inputs);
  std::vector<fs::path> stale;
  std::ranges::copy_if(sources, std::back_inserter(stale), [&](const fs::path &source) {
    const fs::path output = ptx_of(source, folder);
    return !fs::exists(output) || fs::last_write_time(output) < changed;
  });
  const auto compiled = [&](const fs::path &source) {
    std::string line;
    std::getline(std::ifstream(ptx_of(source, folder)), line);
    return !line.starts_with(cannot_compile);
  };
  if (stale.empty()) {
    return std::ranges::all_of(sources, compiled);
  }
  Progress progress("reading the kernels");
  in_parallel(stale.size(), [&](std::size_t i) {
    const fs::path output = ptx_of(stale[i], folder);
    const fs::path unfinished = fmt::format("{}.{}", output.string(), getpid());
    if (capture(clang_command(clang, stale[i], unfinished, include_dirs, headers)).exit_code != 0) {
      std::ofstream(unfinished) << cannot_compile << stale[i].string() << "\n";
    }
    fs::rename(unfinished, output);
  });
  progress.finish();
  return std::ranges::all_of(sources, compiled);
}

std::vector<fs::path> sources_of_steps(const Chapter &chapter) {
  std::vector<fs::path> sources = chapter.kernels();
  std::erase_if(sources, [&](const fs::path &source) {
    const fs::path room = source.parent_path();
    return room != chapter.folder && room.filename() != "steps";
  });
  return sources;
}

} // namespace tutor
