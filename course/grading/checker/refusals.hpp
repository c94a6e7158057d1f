/// @file
/// For exercises whose task says what becomes of errors: each call of CUDA's fails in its turn.
#pragma once

#include "checker/checker.hpp"

namespace checker {
namespace detail {

/// While it lives, so many calls of CUDA's later one fails.
class Refusal {
public:
  explicit Refusal(int call);
  ~Refusal();
  Refusal(const Refusal &) = delete;
  Refusal &operator=(const Refusal &) = delete;
};

/// @return false if no call was left to fail
bool judge_refusal(const std::string &what, const emu::Observation &seen, cudaError_t told);

} // namespace detail

/// Runs work() anew for each call of CUDA's that it makes, and has that call fail, unless it gives something back.
/// Ends the case as failed unless this error is what work() returns (error_ignored, not_the_first) and nothing stays
/// allocated (left_after_error). On a GPU no call fails, and nothing is run.
/// @param work  returns what the learner's function returns
template <class Work> void expect_errors_handled(const std::string &what, Work &&work) {
  bool refused = detail::observes();
  for (int call = 1; refused; ++call) {
    cudaError_t told = cudaSuccess;
    const auto seen = lab::observe([&] {
      const detail::Refusal refusal(call);
      told = work();
    });
    refused = seen && detail::judge_refusal(what, *seen, told);
  }
}

} // namespace checker
