/// \file
/// nvcc compiles a source twice, for the host and for devices; here both are one program.
#pragma once

#include <string>
#include <string_view>

namespace rewriter {

/// One source out of two preprocessed ones. Functions for devices are those of `device`, where
/// __CUDA_ARCH__ is defined, functions for the host those of `host`; functions for both get both bodies.
/// What else differs is the device's.
/// \throws SourceError
std::string merge(std::string_view host, std::string_view device);

} // namespace rewriter
