#pragma once

#include "base/paths.hpp"
#include "exercises/answers.hpp"
#include "exercises/check.hpp"
#include "exercises/solution.hpp"

#include <string>
#include <vector>

/// \file
/// The proof that an exercise holds: its stub fails as declared, its solution passes whatever the seed, other right
/// answers pass, and mistakes that learners make are told apart by name.

namespace tutor {

/// How many wrong answers each exercise must have.
constexpr std::size_t fewest_wrong_answers = 3;

/// What a proof checks the solution with, as what is right stays so whatever numbers it names; `author --seeds N` takes the
/// seeds from 1 to N.
inline const std::vector<Inputs> proven_inputs{
    {2026},
    {42, "2 3 5 7 10 16 31 32 33 48 64 100"},
    {42, "-1 0.5 40 63 127 257 1000 1024 4000 65535 1e+30"}};

/// Changes outside of every region, as a line number of the stub; 0 where there is none.
std::size_t change_outside(std::string_view stub,
                           std::string_view solved,
                           const std::vector<TodoRegion> &regions);

/// What is wrong with the files of an exercise, before anything runs: one line for each thing, which
/// names the file and says what to do. Empty: nothing.
std::vector<std::string> check_files(const Exercise &exercise);

/// What is wrong with the inputs that the checker brought to the solution: one line for each of those at which
/// answers break (checker/nasty.hpp) that is neither there nor left out by the card, or both.
std::vector<std::string> check_inputs(const Exercise &exercise, const Result &of_solution);

/// One stub or stored answer, what it should get and what it got.
struct Variant {
  std::string name; ///< "stub", "solution", "wrong/missing_barrier", "right/shuffles"
  fs::path file; ///< to look at when it got something else
  std::string text; ///< of a learner's file
  Verdict verdict = Verdict::pass;
  std::string diagnosis{};
  std::string says{}; ///< words that the message must have
  Result result{};

  bool as_expected() const { return result.verdict == verdict && result.diagnosis == diagnosis; }
};

/// Everything about one exercise.
struct Proof {
  std::vector<std::string> faults; ///< one line each; empty: the exercise holds
  std::vector<Variant> variants;
};

/// Proves one exercise; prepare_checks() has been called. On a GPU the wrong answers that pass there
/// are expected to pass, and the others only to fail, in whatever way.
Proof prove(const Exercise &exercise, const CheckOptions &options);

/// What became of an answer that is right, on seeds 1 to `seeds`.
struct SeedProof {
  Variant answer;
  std::vector<Result> failed; ///< those that did not pass
  std::size_t runs = 0;
};

/// The solution and the right answers of an exercise on seeds 1 to `seeds`; each is compiled once.
std::vector<SeedProof>
prove_seeds(const Exercise &exercise, const CheckOptions &options, std::uint64_t seeds);

/// The stub and the solved file of an exercise.
/// \throws Failure (failed) when the solution cannot be applied
Ground ground_of(const Exercise &exercise);
/// The solved file of an exercise, or that of the wrong or right answer with this name.
/// \throws Failure (usage) naming the answers there are; (failed) when it cannot be applied
std::string solved_text(const Exercise &exercise, const std::string &answer = "");

} // namespace tutor
