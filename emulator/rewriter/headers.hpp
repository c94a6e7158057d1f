/// \file
/// Headers of CUDA that the emulator does not have.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite.hpp"

namespace rewriter {

/// Takes the folders of CUDA toolkits out of the variables in which compilers look for folders.
void forget_toolkits();

/// Where a header was taken from a toolkit's folder all the same.
/// \param text  the output of -E
/// \param own  the emulator's headers
std::vector<Refusal> headers_of_toolkits(std::string_view text, const std::filesystem::path &own);

/// The compiler's words for a header that is not there; of CUDA's, which ones there are.
std::string explain_missing_header(const std::string &said);

} // namespace rewriter
