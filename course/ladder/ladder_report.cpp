#include "common/device.hpp"
#include "ladder/detail/ladder_counters.hpp"
#include "ladder/detail/ladder_result.hpp"
#include "observation/legend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace lab::detail {
namespace {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

std::string format(const char *pattern, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

// Columns a text takes: bytes of UTF-8 that begin a character.
std::size_t columns_of(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string left(const std::string &text, std::size_t width) {
  const std::size_t used = columns_of(text);
  return text + std::string(used < width ? width - used : 0, ' ');
}

std::string right(const std::string &text, std::size_t width) {
  const std::size_t used = columns_of(text);
  return std::string(used < width ? width - used : 0, ' ') + text;
}

// Four significant digits, never an exponent.
std::string milliseconds(double ms) {
  const int decimals = ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 4;
  return format("%.*f", decimals, ms);
}

// Breaks at spaces so that lines stay within 80 columns; every line starts with `indent`.
std::string wrapped(const std::string &text, const std::string &indent) {
  std::string out, line = indent;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ' ');) {
    if (word.empty())
      continue;
    if (line != indent && columns_of(line) + 1 + columns_of(word) > 80) {
      out += line + "\n";
      line = indent;
    }
    line += (line == indent ? "" : " ") + word;
  }
  return out + line + "\n";
}

// The same for "NVIDIA H200 · 132 SMs · …", broken behind a dot only.
std::string wrapped_at_dots(std::string text) {
  const std::string space = "\u00A0"; // does not break
  const auto replace = [&](const std::string &from, const std::string &to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace(" ", space);
  replace(space + "·" + space, space + "· ");
  text = wrapped(text, "");
  replace(space, " ");
  return text;
}

std::size_t name_width(const RunResult &result) {
  std::size_t width = 24;
  for (const EntryResult &step : result.steps)
    width = std::max(width, step.entry->name.size());
  return width;
}

bool any(const RunResult &result, bool (*holds)(const EntryResult &)) {
  return std::any_of(result.steps.begin(), result.steps.end(), holds);
}

const char *ceiling_word(const RunResult &result) {
  for (const EntryResult &step : result.steps)
    if (step.ceiling != Ceiling::none)
      return step.ceiling == Ceiling::copy   ? "% of copy"
             : step.ceiling == Ceiling::read ? "% of read"
                                             : "% of FMA";
  return "";
}

std::string check_cell(const EntryResult &step) { return format("%d/%d", step.right, step.cases); }

// The last step that was timed before this one, to be compared with.
const EntryResult *step_before(const RunResult &result, std::size_t index) {
  for (std::size_t i = index; i-- > 0;)
    if (result.steps[i].entry->kind == Kind::step && !result.steps[i].entry->aside &&
        result.steps[i].measured)
      return &result.steps[i];
  return nullptr;
}

std::string gpu_row(const RunResult &result, std::size_t index, bool bandwidth, bool arithmetic) {
  const EntryResult &step = result.steps[index];
  std::string row = right(milliseconds(step.timing.median_ms), 11);
  row += right("± " + format("%.1f %%", step.timing.spread_percent()), 10);
  if (bandwidth)
    row += right(
        step.gbps() > 0.0 ? format(step.gbps() < 100.0 ? "%.1f" : "%.0f", step.gbps()) : "", 8);
  if (arithmetic)
    row += right(step.tflops() > 0.0 ? format("%.2f", step.tflops()) : "", 9);
  if (*ceiling_word(result)) {
    const bool share = step.percent_of_ceiling() > 0.0 && step.entry->kind != Kind::cpu;
    row += right(
        share ? format("%.1f%s", step.percent_of_ceiling(), step.above_ceiling() ? "!" : "") : "",
        11);
  }
  const EntryResult *before = step_before(result, index);
  const bool compare =
      before && step.entry->kind == Kind::step && !step.entry->aside && step.timing.median_ms > 0.0;
  row += right(compare ? format("%.2f", before->timing.median_ms / step.timing.median_ms) : "", 10);
  return row;
}

std::string gpu_table(const RunResult &result, const Colours &colours) {
  const std::size_t width = name_width(result);
  const bool bandwidth = any(result, [](const EntryResult &s) { return s.bytes > 0.0; });
  const bool arithmetic = any(result, [](const EntryResult &s) { return s.flops > 0.0; });
  std::string head = left("step", width) + right("median ms", 11) + right("spread", 10);
  if (bandwidth)
    head += right("GB/s", 8);
  if (arithmetic)
    head += right("TFLOP/s", 9);
  if (*ceiling_word(result))
    head += right(ceiling_word(result), 11);
  head += right("x before", 10);
  std::string out = colours.strong + head + colours.off + "\n";
  for (std::size_t i = 0; i < result.steps.size(); ++i)
    if (result.steps[i].measured)
      out += left(result.steps[i].entry->name, width) + gpu_row(result, i, bandwidth, arithmetic) +
             "\n";
  return out;
}

std::size_t counter_width(const std::string &key) {
  return std::max<std::size_t>(columns_of(counter_head(key)), 4) + 2;
}

// What the counts mean, and what else the program that counted has seen.
std::string counted_text(const RunResult &result, const Colours &colours) {
  const std::vector<std::string> legend = counter_legend(result);
  const std::vector<std::string> unseen = emu::not_yet_seen(legend);
  std::string out = "Counted, not timed: a CPU's time says nothing about a GPU.\n";
  for (const std::string &line : unseen)
    out += wrapped(line, "  ");
  if (unseen.size() < legend.size())
    out += unseen.empty() ? "  (run --legend explains the columns)\n"
                          : "  (run --legend explains the other columns)\n";
  if (result.hazards > 0)
    out += std::string(colours.bad) +
           format("%zu hazard%s seen", result.hazards, result.hazards == 1 ? " was" : "s were") +
           colours.off + " while counting; ./tutor observe " + result.chapter + " names them\n";
  return out;
}

std::string emulator_table(const RunResult &result, const Colours &colours) {
  const std::size_t width = name_width(result);
  std::vector<std::string> counters;
  for (const EntryResult &step : result.steps)
    for (const Counter &counter : step.counters)
      if (std::find(counters.begin(), counters.end(), counter.name) == counters.end())
        counters.push_back(counter.name);
  std::sort(counters.begin(), counters.end(), [](const auto &a, const auto &b) {
    return std::pair(counter_rank(a), a) < std::pair(counter_rank(b), b);
  });
  std::string head = left("step", width) + right("right", 9);
  const bool timed =
      counters.empty() && any(result, [](const EntryResult &step) { return step.emulated; });
  for (const std::string &name : counters)
    head += right(counter_head(name), counter_width(name));
  if (timed)
    head += right("emulated in*", 16);
  std::string out = colours.strong + head + colours.off + "\n";
  for (const EntryResult &step : result.steps) {
    if (step.skipped())
      continue;
    out += left(step.entry->name, width);
    out += (step.ok() ? colours.good : colours.bad) + right(check_cell(step), 9) + colours.off;
    for (const std::string &name : counters) {
      std::string cell;
      for (const Counter &counter : step.counters)
        if (counter.name == name)
          cell = format(counter.value < 1000.0 ? "%.3g" : "%.0f", counter.value);
      out += right(cell, counter_width(name));
    }
    if (timed)
      out += right(step.emulated ? milliseconds(step.timing.median_ms) + " ms" : "", 16);
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  if (timed)
    return out + "\n" +
           wrapped(
               "* what the emulator needed here. It says nothing about a GPU and ranks nothing: "
               "on a CPU bank conflicts are free and barriers are dear.",
               "");
  return counters.empty() ? out : out + "\n" + counted_text(result, colours);
}

// The last step against each rival and yardstick: the figures that the whole ladder is about.
std::string rival_lines(const RunResult &result) {
  const EntryResult *last = step_before(result, result.steps.size());
  std::string out;
  for (const EntryResult &rival : result.steps)
    if (last && (rival.entry->kind == Kind::rival || rival.entry->yardstick) && &rival != last &&
        rival.measured && rival.timing.median_ms > 0.0)
      out += last->entry->name +
             format(" runs %.2f x as fast as ", rival.timing.median_ms / last->timing.median_ms) +
             rival.entry->name + "\n";
  return out;
}

} // namespace

Colours terminal_colours() {
  const char *no_color = std::getenv("NO_COLOR");
  if (!isatty(STDOUT_FILENO) || (no_color && *no_color))
    return {};
  return {"\033[32m", "\033[31m", "\033[1m", "\033[2m", "\033[0m"};
}

bool RunResult::all_right() const {
  for (const EntryResult &step : steps)
    if (!step.ok())
      return false;
  for (const TrapResult &trap : traps)
    if (trap.wrong == 0 && !trap.entry->may_be_right)
      return false;
  for (const DemoResult &demo : demos)
    if (!demo.broken.empty())
      return false;
  return true;
}

std::string place_text(std::size_t n, const Shape &shape) {
  if (shape.square())
    return "n = " + std::to_string(n);
  return std::to_string(shape.rows) + " x " + std::to_string(shape.cols);
}

std::string header_text(const RunResult &result) {
  std::string out =
      result.chapter + ": " + result.title + "\n" + wrapped_at_dots(result.device_summary);
  if (result.backend == "cuda")
    out += "driver " + result.driver + " · toolkit " + result.toolkit + "\n";
  return out;
}

std::string check_text(const RunResult &result, const Colours &colours) {
  std::size_t steps = 0, wrong = 0;
  std::string failures, skipped;
  for (const EntryResult &step : result.steps) {
    if (step.skipped()) {
      skipped += wrapped(
          "skipped here: " + step.entry->name + ": " + std::string(step.entry->skip_reason), "  ");
      continue;
    }
    ++steps;
    if (!step.ok()) {
      ++wrong;
      failures += std::string(colours.bad) + "  WRONG " + colours.off + step.entry->name + " (" +
                  check_cell(step) + " right)\n" + wrapped(step.first_failure, "    ");
    }
  }
  if (steps == 0)
    return skipped;
  std::string what = steps == 1 ? "1 step" : format("%zu steps", steps);
  what += " checked at ";
  for (std::size_t i = 0; i < result.checked_sizes.size(); ++i)
    what += (i ? ", " : "n = ") + std::to_string(result.checked_sizes[i]);
  for (std::size_t i = 0; i < result.checked_shapes.size(); ++i)
    what +=
        (i || !result.checked_sizes.empty() ? ", " : "") + place_text(0, result.checked_shapes[i]);
  if (!result.checked_blocks.empty()) {
    what += "; threads per block: ";
    for (std::size_t i = 0; i < result.checked_blocks.size(); ++i)
      what += (i ? ", " : "") + std::to_string(result.checked_blocks[i]);
  }
  std::string out = wrapped(what + format("; seed %llu.", (unsigned long long)result.seed), "");
  out += wrong == 0 ? std::string(colours.good) + "All right." + colours.off + "\n"
                    : std::string(colours.bad) + format("%zu of %zu wrong:", wrong, steps) +
                          colours.off + "\n";
  return out + failures + skipped;
}

std::string table_text(const RunResult &result, const Colours &colours) {
  std::string size = place_text(result.n, result.shape);
  double bytes = 0.0;
  for (const EntryResult &step : result.steps)
    bytes = std::max(bytes, step.bytes);
  if (bytes > 0.0)
    size += " (" + size_text(bytes) + ")";
  if (result.block > 0)
    size += format(" · %d threads per block", result.block);
  std::string out = size;
  const MeasureOptions &how = result.measured_with;
  if (result.backend == "cuda") {
    out += format(
        "\n%d runs each, in turn, with the L2 %s\n", how.reps, how.cold_l2 ? "cold" : "warm");
    if (result.has_ceilings)
      out += format("measured in this run: copy %.0f GB/s (read + write), read only %.0f GB/s\n",
                    result.ceilings.copy_gbps,
                    result.ceilings.read_gbps);
    if (result.fma_tflops > 0.0)
      out +=
          format("measured in this run: %.1f TFLOP/s of float multiply-adds\n", result.fma_tflops);
    out += "\n" + gpu_table(result, colours) + "\n" + rival_lines(result);
    if (any(result, [](const EntryResult &s) { return s.above_ceiling(); }))
      out += wrapped("! above what the memory gave in this run: the data came from a cache, or the "
                     "ceiling was measured too low. Not a bandwidth.",
                     "");
  } else {
    out += "\n\n" + emulator_table(result, colours);
  }
  for (const EntryResult &step : result.steps) {
    if (step.timing.is_noisy)
      out +=
          wrapped(step.entry->name + format(": the spread was above %g %% after %d runs, when its "
                                            "%g s were over; --timeout gives it more",
                                            how.max_noise_percent,
                                            step.timing.reps,
                                            how.timeout_ms * 1e-3),
                  "");
    if (step.block != 0 && step.block != result.block && step.measured)
      out += step.entry->name + format(": %d threads per block\n", step.block);
  }
  return out;
}

std::string trap_text(const TrapResult &trap, const Colours &colours) {
  const Entry &entry = *trap.entry;
  std::string place = place_text(entry.exposed_by.n, entry.exposed_by.shape);
  if (entry.exposed_by.block > 0)
    place += format(", %d threads per block", entry.exposed_by.block);
  std::string out = colours.strong + entry.name + colours.off + " (" + place + ")\n";
  if (trap.wrong > 0) {
    out += std::string("  ") + colours.bad + "wrong" + colours.off;
    out += trap.tries > 1 ? format(", %d of %d times:\n", trap.wrong, trap.tries) : ":\n";
    out += wrapped(trap.mismatch, "    ");
    if (trap.tries > 1 && 10 * trap.wrong <= trap.tries)
      out += wrapped(
          "It hardly shows here: another input, or what spoils it first, would be better.", "  ");
  } else if (entry.may_be_right) {
    out += wrapped(format("right, %d of %d times, on this machine: what it does is undefined, and "
                          "undefined is not always wrong. It is never a reason to trust it.",
                          trap.tries,
                          trap.tries),
                   "  ");
  } else {
    out += std::string("  ") + colours.bad + "came out RIGHT" + colours.off +
           ", which it must not: this trap shows nothing\n";
  }
  return out + wrapped("why: " + std::string(entry.why), "  ");
}

} // namespace lab::detail
