#include "support.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>

using tutor::Captured;
using Json = nlohmann::ordered_json;

namespace {

/// Two recordings of a chapter, which may be changed before they are compared.
struct Recordings {
  TemporaryFolder folder;
  fs::path root = folder.path() / "course";
  Json then = Json::parse(
      R"({"chapter": "05_reduction", "device": "Card", "n": 1024, "l2": "warm", "steps": [
    {"name": "v0_a", "ms": 2.0, "spread": 0.1},
    {"name": "v1_b", "ms": 1.0, "spread": 0.01},
    {"name": "v2_gone", "ms": 0.5, "spread": 0.0}]})");
  Json now = Json::parse(
      R"({"chapter": "05_reduction", "device": "Card", "n": 1024, "l2": "warm", "steps": [
    {"name": "v0_a", "ms": 2.05, "spread": 0.0},
    {"name": "v1_b", "ms": 0.5, "spread": 0.02},
    {"name": "v3_new", "ms": 0.25, "spread": 0.0},
    {"name": "v4_skipped", "ok": null}]})");

  Recordings() { copy_fixture(root); }
  Captured compare(const std::string &old_text, const std::string &new_text) const {
    const fs::path old_file = folder.path() / "old.json", new_file = folder.path() / "new.json";
    std::ofstream(old_file) << old_text;
    std::ofstream(new_file) << new_text;
    return tutor_on(root, {"bench", "--compare", old_file.string(), new_file.string()});
  }
  void check_refused(const Captured &result, const std::string &words) const {
    CAPTURE(result.output);
    CHECK(result.exit_code == 2);
    CHECK(line_count(result.output) == 1);
    CHECK(holds(result.output, words));
  }
};

} // namespace

TEST_CASE_FIXTURE(Recordings,
                  "two recordings: both times, their ratio, and changes beyond the spread") {
  for (const bool of_bench : {false, true}) {
    const Json old_json = of_bench ? Json{{"runs", {then}}} : then;
    const Json new_json = of_bench ? Json{{"runs", {now}}} : now;
    const Captured result = compare(old_json.dump(), new_json.dump());
    CHECK(result.exit_code == 0);
    CHECK(result.output ==
          "05_reduction on Card, n = 1024, L2 warm\n"
          "step                                  old ms      new ms    ratio\n"
          "v0_a                                  2.0000      2.0500    1.025  within the spread\n"
          "v1_b                                  1.0000      0.5000    0.500  faster\n"
          "v3_new                                     –      0.2500\n"
          "v4_skipped                                 –           –\n"
          "v2_gone                               0.5000           –\n");
  }
  CHECK(holds(compare(now.dump(), then.dump()).output, "2.000  slower\n"));
}

TEST_CASE_FIXTURE(Recordings, "what cannot be compared is refused in one line") {
  const std::string old_text = then.dump();
  for (const auto &[key, other] : {std::pair<std::string, Json>{"chapter", "06_atomics"},
                                   {"device", "Other card"},
                                   {"n", 2048},
                                   {"rows", 3},
                                   {"l2", "cold"}}) {
    Json changed = now;
    changed[key] = other;
    check_refused(compare(old_text, changed.dump()), "cannot be compared: " + key + " is ");
  }
  check_refused(compare(old_text, Json{{"runs", {now, now}}}.dump()), "1 runs in the one");
  for (const std::string text :
       {"", "{", "[]", "7", "{\"a\": 1}", "{\"runs\": [1]}", "{\"runs\": 5}"}) {
    check_refused(compare(old_text, text), "new.json is no recording");
  }
  now["steps"][0].erase("name");
  check_refused(compare(old_text, now.dump()), "lacks something");
  check_refused(tutor_on(root, {"bench", "--compare", "/nowhere", "/nowhere"}),
                "/nowhere is no recording");
  check_refused(tutor_on(root, {"bench", "--compare", "/nowhere"}), "--compare");
}
