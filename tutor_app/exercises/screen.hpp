#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/// \file
/// What no exercise needs and a forger might: found before anything runs.
///
/// This is the outer fence, and it gives clear messages. What gets over it meets the limits, the filter
/// of system calls (common/checker/fence.cpp) and the nonce of the channel.

namespace tutor {

/// What was found, for people, with the line where it is known.
struct Forbidden {
  int line = 0; ///< 0: unknown
  std::string what; ///< "fork() is called: …"
};

/// Looks at the words: includes by path, assembly.
std::optional<Forbidden> screen_source(std::string_view source);

/// Looks at the object file: functions that it calls, functions of ours that it replaces.
/// \param by_nvcc  nvcc has written it, whose own code calls atexit() to take the kernels back
std::optional<Forbidden> screen_object(const std::filesystem::path &object, bool by_nvcc);

} // namespace tutor
