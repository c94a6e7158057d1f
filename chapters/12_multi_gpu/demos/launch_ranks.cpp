#include "demos/launch_ranks.hpp"

#include "common/check.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char *how = "\n  try: sudo apt-get install openmpi-bin libopenmpi-dev, then "
                            "cmake --preset cpu, and the same again";

/// Takes `--NAME VALUE` or `--NAME=VALUE` out of the arguments. \return the value; empty if it is not there
std::string take(std::vector<std::string> &arguments, const std::string &name) {
  for (auto place = arguments.begin(); place != arguments.end(); ++place) {
    if (place->starts_with(name + "=")) {
      const std::string value = place->substr(name.size() + 1);
      arguments.erase(place);
      return value.empty() ? "nothing" : value;
    }
    if (*place == name) {
      const std::string value = place + 1 == arguments.end() ? "nothing" : *(place + 1);
      arguments.erase(place, place + (value == "nothing" ? 1 : 2));
      return value;
    }
  }
  return "";
}

/// This program's file, but the one that MPI starts.
std::string program_of_ranks() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string own(path, length > 0 ? static_cast<size_t>(length) : 0);
  const std::string observed = ".observed";
  if (own.ends_with(observed))
    return own.substr(0, own.size() - observed.size()) + ".ranks" + observed;
  return own + ".ranks";
}

void set(const char *name, const char *value) { setenv(name, value, 0); }

int launch(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string ranks = take(arguments, "--ranks");
  take(arguments, "--counted-by"); // the tutor's, for another table
  char *end = nullptr;
  const long count = std::strtol(ranks.c_str(), &end, 10);
  if (*end != '\0' || count < 1 || count > 16)
    throw lab::UsageError("--ranks takes a whole number from 1 to 16, not \"" + ranks + "\"");
  const std::string program = program_of_ranks();
  if (access(program.c_str(), X_OK) != 0)
    throw lab::EnvironmentError(
        "--ranks needs MPI, and there was none when this program was built" + std::string(how));
  // More ranks than cores, as root in a container, and each with all cores: Open MPI asks whether that is meant.
  set("OMPI_MCA_rmaps_base_oversubscribe", "1");
  set("OMPI_MCA_hwloc_base_binding_policy", "none");
  // Seconds for a rank's report after another one's error: see World::finish.
  set("OMPI_MCA_odls_base_sigkill_timeout", "10");
  set("OMPI_ALLOW_RUN_AS_ROOT", "1");
  set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  std::vector<std::string> command = {"mpirun", "-n", "1", program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (count > 1) { // under the instruments rank 0 alone reports
    for (const std::string &word : {std::string(":"),
                                    std::string("-n"),
                                    std::to_string(count - 1),
                                    std::string("env"),
                                    std::string("-u"),
                                    std::string("EMU_OBSERVE_JSON"),
                                    std::string("EMU_OBSERVE_TO=nowhere"),
                                    program})
      command.push_back(word);
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  std::vector<char *> words;
  for (std::string &word : command)
    words.push_back(word.data());
  words.push_back(nullptr);
  execvp("mpirun", words.data());
  throw lab::EnvironmentError("--ranks needs mpirun: " + std::string(std::strerror(errno)) + how);
}

} // namespace

bool wants_ranks(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--ranks") == 0 || std::strncmp(argv[i], "--ranks=", 8) == 0)
      return true;
  return false;
}

int launch_ranks(int argc, char **argv) { return lab::guarded_main(launch, argc, argv); }
