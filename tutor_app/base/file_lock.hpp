#pragma once

#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace tutor {

/// Keeps other tutors out of what lies beside a file while this one works there. Where the file cannot be
/// made, nobody is kept out.
class FileLock {
public:
  /// \param what  "at work in FOLDER": said where another tutor has to be waited for; empty: nothing is
  explicit FileLock(const std::filesystem::path &file, const std::string &what = "")
      : descriptor_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (!what.empty()) {
        fmt::print(stderr, "tutor: waiting for another tutor {}\n", what);
      }
      flock(descriptor_, LOCK_EX);
    }
  }
  ~FileLock() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int descriptor_;
};

} // namespace tutor
