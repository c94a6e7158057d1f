#pragma once

#include <filesystem>
#include <string>

/// @file
/// Recordings for the site's explorable pictures: explore/NAME.json beside a lesson describes one, and
/// explore/NAME.recorded.json holds what the emulator wrote of real runs.
///
/// A description is {"kind", "title", "runs": [{"name", "args", "writes", …}], …}. A run is one of the
/// chapter's observed program with `args`. It `writes` a "trace" (what the warps of its first launch
/// did, or of number "launch"; "of" may say which accesses), a "timeline" (what streams did), "values"
/// (those that the demos print), or "times" (what the time model says of its steps "on" a device). "axes":
/// {"n": [1024, 4096], …} makes a run of each combination, in which {n} stands for a value. The rest is for
/// the picture's script (docs/site).

namespace tutor::lessons {

/// Where the recording of a description lies.
std::filesystem::path exploration_recording(const std::filesystem::path &description);

/// Runs what the description names and gives the recording's text. Throws LessonError.
/// \param program  the chapter's program; its observed build lies beside it
/// \param root     what paths in the recording are made relative to
std::string record_exploration(const std::filesystem::path &description,
                               const std::filesystem::path &program,
                               const std::filesystem::path &root);

/// Whether the time model has been asked. What it says depends on clang's version, and takes minutes, so it
/// is recorded anew where someone wants that, and never compared.
bool is_of_a_model(const std::filesystem::path &description);

/// Whether the recording has the runs that the description names, in their order. Throws LessonError.
bool has_all_runs(const std::filesystem::path &description);

/// Whether two recordings tell the same. Which basic blocks there are is the compiler's business, so
/// they are not compared.
bool same_exploration(const std::string &a, const std::string &b);

} // namespace tutor::lessons
