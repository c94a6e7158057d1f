#pragma once

#include "base/course.hpp"
#include "base/paths.hpp"

#include <vector>

/// \file
/// The PTX of kernels, by clang and without a CUDA toolkit.

namespace tutor {

/// Where a source's PTX is.
fs::path ptx_of(const fs::path &source, const fs::path &folder);

/// Turns each source into its PTX; what is fresh stays. Of a source that does not compile the file says so, and
/// has no kernel. Others may do the same at the same time. Returns whether all compile.
///
/// \param headers  folders of the emulator's headers, those of the model ahead of them, in place of some
bool compile_to_ptx(const fs::path &clang,
                    const std::vector<fs::path> &sources,
                    const std::vector<fs::path> &include_dirs,
                    const std::vector<fs::path> &headers,
                    const fs::path &folder);

/// What a chapter's steps are made of: its CUDA files but those of traps, demos and rivals.
std::vector<fs::path> sources_of_steps(const Chapter &chapter);

} // namespace tutor
