#include "lessons/results.hpp"
#include "lessons/table.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

const char *recorded = R"({"date": "2026-11-20", "runs": [
  {"device": "Card", "driver": "580", "toolkit": "13.0", "n": 1024, "steps": [
    {"name": "v0_plain", "ok": true, "ms": 2.0, "spread_percent": 1.25, "gbps": 100.0, "percent_of_ceiling": 25.0},
    {"name": "v1_fast", "ok": true, "ms": 0.5, "gbps": 400.0, "percent_of_ceiling": 99.95,
     "counters": {"sectors": 4}},
    {"name": "v10_other", "ok": false, "ms": null, "gbps": null, "skipped": "no library"}]},
  {"device": "Card", "n": 2048, "steps": []}]})";

const char *published = R"({"sum": {"device": "Old card", "source": "a report", "peak_gbps": 200,
  "steps": [{"name": "v0", "gbps": 50.0}, {"name": "v1", "gbps": 180.0}]}})";

struct Fixture {
  ScratchFolder folder;
  std::filesystem::path file = folder.write("card.json", recorded);

  ResultsQuery query(const std::string &columns, const std::string &steps = "") const {
    return {file, "n=1024", columns, steps};
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a results table has a row per step and says where it comes from") {
  CHECK(results_table(query("step,ms,gbps,percent,times", "v0,v1")) ==
        "| step       |     ms |  GB/s | % of ceiling | x over the step before |\n"
        "| ---------- | -----: | ----: | -----------: | ---------------------: |\n"
        "| `v0_plain` | 2.0000 | 100.0 |         25.0 |                      – |\n"
        "| `v1_fast`  | 0.5000 | 400.0 |        100.0 |                   4.00 |\n"
        "\n*Card, driver 580, toolkit 13.0, n = 1024, recorded 2026-11-20.*\n");
}

TEST_CASE_FIXTURE(Fixture, "skipped steps give their reason, counters are columns") {
  const std::string table = results_table(query("step,check,counter.sectors"));
  CHECK(table.find("| `v10_other` | skipped: no library |       – |") != std::string::npos);
  CHECK(table.find("| `v1_fast`   | ok                  |       4 |") != std::string::npos);
  CHECK(results_table(query("step,spread", "v0")).find("| `v0_plain` |         1.2 |") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a host loop has no ceiling, and no step is compared with it") {
  const auto with_host = folder.write("host.json",
                                      R"({"device": "Card", "steps": [
        {"name": "host", "kind": "cpu", "ms": 8.0, "percent_of_ceiling": 1.0},
        {"name": "v0", "kind": "step", "ms": 2.0, "percent_of_ceiling": 50.0},
        {"name": "vendor", "kind": "rival", "ms": 1.0, "percent_of_ceiling": 99.0}]})");
  CHECK(results_table({with_host, "", "percent,times", ""}) ==
        "| % of ceiling | x over the step before |\n"
        "| -----------: | ---------------------: |\n"
        "|            – |                      – |\n"
        "|         50.0 |                      – |\n"
        "|         99.0 |                      – |\n"
        "\n*Card.*\n");
}

TEST_CASE_FIXTURE(Fixture, "wrong queries are refused") {
  const auto error = [&](ResultsQuery query) { return thrown_by([&] { results_table(query); }); };
  CHECK(error(query("step,colour")).starts_with("unknown column 'colour'"));
  CHECK(error(query("step", "v7")).find("has no 'v7'") != std::string::npos);
  CHECK(error({file, "", "step", ""}).find("holds several runs") != std::string::npos);
  CHECK(error({file, "n=7", "step", ""}).find("has no 'n=7'") != std::string::npos);
  CHECK(error({folder.path() / "none.json", "", "step", ""}).starts_with("cannot read"));
  CHECK(error({folder.write("bad.json", "{"), "", "step", ""}).find("not valid JSON") !=
        std::string::npos);
  CHECK(error({folder.write("empty.json", "{}"), "", "step", ""}).find("has no 'steps'") !=
        std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "then and now side by side, joined by the step's number") {
  const auto then = folder.write("published.json", published);
  const std::string table = compare_table({then, "sum", query("")});
  CHECK(table.find("| `v1_fast`  |          180.0 |      90.0 |      400.0 |        100.0 |") !=
        std::string::npos);
  CHECK(table.find("*Then: Old card, published: a report. Now: Card, ") != std::string::npos);
  CHECK(thrown_by([&] {
          compare_table({then, "product", query("")});
        }).find("has no 'product'") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "single figures by key, index, condition and step number") {
  const auto value = [&](const std::string &path, const std::string &format) {
    return single_value(file, path, format);
  };
  CHECK(value("runs/n=1024/steps/v1/ms", "") == "0.500");
  CHECK(value("runs/0/steps/0/gbps", ".1f") == "100.0");
  CHECK(value("runs/1/n", "") == "2048");
  CHECK(value("runs/0/device", "") == "Card");
}

TEST_CASE_FIXTURE(Fixture, "figures that are none, and formats that are none") {
  const auto error = [&](const std::string &path, const std::string &format) {
    return thrown_by([&] { single_value(file, path, format); });
  };
  CHECK(error("runs/0/steps/v1", "").find("is no single figure") != std::string::npos);
  CHECK(error("runs/0/steps/v10/ms", "").find("is no single figure") != std::string::npos);
  CHECK(error("runs/7", "").find("has no '7'") != std::string::npos);
  CHECK(error("runs/0/n", "!").starts_with("'!' is no format"));
}

TEST_CASE("tables are padded by characters, not bytes") {
  CHECK(to_markdown({{{"µ", Align::left}, {"n", Align::right}}, {{"–", "10000"}}}) ==
        "| µ   |     n |\n| --- | ----: |\n| –   | 10000 |\n");
}

TEST_CASE("a matrix that is not square is named by its rows and columns") {
  const ScratchFolder folder;
  const auto file = folder.write("card.json",
                                 R"({"date": "2026-11-20", "runs": [
    {"device": "Card", "n": 0, "rows": 3, "cols": 5, "steps": [{"name": "v0", "ok": true}]}]})");
  const std::string table = results_table({file, "rows=3", "step", ""});
  CHECK(table.find("*Card, 3 x 5, recorded") != std::string::npos);
}
