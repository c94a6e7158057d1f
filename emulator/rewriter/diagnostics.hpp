/// \file
/// What the compiler says, in words for a reader of CUDA.
#pragma once

#include <string>

#include "rewrite.hpp"

namespace rewriter {

/// Uses of what is for the host in device code become errors in nvcc's words.
/// \param quiet  leaves warnings out (the compiler's -w would also leave these errors out)
std::string translate(const std::string &said, const Result &result, bool quiet);

} // namespace rewriter
