/// @file
/// What the checker library's files share about the case that runs now.
#pragma once

#include "ladder/observe.hpp"

#include <cstdint>
#include <string>

namespace checker::detail {

/// Tells what is wrong and ends the case.
[[noreturn]] void end_case(const std::string &diagnosis, const std::string &text);

/// Notes what is wrong with the case that runs, unless something was noted before.
/// @param where  a call of the host's that it comes from
void note_failure(const std::string &diagnosis,
                  const std::string &text,
                  const emu::SourceLine &where = {});
/// The same of a kernel's line; null: of no line.
/// @param drawn  with the picture of its worst request
/// @param did  what the line does that matters, for people; may be empty
void note_failure(const std::string &diagnosis,
                  const std::string &text,
                  const emu::LineReport *line,
                  bool drawn,
                  const std::string &did = {});

/// A figure as messages show it: four digits.
std::string figure(double value);

/// A case begins or ends. After a failure the device may need a reset: its error lasts.
void begin_case(const char *name);
/// @return false when something was noted against the case
bool end_case_normally();

/// All cases were passed, and run once more: with kernels that do nothing, and unobserved. What fails then shows that
/// kernels have made the results.
class WithoutKernels {
public:
  WithoutKernels();
  ~WithoutKernels();
  WithoutKernels(const WithoutKernels &) = delete;
  WithoutKernels &operator=(const WithoutKernels &) = delete;
  static bool here();
  /// Whether numbers were compared meanwhile.
  static bool compared();
};

/// All cases were passed, and some run once more, unobserved and in a drawn order: what hands something on from thread
/// to thread by nothing but the order that they come in is wrong there.
class InAnotherOrder {
public:
  InAnotherOrder();
  ~InAnotherOrder();
  InAnotherOrder(const InAnotherOrder &) = delete;
  InAnotherOrder &operator=(const InAnotherOrder &) = delete;
  /// Whether the checker itself has tried some in this case.
  static bool was_tried();
  /// Whether numbers were compared so far, and what was wrong with them; empty: nothing.
  static bool compared();
  static std::string wrong();
};

/// What kernels have done, of the observations so far.
void note_work(const emu::Observation &seen);
bool kernels_have_run();
/// What is wrong if one thread or two of each warp have done nearly all that a kernel has done with global memory, and
/// it most of what all have done; else empty.
std::string work_of_few_lanes();
/// What is wrong if one block or few of several have done what a kernel has done, in all launches; else empty.
std::string work_of_few_blocks();
/// What is wrong if requests cost what is asked for, and have as many lanes, where that is measured, and far from it in all
/// other observations.
struct Elsewhere {
  std::string diagnosis, text; ///< empty: nothing
};
Elsewhere asked_elsewhere();

/// Whether threads of the last launch that was observed meet, at barriers or as lanes: else none hands anything on to
/// another.
bool threads_meet();

/// Whether the learner's own host code has made the last launch that was observed: then it copies, too.
bool launched_by_host_code();

/// The line that writes all that kernels write into global memory, if there is one: of those kernels of the last
/// observation that the checker itself has launched, in all observations. Null: there are several, or none.
const emu::LineReport *only_writing_line();

/// The first thing noted in the case, for people.
const std::string &case_message();

/// The verdict of all cases so far, as `check --json` names it: "pass", "hazard shared_race" …
std::string verdict_so_far();

} // namespace checker::detail
