#include "common/check.hpp"
#include "ladder/detail/ladder_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using lab::UsageError;
using lab::detail::LadderCore;
using lab::detail::Options;

namespace {

LadderCore example() {
  LadderCore core("05_reduction", "a sum");
  core.blocks.check = {32, 256};
  for (const char *name : {"v1_first", "v10_tenth", "v2_second"})
    core.add(lab::Kind::step, name);
  core.add(lab::Kind::rival, "rival_vendor");
  core.add(lab::Kind::step, "v3_after_the_rival");
  core.add(lab::Kind::trap, "trap_tail");
  core.add(lab::Kind::trap, "trap_race");
  core.add(lab::Kind::demo, "demo");
  return core;
}

Options parse(std::vector<std::string> arguments) {
  static const LadderCore core = example();
  std::vector<char *> argv = {const_cast<char *>("program")};
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  return lab::detail::parse_options(static_cast<int>(argv.size()), argv.data(), core);
}

std::string refusal(std::vector<std::string> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const UsageError &error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> selected(std::vector<std::string> arguments) {
  static const LadderCore core = example();
  std::vector<std::string> names;
  for (const auto *entry : lab::detail::select_entries(core, parse(std::move(arguments))))
    names.push_back(entry->name);
  return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("good options are taken") {
  CHECK(parse({"--n", "0"}).n_given);
  CHECK(parse({"--n=1000003"}).n == 1000003);
  CHECK(parse({"--n", "2^28"}).n == 1u << 28);
  CHECK(parse({"--block", "256"}).block == 256);
  CHECK(parse({"--seed", "18446744073709551615"}).seed == UINT64_MAX);
  CHECK(parse({"--json", "x.json"}).json == "x.json");
  CHECK(parse({"--min-time", "0.5"}).min_time_s == 0.5);
  CHECK(parse({"--max-noise=2"}).max_noise_percent == 2.0);
  CHECK(parse({"--timeout", "0"}).timeout_s == 0.0);
  CHECK(parse({"--check-only", "--traps"}).traps);
  CHECK_FALSE(parse({}).n_given);
}

TEST_CASE("bad values are refused in one line that names option and value") {
  for (const char *text : {"-5",
                           "abc",
                           "99999999999999",
                           "",
                           " 1",
                           "1 ",
                           "+1",
                           "1e6",
                           "0x10",
                           "2^99",
                           "2^",
                           "2^-1",
                           "99999999999999999999999999"}) {
    const std::string message = refusal({"--n", text});
    CAPTURE(text);
    CHECK(message.find("--n") != std::string::npos);
    CHECK(message.find("\"" + std::string(text) + "\"") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
  for (const char *option : {"--min-time", "--max-noise", "--timeout"})
    for (const char *text : {"", "-1", "abc", "1e3", "0.5s", "1,5", "inf", "nan", "99999"}) {
      const std::string message = refusal({option, text});
      CAPTURE(text);
      CHECK(message.find(option) == 0);
      CHECK(message.find("\"" + std::string(text) + "\"") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
  CHECK_FALSE(refusal({"--reps", "0"}).empty());
  CHECK_FALSE(refusal({"--block", "48"}).empty());
  CHECK_FALSE(refusal({"--l2", "tepid"}).empty());
  CHECK_FALSE(refusal({"--json", ""}).empty());
  CHECK_FALSE(refusal({"--n"}).empty());
  CHECK_FALSE(refusal({"--list=yes"}).empty());
  CHECK_FALSE(refusal({"--bogus"}).empty());
  CHECK_FALSE(refusal({"v3"}).empty());
}

TEST_CASE("--block is an option only where a chapter has block sizes") {
  LadderCore core = example();
  core.blocks.check.clear();
  char program[] = "program", option[] = "--block", value[] = "256";
  char *argv[] = {program, option, value};
  CHECK_THROWS_AS(lab::detail::parse_options(3, argv, core), UsageError);
}

TEST_CASE("a step answers to its name, its number and a beginning of its own") {
  CHECK(selected({"--only", "v1"}) == Names{"v1_first"});
  CHECK(selected({"--only", "v10"}) == Names{"v10_tenth"});
  CHECK(selected({"--only", "v2_s"}) == Names{"v2_second"});
  CHECK(selected({"--only", "trap_tail"}) == Names{"trap_tail"});
  CHECK(selected({"--only", "demo"}) == Names{"demo"});
  CHECK(selected({"--only", "v2", "--only", "v2_second"}) == Names{"v2_second"});
}

TEST_CASE("an unknown or ambiguous name is refused with what there is") {
  CHECK_THROWS_WITH_AS(selected({"--only", "v9"}),
                       "--only v9: no such step; there are v1_first, v10_tenth, v2_second, "
                       "rival_vendor, v3_after_the_rival, trap_tail, trap_race, demo",
                       UsageError);
  CHECK_THROWS_WITH_AS(selected({"--only", "trap"}),
                       "--only trap could mean any of trap_tail, trap_race",
                       UsageError);
  CHECK_THROWS_AS(selected({"--only", ""}), UsageError);
}

TEST_CASE("without --only: steps and rivals, the rivals last; traps only on request") {
  const Names steps = {"v1_first", "v10_tenth", "v2_second", "v3_after_the_rival", "rival_vendor"};
  CHECK(selected({}) == steps);
  Names checked = steps;
  checked.insert(checked.end() - 1, "demo");
  CHECK(selected({"--check-only"}) == checked);
  CHECK(selected({"--traps"}) == Names{"trap_tail", "trap_race"});
}

TEST_CASE("two steps of one name are refused") {
  LadderCore core = example();
  CHECK_THROWS_AS(core.add(lab::Kind::step, "v1_first"), lab::Error);
}

TEST_CASE("a matrix's size is an edge, or rows and columns") {
  LadderCore core = example();
  core.sizes.largest = 5000;
  core.sizes.shapes = {{1, 4097}};
  const auto size = [&](std::string text) {
    std::string program = "program", option = "--n";
    char *argv[] = {program.data(), option.data(), text.data()};
    return lab::detail::parse_options(3, argv, core);
  };
  CHECK(size("1023x1025").shape.rows == 1023);
  CHECK(size("1023x1025").shape.cols == 1025);
  CHECK(size("1023x1025").n == 0);
  CHECK(size("2^10").n == 1024);
  CHECK(size("2^10").shape.cols == 1024);
  CHECK(size("7x7").n == 7);
  for (const char *text : {"5x", "x5", "5x5x5", "5X5", "5001", "1x5001", "-1x5", "5 x 5"})
    CHECK_THROWS_AS(size(text), UsageError);
  CHECK(refusal({"--n", "3x5"}).find("--n") == 0); // in a chapter that is not about matrices
}
