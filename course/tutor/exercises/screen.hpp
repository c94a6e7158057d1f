#pragma once

#include "base/paths.hpp"
#include "base/source_tokens.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::string unknown =
      {}; ///< the name, if that is reserved and nobody has it: a slip of the pen perhaps
  bool by_nvcc = false; ///< nvcc refuses it, too: a mistake like any other
};

/// Whether a name has a meaning that is not the submission's own.
using NameTest = std::function<bool(std::string_view)>;

/// Looks at the text as it was handed in: which files it includes, which directives it uses.
/// \param known_reserved  see screen_preprocessed()
std::optional<Forbidden> screen_source(std::string_view source, const NameTest &known_reserved);

/// The macros that a source defines.
std::vector<SourceToken> defined_macros(std::string_view source);
/// A macro is a submission's own if no header that is read behind it says its name: what the header means would be
/// what the macro makes of it. The first one that a header does say, of those that a preprocessed text includes, and
/// that header; a reserved name (_BLOCK, __TILE__) in whatever header.
struct SharedName {
  SourceToken macro;
  fs::path header;
};
std::optional<SharedName> said_by_a_header(const std::vector<SourceToken> &macros,
                                           std::string_view preprocessed,
                                           const fs::path &own);

/// A line "# 12 "file" 1 3" of the preprocessor's: what follows stands in that line of that file.
struct LineMarker {
  int line;
  std::string file;
  bool of_system; ///< a header of the system or the emulator
};
std::optional<LineMarker> line_marker(std::string_view line);

/// Looks at the text as the preprocessor leaves it, the very one that is compiled: whatever macros were made of, it is
/// there now. Only what the submission itself says counts, wherever it includes itself, not what headers say. What it
/// declares is its own: a structure called lab, a variable _Total.
/// \param own  the submission, by its name in the text
/// \param known_reserved  whether a name that begins with an underscore is one that CUDA's headers
///                        have, __syncthreads say
std::optional<Forbidden>
screen_preprocessed(std::string_view text, const fs::path &own, const NameTest &known_reserved);

/// Looks at the object file: names that it needs and names that it defines, and in which file they stand.
/// \param own  the submission
/// \param by_nvcc  nvcc has written it, whose own code has sections and functions of its own
/// \param is_ours  whether what it is linked with defines a name
/// \param is_first  whether what is linked before it does: a weak function of its own gives way to that one, which no
///                 instrument looks into
std::optional<Forbidden> screen_object(const fs::path &object,
                                       const fs::path &own,
                                       bool by_nvcc,
                                       const NameTest &is_ours,
                                       const NameTest &is_first);

/// The names of a list, one a line.
NameTest names_listed_in(const fs::path &file);

} // namespace tutor
