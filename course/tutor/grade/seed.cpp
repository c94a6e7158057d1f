#include "grade/seed.hpp"

#include "base/descriptor.hpp"
#include "base/files.hpp"

#include <charconv>
#include <chrono>
#include <random>
#include <thread>

namespace tutor::grading {
namespace {

[[noreturn]] void cannot_write(const fs::path &file, int error) {
  throw failure("cannot write {}: {}", file, std::strerror(error));
}

/// Makes the file, unless it is there. (A hard link would bring it under its name when it is whole, but not
/// every disk has them: exFAT has none, nor have some shared folders.)
void draw_seed(const fs::path &file) {
  const Descriptor mine(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (mine.get() < 0) {
    if (errno != EEXIST) {
      cannot_write(file, errno);
    }
    return;
  }
  const std::string line = fmt::format("{}\n", std::random_device()() & 0x7fffffff);
  if (::write(mine.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    unlink(file.c_str());
    cannot_write(file, error);
  }
}

} // namespace

std::uint64_t stored_seed(const fs::path &file) {
  draw_seed(file);
  for (int tries = 0; tries < 100; ++tries) { // whoever has made it may still be writing
    const std::string text = read_file(file);
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && std::string_view(end) == "\n") {
      return seed;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw failure("{} holds no seed: remove it, or name a seed with --seed", file);
}

} // namespace tutor::grading
