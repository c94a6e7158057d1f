#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"

#include <vector>

/// \file
/// The PTX of kernels, by clang and without a CUDA toolkit.

namespace tutor {

/// The emulator's headers, with those of the model in place of some of them.
struct PtxHeaders {
  fs::path folder; ///< where they are put together
  std::vector<fs::path> made_of; ///< later ones replace files of earlier ones
};

/// Turns each source into FOLDER/STEM.ptx; those that are fresh stay. Of a source that does not compile
/// the file says so, and has no kernel. Returns whether all do.
bool compile_to_ptx(const fs::path &clang,
                    const std::vector<fs::path> &sources,
                    const std::vector<fs::path> &include_dirs,
                    const PtxHeaders &headers,
                    const fs::path &folder);

/// What a chapter's steps are made of: its CUDA files but those of traps, demos and rivals.
std::vector<fs::path> sources_of_steps(const Chapter &chapter);

} // namespace tutor
