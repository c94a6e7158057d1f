#include "ladder/detail/ladder_counters.hpp"
#include "common/check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lab::detail {
namespace {

struct Column {
  const char *key;
  const char *head;
  const char *meaning;
};
constexpr Column columns[] = {
    {"sectors_per_request",
     "sectors",
     "sectors: pieces of 32 bytes that a warp's request to global memory needs. 32 lanes need 4 "
     "for 4 bytes each, 8 for 8, 16 for 16."},
    {"bytes_used_percent",
     "used %",
     "used %: of the bytes in these sectors, how many were asked for."},
    {"active_lanes", "lanes", "lanes: how many of a warp's 32 threads take part in a request."},
    {"max_conflict",
     "conflict",
     "conflict: the most lanes of a request that had to wait in line for one bank of shared "
     "memory; 1 is none."},
    {"barriers_per_block", "barriers", "barriers: __syncthreads() that a block passes."},
    {"page_faults",
     "faults",
     "faults: pages of managed memory, 4 KiB each, that a kernel or the host had to wait for."},
    {"link_kib",
     "link KiB",
     "link KiB: what the busiest device sends to other devices or receives from them, whichever is "
     "more, in KiB."},
    {"host_kib", "host KiB", "host KiB: the same between a device and the host."},
    {"launches", "launches", "launches: kernels that the step launches, on all devices together."},
    {"pages_sent", "sent", "sent: such pages that a prefetch moved, so that nobody waited."},
};

std::string file_text(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Words = std::vector<std::string>;

/// Runs a program that says nothing, with more in its environment. @return its exit code
int run_quietly(const Words &command, const Words &more) {
  std::vector<char *> arguments, environment;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str())); // the signature of exec, that is all
  arguments.push_back(nullptr);
  for (const std::string &variable : more)
    environment.push_back(const_cast<char *>(variable.c_str()));
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "EMU_OBSERVE", 11) != 0)
      environment.push_back(*variable);
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) < 0)
    return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const Column *find_column(const std::string &key) {
  for (const Column &column : columns)
    if (key == column.key)
      return &column;
  return nullptr;
}

/// What the counts of this run are kept under: they hold for this program, these options, and so many devices.
std::string key_of(const Words &command) {
  struct stat program {};
  if (stat(command[0].c_str(), &program) != 0)
    throw Error(1, "there is no program " + command[0] + " to count with");
  std::string key = std::to_string(program.st_mtim.tv_sec) + "." +
                    std::to_string(program.st_mtim.tv_nsec) + " " + std::to_string(program.st_size);
  for (std::size_t i = 1; i < command.size(); ++i)
    key += " " + command[i];
  if (const char *devices = std::getenv("EMU_DEVICES"))
    key += std::string(" on ") + devices;
  return "# " + key + "\n";
}

/// Puts the text into the file, whole, so that others may read it meanwhile. Where that fails, the next run counts
/// again.
void keep(const std::string &file, const std::string &text) {
  const std::string unfinished = file + "-" + std::to_string(getpid());
  const bool whole = static_cast<bool>(std::ofstream(unfinished) << text << std::flush);
  if (!whole || std::rename(unfinished.c_str(), file.c_str()) != 0)
    unlink(unfinished.c_str());
}

/// The line about hazards comes last.
void expect_whole(const std::string &counts) {
  const std::size_t last = counts.rfind('\n', counts.size() - 2);
  if (counts.compare(last == std::string::npos ? 0 : last + 1, 8, "hazards ") != 0)
    throw Error(1, "counts are not complete: did the observed program end early?");
}

/// Runs the program that counts, or takes what it counted last time, kept in a file beside it.
std::string counts_of(const Words &command) {
  const std::string kept = command[0] + ".counts";
  const std::string key = key_of(command);
  if (const std::string text = file_text(kept); text.starts_with(key))
    return text.substr(key.size());

  const std::string fresh = kept + "-" + std::to_string(getpid());
  const int exit_code = run_quietly(
      command, {"EMU_OBSERVE=1", "EMU_OBSERVE_TO=nowhere", "EMU_OBSERVE_COUNTS=" + fresh});
  const std::string counts = file_text(fresh);
  unlink(fresh.c_str());
  if (exit_code > 1) // 1: it saw a hazard, and counted all the same
    throw Error(1,
                "the observed build " + command[0] + " ended in " + std::to_string(exit_code) +
                    ": nothing was counted");
  expect_whole(counts);
  keep(kept, key + counts);
  return counts;
}

} // namespace

std::size_t read_counts(const std::string &text, RunResult &result) {
  expect_whole(text);
  std::size_t hazards = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    char name[200], key[100];
    double value = 0.0;
    if (std::size_t more = 0; std::sscanf(line.c_str(), "hazards %zu", &more) == 1) {
      hazards += more;
      continue;
    }
    if (std::sscanf(line.c_str(), "%199s %99s %lf", name, key, &value) != 3)
      throw Error(1, "counts cannot be read: \"" + line + "\"");
    for (EntryResult &step : result.steps)
      if (step.entry->name == name)
        step.counters.push_back({key, value});
  }
  return hazards;
}

void count_steps(const Options &options, RunResult &result) {
  Words command = {options.counted_by, "--seed", std::to_string(result.seed)};
  if (options.n_given) {
    command.push_back("--n");
    command.push_back(options.n_text);
  }
  if (options.block > 0) {
    command.push_back("--block");
    command.push_back(std::to_string(options.block));
  }
  bool any = false;
  for (const EntryResult &step : result.steps)
    if (!step.skipped() && step.ok() && step.entry->kind == Kind::step) {
      command.insert(command.end(), {"--only", step.entry->name});
      any = true;
    }
  if (any)
    result.hazards = read_counts(counts_of(command), result);
}

int counter_rank(const std::string &key) {
  const Column *column = find_column(key);
  return static_cast<int>(column ? column - columns : std::ssize(columns));
}

std::string counter_head(const std::string &key) {
  const Column *column = find_column(key);
  return column ? column->head : key;
}

std::vector<std::string> counter_legend(const RunResult &result) {
  std::vector<std::string> legend;
  for (const Column &column : columns)
    for (const EntryResult &step : result.steps) {
      bool has = false;
      for (const Counter &counter : step.counters)
        has = has || counter.name == column.key;
      if (has) {
        legend.push_back(column.meaning);
        break;
      }
    }
  return legend;
}

} // namespace lab::detail
