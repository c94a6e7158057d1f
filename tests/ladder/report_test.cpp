#include "ladder/detail/ladder_result.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <sstream>
#include <unistd.h>

using namespace lab::detail;

namespace {

std::deque<Entry> &entries() {
  static std::deque<Entry> list;
  return list;
}

EntryResult step(const char *name, lab::Kind kind, double ms, double read_ceiling) {
  entries().emplace_back();
  entries().back().name = name;
  entries().back().kind = kind;
  EntryResult result;
  result.entry = &entries().back();
  result.cases = result.right = 3;
  result.measured = true;
  result.timing = {ms, 0.99 * ms, 1.01 * ms, 0.98 * ms, 21};
  result.bytes = 1e9;
  result.ceiling = lab::Ceiling::read;
  result.ceiling_gbps = read_ceiling;
  return result;
}

RunResult example() {
  RunResult run;
  run.chapter = "05_reduction";
  run.title = "a \"sum\"\nof integers";
  run.backend = "cuda";
  run.device = "NVIDIA Test";
  run.n = 250000000;
  run.block = 256;
  run.measured_with = {.reps = 21, .max_noise_percent = 5.0};
  run.has_ceilings = true;
  run.ceilings = {2000.0, 2500.0, 1 << 20};
  run.checked_sizes = {0, 1, 1000003};
  run.checked_blocks = {32, 1024};
  run.steps.push_back(step("v0_first", lab::Kind::step, 2.0, 2500.0));
  run.steps.push_back(step("v1_second", lab::Kind::step, 0.5, 2500.0));
  run.steps.push_back(step("vendor", lab::Kind::rival, 0.45, 2500.0));
  return run;
}

/// \param timed  whether its steps took time there
RunResult on_emulator(bool timed = false) {
  RunResult run = example();
  run.backend = "emulator";
  run.has_ceilings = false;
  for (EntryResult &step : run.steps)
    step.emulated = timed;
  return run;
}

std::string line_with(const std::string &text, const std::string &part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos)
      return line;
  return "";
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// Characters, not bytes: the first byte of a UTF-8 character is not of the form 10xxxxxx.
std::size_t widest(const std::string &text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (unsigned char c : line)
      width += (c & 0xC0) != 0x80;
    widest = std::max(widest, width);
  }
  return widest;
}

} // namespace

TEST_CASE("figures are derived from the median") {
  const RunResult run = example();
  CHECK(run.steps[0].gbps() == doctest::Approx(500.0));
  CHECK(run.steps[0].percent_of_ceiling() == doctest::Approx(20.0));
  CHECK(run.steps[0].timing.spread_percent() == doctest::Approx(1.0));
}

TEST_CASE("the table: each step against the one before, the rival last, within 80 columns") {
  const std::string text = table_text(example(), {});
  CHECK(contains(line_with(text, "v1_second  "), "4.00"));
  CHECK(contains(line_with(text, "v1_second  "), "80.0"));
  CHECK(contains(text, "v1_second runs 0.90 x as fast as vendor"));
  CHECK(text.find("v1_second  ") < text.find("vendor  "));
  CHECK(widest(text) <= 80);
}

TEST_CASE(
    "arithmetic is held against arithmetic, and what stands beside the ladder against nothing") {
  RunResult run = example();
  run.has_ceilings = false;
  run.fma_tflops = 4.0;
  for (EntryResult &step : run.steps) {
    step.bytes = 0.0;
    step.flops = 1e9; // in 2, 0.5 and 0.45 ms
    step.ceiling = lab::Ceiling::fma;
    step.ceiling_gbps = 0.0;
    step.ceiling_tflops = 4.0;
  }
  run.steps.insert(run.steps.begin() + 1, run.steps[0]);
  Entry aside = *run.steps[1].entry;
  aside.name = "k0_aside";
  aside.aside = true;
  run.steps[1].entry = &aside;
  run.steps[1].timing.median_ms = 1.0;
  CHECK(run.steps[0].percent_of_ceiling() == doctest::Approx(12.5));
  const std::string table = table_text(run, {});
  CHECK(table.find("% of FMA") != std::string::npos);
  CHECK(table.find("4.0 TFLOP/s of float multiply-adds") != std::string::npos);
  CHECK(line_with(table, "k0_aside").find("25.0") != std::string::npos);
  CHECK(line_with(table, "k0_aside").find("2.00") == std::string::npos);
  CHECK(line_with(table, "v1_second").find("4.00") != std::string::npos);
  const auto json = nlohmann::json::parse(json_text(run));
  CHECK(json["fma_tflops"] == 4.0);
  CHECK(json["steps"][0]["ceiling"] == "fma");
}

TEST_CASE("a share above the ceiling is flagged, one below is not") {
  RunResult run = example();
  CHECK_FALSE(contains(table_text(run, {}), "!"));
  run.steps[1].timing.median_ms = 0.3;
  const std::string text = table_text(run, {});
  CHECK(contains(line_with(text, "v1_second  "), "133.3!"));
  CHECK(contains(text, "Not a bandwidth"));
  CHECK(nlohmann::json::parse(json_text(run))["steps"][1]["above_ceiling"] == true);
}

TEST_CASE("on the emulator there is a time, labelled, and no bandwidth") {
  RunResult run = on_emulator(true);
  const std::string text = table_text(run, {});
  CHECK_FALSE(contains(text, "GB/s"));
  CHECK(contains(text, "emulated in*"));
  CHECK(widest(text) <= 80);
  const auto json = nlohmann::json::parse(json_text(run));
  CHECK(json["copy_gbps"].is_null());
  CHECK(json["steps"][0]["gbps"].is_null());
  CHECK(json["steps"][0]["percent_of_ceiling"].is_null());
}

TEST_CASE("where no step on the emulator is right, the table has no column for its time") {
  const std::string text = table_text(on_emulator(), {});
  CHECK(contains(text, "right\n"));
  CHECK_FALSE(contains(text, "emulated in"));
  CHECK_FALSE(contains(text, "*"));
}

TEST_CASE("where something was counted, the table shows that and no time") {
  RunResult run = on_emulator(true);
  run.steps[0].counters = {{"barriers_per_block", 9.0}, {"sectors_per_request", 4.5}};
  run.steps[1].counters = {{"max_conflict", 8.0}, {"active_lanes", 5.3636}};
  std::string text = table_text(run, {});
  CHECK(contains(text, "right  sectors  lanes  conflict  barriers\n"));
  CHECK(line_with(text, "v0_first").ends_with("4.5                          9"));
  CHECK(line_with(text, "v1_second").ends_with("5.36         8"));
  CHECK_FALSE(contains(text, "emulated in"));
  CHECK_FALSE(contains(text, " ms"));
  CHECK(contains(text, "conflict: the most lanes"));
  CHECK_FALSE(contains(text, "used %:")); // not counted, not explained
  CHECK_FALSE(contains(text, "hazard"));
  CHECK(widest(text) <= 80);
  run.steps[1].counters.push_back({"page_faults", 2048.0});
  run.steps[1].counters.push_back({"pages_sent", 0.0});
  text = table_text(run, {});
  CHECK(contains(text, "barriers  faults  sent\n"));
  CHECK(line_with(text, "v1_second").ends_with("    2048     0"));
  run.hazards = 2;
  text = table_text(run, {});
  CHECK(contains(text, "2 hazards were seen while counting; ./tutor observe 05_reduction"));
  CHECK(nlohmann::json::parse(json_text(run))["steps"][0]["counters"] ==
        nlohmann::json{{"barriers_per_block", 9.0}, {"sectors_per_request", 4.5}});
}

TEST_CASE("a reader is told once what a column means, and each time where to read it again") {
  RunResult run = on_emulator();
  run.steps[0].counters = {{"barriers_per_block", 9.0}};
  const std::string file =
      std::filesystem::temp_directory_path() / ("legends_seen." + std::to_string(getpid()));
  setenv("EMU_LEGENDS_SEEN", file.c_str(), 1);
  const std::string first = table_text(run, {}), second = table_text(run, {});
  run.steps[0].counters.push_back({"page_faults", 1.0});
  const std::string another = table_text(run, {});
  unsetenv("EMU_LEGENDS_SEEN");
  std::filesystem::remove(file);
  CHECK(contains(first, "barriers: __syncthreads()"));
  CHECK_FALSE(contains(first, "--legend"));
  CHECK_FALSE(contains(second, "barriers: __syncthreads()"));
  CHECK(contains(second, "(run --legend explains the columns)"));
  CHECK_FALSE(contains(another, "barriers: __syncthreads()"));
  CHECK(contains(another, "faults: pages of managed memory"));
  CHECK(contains(another, "(run --legend explains the other columns)"));
}

TEST_CASE("a wrong step is named, with its first failure, and makes the run wrong") {
  RunResult run = example();
  CHECK(run.all_right());
  CHECK(contains(check_text(run, {}), "All right."));
  run.steps[1].right = 2;
  run.steps[1].first_failure = "n = 1: sum: expected 3, got 4";
  CHECK_FALSE(run.all_right());
  const std::string text = check_text(run, {});
  CHECK(contains(text, "1 of 3 wrong"));
  CHECK(contains(text, "expected 3, got 4"));
  CHECK_FALSE(contains(text, "All right."));
  CHECK(nlohmann::json::parse(json_text(run))["steps"][1]["ok"] == false);
}

TEST_CASE("a step whose spread stayed above what was asked for is named") {
  RunResult run = example();
  CHECK_FALSE(contains(table_text(run, {}), "the spread"));
  CHECK(nlohmann::json::parse(json_text(run))["steps"][1]["noisy"] == false);
  run.steps[1].timing.is_noisy = true;
  const std::string text = table_text(run, {});
  CHECK(
      contains(text, "v1_second: the spread was above 5 % after 21 runs, when its 1 s were over;"));
  CHECK(widest(text) <= 80);
  const auto json = nlohmann::json::parse(json_text(run));
  CHECK(json["steps"][1]["noisy"] == true);
  CHECK(json["max_noise_percent"] == 5.0);
  CHECK(json["timeout_s"] == 1.0);
  run.measured_with.max_noise_percent = std::numeric_limits<double>::infinity();
  CHECK(nlohmann::json::parse(json_text(run))["max_noise_percent"].is_null());
}

TEST_CASE("a step that was never checked is not right") {
  RunResult run = example();
  run.steps[0].cases = run.steps[0].right = 0;
  CHECK_FALSE(run.all_right());
}

TEST_CASE("a trap that shows nothing is a failure, unless what it does is undefined") {
  entries().emplace_back();
  Entry &entry = entries().back();
  entry.name = "trap";
  RunResult run;
  run.traps.push_back({&entry, 20, 0, ""});
  CHECK_FALSE(run.all_right());
  CHECK(contains(trap_text(run.traps[0], {}), "came out RIGHT"));
  entry.may_be_right = true;
  CHECK(run.all_right());
  CHECK(contains(trap_text(run.traps[0], {}), "undefined"));
  run.traps[0].wrong = 3;
  CHECK(contains(trap_text(run.traps[0], {}), "3 of 20 times"));
  CHECK_FALSE(contains(trap_text(run.traps[0], {}), "hardly shows"));
  run.traps[0].wrong = 2;
  CHECK(contains(trap_text(run.traps[0], {}), "hardly shows"));
}

TEST_CASE("the JSON file holds the promised keys and survives quotes and NaN") {
  RunResult run = example();
  run.steps[0].timing.median_ms = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(json_text(run));
  for (const char *key :
       {"chapter", "backend", "device", "driver", "toolkit", "n", "copy_gbps", "steps"})
    CHECK(json.contains(key));
  for (const char *key : {"name", "ok", "ms", "gbps", "percent_of_ceiling", "counters"})
    CHECK(json["steps"][1].contains(key));
  CHECK(json["copy_gbps"] == 2000.0);
  CHECK(json["steps"][0]["ms"].is_null());
  CHECK(json["steps"][1]["gbps"] == 2000.0);
}

TEST_CASE("with nothing to move there is a bandwidth key, and it is null") {
  RunResult run = example();
  run.n = 0;
  for (EntryResult &s : run.steps)
    s.bytes = 0.0;
  run.steps[1].flops = 1e9;
  const auto json = nlohmann::json::parse(json_text(run));
  REQUIRE(json["steps"][0].contains("gbps"));
  CHECK(json["steps"][0]["gbps"].is_null());
  CHECK(json["steps"][0]["percent_of_ceiling"].is_null());
  CHECK_FALSE(json["steps"][1].contains("gbps"));
  CHECK(json["steps"][1]["tflops"] == 2.0);
}

TEST_CASE("a skipped rival is shown and counted with its reason, and is no failure") {
  RunResult run = example();
  entries().emplace_back();
  entries().back().name = "cub";
  entries().back().kind = lab::Kind::rival;
  entries().back().skip_reason = "not on the emulator";
  EntryResult skipped;
  skipped.entry = &entries().back();
  run.steps.push_back(skipped);
  CHECK(run.all_right());
  CHECK(contains(check_text(run, {}), "skipped here: cub: not on the emulator"));
  const auto json = nlohmann::json::parse(json_text(run));
  CHECK(json["steps"][3]["skipped"] == "not on the emulator");
  CHECK(json["steps"][3]["ok"].is_null());
}

TEST_CASE("the last step is compared with every rival and yardstick, not with itself") {
  RunResult run = example();
  entries().push_back(*run.steps[0].entry);
  entries().back().yardstick = true;
  run.steps[0].entry = &entries().back();
  CHECK(contains(table_text(run, {}), "v1_second runs 4.00 x as fast as v0_first"));
  run.steps.erase(run.steps.begin() + 1, run.steps.end());
  CHECK_FALSE(contains(table_text(run, {}), "x as fast as"));
}

TEST_CASE("a matrix that is not square is named by rows and columns") {
  RunResult run = example();
  run.n = 0;
  run.shape = {1023, 1025};
  run.checked_shapes = {{1, 4097}};
  CHECK(contains(table_text(run, {}), "1023 x 1025"));
  CHECK(contains(check_text(run, {}), "1000003, 1 x 4097"));
  run.checked_sizes.clear();
  CHECK(contains(check_text(run, {}), "checked at 1 x 4097;"));
  CHECK(nlohmann::json::parse(json_text(run))["cols"] == 1025);
}
