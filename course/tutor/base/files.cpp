#include "base/files.hpp"

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tutor {

std::string read_file(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file)) {
    throw failure("cannot read {}: correct its name", file);
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

nlohmann::ordered_json read_json(const fs::path &file) {
  std::ifstream stream(file);
  return nlohmann::ordered_json::parse(stream, nullptr, false);
}

void write_file(const fs::path &file, std::string_view text) {
  fs::create_directories(fs::absolute(file).parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    throw failure("cannot write {}: check its permissions", file);
  }
}

namespace {

Failure cannot_write(const fs::path &file) {
  return failure("cannot write {}: name a file in a folder that is there and yours", file);
}

/// Starts a shell that removes the folder once nobody has the other end of the pipe. What was started by a
/// process that was killed may still write there: so it tries twice.
/// \return -1 where there is no shell: then nothing but the destructor removes the folder
pid_t start_remover(const fs::path &folder, int end_of_pipe) {
  // Whoever reads our output waits for nobody else.
  const Descriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const char *script = "read -r _; rm -rf -- \"$1\" || { sleep 1; rm -rf -- \"$1\"; }";
  return start({"sh", "-c", script, "sh", folder.string()},
               {.input = end_of_pipe,
                .output = nowhere.get(),
                .errors = nowhere.get(),
                .own_session = true});
}

fs::path make_folder(const fs::path &beginning) {
  std::string name = beginning.string() + std::string(6, 'X');
  if (mkdtemp(name.data()) == nullptr) {
    throw failure("cannot make a folder in {}: {}", beginning.parent_path(), std::strerror(errno));
  }
  return fs::canonical(name);
}

/// Where the folders of a process lie.
class Scratch {
public:
  Scratch() {
    Ends pipe = make_pipe();
    path_ = make_folder(fs::temp_directory_path() / "build-first-");
    remover_ = start_remover(path_, pipe.first.get());
    alive_ = std::move(pipe.second);
  }
  ~Scratch() {
    if (!ours()) {
      return;
    }
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (remover_ > 0) {
      kill(remover_, SIGKILL);
      waitpid(remover_, nullptr, 0);
    }
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  const fs::path &path() const { return path_; }
  /// False in a process that was forked, and where somebody has tidied up.
  bool usable() const { return ours() && fs::exists(path_); }

private:
  bool ours() const { return process_ == getpid(); }

  fs::path path_;
  Descriptor alive_; ///< the shell reads at its other end, and there is nothing to read
  pid_t remover_ = -1, process_ = getpid();
};

fs::path scratch() {
  static std::mutex one_at_a_time;
  static std::unique_ptr<Scratch> mine;
  const std::lock_guard lock(one_at_a_time);
  if (mine == nullptr || !mine->usable()) {
    mine = std::make_unique<Scratch>();
  }
  return mine->path();
}

} // namespace

void expect_writable(const fs::path &file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (fs::is_directory(file) || !fs::is_directory(folder) ||
      access(fs::exists(file) ? file.c_str() : folder.c_str(), W_OK) != 0) {
    throw cannot_write(file);
  }
}

void write_result(const fs::path &file, std::string_view text) {
  // Beside it first: on a full disk what was there stays. A pipe or a terminal is written as it is.
  std::error_code error;
  const fs::path place = fs::is_symlink(file) ? fs::weakly_canonical(file) : file;
  const fs::path unfinished = place.string() + ".unfinished";
  std::ofstream stream;
  if (!fs::exists(place) || fs::is_regular_file(place)) {
    stream.open(unfinished, std::ios::binary);
  }
  const bool beside = stream.is_open();
  if (!beside) {
    stream.open(place, std::ios::binary);
  }
  stream << text;
  stream.close();
  if (beside && stream) {
    fs::rename(unfinished, place, error);
  }
  if (!stream || error) {
    if (beside) {
      fs::remove(unfinished, error);
    }
    throw cannot_write(file);
  }
}

WorkFolder::WorkFolder() : path_(make_folder(scratch() / "work-")) {}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace tutor
