#include "loop/hints.hpp"

#include "exercises/diagnoses.hpp"

#include "base/diff.hpp"
#include "base/files.hpp"
#include "exercises/solution.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace tutor {
namespace {

/// The lines of the new file that a hunk covers, from its header "@@ -12,3 +14,5 @@".
struct Range {
  std::size_t first = 0;
  std::size_t last = 0; ///< one behind
};

Range new_lines_of(const std::string &hunk) {
  std::size_t ignored_first = 0, ignored_count = 1, first = 0, count = 1;
  if (std::sscanf(hunk.c_str(), "@@ -%zu,%zu", &ignored_first, &ignored_count) < 1) {
    return {};
  }
  const std::size_t plus = hunk.find('+');
  if (plus == std::string::npos ||
      std::sscanf(hunk.c_str() + plus, "+%zu,%zu", &first, &count) < 1) {
    return {};
  }
  return {first, first + count};
}

/// Only the lines that differ, so that neighbours that share context are told apart.
Range changed_lines_of(const std::string &hunk) {
  Range range = new_lines_of(hunk);
  const std::vector<std::string> lines = split_lines(hunk);
  for (std::size_t i = 1; i < lines.size() && lines[i].starts_with(' '); ++i) {
    ++range.first;
  }
  for (std::size_t i = lines.size(); i > 1 && lines[i - 1].starts_with(' '); --i) {
    --range.last;
  }
  return range;
}

bool touch(const Range &a, const Range &b) { return a.first <= b.last && b.first <= a.last; }

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

GivenHint given(const Card &card, const std::vector<std::size_t> &order, std::size_t i) {
  return {&card.hints[order[i]], order[i], i + 1, order.size()};
}

} // namespace

std::vector<std::size_t> hint_order(const Card &card, const std::string &diagnosis) {
  std::vector<std::size_t> order;
  const bool mismatch = mismatch_diagnoses().contains(diagnosis);
  for (bool keyed : {true, false}) {
    for (std::size_t i = 0; i < card.hints.size(); ++i) {
      const std::string &when = card.hints[i].when;
      const bool meant = when == diagnosis || (mismatch && when == "wrong_result");
      if (keyed ? !when.empty() && meant : when.empty()) {
        order.push_back(i);
      }
    }
  }
  return order;
}

std::optional<GivenHint> next_hint(const Card &card, const ExerciseState &state) {
  const std::vector<std::size_t> order = hint_order(card, state.diagnosis);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!state.hints.contains(order[i])) {
      return given(card, order, i);
    }
  }
  return std::nullopt;
}

std::vector<GivenHint> shown_hints(const Card &card, const ExerciseState &state) {
  const std::vector<std::size_t> order = hint_order(card, state.diagnosis);
  std::vector<GivenHint> shown;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (state.hints.contains(order[i])) {
      shown.push_back(given(card, order, i));
    }
  }
  return shown;
}

std::vector<ExplainedHunk> compare_with_solution(const Exercise &exercise,
                                                 const std::string &mine) {
  const std::string stub = read_file(exercise.stub);
  const Solution answer = read_solution(exercise.solution);
  const std::string solved = apply_solution(answer, stub, exercise.solution);
  const std::vector<std::string> solution_hunks = hunks_of(answer.changes);

  std::vector<ExplainedHunk> explained;
  std::vector<bool> said(exercise.card.explanations.size(), false);
  for (const std::string &text : hunks_of(to_unified(diff_texts(mine, solved), {.context = 2}))) {
    ExplainedHunk hunk{text, {}};
    const Range here = changed_lines_of(text);
    for (std::size_t i = 0; i < said.size() && i < solution_hunks.size(); ++i) {
      if (!said[i] && touch(here, changed_lines_of(solution_hunks[i]))) {
        said[i] = true;
        hunk.explanations.push_back(exercise.card.explanations[i]);
      }
    }
    explained.push_back(std::move(hunk));
  }
  return explained;
}

std::vector<const Prediction *> open_predictions(const Card &card, const ExerciseState &state) {
  std::vector<const Prediction *> open;
  for (const Prediction &prediction : card.predictions) {
    std::size_t tries = 0;
    bool right = false;
    for (const Guess &guess : state.guesses) {
      tries += guess.counter == prediction.counter;
      right = right || (guess.counter == prediction.counter && guess.right());
    }
    if (tries < 2 && !right) {
      open.push_back(&prediction);
    }
  }
  return open;
}

std::optional<double> parse_guess(const std::string &text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) {
    return number(text);
  }
  const std::optional<double> above = number(text.substr(0, slash));
  const std::optional<double> below = number(text.substr(slash + 1));
  return above && below && *below != 0 ? std::optional(*above / *below) : std::nullopt;
}

std::string count_text(double count) { return fmt::format("{:.5g}", count); }

} // namespace tutor
