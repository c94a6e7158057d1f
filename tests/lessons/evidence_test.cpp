#include "lessons/evidence.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

struct Chapter {
  ScratchFolder folder;

  Chapter() {
    folder.write("docs/results/card_05_sum.json", R"({"runs": [{"device": "Card", "steps": [
      {"name": "host", "kind": "cpu", "ms": 80.0},
      {"name": "v0_plain", "ms": 2.0, "gbps": 100.0}, {"name": "v1_fast", "ms": 0.5, "gbps": 400.0},
      {"name": "v2_new", "ms": 0.5}]}]})");
    folder.write("docs/results/card_reasons.json", R"({"runs": [
      {"program": "05_sum", "step": "v0_plain", "launches": [{"registers": 16, "dram_read": 1073741824,
        "occupancy": 93.6, "stall_selected": 1, "stall_long_scoreboard": 6, "stall_barrier": 3,
        "stall_wait": 0, "unit_dram": 88.4, "unit_issue": 12}]},
      {"program": "05_sum", "step": "v1_fast", "launches": [{"registers": 24, "dram_read": 999,
        "occupancy": 50, "stall_selected": 2, "stall_long_scoreboard": 1, "stall_barrier": 1,
        "stall_wait": 4, "unit_dram": 30, "unit_issue": 71.6}]}]})");
    folder.write("emulator/tests/golden/card.json", R"({"runs": [
      {"program": "05_sum", "step": "v0_plain", "launches": [
        {"global_load_requests": 10, "global_load_sectors": 320, "shared_load_requests": 0, "shared_load_wavefronts": 0},
        {"global_load_requests": 30, "global_load_sectors": 0, "shared_load_requests": 0, "shared_load_wavefronts": 0}]},
      {"program": "05_sum", "step": "v1_fast", "launches": [
        {"global_load_requests": 20000, "global_load_sectors": 80000, "shared_load_requests": 2, "shared_load_wavefronts": 3}]}]})");
    folder.write("chapters/05_sum/output/ladder.txt",
                 "step      right  used %  barriers\n"
                 "host        1/1\n"
                 "v0_plain    1/1    25.0         8\n"
                 "v1_fast     1/1    97.3\n");
  }

  EvidenceQuery query(const std::string &step, std::vector<std::string> watch = {}) const {
    EvidenceQuery query;
    query.root = folder.path();
    query.lesson = folder.path() / "chapters/05_sum/README.md";
    query.step = step;
    query.watch = std::move(watch);
    return query;
  }
  std::string error(const EvidenceQuery &query) const {
    return thrown_by([&] { evidence_table(query); });
  }
};

bool holds(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE_FIXTURE(Chapter,
                  "a step stands beside the one before: time, what to watch, why it waits") {
  const std::string table = evidence_table(query("v1",
                                                 {"load_sectors",
                                                  "load_requests",
                                                  "shared_load_wavefronts",
                                                  "registers",
                                                  "dram_read",
                                                  "occupancy",
                                                  "ladder:barriers",
                                                  "ladder:used",
                                                  "results:gbps"}));
  CHECK(holds(table, "| time "));
  CHECK(holds(table, "| 2.0000 ms "));
  CHECK(holds(table, "| 0.5000 ms, 4.00 x as fast "));
  CHECK(holds(table, "| sectors per load, counted "));
  CHECK(holds(table, "| 8 "));
  CHECK(holds(table, "| 20 k "));
  CHECK(holds(table, "| 16 "));
  CHECK(holds(table, "| 1.07 GB "));
  CHECK(holds(table, "| 94 % "));
  CHECK(holds(table, "| 97.3 "));
  CHECK(holds(table, "| 400 "));
  CHECK(holds(table, "| global memory (long scoreboard) 60 %, the barrier 30 % "));
  CHECK(holds(table, "| its last instruction (wait) 50 %"));
  CHECK(holds(table, "| DRAM, 88 % "));
  CHECK(holds(table, "| issue slots, 72 % "));
}

TEST_CASE_FIXTURE(Chapter, "the first step stands alone, and a host loop is no step before") {
  const std::string table = evidence_table(query("v0"));
  CHECK(holds(table, "`v0`"));
  CHECK_FALSE(holds(table, "host"));
  CHECK_FALSE(holds(table, "as fast"));
}

TEST_CASE_FIXTURE(Chapter, "a yardstick is no step before, and a step may launch no kernel") {
  folder.write("docs/results/card_05_sum.json", R"({"runs": [{"device": "Card", "steps": [
      {"name": "copy", "kind": "step", "ms": 1.0}, {"name": "v0_host", "ms": 4.0}, {"name": "v1_fast", "ms": 0.5}]}]})");
  folder.write("docs/results/card_reasons.json", R"({"runs": [
      {"program": "05_sum", "step": "v0_host", "launches": []}]})");
  const std::string table = evidence_table(query("v0", {"registers"}));
  CHECK_FALSE(holds(table, "copy"));
  CHECK(holds(table, "| registers per thread | no kernel |"));
  CHECK(holds(table, "| busiest unit         | no kernel |"));
  CHECK(holds(evidence_table(query("v1")), "| waits for    | no kernel | not recorded"));
}

TEST_CASE_FIXTURE(Chapter, "any other step may be the one before") {
  EvidenceQuery other = query("v2");
  other.before = "v0";
  CHECK(holds(evidence_table(other), "| `v0` "));
}

TEST_CASE_FIXTURE(Chapter, "what nobody recorded is said to be missing") {
  CHECK(holds(evidence_table(query("v2", {"registers", "load_sectors"})), not_recorded));
}

TEST_CASE_FIXTURE(Chapter, "a wrong name is refused, and the message lists the right ones") {
  CHECK(holds(error(query("v9")), "has no 'v9'"));
  CHECK(holds(error(query("v1", {"speed"})), "unknown quantity 'speed': use load_sectors, "));
  CHECK(holds(error(query("v1", {"ladder:colour"})), "has no column 'colour'"));
  CHECK(holds(error(query("v2", {"ladder:barriers"})), "has no row of v2_new"));
  CHECK(holds(error(query("v1", {"results:watts"})), "holds no 'watts'"));
  EvidenceQuery nowhere = query("v1");
  nowhere.lesson = folder.path() / "chapters/06_other/README.md";
  CHECK(holds(error(nowhere), "no results of 06_other"));
}
