#include "loop/state.hpp"

#include "base/file_lock.hpp"
#include "base/files.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using json = nlohmann::ordered_json;

namespace tutor {
namespace {

constexpr int version = 1;

json to_json(const ExerciseState &state) {
  json guesses = json::array();
  for (const Guess &guess : state.guesses) {
    guesses.push_back(
        {{"counter", guess.counter}, {"guessed", guess.guessed}, {"counted", guess.counted}});
  }
  return {{"passed", state.passed},
          {"verdict", name_of(state.verdict)},
          {"diagnosis", state.diagnosis},
          {"stub_sha256", state.stub_sha256},
          {"hints", state.hints},
          {"counters", state.counters},
          {"guesses", guesses}};
}

ExerciseState exercise_from(const json &object) {
  ExerciseState state;
  state.passed = object.at("passed").get<bool>();
  state.verdict = verdict_named(object.at("verdict").get<std::string>()).value_or(Verdict::not_run);
  state.diagnosis = object.value("diagnosis", "");
  state.stub_sha256 = object.value("stub_sha256", "");
  state.hints = object.value("hints", std::set<std::size_t>());
  state.counters = object.value("counters", std::map<std::string, double>());
  for (const json &guess : object.value("guesses", json::array())) {
    state.guesses.push_back({guess.at("counter").get<std::string>(),
                             guess.at("guessed").get<double>(),
                             guess.at("counted").get<double>()});
  }
  return state;
}

std::string to_text(const LearnerState &state) {
  json exercises = json::object();
  for (const auto &[id, exercise] : state.exercises) {
    exercises[id] = to_json(exercise);
  }
  return json{{"version", version},
              {"current", state.current},
              {"read", state.read},
              {"exercises", exercises}}
             .dump(2) +
         "\n";
}

LearnerState from_text(const std::string &text) {
  const json object = json::parse(text);
  LearnerState state;
  state.current = object.value("current", "");
  state.read = object.value("read", std::set<std::string>());
  for (const auto &[id, exercise] : object.at("exercises").items()) {
    state.exercises[id] = exercise_from(exercise);
  }
  return state;
}

} // namespace

bool Guess::right() const {
  return std::abs(guessed - counted) <= 0.05 * std::abs(counted); // false for NaN, too
}

GuessScore ExerciseState::score() const {
  std::set<std::string> made, right;
  for (const Guess &guess : guesses) {
    made.insert(guess.counter);
    if (guess.right()) {
      right.insert(guess.counter);
    }
  }
  return {made.size(), right.size()};
}

const ExerciseState &LearnerState::of(const std::string &id) const {
  static const ExerciseState nothing;
  auto found = exercises.find(id);
  return found == exercises.end() ? nothing : found->second;
}

StateFile::StateFile(const fs::path &workspace) : file_(workspace / ".state.json") {}

void StateFile::put_aside(const std::string &why) {
  fs::path aside;
  for (int number = 1; aside.empty() || fs::exists(aside); ++number) {
    aside = fmt::format("{}.damaged-{}", file_, number);
  }
  std::error_code error;
  fs::rename(file_, aside, error);
  notice_ = fmt::format("{} could not be read ({}); {}, and the tutor starts a new one. Your files "
                        "are untouched: ./tutor check --all finds out again what passes.",
                        file_,
                        why,
                        error ? "it could not be kept, either"
                              : "it is kept as " + aside.filename().string());
}

LearnerState StateFile::load_unlocked() {
  if (!fs::exists(file_)) {
    return {};
  }
  try {
    return from_text(read_file(file_));
  } catch (const json::parse_error &error) {
    put_aside(fmt::format("it is damaged at byte {}", error.byte));
  } catch (const json::exception &) {
    put_aside("something in it is missing or of the wrong kind");
  }
  return {};
}

LearnerState StateFile::load() {
  if (!fs::exists(file_)) {
    return {}; // looking leaves no trace
  }
  const FileLock lock(file_.parent_path() / ".state.lock");
  return load_unlocked();
}

LearnerState StateFile::change(const std::function<void(LearnerState &)> &edit) {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  const FileLock lock(file_.parent_path() / ".state.lock");
  LearnerState state = load_unlocked();
  edit(state);
  write_whole(file_, to_text(state));
  return state;
}

bool is_first_look(const Workspace &workspace,
                   const Exercise &exercise,
                   const LearnerState &before,
                   const Result &result) {
  const bool judged = result.verdict == Verdict::fail || result.verdict == Verdict::hazard ||
                      result.verdict == Verdict::timeout;
  return judged && before.of(exercise.id()).verdict == Verdict::not_run &&
         workspace.untouched(exercise);
}

void record(LearnerState &state, const Result &result, const std::string &stub_sha256) {
  ExerciseState &exercise = state.exercises[result.id];
  exercise.verdict = result.verdict;
  exercise.diagnosis = result.diagnosis;
  if (result.verdict == Verdict::pass) {
    exercise.passed = true;
    for (const auto &[name, count] : result.counters) { // a GPU counts less than the emulator
      exercise.counters[name] = count;
    }
    exercise.stub_sha256 = stub_sha256;
  }
}

} // namespace tutor
