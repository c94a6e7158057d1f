#pragma once

#include "base/descriptor.hpp"
#include "base/paths.hpp"

#include <sys/file.h>

namespace tutor {

/// Keeps other tutors out of what lies beside a file while this one works there. Where the file cannot be
/// made, nobody is kept out.
class FileLock {
public:
  /// \param what  "at work in FOLDER": said where another tutor has to be waited for; empty: nothing is
  explicit FileLock(const fs::path &file, const std::string &what = "")
      : descriptor_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    if (descriptor_.get() >= 0 && flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (!what.empty()) {
        fmt::print(stderr, "tutor: waiting for another tutor {}\n", what);
      }
      flock(descriptor_.get(), LOCK_EX);
    }
  }

private:
  Descriptor descriptor_;
};

} // namespace tutor
