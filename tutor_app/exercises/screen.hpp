#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// \file
/// What a submission may say and name, checked before anything of it runs: lists of what is allowed.
///
/// The findings of the instruments are made in the process that they are about, so a submission must
/// not be able to name the instruments, nor to keep its accesses from them (docs/grading_design.md).
/// This is the outer fence, and it gives clear messages.

namespace tutor {

/// What was found, for people, with the line where it is known.
struct Forbidden {
  int line = 0; ///< 0: unknown
  std::string what; ///< "fork is called: no exercise needs that"
};

/// Looks at the text as it was handed in: which files it includes, which directives it uses.
std::optional<Forbidden> screen_source(std::string_view source);

/// Looks at the text as the preprocessor leaves it: whatever macros were made of, it is there now.
/// Only what the file itself says counts, not what it includes.
/// \param known_reserved  whether a name that begins with an underscore is one that CUDA's headers
///                        have, __syncthreads say
std::optional<Forbidden>
screen_preprocessed(std::string_view text,
                    const std::function<bool(std::string_view)> &known_reserved);

/// Looks at the object file: names that it needs and names that it defines.
/// \param by_nvcc  nvcc has written it, whose own code has sections and functions of its own
std::optional<Forbidden> screen_object(const std::filesystem::path &object, bool by_nvcc);

/// All names with a leading underscore in the headers of a folder.
std::function<bool(std::string_view)> reserved_names_of(const std::filesystem::path &headers);

} // namespace tutor
