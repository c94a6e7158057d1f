#include "times/kernels_ptx.hpp"

#include "base/parallel.hpp"
#include "base/process.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fstream>
#include <set>

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
                      const PtxHeaders &headers) {
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
          "-Xclang -target-feature -Xclang +ptx71 -Wno-unknown-cuda-version -w "
          "-Xclang -fcuda-allow-variadic-functions "
          // The code is sm_80's, which the model reads; what kernels ask for is as in the emulator.
          "-U__CUDA_ARCH__ -D__CUDA_ARCH__=900"));
  append(
      command,
      {"-isystem", headers.folder.string(), "-include", (headers.folder / "prelude.hpp").string()});
  for (const fs::path &folder : include_dirs) {
    append(command, {"-I", folder.string()});
  }
  append(command, {source.string(), "-o", output.string()});
  return command;
}

} // namespace

bool compile_to_ptx(const fs::path &clang,
                    const std::vector<fs::path> &sources,
                    const std::vector<fs::path> &include_dirs,
                    const PtxHeaders &headers,
                    const fs::path &folder) {
  std::vector<fs::path> inputs = include_dirs;
  inputs.insert(inputs.end(), sources.begin(), sources.end());
  inputs.insert(inputs.end(), headers.made_of.begin(), headers.made_of.end());
  const fs::file_time_type changed = newest(inputs);
  const auto output_of = [&](const fs::path &source) {
    return folder / (source.stem().string() + ".ptx");
  };
  std::set<fs::path> outputs;
  std::ranges::transform(sources, std::inserter(outputs, outputs.end()), output_of);
  std::vector<fs::path> stale, others; // those others would be read, too
  std::ranges::copy_if(fs::directory_iterator(folder),
                       std::back_inserter(others),
                       [&](const fs::path &file) { return !outputs.contains(file); });
  for (const fs::path &file : others) {
    fs::remove(file);
  }
  std::ranges::copy_if(sources, std::back_inserter(stale), [&](const fs::path &source) {
    return !fs::exists(output_of(source)) || fs::last_write_time(output_of(source)) < changed;
  });
  const auto compiled = [&](const fs::path &source) {
    std::string line;
    std::getline(std::ifstream(output_of(source)), line);
    return !line.starts_with(cannot_compile);
  };
  if (stale.empty()) {
    return std::ranges::all_of(sources, compiled);
  }
  for (const fs::path &from : headers.made_of) {
    fs::copy(
        from, headers.folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  Progress progress("reading the kernels");
  in_parallel(stale.size(), [&](std::size_t i) {
    const fs::path output = output_of(stale[i]);
    if (capture(clang_command(clang, stale[i], output, include_dirs, headers)).exit_code != 0) {
      std::ofstream(output) << cannot_compile << stale[i].string() << "\n";
    }
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
