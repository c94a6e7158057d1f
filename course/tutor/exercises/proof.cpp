#include "exercises/proof.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "exercises/diagnoses.hpp"
#include "exercises/wording.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace tutor {

Ground ground_of(const Exercise &exercise) {
  Ground ground{.stub = read_file(exercise.stub), .stub_file = exercise.stub, .solved = ""};
  ground.solved = apply_solution(read_solution(exercise.solution), ground.stub, exercise.solution);
  return ground;
}

namespace {

/// Checks the solution, apart from what it does when it runs.
void check_solution(const Exercise &exercise,
                    const std::string &stub,
                    const std::vector<TodoRegion> &regions) {
  const fs::path &file = exercise.solution;
  const Solution solution = read_solution(file);
  if (solution.exercise != exercise.id()) {
    throw failure("{}:1: Exercise: {} should say {}", file, solution.exercise, exercise.id());
  }
  const std::string solved = apply_solution(solution, stub, file);
  if (const std::size_t line = change_outside(stub, solved, regions); line != 0) {
    throw failure(
        "{}: changes {}:{}, outside of its TODO regions; widen the region, or change less",
        file,
        exercise.file_name(),
        line);
  }
  if (to_text(make_solution(exercise.id(), stub, solved)) != read_file(file)) {
    throw failure("{}: made anew it has other bytes; write it with ./tutor author", file);
  }
}

/// The same for the stored answers.
void check_answers(const Exercise &exercise) {
  const fs::path &file = exercise.answers;
  const Ground ground = ground_of(exercise);
  std::vector<StoredAnswer> again;
  for (const StoredAnswer &answer : read_answers(file)) {
    StoredAnswer one = answer;
    take_from(one, ground, written_out(answer, ground, file));
    put(again, std::move(one));
  }
  if (fs::exists(file) && to_toml(again) != read_file(file)) {
    throw failure("{}: made anew it has other bytes; write it with ./tutor author", file);
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
  std::size_t hunks = hunks_of(read_solution(exercise.solution).changes).size();
  if (exercise.card.explanations.size() != hunks) {
    throw failure("{}: {} [[explain]] for {} hunks of the solution; each hunk needs one",
                  exercise.card_file,
                  exercise.card.explanations.size(),
                  hunks);
  }
}

/// Those that the stub and the stored answers get.
Names proven_diagnoses(const Exercise &exercise) {
  Names proven{exercise.card.stub_diagnosis};
  for (const StoredAnswer &answer : read_answers(exercise.answers)) {
    proven.insert(answer.diagnosis);
  }
  return proven;
}

/// A hint for a diagnosis that nobody makes is never shown.
void check_hints(const Exercise &exercise) {
  const Names &common = common_diagnoses();
  Names own = checker_diagnoses(exercise);
  own.merge(proven_diagnoses(exercise));
  for (const Hint &hint : exercise.card.hints) {
    if (!hint.when.empty() && !common.contains(hint.when) && !own.contains(hint.when)) {
      throw failure("{}: a [[hint]] is for '{}', which no check of this exercise says; there are: "
                    "{}; of every exercise: {}",
                    exercise.card_file,
                    hint.when,
                    fmt::join(own, ", "),
                    fmt::join(common, ", "));
    }
  }
}

/// A diagnosis that no stored answer gets is not known to be told when it should.
void check_diagnoses(const Exercise &exercise) {
  Names unproven = own_diagnoses(exercise);
  const Names proven = proven_diagnoses(exercise);
  std::erase_if(unproven, [&](const std::string &diagnosis) {
    return common_diagnoses().contains(diagnosis) || proven.contains(diagnosis);
  });
  if (!unproven.empty()) {
    throw failure("{}: no wrong answer gets {}; store one for each (./tutor author {} --from FILE "
                  "--wrong NAME …), or take it out",
                  exercise.checker,
                  fmt::join(unproven, ", "),
                  exercise.name);
  }
}

Variant variant_of(const Exercise &exercise, const StoredAnswer &answer, Backend backend) {
  Variant variant{.name = (answer.wrong ? "wrong/" : "right/") + answer.name,
                  .file = exercise.answers,
                  .text = written_out(answer, ground_of(exercise), exercise.answers),
                  .verdict = answer.verdict,
                  .diagnosis = answer.diagnosis};
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
      {.name = "stub",
       .file = exercise.card_file,
       .text = read_file(exercise.stub),
       .verdict = exercise.card.stub_verdict,
       .diagnosis = exercise.card.stub_diagnosis},
      {.name = "solution", .file = exercise.solution, .text = solved_text(exercise)}};
  for (const StoredAnswer &answer : read_answers(exercise.answers)) {
    variants.push_back(variant_of(exercise, answer, backend));
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
    return fmt::format("{}: the message of {} does not say '{}', but: {}",
                       variant.file,
                       variant.name,
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
                     variant.file,
                     variant.name,
                     text_of(result.verdict, result.diagnosis),
                     text_of(variant.verdict, variant.diagnosis),
                     advice,
                     result.seed,
                     result.message,
                     log);
}

void check_counters(const Exercise &exercise, const Variant &variant, Proof &proof) {
  const auto names =
      each(variant.result.counters, [](const auto &counter) { return counter.first; });
  for (const Prediction &prediction : exercise.card.predictions) {
    if (!variant.result.counters.contains(prediction.counter)) {
      proof.faults.push_back(fmt::format(
          "{}: [[predict]] asks for '{}', which the checker does not record; it records: {}",
          exercise.card_file,
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
  for (const DiffLine &change : diff_texts(stub, solved)) {
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

std::vector<std::string> check_files(const Exercise &exercise) {
  std::vector<std::string> faults;
  for (const fs::path &file : {exercise.stub, exercise.checker}) {
    if (!fs::is_regular_file(file)) {
      faults.push_back(fmt::format("{} is missing", file));
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  std::size_t wrong_answers = 0;
  note_failure(faults, [&] {
    std::string stub = read_file(exercise.stub);
    std::vector<TodoRegion> regions = todo_regions(stub, exercise.stub);
    note_failure(faults, [&] { check_solution(exercise, stub, regions); });
    note_failure(faults, [&] { check_answers(exercise); });
    wrong_answers = static_cast<std::size_t>(
        std::ranges::count_if(read_answers(exercise.answers), &StoredAnswer::wrong));
  });
  if (faults.empty() && wrong_answers < fewest_wrong_answers) {
    faults.push_back(
        fmt::format("{}: {} wrong answers in {}; at least {} mistakes that a beginner makes belong "
                    "there (./tutor author {} --from FILE --wrong NAME …)",
                    exercise.card_file,
                    wrong_answers,
                    exercise.answers,
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
  const Ground ground = ground_of(exercise);
  if (answer.empty()) {
    return ground.solved;
  }
  const std::vector<StoredAnswer> all = read_answers(exercise.answers);
  const auto found = std::ranges::find(all, answer, &StoredAnswer::name);
  if (found == all.end()) {
    throw wrong_usage(
        "{} has no stored answer '{}'; there are: {}",
        exercise.id(),
        answer,
        all.empty() ? "none" : fmt::format("{}", fmt::join(each(all, &StoredAnswer::name), ", ")));
  }
  return written_out(*found, ground, exercise.answers);
}

std::vector<std::string> check_inputs(const Exercise &exercise, const Result &of_solution) {
  Names missing = of_solution.inputs_missing;
  const std::string text = solved_text(exercise);
  if (std::ranges::none_of(
          std::array{"cudaGetDeviceProperties", "cudaDeviceGetAttribute", "cudaOccupancy"},
          [&](const char *asks) { return text.find(asks) != std::string::npos; })) {
    missing.erase("other_device"); // its answers know nothing of the device
    missing.erase("other_limits");
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

Proof prove(const Exercise &exercise, const CheckOptions &options) {
  Proof proof;
  proof.faults = check_files(exercise);
  if (!proof.faults.empty()) {
    return proof;
  }
  WorkFolder folder;
  fs::path source = folder.path() / exercise.file_name();
  for (Variant &variant : variants_of(exercise, options.backend)) {
    write_file(source, variant.text);
    const bool solution = variant.name == "solution";
    const std::vector<Result> results = check_with(
        exercise, source, options, solution ? proven_inputs : std::vector<Inputs>{{options.seed}});
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
    if (options.backend == Backend::cpu) {
      for (const std::string &fault : wording_faults(exercise.card, variant.result, variant.text)) {
        proof.faults.push_back(fmt::format("{}: the message of {}: {}: {}",
                                           variant.file,
                                           variant.name,
                                           fault,
                                           variant.result.message));
      }
    }
    if (solution && holds && options.backend == Backend::cpu) {
      check_counters(exercise, variant, proof);
      std::ranges::copy(check_inputs(exercise, variant.result), std::back_inserter(proof.faults));
    }
    proof.variants.push_back(std::move(variant));
  }
  return proof;
}

std::vector<SeedProof>
prove_seeds(const Exercise &exercise, const CheckOptions &options, std::uint64_t seeds) {
  std::vector<Inputs> all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    all.push_back({seed});
  }
  WorkFolder folder;
  const fs::path source = folder.path() / exercise.file_name();
  std::vector<SeedProof> proofs;
  for (Variant &variant : variants_of(exercise, options.backend)) {
    if (variant.verdict != Verdict::pass || variant.name.starts_with("wrong/")) {
      continue;
    }
    write_file(source, variant.text);
    SeedProof &proof = proofs.emplace_back(SeedProof{std::move(variant), {}, 0});
    for (Result &result : check_with(exercise, source, options, all)) {
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
