#pragma once

#include "base/text.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What a checker found out about one learner's file.

namespace tutor {

/// The outcome, as `check --json` names it.
enum class Verdict {
  pass, ///< every case ran and passed
  fail, ///< a case was wrong, or the program crashed
  hazard, ///< the instruments saw a race, a bad access, a barrier that not all reach …
  timeout, ///< it did not end within its limits
  build_error, ///< it does not compile or link
  not_run, ///< there was nothing to judge, or it could not be trusted
};

/// "pass", "fail", "hazard", "timeout", "build_error", "not_run".
std::string_view name_of(Verdict verdict);
/// The verdict of that name, or nothing.
std::optional<Verdict> verdict_named(std::string_view name);

/// Who did what went wrong in a line.
enum class Doer {
  thread, ///< one of a kernel's
  kernel, ///< no thread in particular
  host, ///< host code itself, or by its call
};

/// A line of the learner's file that took part in what went wrong.
struct Place {
  std::string file; ///< the file's name, without folders
  int line = 0; ///< 0: unknown
  std::array<unsigned, 3> thread{};
  std::array<unsigned, 3> block{};
  std::string what; ///< what happened there, for people; may be empty
  Doer by = Doer::thread;
  int thread_axes = 1, block_axes = 1; ///< so many coordinates name one in this launch
};

/// With these words begins what the learner's code has thrown: its text, and not the checker's.
inline const std::string thrown_text = "an exception: ";

/// One TEST_CASE of the checker.
struct CaseResult {
  std::string name;
  bool passed = false;
  std::string message; ///< the first thing that was wrong; empty if it passed
  std::string diagnosis = {}; ///< of that, as a Result has one
  bool of_numbers = false; ///< it is told by what came out
  bool hidden = false; ///< of a hidden check
};

/// Everything about one check.
struct Result {
  std::string id; ///< "05_reduction/block_sum"
  Verdict verdict = Verdict::not_run;
  /// Why, in one word: a hazard's kind (shared_race …), wrong_result, crash, cuda_error,
  /// out_of_memory, output_limit, time_limit, compile_error, link_error, forbidden_call,
  /// ended_early, no_case, missing_file, needs_nvcc, or one of the checker's own
  /// (last_block_missing, uncoalesced …). Empty for a pass.
  std::string diagnosis;
  /// One line or a few for people, the first cause first. Of a pass mostly empty: a note, say that it is better than
  /// what was asked for.
  std::string message;
  bool by_hidden = false; ///< these three are what a hidden check has found
  bool ended_from_outside = false; ///< killed, or no room on the disk: others may have taken it
  std::vector<Place> where; ///< of a hazard: both sides; of a build error: the line
  std::vector<CaseResult> cases; ///< in the order in which they ran
  std::string picture; ///< of the request that costs most, as lines of text; mostly none
  std::string picture_svg; ///< the same as an image, if that was asked for
  std::map<std::string, double> counters; ///< what the checker counted, by name
  /// Inputs at which answers break, by name (checker/inputs.hpp): those that the checker brought, and those
  /// that it could have brought.
  Names inputs, inputs_missing;
  double seconds = 0; ///< all of it, from reading the file to the verdict
  double build_seconds = 0; ///< of these: compiling and linking
  double hidden_seconds = 0; ///< of these: hidden cases
  std::uint64_t seed = 0; ///< of the random inputs: `check --seed N` draws the same ones
  std::string log; ///< the compiler's errors, or what the program wrote, cut to a sensible length

  std::size_t passed_cases() const;
  void judge(Verdict its, std::string why, std::string words) {
    verdict = its;
    diagnosis = std::move(why);
    message = std::move(words);
  }
};

/// The places of a result, as files of JSON have them.
nlohmann::ordered_json json_of(const std::vector<Place> &places);

/// What `check --json` and the tutor's own files hold: {"exercises":[…]}, two spaces deep.
std::string to_json(const std::vector<Result> &results);

} // namespace tutor
