#include "loop/loop.hpp"

#include "base/failure.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "loop/screens.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tutor {

std::size_t where_to_begin(const std::vector<Exercise> &exercises,
                           const LearnerState &state,
                           const std::string &id) {
  const auto place_of = [&](const std::string &wanted) {
    auto found = std::ranges::find(exercises, wanted, &Exercise::id);
    return static_cast<std::size_t>(found - exercises.begin());
  };
  const auto not_passed = [&](const Exercise &exercise) { return !state.of(exercise.id()).passed; };
  std::size_t start = place_of(id);
  if (start == exercises.size()) {
    start = place_of(state.current);
    if (start == exercises.size() || !not_passed(exercises[start])) {
      start =
          static_cast<std::size_t>(std::ranges::find_if(exercises, not_passed) - exercises.begin());
    }
  }
  return std::min(start, exercises.size() - 1);
}

Loop::Loop(std::vector<Exercise> exercises, Workspace workspace, LoopHands hands)
    : exercises_(std::move(exercises)), workspace_(std::move(workspace)), hands_(std::move(hands)),
      state_file_(workspace_.folder()), state_(state_file_.load()) {}

std::size_t Loop::first_not_passed(std::size_t from) const {
  for (std::size_t i = from; i < exercises_.size(); ++i) {
    if (!state_.of(exercises_[i].id()).passed) {
      return i;
    }
  }
  return exercises_.size();
}

void Loop::begin(const std::string &id, const std::string &notice) {
  go_to(where_to_begin(exercises_, state_, id));
  const auto outdated = std::ranges::count_if(
      exercises_, [&](const Exercise &exercise) { return workspace_.outdated(exercise); });
  if (const std::string text = notice + state_file_.notice(); !text.empty()) {
    page_ = paragraph(text, 76);
    show(Mode::message);
  } else if (outdated > 0) {
    news_ = fmt::format(
        "The course has changed {} of these exercises: ./tutor update brings that in", outdated);
  }
}

void Loop::go_to(std::size_t index) {
  hands_.stop_check();
  checking_ = false;
  trouble_.clear();
  news_.clear();
  index_ = index;
  elsewhere_.reset();
  show(Mode::exercise);
  file_ = workspace_.open(here());
  hands_.prepare(here());
  change([&](LearnerState &state) { state.current = here().id(); });
  reading_ = reading_for(here(), exercises_);
  const auto unread =
      std::ranges::find_if(reading_, [&](const Section &section) { return !section.done(state_); });
  section_ = static_cast<std::size_t>(unread - reading_.begin());
  unfolded_ = false;
  if (!workspace_.untouched(here())) {
    check_now();
  } else if (section_ < reading_.size()) {
    show(Mode::lesson);
  }
}

void Loop::show(Mode mode) {
  mode_ = mode;
  scroll_ = 0;
}

void Loop::change(const std::function<void(LearnerState &)> &edit) {
  try {
    state_ = state_file_.change(edit);
  } catch (const Failure &failure) { // a full disk must not end the lesson
    edit(state_);
    news_ = failure.what();
  }
}

void Loop::check_now() {
  checking_ = true;
  phase_ = "starting";
  trouble_.clear();
  check_began_ = hands_.now();
  hands_.start_check(here());
}

void Loop::file_changed() {
  if (!fs::exists(file_)) {
    news_ = fmt::format("{} is gone; r brings the stub back", here().file_name());
    return;
  }
  news_.clear();
  if (mode_ == Mode::exercise || mode_ == Mode::compare || mode_ == Mode::lesson) {
    show(Mode::exercise);
  }
  check_now();
}

void Loop::saved_elsewhere(const std::string &id) {
  const auto saved = std::ranges::find(exercises_, id, &Exercise::id);
  if (saved == exercises_.end() || index_ == static_cast<std::size_t>(saved - exercises_.begin())) {
    return;
  }
  elsewhere_ = static_cast<std::size_t>(saved - exercises_.begin());
  news_ = fmt::format("{} was saved: that is {}, and this is {}. l and Enter go there",
                      saved->file_name(),
                      saved->short_id(),
                      here().short_id());
}

void Loop::phase(std::string text) { phase_ = std::move(text); }

void Loop::judged(const Result &result) {
  checking_ = false;
  const bool first_look = is_first_look(workspace_, here(), state_, result);
  if (!first_look) { // else the task stays
    results_[result.id] = result;
  }
  change([&](LearnerState &state) { record(state, result, sha256(read_file(here().stub))); });
  scroll_ = mode_ == Mode::exercise ? 0 : scroll_;
  if (first_look) {
    news_ = fmt::format(
        "{} is untouched: {}; r says what is wrong", here().file_name(), name_of(result.verdict));
  } else if (mode_ != Mode::exercise && mode_ != Mode::guess) {
    news_ = fmt::format("{}: {}", here().file_name(), to_terminal(verdict_line(result), 60, false));
  }
}

void Loop::trouble(const std::string &message) {
  checking_ = false;
  trouble_ = message;
}

void Loop::press(const Key &key) {
  news_.clear();
  if (mode_ == Mode::guess) {
    press_in_guess(key);
  } else if (mode_ == Mode::list && (key.kind == Key::Kind::enter || key.kind == Key::Kind::up ||
                                     key.is('k') || key.kind == Key::Kind::down || key.is('j'))) {
    press_in_list(key);
  } else if (mode_ == Mode::message && key.is(' ')) {
    show(Mode::exercise);
  } else if (press_scroll(key)) {
  } else if (mode_ == Mode::message || key.kind == Key::Kind::escape) {
    show(Mode::exercise);
  } else if (key.kind == Key::Kind::character) {
    press_command(key.character);
  }
}

bool Loop::press_scroll(const Key &key) {
  using Kind = Key::Kind;
  const std::size_t page = rows_ > 10 ? rows_ - 8 : 2;
  if (key.kind == Kind::down || key.is('j')) {
    scroll_ += 1; // compose() brings it within its bounds
  } else if (key.kind == Kind::page_down || key.is(' ')) {
    scroll_ += page;
  } else if (key.kind == Kind::up || key.is('k')) {
    scroll_ -= std::min<std::size_t>(scroll_, 1);
  } else if (key.kind == Kind::page_up || key.is('b')) {
    scroll_ -= std::min(scroll_, page);
  } else if (key.kind == Kind::home) {
    scroll_ = 0;
  } else if (key.kind == Kind::end) {
    scroll_ = 1'000'000;
  } else {
    return false;
  }
  return true;
}

void Loop::press_in_list(const Key &key) {
  if (key.kind == Key::Kind::enter) {
    go_to(selected_);
  } else if (key.kind == Key::Kind::up || key.is('k')) {
    selected_ -= std::min<std::size_t>(selected_, 1);
  } else {
    selected_ = std::min(selected_ + 1, exercises_.size() - 1);
  }
}

void Loop::press_command(char command) {
  switch (command) {
  case 'q':
    return mode_ == Mode::exercise ? void(over_ = true) : show(Mode::exercise);
  case 'n':
    return mode_ == Mode::lesson ? read_on() : next();
  case 's':
    section_ = std::min(section_, reading_.size() - 1);
    return reading_.empty() ? void(news_ = "The card names no section of the lesson")
                            : show(Mode::lesson);
  case 'N':
    return next_not_passed();
  case 'p':
    return index_ == 0 ? void(news_ = "This is the first exercise") : go_to(index_ - 1);
  case 'l':
    selected_ = elsewhere_.value_or(index_);
    return show(Mode::list);
  case 'h':
    return give_hint();
  case 'c':
    return show(Mode::task);
  case 'd':
    return compare();
  case 'g':
    return ask_for_guess();
  case 'r':
    file_ = workspace_.open(here());
    show(Mode::exercise);
    return check_now();
  case 'o':
    return edit();
  case '?':
    return show(Mode::help);
  case 'u':
    if (mode_ == Mode::lesson) {
      return void(unfolded_ = !unfolded_);
    }
    [[fallthrough]];
  default:
    news_ = fmt::format("{} does nothing; ? shows what the keys do", command);
  }
}

/// The reader is done with a section: the next one, and behind the exercise's own what it asks.
void Loop::read_on() {
  change([&](LearnerState &state) { state.read.insert(reading_[section_].id()); });
  unfolded_ = false;
  show(++section_ < reading_.size() ? Mode::lesson : Mode::exercise);
}

void Loop::next() {
  if (index_ + 1 < exercises_.size()) {
    go_to(index_ + 1);
  } else if (const std::size_t open = first_not_passed(0); open < index_) {
    news_ = fmt::format("This is the last one. {} has not passed yet: N goes there",
                        exercises_[open].short_id());
  } else {
    news_ = open == exercises_.size() ? "This was the last one, and all of them have passed"
                                      : "This is the last exercise";
  }
}

void Loop::next_not_passed() {
  std::size_t open = first_not_passed(index_ + 1);
  if (open == exercises_.size()) {
    open = first_not_passed(0);
  }
  if (open == exercises_.size()) {
    news_ = "All exercises have passed";
  } else if (open == index_) {
    news_ = "This is the only one that has not passed yet";
  } else {
    go_to(open);
  }
}

void Loop::give_hint() {
  // Asked for anew, the hints that were shown come back; asked for again, the next one comes.
  const bool again = mode_ == Mode::hint;
  const bool none_yet = shown_hints(here().card, state_here()).empty();
  if (const auto hint = next_hint(here().card, state_here()); hint && (again || none_yet)) {
    change([&](LearnerState &state) { state.exercises[here().id()].hints.insert(hint->place); });
  }
  show(Mode::hint);
  scroll_ = again ? 1'000'000 : 0;
}

void Loop::compare() {
  if (!state_here().passed) {
    news_ = fmt::format("d is for after passing (./tutor diff {} --spoil would show it)",
                        here().short_id());
    return;
  }
  try {
    hunks_ = compare_with_solution(here(), read_file(file_));
    show(Mode::compare);
  } catch (const std::exception &error) {
    news_ = error.what();
  }
}

void Loop::ask_for_guess() {
  if (!state_here().passed) {
    news_ = "g is for after passing: then there is something to guess";
  } else if (open_predictions(here().card, state_here()).empty()) {
    news_ = "There is nothing left to guess here";
  } else if (!state_here().counters.contains(
                 open_predictions(here().card, state_here()).front()->counter)) {
    news_ = fmt::format("A GPU does not count that; ./tutor check {} --backend cpu does",
                        here().short_id());
  } else {
    typed_.clear();
    show(Mode::guess);
  }
}

void Loop::press_in_guess(const Key &key) {
  if (key.kind == Key::Kind::escape) {
    show(Mode::exercise);
  } else if (key.kind == Key::Kind::enter) {
    take_guess();
  } else if (key.kind == Key::Kind::backspace && !typed_.empty()) {
    typed_.pop_back();
  } else if (key.kind == Key::Kind::character && typed_.size() < 20) {
    typed_ += key.character;
  }
}

void Loop::take_guess() {
  const std::optional<double> guessed = parse_guess(typed_);
  if (!guessed) {
    news_ = "A guess is a number, such as 4, 0.5 or 1/32";
    return;
  }
  const Prediction prediction = *open_predictions(here().card, state_here()).front();
  const double counted = state_here().counters.at(prediction.counter); // ask_for_guess() looked
  const Guess guess{prediction.counter, *guessed, counted};
  change([&](LearnerState &state) { state.exercises[here().id()].guesses.push_back(guess); });
  page_ = paragraph(reflow(prediction.question), 76);
  page_.emplace_back("");
  append(page_, answer_lines(prediction, state_here(), 76));
  show(Mode::message);
}

void Loop::edit() { news_ = hands_.edit(file_); }

} // namespace tutor
