#pragma once

#include "base/paths.hpp"

#include <cstdint>

namespace tutor::grading {

/// The seed that the first run has drawn, kept in `file`: all that write the same report take the same one,
/// however many begin at once.
/// \throws Failure (failed) when the file cannot be written, or holds no seed
std::uint64_t stored_seed(const fs::path &file);

} // namespace tutor::grading
