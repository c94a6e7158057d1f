#include "commands/commands.hpp"

#include "base/environment.hpp"
#include "base/terminal.hpp"

#include <fmt/format.h>
#include <string_view>

namespace tutor::commands {
namespace {

/// The first thing in a program's --version that looks like a version: 12.2.0 in "g++ 12.2.0".
std::string version_of(const Need &need) {
  std::string program = need.name == "nvcc" ? find_nvcc()->string() : need.name;
  std::string output = capture({program, "--version"}).output;
  constexpr std::string_view digits = "0123456789";
  for (std::size_t dot = output.find('.'); dot != std::string::npos;
       dot = output.find('.', dot + 1)) {
    std::size_t before = output.find_last_not_of(digits, dot - 1) + 1;
    std::size_t end = output.find_first_not_of("0123456789.", dot);
    if (dot > 0 && before < dot && end > dot + 1) {
      return output.substr(before, end - before);
    }
  }
  return "";
}

void print_found(const Need &need) {
  std::string version = is_header(need) || need.name == "nvidia-smi" ? "" : version_of(need);
  std::string name = fmt::format("{} {}", need.name, version);
  fmt::print("{}  {:<26} {}\n", green("ok     "), name, need.purpose);
}

void print_missing(const Need &need) {
  std::string label = need.required ? red("missing") : faint("absent ");
  fmt::print("{}  {:<26} {}\n", label, need.name, need.purpose);
  std::string cure = need.package.empty() ? need.advice : install_command({need.package});
  fmt::print("{:9}comes with: {}\n", "", cure);
}

} // namespace

Exit doctor(const Course &, const ChapterRequest &) {
  std::vector<std::string> missing;
  for (const Need &need : needs()) {
    if (has(need)) {
      print_found(need);
      continue;
    }
    print_missing(need);
    if (need.required) {
      missing.push_back(need.package);
    }
  }

  std::optional<std::string> gpu = find_gpu();
  bool on_gpu = gpu && find_nvcc();
  fmt::print("\nGPU: {}\nChapters run on {}.\n",
             gpu.value_or("none found"),
             on_gpu ? "the GPU (--backend cpu: on the emulator)" : "the emulator");
  if (!missing.empty()) {
    fmt::print("\nTo bring what is missing: {}\n", install_command(missing));
    return Exit::environment;
  }
  return Exit::ok;
}

} // namespace tutor::commands
