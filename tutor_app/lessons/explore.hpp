#pragma once

#include <filesystem>
#include <string>

/// @file
/// Recordings for the site's explorable pictures: explore/NAME.json beside a lesson describes one, and
/// explore/NAME.recorded.json holds what the emulator wrote of real runs.
///
/// A description is {"kind", "title", "runs": [{"name", "args", "writes", …}], …}. A run is one of the
/// chapter's observed program with `args`. It `writes` a "trace" (what the warps of its first launch
/// did, or of number "launch"; "of" may say which accesses), a "timeline" (what streams did), or "values" (those that the demos print). The
/// rest is for the picture's script (docs/site).

namespace tutor::lessons {

/// Where the recording of a description lies.
std::filesystem::path exploration_recording(const std::filesystem::path &description);

/// Runs what the description names and gives the recording's text. Throws LessonError.
/// \param program  the chapter's program; its observed build lies beside it
/// \param root     what paths in the recording are made relative to
std::string record_exploration(const std::filesystem::path &description,
                               const std::filesystem::path &program,
                               const std::filesystem::path &root);

/// Whether two recordings tell the same. Which basic blocks there are is the compiler's business, so
/// they are not compared.
bool same_exploration(const std::string &a, const std::string &b);

} // namespace tutor::lessons
