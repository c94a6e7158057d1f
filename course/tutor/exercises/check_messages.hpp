#pragma once

#include "exercises/result.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What a checker's program says over its channel (course/grading/checker/channel.hpp), put together.

namespace tutor {

/// Collects the packets of one run.
class CheckMessages {
public:
  /// \param nonce  packets that do not begin with it are ignored
  /// \param file_name  of the learner: places elsewhere are not shown
  /// \param chapter  of the exercise: later ones are not named
  CheckMessages(std::string nonce, std::string file_name, int chapter)
      : nonce_(std::move(nonce)), file_name_(std::move(file_name)), chapter_(chapter) {}

  /// Takes a packet. Returns true for the last one.
  bool take(std::string_view packet);

  const std::string &nonce() const { return nonce_; }
  bool finished() const { return finished_; }
  /// The case that has begun and not ended; empty if there is none.
  const std::string &running_case() const { return running_case_; }
  bool anything_wrong() const { return !hazard_.empty() || !failure_.empty(); }

  /// What made the learner's process one that nothing can be believed of; empty if nothing did.
  const std::string &lie() const { return lie_; }

  /// The learner's process is of another build than the judge.
  bool other_build() const { return other_build_; }

  /// More MiB than so many were to go into one call or copy of the checker's; empty: none were.
  const std::string &too_much() const { return too_much_; }

  /// Moves cases, counters and, if anything was wrong, verdict, diagnosis, message and places into
  /// the result. A hazard explains more than the wrong result that follows from it; what the checker stated of a case
  /// before that had none comes first.
  void tell(Result &result) const;
  /// Whether the run was complete: cases have run, each of them has ended, and as many as were counted.
  bool complete() const;
  std::size_t failed_cases() const;

private:
  /// Whether there is room for so much more of what a report lists. No checker says as much as would
  /// fill it; a program that sends without end would fill the report of a whole class.
  bool keep(std::size_t bytes);
  /// Whether a failure tells more than the one that is kept.
  bool tells_more(const std::vector<std::string> &fields) const;
  void take_hazard(const std::vector<std::string> &fields);
  /// Adds a line of the learner's file; of no thread if `thread` is empty.
  void note_place(std::vector<Place> &places,
                  const std::string &path,
                  const std::string &line,
                  const std::string &thread,
                  const std::string &block) const;

  std::string nonce_;
  std::string file_name_;
  int chapter_;
  bool finished_ = false;
  std::size_t kept_bytes_ = 0;
  std::size_t counted_cases_ = 0, counted_failures_ = 0;
  std::string running_case_, case_diagnosis_;
  bool case_of_numbers_ = false;
  std::string lie_, too_much_;
  bool other_build_ = false;
  bool thrown_ = false; ///< by the learner's code, in this case
  std::vector<CaseResult> cases_;
  std::map<std::string, double> counters_;
  Names inputs_, inputs_missing_; ///< see Result
  std::vector<std::string> notes_; ///< of answers that pass
  std::string failure_,
      failure_message_; ///< the first one, or a later one that tells more
  std::string
      failure_basis_; ///< "stated" outright by the checker; "result": numbers that are wrong
  std::string hazard_, hazard_message_;
  std::string picture_, picture_svg_; ///< of the first failure's line
  std::vector<Place> hazard_places_, failure_places_;
};

} // namespace tutor
