// What the time model said, beside what was measured: the tables, and bounds on how far off it is.
#include "lessons/predictions.hpp"
#include "lessons/results.hpp"
#include "support.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

const char *const h200 = COURSE_FOLDER "/docs/results/nvidia-h200_predictions.json";

std::vector<PredictedStep> recorded(auto wanted) {
  std::vector<PredictedStep> steps = predicted_steps(h200);
  std::erase_if(steps, [&](const PredictedStep &s) { return !wanted(s); });
  return steps;
}

void holds_order_and_factors(const Errors &e) {
  CHECK(e.in_order >= 0.94 * static_cast<double>(e.pairs));
  CHECK(e.median <= 1.20);
  CHECK(e.tenth <= 1.6);
  CHECK(20 * e.refused <= e.steps);
}

} // namespace

TEST_CASE(
    "predictions stand beside what was measured and what ncu saw, and their errors are counted") {
  ScratchFolder folder;
  folder.write("docs/results/card_05_sum.json", R"({"runs": [{"chapter": "05_sum", "device": "Card",
      "n": 64, "l2": "warm", "steps": [
      {"name": "v0_a", "ms": 4.0}, {"name": "v1_b", "ms": 1.0}, {"name": "v2_c", "ms": 1.05}]}]})");
  folder.write("docs/results/card_predictions.json", R"({"device": "Card", "runs": [
      {"chapter": "05_sum", "n": 64, "l2": "warm", "steps": [
      {"name": "v0_a", "ms": 2.0, "binds": "waits for memory", "term": "latency"},
      {"name": "v1_b", "ms": 3.0, "binds": "memory: 90 % of the ceiling", "term": "memory"},
      {"name": "v2_c", "refused": "why not"}]}]})");
  folder.write("docs/results/card_reasons.json", R"({"runs": [
      {"program": "05_sum", "step": "v0_a", "args": "--n 64", "launches": [
        {"stall_long_scoreboard": 9.0, "stall_barrier": 1.0, "unit_issue": 20.0}]},
      {"program": "05_sum", "step": "v1_b", "args": "--n 2^6 --only v1", "launches": [
        {"stall_long_scoreboard": 1.0, "stall_barrier": 8.0, "unit_issue": 50.0, "unit_l1": 10}]}]})");
  const auto file = folder.path() / "docs/results/card_predictions.json";
  const std::vector<PredictedStep> steps = predicted_steps(file);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].agrees);
  CHECK_FALSE(steps[1].agrees);
  CHECK(steps[1].recorded == "barrier; issue, 50 %");
  const Errors e = errors_of(steps, 1.7);
  CHECK(e.refused == 1);
  CHECK(e.pairs == 1);
  CHECK(e.in_order == 0);
  CHECK(e.tenth == doctest::Approx(3));
  CHECK(e.seen == 2);
  CHECK(e.agree == 1);
  const std::string table =
      results_table({folder.path() / "docs/results/card_05_sum.json", "", "step,ms,predicted", ""});
  CHECK(table.find("| `v1_b` | 1.0000 |        3.0000 |") != std::string::npos);
}

TEST_CASE("the time model is as good as its page says: chapters that nothing was fitted to, and "
          "the others") {
  holds_order_and_factors(
      errors_of(recorded([](const auto &s) { return !is_fitted(s.chapter); }), 1.7));
  holds_order_and_factors(
      errors_of(recorded([](const auto &s) { return is_fitted(s.chapter) && !s.published; }), 1.7));
}

TEST_CASE("what binds is what ncu saw, in most of the steps") {
  const Errors e = errors_of(recorded([](const auto &) { return true; }), 1.7);
  REQUIRE(e.seen > 50);
  CHECK(e.agree >= 0.85 * static_cast<double>(e.seen));
}

TEST_CASE(
    "a ladder that others published for another device: all in order, each within a quarter") {
  const std::vector<PredictedStep> steps = recorded([](const auto &s) { return s.published; });
  const Errors e = errors_of(steps, 1.7);
  CHECK(steps.size() == 8);
  CHECK(e.refused == 0);
  CHECK(e.in_order == e.pairs);
  CHECK(std::ranges::all_of(
      steps, [](const PredictedStep &s) { return s.factor() < 1.25 && s.factor() > 1 / 1.25; }));
}

TEST_CASE(
    "nine in ten times are within the band that is printed: of the course, and of the last kernels "
    "that were predicted before they were timed") {
  std::vector<PredictedStep> blind = blind_steps(h200);
  REQUIRE(blind.size() >= 20);
  const std::string last = blind.back().chapter;
  std::erase_if(blind, [&](const PredictedStep &s) { return s.chapter != last; });
  for (const std::vector<PredictedStep> &steps :
       {recorded([](const auto &) { return true; }), blind}) {
    const Errors e = errors_of(steps, printed_band(h200));
    CHECK(e.inside >= 0.9 * static_cast<double>(e.steps - e.refused));
  }
}
