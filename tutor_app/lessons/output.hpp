#pragma once

#include <filesystem>
#include <string>

/// @file
/// Recorded outputs of chapter programs: chapters/01_hello_threads/output/NAME.txt.
///
/// Recorded on the emulator, so that everyone gets the same; what still differs from run to run and
/// from machine to machine (times, the number of host threads) is masked by "…".

namespace tutor::lessons {

/// What an `output` marker says.
struct OutputRequest {
  std::string name; ///< file stem of the recording
  std::string arguments; ///< the program's, separated by spaces
  bool varies = false; ///< a sample: another run may print something else
  bool observe = false; ///< run under the emulator's instruments, as `tutor observe` does
  std::string from = {}, to = {}; ///< regular expressions: only the lines between; empty: all
};

/// Reads the marker's arguments: NAME [args="…"] [observe] [varies] [from="…" to="…"]. Throws
/// LessonError.
OutputRequest parse_output_request(const std::string &marker_arguments);

/// Where the recording of a lesson lies.
std::filesystem::path recording_of(const std::filesystem::path &lesson,
                                   const OutputRequest &request);

/// Replaces times and the number of host threads by "…", columns staying where they are; leaves out
/// what the emulator's summary line says of this machine, and white space at the ends of lines.
std::string mask_output(const std::string &text);

/// Runs a chapter's program as `tutor run` does (its observed build, beside it, counts) or as
/// `tutor observe` does, and gives its masked output, stdout and stderr in the order of writing,
/// with the exit code as a last line when it is not 0. Throws LessonError when it cannot be
/// started.
std::string run_for_output(const std::filesystem::path &program, const OutputRequest &request);

/// The block's text: the command as a learner types it, and the recording, or the part of it that is
/// asked for between lines of "…". Throws LessonError.
std::string show_output(const std::filesystem::path &lesson, const OutputRequest &request);

} // namespace tutor::lessons
