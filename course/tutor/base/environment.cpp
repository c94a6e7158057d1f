#include "base/environment.hpp"

#include "base/failure.hpp"
#include "base/terminal.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

namespace tutor {
namespace {

bool is_program(const fs::path &file) {
  std::error_code error; // a folder on PATH that is not ours to look into holds no program for us
  return fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

bool compiler_finds(const std::string &header) {
  // The include path is the compiler's business, so the compiler is asked.
  std::string test = fmt::format(
      "printf '#if !__has_include(<{}>)\\n#error\\n#endif\\n' | ${{CXX:-c++}} -E -x c++ -", header);
  return capture({"sh", "-c", test}).exit_code == 0;
}

/// The command that installs packages from here without asking anybody, or nothing.
std::optional<Command> silent_installer() {
  if (!find_program("apt-get")) {
    return std::nullopt;
  }
  if (geteuid() == 0) {
    return Command{"apt-get"};
  }
  if (find_program("sudo") && capture({"sudo", "-n", "true"}).exit_code == 0) {
    return Command{"sudo", "-n", "apt-get"};
  }
  return std::nullopt;
}

bool apt_get(Command command, const Command &arguments) {
  setenv("DEBIAN_FRONTEND", "noninteractive", 1);
  append(command, arguments);
  Progress progress(shell_text(command));
  int exit_code = run_by_line(command, ".", [&](std::string_view) { progress.update(0, 0); });
  progress.finish(exit_code != 0);
  return exit_code == 0;
}

} // namespace

const std::vector<Need> &needs() {
  static const std::string toolkit =
      "the CUDA Toolkit: https://developer.nvidia.com/cuda-downloads";
  static const std::string driver = "the NVIDIA driver, on a machine with an NVIDIA GPU";
  static const std::vector<Need> all = {
      {"c++", "compiles the course", "g++", "", true},
      {"cmake", "configures the build", "cmake", "", true},
      {"ninja", "runs the build", "ninja-build", "", true},
      {"nlohmann/json.hpp", "results as JSON", "nlohmann-json3-dev", "", true},
      {"CLI/CLI.hpp", "the tutor's command line", "libcli11-dev", "", true},
      {"fmt/format.h", "the tutor's messages", "libfmt-dev", "", true},
      {"toml++/toml.h", "the exercises' cards", "libtomlplusplus-dev", "", true},
      {"md4c.h", "lessons in the terminal (tutor lesson)", "libmd4c-dev", "", true},
      {"seccomp.h", "walls around what students hand in (tutor grade)", "libseccomp-dev", "", true},
      {"elfutils/libdw.h", "the lines that the instruments name", "libdw-dev", "", true},
      {"doctest/doctest.h", "the tests and the exercises' checkers", "doctest-dev", "", true},
      {"doxygen", "the site (tutor docs, tutor test)", "doxygen", "", false},
      {"python3", "authors' tools (tutor author lessons, docs, test)", "python3", "", false},
      {"chromium", "tests of the site's pages", "chromium", "", false},
      {"bwrap", "walls around what students hand in (tutor grade)", "bubblewrap", "", false},
      {"git", "fetching and updating the course", "git", "", false},
      {"clang-format-14", "the style check", "clang-format-14", "", false},
      {"mold", "faster links: the shorter wait after each save", "mold", "", false},
      {"ccache", "faster rebuilds", "ccache", "", false},
      {"nvcc", "compiles for a GPU", "", toolkit, false},
      {"nvidia-smi", "finds the GPU", "", driver, false},
      {"compute-sanitizer", "checks kernels on a GPU", "", toolkit, false},
  };
  return all;
}

std::optional<fs::path> find_program(std::string_view name) {
  const char *path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> find_nvcc() {
  if (std::optional<fs::path> nvcc = find_program("nvcc")) {
    return nvcc;
  }
  const char *cuda_path = std::getenv("CUDA_PATH");
  for (const char *toolkit : {cuda_path, "/usr/local/cuda"}) {
    if (toolkit != nullptr && is_program(fs::path(toolkit) / "bin" / "nvcc")) {
      return fs::path(toolkit) / "bin" / "nvcc";
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_gpu() {
  Captured listing = capture({"nvidia-smi", "-L"});
  if (listing.exit_code != 0 || !listing.output.starts_with("GPU ")) {
    return std::nullopt;
  }
  // "GPU 0: NVIDIA H200 (UUID: …)"
  std::string line = listing.output.substr(0, listing.output.find('\n'));
  std::size_t name = line.find(": ");
  return name == std::string::npos ? line : line.substr(name + 2, line.find(" (UUID") - name - 2);
}

bool is_header(const Need &need) {
  return fs::path(need.name).extension().string().starts_with(".h");
}

bool has(const Need &need) {
  if (is_header(need)) {
    return compiler_finds(need.name);
  }
  return need.name == "nvcc" ? find_nvcc().has_value() : find_program(need.name).has_value();
}

std::string install_command(const std::vector<std::string> &packages) {
  std::string_view sudo = geteuid() == 0 ? "" : "sudo ";
  return fmt::format("{}apt-get install -y {}", sudo, fmt::join(packages, " "));
}

void require_program(std::string_view name, std::string_view package) {
  if (find_program(name)) {
    return;
  }
  std::string missing = fmt::format(
      "{} is missing; install it with: {}", name, install_command({std::string(package)}));
  std::optional<Command> installer = silent_installer();
  if (!installer) {
    throw lacking("{}", missing);
  }
  bool installed =
      apt_get(*installer, {"update"}) &&
      apt_get(*installer, {"install", "-y", "--no-install-recommends", std::string(package)});
  if (!installed || !find_program(name)) {
    throw lacking("{}", missing);
  }
}

} // namespace tutor
