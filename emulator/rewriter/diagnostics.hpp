/// \file
/// What the compiler says, in words for a reader of CUDA.
#pragma once

#include <string>

#include "rewrite.hpp"

namespace rewriter {

/// Uses of what is for the host in device code become errors in nvcc's words.
/// \param quiet  leaves warnings out (the compiler's -w would also leave these errors out)
std::string translate(const std::string &said, const Result &result, bool quiet);

/// A compiler's line about what CUDA has no more says since when, and what there is instead; others stay.
std::string explain_removed(const std::string &line);

} // namespace rewriter
