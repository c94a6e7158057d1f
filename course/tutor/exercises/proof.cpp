#include "exercises/proof.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "exercises/check_build.hpp"
#include "exercises/diagnoses.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <numeric>

namespace fs = std::filesystem;

namespace tutor {
namespace {

/// Checks one stored answer, apart from what it does when it runs.
void check_answer(const Exercise &exercise,
                  const fs::path &file,
                  const std::string &stub,
                  const std::vector<TodoRegion> &regions) {
  Answer answer = read_answer(file);
  if (answer.exercise != exercise.id()) {
    throw Failure(
        Exit::failed,
        fmt::format(
            "{}:1: Exercise: {} should say {}", file.string(), answer.exercise, exercise.id()));
  }
  std::string solved = apply_answer(answer, stub, file);
  std::size_t line = change_outside(stub, solved, regions);
  if (line == 0 && answer.anywhere) {
    throw Failure(Exit::failed,
                  fmt::format("{}: changes nothing outside of the TODO regions; take out its line "
                              "'Changes: anywhere'",
                              file.string()));
  }
  if (line != 0 && !answer.anywhere) {
    throw Failure(
        Exit::failed,
        fmt::format("{}: changes {}:{}, outside of its TODO regions; widen the region, or "
                    "change less",
                    file.string(),
                    exercise.file_name(),
                    line));
  }
  Answer again = answer;
  make_changes(again, exercise.file_name(), stub, solved);
  if (to_text(again) != read_file(file)) {
    throw Failure(Exit::failed,
                  fmt::format("{}: made anew it has other bytes; write it with ./tutor author",
                              file.string()));
  }
}

template <class Work> void note_failure(std::vector<std::string> &faults, Work work) {
  try {
    work();
  } catch (const Failure &failure) {
    faults.emplace_back(failure.what());
  }
}

void check_explanations(const Exercise &exercise) {
  std::size_t hunks = hunks_of(read_answer(exercise.solution).changes).size();
  if (exercise.card.explanations.size() != hunks) {
    throw Failure(
        Exit::failed,
        fmt::format("{}: {} [[explain]] for {} hunks of the solution; each hunk needs one",
                    exercise.card_file.string(),
                    exercise.card.explanations.size(),
                    hunks));
  }
}

/// A hint for a diagnosis that nobody makes is never shown.
void check_hints(const Exercise &exercise) {
  const std::set<std::string> &common = common_diagnoses();
  std::set<std::string> own = checker_diagnoses(exercise);
  own.insert(exercise.card.stub_diagnosis);
  for (const fs::path &file : exercise.wrong_answers) {
    own.insert(read_answer(file).diagnosis);
  }
  for (const Hint &hint : exercise.card.hints) {
    if (!hint.when.empty() && !common.contains(hint.when) && !own.contains(hint.when)) {
      throw Failure(Exit::failed,
                    fmt::format("{}: a [[hint]] is for '{}', which no check of this exercise says; "
                                "there are: {}; of every exercise: {}",
                                exercise.card_file.string(),
                                hint.when,
                                fmt::join(own, ", "),
                                fmt::join(common, ", ")));
    }
  }
}

/// A diagnosis that no stored answer gets is not known to be told when it should.
void check_diagnoses(const Exercise &exercise) {
  std::set<std::string> unproven = own_diagnoses(exercise);
  for (const std::string &common : common_diagnoses()) {
    unproven.erase(common);
  }
  unproven.erase(exercise.card.stub_diagnosis);
  for (const fs::path &file : exercise.wrong_answers) {
    unproven.erase(read_answer(file).diagnosis);
  }
  if (!unproven.empty()) {
    throw Failure(Exit::failed,
                  fmt::format("{}: no wrong answer gets {}; store one for each (./tutor author {} "
                              "--from FILE --wrong NAME …), or take it out",
                              exercise.checker.string(),
                              fmt::join(unproven, ", "),
                              exercise.name));
  }
}

Variant variant_of(const fs::path &file, Backend backend) {
  Answer answer = read_answer(file);
  Variant variant;
  variant.name = answer.is_wrong_answer()   ? "wrong/" + file.stem().string()
                 : answer.is_right_answer() ? "right/" + file.stem().string()
                                            : "solution";
  variant.file = file;
  variant.verdict = answer.verdict;
  variant.diagnosis = answer.diagnosis;
  if (backend == Backend::cpu) {
    variant.says = answer.says;
#ifdef __clang__ // which has compiled this program, and compiles answers
    if (answer.with_clang) {
      variant.verdict = answer.with_clang->verdict;
      variant.diagnosis = answer.with_clang->diagnosis;
    }
#endif
  }
  if (backend == Backend::gpu && answer.passes_on_gpu) {
    variant.verdict = Verdict::pass;
    variant.diagnosis.clear();
  }
  return variant;
}

std::vector<Variant> variants_of(const Exercise &exercise, Backend backend) {
  std::vector<Variant> variants{
      {"stub", exercise.card_file, exercise.card.stub_verdict, exercise.card.stub_diagnosis},
      variant_of(exercise.solution, backend)};
  for (const auto *answers : {&exercise.right_answers, &exercise.wrong_answers}) {
    for (const fs::path &file : *answers) {
      variants.push_back(variant_of(file, backend));
    }
  }
  return variants;
}

std::string text_of(const Verdict &verdict, const std::string &diagnosis) {
  return fmt::format("{}{}{}", name_of(verdict), diagnosis.empty() ? "" : " ", diagnosis);
}

/// What is wrong with a variant's result, or nothing.
std::string fault_of(const Variant &variant, Backend backend) {
  const Result &result = variant.result;
  bool meant_to_fail = variant.verdict != Verdict::pass;
  bool fails = result.verdict != Verdict::pass && result.verdict != Verdict::not_run &&
               (result.verdict != Verdict::build_error || variant.verdict == Verdict::build_error);
  // A GPU says that something is wrong, but seldom what.
  bool as_expected = variant.as_expected() || (backend == Backend::gpu && meant_to_fail && fails);
  if (as_expected && result.message.find(variant.says) != std::string::npos) {
    return "";
  }
  if (as_expected) {
    return fmt::format("{}: the message does not say '{}', but: {}",
                       variant.file.string(),
                       variant.says,
                       result.message);
  }
  std::string advice = variant.name == "stub" && result.verdict == Verdict::pass
                           ? "a stub that passes leaves nothing to do"
                       : variant.name == "solution" ? "mend the solution or the checker"
                       : variant.name.starts_with("right/")
                           ? "no right answer may be refused: mend the checker"
                           : "mend the checker, or what the file declares";
  std::string log = result.verdict == Verdict::build_error ? "\n" + result.log : "";
  return fmt::format("{}: the {} gets '{}', not '{}'; {} (seed {}: {}){}",
                     variant.file.string(),
                     variant.name,
                     text_of(result.verdict, result.diagnosis),
                     text_of(variant.verdict, variant.diagnosis),
                     advice,
                     result.seed,
                     result.message,
                     log);
}

void check_counters(const Exercise &exercise, const Variant &variant, Proof &proof) {
  for (const Prediction &prediction : exercise.card.predictions) {
    if (!variant.result.counters.contains(prediction.counter)) {
      std::vector<std::string> names;
      for (const auto &[name, count] : variant.result.counters) {
        names.push_back(name);
      }
      proof.faults.push_back(fmt::format(
          "{}: [[predict]] asks for '{}', which the checker does not record; it records: {}",
          exercise.card_file.string(),
          prediction.counter,
          fmt::join(names, ", ")));
    }
  }
}

} // namespace

std::size_t change_outside(std::string_view stub,
                           std::string_view solved,
                           const std::vector<TodoRegion> &regions) {
  std::size_t line = 1; // of the stub, the one that comes next
  for (const DiffLine &change : diff_texts(stub, solved).lines) {
    bool added = change.change == LineChange::added;
    bool inside = std::ranges::any_of(regions, [&](const TodoRegion &region) {
      return line >= region.first && line <= region.last + added;
    });
    if (change.change != LineChange::kept && !inside) {
      return line;
    }
    line += !added;
  }
  return 0;
}

std::vector<TodoRegion> todo_regions(std::string_view stub, const fs::path &file) {
  std::vector<TodoRegion> regions;
  std::size_t first = 0, number = 0;
  const auto refuse = [&](std::size_t line, const char *what) {
    throw Failure(Exit::failed, fmt::format("{}:{}: {}", file.string(), line, what));
  };
  for (const std::string &line : split_lines(stub)) {
    ++number;
    if (line.find("end of TODO") != std::string::npos) {
      if (first == 0) {
        refuse(number, "'end of TODO' without a TODO before it");
      }
      regions.push_back({first, number});
      first = 0;
    } else if (line.find("TODO") != std::string::npos && first == 0) {
      first = number;
    }
  }
  if (first != 0) {
    refuse(first, "this TODO has no line 'end of TODO'");
  }
  if (regions.empty()) {
    refuse(1, "there is no TODO: nothing says where the learner writes");
  }
  return regions;
}

std::vector<std::string> check_files(const Exercise &exercise) {
  std::vector<std::string> faults;
  for (const fs::path &file : {exercise.stub, exercise.checker}) {
    if (!fs::is_regular_file(file)) {
      faults.push_back(fmt::format("{} is missing", file.string()));
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  note_failure(faults, [&] {
    std::string stub = read_file(exercise.stub);
    std::vector<TodoRegion> regions = todo_regions(stub, exercise.stub);
    note_failure(faults, [&] { check_answer(exercise, exercise.solution, stub, regions); });
    for (const fs::path &file : exercise.wrong_answers) {
      note_failure(faults, [&] {
        check_answer(exercise, file, stub, regions);
        if (!read_answer(file).is_wrong_answer()) {
          throw Failure(Exit::failed, fmt::format("{}: has no line Mistake", file.string()));
        }
      });
    }
    for (const fs::path &file : exercise.right_answers) {
      note_failure(faults, [&] {
        check_answer(exercise, file, stub, regions);
        if (!read_answer(file).is_right_answer()) {
          throw Failure(Exit::failed, fmt::format("{}: has no line Style", file.string()));
        }
      });
    }
  });
  if (exercise.wrong_answers.size() < fewest_wrong_answers) {
    faults.push_back(fmt::format(
        "{}: {} wrong answers in wrong_answers/{}/; at least {} mistakes that a beginner "
        "makes belong there (./tutor author {} --from FILE --wrong NAME …)",
        exercise.card_file.string(),
        exercise.wrong_answers.size(),
        exercise.id(),
        fewest_wrong_answers,
        exercise.name));
  }
  if (faults.empty()) {
    note_failure(faults, [&] { check_explanations(exercise); });
    note_failure(faults, [&] { check_hints(exercise); });
    note_failure(faults, [&] { check_diagnoses(exercise); });
  }
  return faults;
}

std::string solved_text(const Exercise &exercise, const std::string &answer) {
  fs::path file = exercise.solution;
  if (!answer.empty()) {
    std::vector<fs::path> all = exercise.wrong_answers;
    all.insert(all.end(), exercise.right_answers.begin(), exercise.right_answers.end());
    auto found = std::ranges::find_if(all, [&](const fs::path &f) { return f.stem() == answer; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const fs::path &known : all) {
        names.push_back(known.stem().string());
      }
      throw Failure(
          Exit::usage,
          fmt::format("{} has no stored answer '{}'; there are: {}",
                      exercise.id(),
                      answer,
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    file = *found;
  }
  return apply_answer(read_answer(file), read_file(exercise.stub), file);
}

std::vector<std::string> check_inputs(const Exercise &exercise, const Result &of_solution) {
  std::set<std::string> missing = of_solution.inputs_missing;
  const std::string text = solved_text(exercise);
  if (std::ranges::none_of(
          std::array{"cudaGetDeviceProperties", "cudaDeviceGetAttribute", "cudaOccupancy"},
          [&](const char *asks) { return text.find(asks) != std::string::npos; })) {
    missing.erase("other_device"); // its answers know nothing of the device
  }
  std::vector<std::string> faults;
  const std::string card = exercise.card_file.string();
  for (const std::string &name : missing) {
    if (!exercise.card.left_out.contains(name)) {
      faults.push_back(
          fmt::format("{}: no input of the checker is '{}': bring one "
                      "(course/grading/checker/nasty.hpp), or say under [left_out] why there is "
                      "none",
                      card,
                      name));
    }
  }
  for (const auto &[name, reason] : exercise.card.left_out) {
    if (!missing.contains(name)) {
      faults.push_back(fmt::format(
          "{}: [left_out] names '{}', which is not left out; take out the line", card, name));
    }
  }
  return faults;
}

namespace {

std::string text_of(const Exercise &exercise, const Variant &variant) {
  return variant.name == "stub"       ? read_file(exercise.stub)
         : variant.name == "solution" ? solved_text(exercise)
                                      : solved_text(exercise, variant.file.stem().string());
}

} // namespace

Proof prove(const Course &course, const Exercise &exercise, const CheckOptions &options) {
  Proof proof;
  proof.faults = check_files(exercise);
  if (!proof.faults.empty()) {
    return proof;
  }
  WorkFolder folder;
  fs::path source = folder.path() / exercise.file_name();
  for (Variant &variant : variants_of(exercise, options.backend)) {
    write_file(source, text_of(exercise, variant));
    const bool solution = variant.name == "solution";
    const std::vector<Result> results = check_seeds(
        course, exercise, source, options, solution ? proven_seeds : std::vector{options.seed});
    bool holds = true;
    for (const Result &result : results) {
      variant.result = result;
      if (std::string fault = fault_of(variant, options.backend); !fault.empty()) {
        proof.faults.push_back(fault);
        holds = false;
        break;
      }
    }
    if (holds) {
      variant.result = results.front(); // what the others count, and bring, may depend on the seed
    }
    if (solution && holds && options.backend == Backend::cpu) {
      check_counters(exercise, variant, proof);
      std::ranges::copy(check_inputs(exercise, variant.result), std::back_inserter(proof.faults));
    }
    proof.variants.push_back(std::move(variant));
  }
  return proof;
}

std::vector<SeedProof> prove_seeds(const Course &course,
                                   const Exercise &exercise,
                                   const CheckOptions &options,
                                   std::uint64_t seeds) {
  std::vector<std::uint64_t> all(seeds);
  std::iota(all.begin(), all.end(), 1);
  WorkFolder folder;
  const fs::path source = folder.path() / exercise.file_name();
  std::vector<SeedProof> proofs;
  for (Variant &variant : variants_of(exercise, options.backend)) {
    if (variant.verdict != Verdict::pass || variant.name.starts_with("wrong/")) {
      continue;
    }
    write_file(source, text_of(exercise, variant));
    SeedProof &proof = proofs.emplace_back(SeedProof{std::move(variant), {}, 0});
    for (Result &result : check_seeds(course, exercise, source, options, all)) {
      ++proof.runs;
      proof.answer.result = result;
      if (!fault_of(proof.answer, options.backend).empty()) {
        proof.failed.push_back(std::move(result));
      }
    }
  }
  return proofs;
}

} // namespace tutor
