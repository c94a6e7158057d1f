#include "compare.hpp"

#include <stdexcept>

namespace counters {

namespace {

using nlohmann::json;

struct Column {
  const char *title;
  const char *access;
  const char *cost;
};
constexpr Column columns[] = {{"global loads", "global_load", "sectors"},
                              {"global stores", "global_store", "sectors"},
                              {"shared loads", "shared_load", "wavefronts"},
                              {"shared stores", "shared_store", "wavefronts"},
                              {"global atomics", "global_atomic", "sectors"},
                              {"shared atomics", "shared_atomic", "wavefronts"}};

uint64_t value(const Counts &counts, const std::string &name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

// One access of one side: "32 · 128".
std::string pair_text(const Counts &counts, const Column &column) {
  const std::string access = column.access;
  return std::to_string(value(counts, access + "_requests")) + " · " +
         std::to_string(value(counts, access + "_" + column.cost));
}

std::string cell(const Row &row, const Column &column) {
  const std::string access = column.access;
  Counts hardware = row.hardware;
  // What the GPU does not count cannot differ.
  for (const std::string &name : {access + "_requests", access + "_" + column.cost})
    if (!hardware.count(name))
      hardware[name] = value(row.emulator, name);
  const std::string ours = pair_text(row.emulator, column), theirs = pair_text(hardware, column);
  if (ours == theirs)
    return ours == "0 · 0" ? "" : ours;
  return ours + " (GPU: " + theirs + ")";
}

const char *verdict_text(Verdict verdict) {
  return verdict == Verdict::equal   ? "equal"
         : verdict == Verdict::close ? "within 1 %"
                                     : "**different**";
}

} // namespace

Verdict judge(const Row &row) {
  Verdict worst = Verdict::equal;
  for (const Column &column : columns) {
    const std::string access = column.access;
    for (const std::string &name : {access + "_requests", access + "_" + column.cost}) {
      const auto hardware = row.hardware.find(name);
      if (hardware == row.hardware.end())
        continue;
      const uint64_t ours = value(row.emulator, name), theirs = hardware->second;
      const uint64_t apart = ours > theirs ? ours - theirs : theirs - ours;
      if (apart == 0)
        continue;
      worst = std::max(worst, 100 * apart <= theirs ? Verdict::close : Verdict::different);
    }
  }
  return worst;
}

Counts emulated(const json &report, const std::string &part) {
  Counts counts;
  for (const json &kernel : report.at("kernels")) {
    if (!part.empty() && kernel.at("part") != part)
      continue;
    for (const json &line : kernel.at("lines")) {
      const std::string access = line.at("access");
      counts[access + "_requests"] += line.at("requests").get<uint64_t>();
      counts[access + "_sectors"] += line.at("sectors").get<uint64_t>();
      counts[access + "_wavefronts"] += line.at("wavefronts").get<uint64_t>();
    }
  }
  return counts;
}

void add_recorded(Counts &sum, const json &launch) {
  for (const auto &[name, count] : launch.items())
    if (count.is_number())
      sum[name] += count.get<uint64_t>();
}

std::string table(const std::vector<Row> &rows, const std::string &device) {
  size_t equal = 0, close = 0;
  std::string text = "| kernel |";
  std::string rule = "| --- |";
  for (const Column &column : columns) {
    text += std::string(" ") + column.title + " |";
    rule += " --- |";
  }
  text += " |\n" + rule + " --- |\n";
  for (const Row &row : rows) {
    const Verdict verdict = judge(row);
    equal += verdict == Verdict::equal;
    close += verdict == Verdict::close;
    text += "| " + row.name + " |";
    for (const Column &column : columns)
      text += " " + cell(row, column) + " |";
    text += std::string(" ") + verdict_text(verdict) + " |\n";
  }
  return "Of " + std::to_string(rows.size()) +
         " kernels the emulator's counts equal those of the " + device + " on " +
         std::to_string(equal) + ", are within 1 % on " + std::to_string(close) +
         " and differ on " + std::to_string(rows.size() - equal - close) + ".\n\n" + text;
}

std::string with_table(const std::string &page, const std::string &table) {
  const std::string begin = "<!-- note: counters -->\n", end = "<!-- note: /counters -->";
  const size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from)
    throw std::runtime_error(
        "the page has no lines `<!-- note: counters -->` and `<!-- note: /counters -->`");
  return page.substr(0, from + begin.size()) + "\n" + table + "\n" + page.substr(to);
}

} // namespace counters
