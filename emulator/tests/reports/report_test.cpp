// What the reports say of observations made up here: no kernel runs.
#include "../../observe/advice.hpp"
#include "../../observe/part_counts.hpp"
#include "../../observe/symbols.hpp"
#include <observation/observe.hpp>

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace emu;

namespace {

/// A source file for the reports to quote; gone at the end of the test.
struct Source {
  std::string path = "report_test_kernel.cu";
  Source() { std::ofstream(path) << "line one\n  out[i] = in[32 * i];\n\ttile[tid] = 0;\n"; }
  ~Source() { std::remove(path.c_str()); }
};

/// 32 lanes, `stride` bytes apart, from address 4096 on, `requests` times.
LineReport line_of(const Source &source, int line, Access access, unsigned bytes, unsigned stride) {
  LineReport report{{source.path, line}, access, bytes, {}, {}};
  for (unsigned lane = 0; lane < 32; ++lane)
    report.worst.address[lane] = 4096 + lane * stride;
  report.worst.active = ~0u;
  report.counts.requests = 10;
  report.counts.lanes = 320;
  report.counts.bytes = 320 * bytes;
  report.counts.touched = 10 * (31 * std::min(bytes, stride) + bytes);
  return report;
}

LineReport strided_load(const Source &source) {
  LineReport line = line_of(source, 2, Access::global_load, 4, 128);
  line.counts.sectors = 320;
  line.counts.ideal_sectors = 40;
  line.worst.cost = 32;
  return line;
}

LineReport conflicting_store(const Source &source) {
  LineReport line = line_of(source, 3, Access::shared_store, 4, 8);
  line.counts.wavefronts = 20;
  line.counts.ideal_wavefronts = 10;
  line.counts.max_conflict = 2;
  line.worst.cost = 2;
  return line;
}

KernelReport kernel_of(const std::vector<LineReport> &lines) {
  KernelReport kernel{.name = "copy",
                      .part = "",
                      .grid = {16, 1, 1},
                      .block = {64, 1, 1},
                      .blocks_traced = 8,
                      .lines = {},
                      .divergence = {}};
  kernel.barriers = 16;
  kernel.active_lanes = 32;
  kernel.lines = lines;
  return kernel;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

size_t widest(const std::string &text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t width = 0;
    for (unsigned char c : line)
      width += (c & 0xC0) != 0x80;
    widest = std::max(widest, width);
  }
  return widest;
}

Hazard race(int line, int other_line) {
  Hazard hazard;
  hazard.kind = "shared_race";
  hazard.kernel = "copy";
  hazard.message = "one thread reads what another writes";
  hazard.here.where = {"report_test_kernel.cu", line};
  hazard.here.thread[0] = 5;
  hazard.other.where = {"report_test_kernel.cu", other_line};
  hazard.other.block[1] = 3;
  hazard.count = 7;
  hazard.advice = advice_for(hazard);
  return hazard;
}

Observation seen_of(std::vector<KernelReport> kernels, std::vector<Hazard> hazards) {
  Observation seen;
  seen.kernels = std::move(kernels);
  seen.hazards = std::move(hazards);
  return seen;
}

} // namespace

TEST_CASE("a line that wastes is marked and explained, the worst first") {
  const Source source;
  const std::string text =
      text_report(seen_of({kernel_of({strided_load(source), conflicting_store(source)})}, {}));
  CHECK(contains(text, "copy<<<16, 64>>>\n  8 of 16 blocks counted · 2 barriers a block"));
  CHECK(contains(text, " (1)     2  out[i] = in[32 * i];\n"));
  CHECK(contains(text, " (2)     3  tile[tid] = 0;\n"));
  CHECK(contains(text, "32 sectors, 12 % used"));
  CHECK(contains(text, "2 wavefronts, 2-way"));
  CHECK(contains(
      text,
      "(1) global load: 32 sectors for 32 lanes, where 4 would do: each lane pulls a sector"));
  CHECK(contains(text, "(2) shared store: 2 wavefronts a request, where 1 would do"));
  CHECK(contains(text, "no hazard seen in 1 launch\n"));
  CHECK_FALSE(contains(text, "\033"));
}

TEST_CASE("the words are explained to a reader once, and to others each time") {
  const Source source;
  const Observation seen = seen_of({kernel_of({strided_load(source)})}, {});
  CHECK(contains(text_report(seen), "\nlanes: how many of a warp's 32 threads"));
  const std::string file =
      std::filesystem::temp_directory_path() / ("legends_seen." + std::to_string(getpid()));
  setenv("EMU_LEGENDS_SEEN", file.c_str(), 1);
  const std::string first = text_report(seen), second = text_report(seen);
  unsetenv("EMU_LEGENDS_SEEN");
  std::filesystem::remove(file);
  CHECK(first == text_report(seen));
  CHECK_FALSE(contains(second, "lanes: how many"));
  CHECK(contains(second, "\n(observe --legend explains these words)\n\nno hazard seen"));
}

TEST_CASE("what is bad about several lines alike is said once") {
  const Source source;
  LineReport another = strided_load(source);
  another.where.line = 3;
  const std::string text = text_report(seen_of({kernel_of({strided_load(source), another})}, {}));
  CHECK(contains(text, "\n (1) (2) global load: 32 sectors for 32 lanes"));
  CHECK(text.find("would do") == text.rfind("would do"));
}

TEST_CASE("a line without waste gets no mark") {
  const Source source;
  LineReport line = line_of(source, 2, Access::global_load, 4, 4);
  line.counts.sectors = line.counts.ideal_sectors = 40;
  const std::string text = text_report(seen_of({kernel_of({line})}, {}));
  CHECK(contains(text, "     2  out[i] = in[32 * i];\n"));
  CHECK_FALSE(contains(text, "(1)"));
}

TEST_CASE("a sector is not used more because several lanes want the same of it") {
  const Source source;
  LineReport line = line_of(source, 2, Access::global_load, 4, 0);
  line.counts.sectors = 10;
  CHECK(contains(text_report(seen_of({kernel_of({line})}, {})), "1 sector, 12 % used"));
}

TEST_CASE("one lane that stores once per warp is no fault, one that works in a loop is") {
  const Source source;
  LineReport line = line_of(source, 2, Access::global_store, 4, 4);
  line.counts.sectors = line.counts.ideal_sectors = 16;
  line.counts.requests = line.counts.lanes = 16; // 8 blocks of 2 warps
  CHECK(remark(line, kernel_of({line})).text.empty());
  line.counts.requests = line.counts.lanes = line.counts.sectors = line.counts.ideal_sectors = 160;
  CHECK(contains(remark(line, kernel_of({line})).text, "1 of 32 lanes take part"));
}

TEST_CASE("hazards come first, with both sides, their source and what to try") {
  const Source source;
  const Observation seen = seen_of({kernel_of({strided_load(source)})}, {race(2, 3)});
  const std::string text = text_report(seen);
  CHECK(text.starts_with(
      "HAZARD: shared_race in copy\n  one thread reads what another writes\n"
      "    thread 5 of block 0   report_test_kernel.cu:2   out[i] = in[32 * i];\n"
      "    thread 0 of block (0,3)   report_test_kernel.cu:3   tile[tid] = 0;\n    7 times\n"
      "  try: a __syncthreads()"));
  CHECK(contains(text, "1 hazard in 1 launch"));
}

TEST_CASE("equal hazards of many lines are told once, the first of them in full") {
  Observation seen;
  for (int line = 1; line <= 9; ++line)
    seen.hazards.push_back(race(line, line + 100));
  const std::string text = text_report(seen);
  CHECK(text.find("HAZARD") == text.rfind("HAZARD"));
  CHECK(contains(text, "report_test_kernel.cu:105"));
  CHECK_FALSE(contains(text, "report_test_kernel.cu:106"));
  CHECK(contains(text, "and 4 more like these"));
}

TEST_CASE("a race in one block wants a barrier, one between blocks does not get that advice") {
  Hazard hazard = race(2, 3);
  hazard.kind = "global_race";
  CHECK(contains(advice_for(hazard), "two launches"));
  hazard.other.block[1] = 0;
  CHECK(contains(advice_for(hazard), "__syncthreads()"));
}

TEST_CASE("warnings are no errors; without kernels there is nothing to tell") {
  Observation seen = seen_of({}, {race(2, 3)});
  CHECK(seen.has_errors());
  seen.hazards[0].warning = true;
  CHECK_FALSE(seen.has_errors());
  CHECK(contains(text_report(seen), "warning: shared_race"));
  CHECK(contains(text_report(seen), "no hazard seen, 1 warning"));
  CHECK(text_report({}) == "no kernel ran\n");
}

TEST_CASE("the report keeps to its columns, whatever the names") {
  const Source source;
  KernelReport kernel = kernel_of({strided_load(source), conflicting_store(source)});
  kernel.part = "v99_a_step_with_quite_a_long_name";
  kernel.lines.push_back(line_of(source, 3, Access::global_atomic, 4, 0));
  kernel.lines.back().counts.max_same_address = 32;
  for (const int columns : {80, 100}) {
    TextStyle style;
    style.columns = columns;
    const std::string text = text_report(seen_of({kernel}, {race(2, 3)}), style);
    CHECK(widest(text) <= static_cast<size_t>(columns));
    for (const LineReport &line : kernel.lines)
      CHECK(widest(picture(line, style)) <= static_cast<size_t>(columns));
  }
}

TEST_CASE("small launches of the same code are named, not shown") {
  const Source source;
  KernelReport large = kernel_of({strided_load(source)}), small = large;
  large.grid[0] = 4096;
  small.grid[0] = 1;
  small.blocks_traced = 8;
  small.lines[0].counts.requests = 1;
  const std::string text = text_report(seen_of({large, small}, {}));
  CHECK(contains(text, "copy<<<4096, 64>>>"));
  CHECK(contains(text, "its smaller launches, of 1 blocks"));
  CHECK_FALSE(contains(text, "copy<<<1, 64>>>"));
}

TEST_CASE("pictures show each lane where it belongs") {
  const Source source;
  const std::string sectors = picture(strided_load(source));
  CHECK(contains(sectors, "32 sectors for 32 lanes, where 4 would do (the worst of 10 requests)"));
  CHECK(contains(sectors, "       4  [     1     ·     ·"));
  CHECK(contains(sectors, "⋮"));
  const std::string banks = picture(conflicting_store(source));
  CHECK(contains(banks, "  1  0  ·  1  ·"));
  CHECK(contains(banks, "  2 16  · 17  ·"));

  LineReport broadcast = line_of(source, 3, Access::shared_load, 4, 0);
  broadcast.worst.cost = 1;
  CHECK(contains(picture(broadcast), "  1  0* ·"));
  LineReport wide = line_of(source, 2, Access::global_load, 8, 8);
  wide.worst.cost = 8;
  CHECK(contains(picture(wide), "[     0     0     1     1"));
  LineReport bytes = line_of(source, 2, Access::global_load, 1, 1);
  bytes.worst.cost = 1;
  CHECK(contains(picture(bytes), "[   0-3   4-7"));
}

TEST_CASE("the image holds the same, for light and dark pages, and is well formed") {
  const Source source;
  const std::string svg = picture_svg(strided_load(source), "a < b && \"c\" > d;");
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(contains(svg, "prefers-color-scheme: dark"));
  CHECK(contains(svg, "a &lt; b &amp;&amp; \"c\" &gt; d;"));
  CHECK(contains(svg, "where 4 would do"));
}

TEST_CASE("a line is found by its file's name or path, the most wasteful without one") {
  const Source source;
  LineReport elsewhere = strided_load(source);
  elsewhere.where.file = "/a/folder/other.cu";
  const Observation seen = seen_of({kernel_of({conflicting_store(source), elsewhere})}, {});
  REQUIRE(find_line(seen, "other.cu:2"));
  CHECK(find_line(seen, "other.cu:2")->where.file == "/a/folder/other.cu");
  CHECK(find_line(seen, "folder/other.cu:2") == find_line(seen, "/a/folder/other.cu:2"));
  CHECK(find_line(seen, "her.cu:2") == nullptr);
  CHECK(find_line(seen, "other.cu:3") == nullptr);
  CHECK(most_wasteful_line(seen) == find_line(seen, "other.cu:2"));
  CHECK(most_wasteful_line({}) == nullptr);
}

TEST_CASE("of a line's requests that waste nothing the one to shared memory is found") {
  const Source source;
  const LineReport load = line_of(source, 3, Access::shared_load, 4, 4);
  const LineReport store = line_of(source, 3, Access::global_store, 4, 4);
  for (const auto &lines : {std::vector{store, load}, std::vector{load, store}}) {
    const Observation seen = seen_of({kernel_of(lines)}, {});
    const LineReport *const found = find_line(seen, source.path + ":3");
    REQUIRE(found);
    CHECK(found->access == Access::shared_load);
  }
}

TEST_CASE("rows are to be padded for loads and stores, not for atomics") {
  const Source source;
  LineReport line = conflicting_store(source);
  CHECK(contains(remark(line, kernel_of({line})).text, "Pad the rows"));
  line.access = Access::shared_atomic;
  const std::string text = remark(line, kernel_of({line})).text;
  CHECK(contains(text, "2 wavefronts a request, where 1 would do"));
  CHECK(contains(text, "a bank of its own (chapter 06)"));
  CHECK_FALSE(contains(text, "Pad"));
}

TEST_CASE("the emulator's own files are those of its folder, whatever the user's are called") {
  CHECK(is_emulators_own(EMULATOR_HEADERS "/emu/engine/launch.hpp"));
  CHECK(
      is_emulators_own(EMULATOR_HEADERS "/../../build/../emulator/include/emu/engine/launch.hpp"));
  CHECK(is_emulators_own(
      "/emulator/include/emu/runtime/runtime_launch.hpp")); // as the rewriter names it
  CHECK(is_emulators_own("??"));
  for (const char *folder : {"include", "src", "observe"})
    CHECK_FALSE(is_emulators_own(std::string("/a/folder/emulator/") + folder + "/reduce.cu"));
}

TEST_CASE("sums of a part weigh each launch by its blocks") {
  const Source source;
  KernelReport large = kernel_of({strided_load(source)}), small = large;
  large.part = small.part = "v1";
  large.grid[0] = 24; // 3 blocks for each counted one
  large.blocks_traced = small.blocks_traced = 8;
  small.grid[0] = 8;
  small.lines[0].counts.sectors = 40;
  CHECK(part_counts(seen_of({large, small}, {race(1, 2)})) == "v1 sectors_per_request 25.0000\n"
                                                              "v1 bytes_used_percent 16.0000\n"
                                                              "v1 active_lanes 32.0000\n"
                                                              "v1 barriers_per_block 2.0000\n"
                                                              "hazards 1\n");
}
