// compare_counters RECORDED.json --build DIR [--page FILE.md [--check]]
//
// Runs what tools/record_counters.py has recorded on a GPU once more under the emulator's
// instruments, and prints both counts. With --page the table is written between the page's markers;
// with --check as well, it must be there already. No step may have a hazard.
//
// Exit: 0 done, 1 the page is stale, a program failed or has a hazard, 2 wrong usage.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compare.hpp"

namespace {

namespace fs = std::filesystem;
using namespace counters;
using nlohmann::json;

struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string read_file(const fs::path &path) {
  std::ifstream file(path);
  if (!file)
    throw Usage("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::string &word) { return "'" + word + "'"; }

/// Runs a program that writes a JSON report to the file that it is given.
json report_of(const std::string &command, const fs::path &file) {
  const std::string silent = command + " >/dev/null 2>&1";
  if (std::system(silent.c_str()) != 0)
    throw std::runtime_error("this failed; run it to see why: " + command);
  const json report = json::parse(read_file(file));
  fs::remove(file);
  return report;
}

std::vector<Row> golden_rows(const json &recorded, const json &run, const fs::path &build) {
  const fs::path program = build / "emulator/tests/golden/emulator_golden_tests";
  const fs::path file = build / "golden_counts.json";
  const json report =
      report_of(quoted(program.string()) + " --report " + quoted(file.string()), file);
  const json &cases = recorded.at("cases"), &launches = run.at("launches");
  if (cases.size() != launches.size())
    throw std::runtime_error("the record has " + std::to_string(cases.size()) +
                             " golden kernels but " + std::to_string(launches.size()) +
                             " launches");
  std::vector<Row> rows;
  for (size_t i = 0; i < cases.size(); ++i) {
    Row row{cases[i], {}, emulated(report, cases[i])};
    add_recorded(row.hardware, launches[i]);
    rows.push_back(row);
  }
  return rows;
}

Row chapter_row(const json &run, const fs::path &build) {
  const std::string chapter = run.at("program"), step = run.at("step");
  const fs::path program = build / "chapters" / chapter / (chapter + ".observed");
  const fs::path file = build / "chapter_counts.json";
  const json report = report_of(
      "EMU_OBSERVE=1 EMU_OBSERVE_BLOCKS=1000000 EMU_OBSERVE_JSON=" + quoted(file.string()) + " " +
          quoted(program.string()) + " " + run.at("args").get<std::string>(),
      file);
  // A step that writes one element past the end can be right all the same.
  for (const json &hazard : report.at("hazards"))
    throw std::runtime_error(chapter + ", " + step + " has a hazard (" +
                             hazard.at("kind").get<std::string>() + "); ./tutor observe " +
                             chapter + " -- " + run.at("args").get<std::string>() + " shows it");
  Row row{chapter.substr(0, 2) + " " + step, {}, emulated(report, "")};
  for (const json &launch : run.at("launches"))
    add_recorded(row.hardware, launch);
  return row;
}

int compare(int argc, char **argv) {
  fs::path record, build, page;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--check")
      check = true;
    else if ((word == "--build" || word == "--page") && i + 1 < argc)
      (word == "--build" ? build : page) = argv[++i];
    else if (record.empty() && word[0] != '-')
      record = word;
    else
      throw Usage("what is '" + word + "'?");
  }
  if (record.empty() || build.empty() || (check && page.empty()))
    throw Usage("compare_counters RECORDED.json --build DIR [--page FILE.md [--check]]");

  const json recorded = json::parse(read_file(record));
  // Many grids are as large as the device is.
  if (const int sms = recorded.value("sms", 0); sms > 0)
    setenv("EMU_SMS", std::to_string(sms).c_str(), 1);
  std::vector<Row> rows;
  for (const json &run : recorded.at("runs")) {
    if (run.at("program") != "golden") {
      rows.push_back(chapter_row(run, build));
      continue;
    }
    const std::vector<Row> more = golden_rows(recorded, run, build);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const std::string text = table(rows, recorded.at("device"));
  if (page.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  const std::string before = read_file(page), after = with_table(before, text);
  if (before == after)
    return 0;
  if (check) {
    std::fprintf(stderr,
                 "compare_counters: %s is stale: the counts have changed; run the same without "
                 "--check and look at the difference\n",
                 page.c_str());
    return 1;
  }
  std::ofstream file(page);
  if (!(file << after << std::flush))
    throw std::runtime_error("cannot write " + page.string());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return compare(argc, argv);
  } catch (const Usage &error) {
    std::fprintf(stderr, "compare_counters: %s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "compare_counters: %s\n", error.what());
    return 1;
  }
}
