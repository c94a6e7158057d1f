#include "ladder/detail/ladder_result.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

// Written by hand: a few keys do not deserve a library that would double the lab's compile time.

namespace lab::detail {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + "\"";
}

// JSON knows neither NaN nor infinity. Six digits are more than any measurement here is good for.
std::string number(double value, int digits = 6) {
  if (!std::isfinite(value))
    return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string number_or_null(bool there, double value) { return there ? number(value) : "null"; }

const char *ceiling_key(Ceiling ceiling) {
  return ceiling == Ceiling::copy   ? "\"copy\""
         : ceiling == Ceiling::read ? "\"read\""
         : ceiling == Ceiling::fma  ? "\"fma\""
                                    : "null";
}

std::string step_json(const EntryResult &step) {
  std::string out = "{\"name\": " + quoted(step.entry->name);
  out += ", \"kind\": \"" + std::string(kind_key(step.entry->kind)) + "\"";
  if (step.skipped())
    return out + ", \"ok\": null, \"skipped\": " + quoted(step.entry->skip_reason) + "}";
  out += std::string(", \"ok\": ") + (step.ok() ? "true" : "false");
  out += ", \"cases\": " + std::to_string(step.cases);
  if (!step.first_failure.empty())
    out += ", \"failure\": " + quoted(step.first_failure);
  if (step.block > 0)
    out += ", \"block\": " + std::to_string(step.block);
  out += ", \"ms\": " + number_or_null(step.measured, step.timing.median_ms);
  out += ", \"best_ms\": " + number_or_null(step.measured, step.timing.best_ms);
  out += ", \"spread\": " +
         number_or_null(step.measured, 0.5 * (step.timing.high_ms - step.timing.low_ms));
  out += ", \"spread_percent\": " + number_or_null(step.measured, step.timing.spread_percent());
  out += ", \"reps\": " + std::to_string(step.timing.reps);
  out += std::string(", \"noisy\": ") + (step.timing.is_noisy ? "true" : "false");
  if (step.bytes > 0.0 || !(step.flops > 0.0)) // one of the two keys is there, at n = 0 as well
    out += ", \"gbps\": " + number_or_null(step.gbps() > 0.0, step.gbps());
  if (step.flops > 0.0)
    out += ", \"tflops\": " + number_or_null(step.tflops() > 0.0, step.tflops());
  out += std::string(", \"ceiling\": ") + ceiling_key(step.ceiling);
  out += ", \"percent_of_ceiling\": " +
         number_or_null(step.percent_of_ceiling() > 0.0, step.percent_of_ceiling());
  out += std::string(", \"above_ceiling\": ") + (step.above_ceiling() ? "true" : "false");
  out += ", \"counters\": {";
  for (std::size_t i = 0; i < step.counters.size(); ++i)
    out += (i ? ", " : "") + quoted(step.counters[i].name) + ": " + number(step.counters[i].value);
  return out + "}}";
}

std::string trap_json(const TrapResult &trap) {
  return "{\"name\": " + quoted(trap.entry->name) + ", \"tries\": " + std::to_string(trap.tries) +
         ", \"wrong\": " + std::to_string(trap.wrong) + ", \"mismatch\": " + quoted(trap.mismatch) +
         "}";
}

std::string demo_json(const DemoResult &demo) {
  std::string out = "{\"name\": " + quoted(demo.entry->name) + std::string(", \"ok\": ") +
                    (demo.broken.empty() ? "true" : "false") + ", \"values\": {";
  for (std::size_t i = 0; i < demo.values.size(); ++i)
    out +=
        (i ? ", " : "") + quoted(demo.values[i].first) + ": " + number(demo.values[i].second, 17);
  return out + "}}";
}

template <class T, class F> std::string array(const std::vector<T> &items, F &&to_json) {
  std::string out = "[";
  for (std::size_t i = 0; i < items.size(); ++i)
    out += (i ? ",\n    " : "\n    ") + to_json(items[i]);
  return out + (items.empty() ? "]" : "\n  ]");
}

// What is recorded of one entry: its options; null: nothing.
std::string recorded_json(const LadderCore &core, const Entry &entry) {
  const bool step = entry.kind == Kind::step;
  const bool may_be = step ? !core.recorded.counted.empty() : entry.kind == Kind::demo;
  const bool counted = may_be && entry.recorded.counted;
  const std::string_view own = entry.recorded.options;
  const std::string_view options = own.empty() && step ? core.recorded.counted : own;
  std::string timed = "--n " + std::to_string(core.sizes.gpu);
  if (!core.blocks.check.empty())
    timed +=
        " --block " + std::to_string(entry.timed_block > 0 ? entry.timed_block : core.blocks.timed);
  return "{\"name\": " + quoted(entry.name) + ", \"kind\": \"" + kind_key(entry.kind) +
         "\", \"counted\": " + (counted ? quoted(options) : "null") +
         ", \"reasons\": " + (step ? quoted(timed) : "null") +
         ", \"initcheck\": " + (entry.recorded.initcheck ? "true" : "false") + "}";
}

} // namespace

const char *kind_key(Kind kind) {
  constexpr const char *keys[] = {"step", "cpu", "rival", "trap", "demo"};
  return keys[static_cast<int>(kind)];
}

std::string list_json(const LadderCore &core) {
  const bool steps = std::ranges::any_of(
      core.entries, [](const Entry &entry) { return entry.kind == Kind::step; });
  const std::size_t largest = core.recorded.largest_predicted;
  std::vector<const Entry *> entries;
  for (const Entry &entry : core.entries)
    entries.push_back(&entry);
  return "{\n  \"version\": 1,\n  \"chapter\": " + quoted(core.chapter) +
         ",\n  \"n\": " + std::to_string(core.sizes.gpu) + ",\n  \"timed\": " +
         array(steps ? core.recorded.timed : decltype(core.recorded.timed){}, quoted) +
         ",\n  \"counted\": " + (core.recorded.counted.empty() ? "false" : "true") +
         ",\n  \"sanitized\": " + quoted(core.recorded.sanitized) + ",\n  \"predicted_to\": " +
         std::to_string(!core.recorded.predicted ? 0
                        : largest > 0            ? largest
                                                 : core.sizes.gpu) +
         ",\n  \"entries\": " +
         array(entries, [&](const Entry *entry) { return recorded_json(core, *entry); }) + "\n}\n";
}

std::string json_text(const RunResult &result) {
  const bool ceilings = result.has_ceilings;
  std::string out = "{\n";
  const auto line = [&](const char *key, const std::string &value) {
    out += std::string("  \"") + key + "\": " + value + ",\n";
  };
  line("version", "1");
  line("chapter", quoted(result.chapter));
  line("backend", quoted(result.backend));
  line("device", quoted(result.device));
  line("driver", quoted(result.driver));
  line("toolkit", quoted(result.toolkit));
  line("n", std::to_string(result.n));
  if (!result.shape.square()) {
    line("rows", std::to_string(result.shape.rows));
    line("cols", std::to_string(result.shape.cols));
  }
  line("seed", std::to_string(result.seed));
  const MeasureOptions &how = result.measured_with;
  line("reps", std::to_string(how.reps));
  line("min_time_s", number(how.min_ms * 1e-3));
  line("max_noise_percent", number(how.max_noise_percent));
  line("timeout_s", number(how.timeout_ms * 1e-3));
  line("l2", how.cold_l2 ? "\"cold\"" : "\"warm\"");
  line("copy_gbps", number_or_null(ceilings, result.ceilings.copy_gbps));
  line("read_gbps", number_or_null(ceilings, result.ceilings.read_gbps));
  if (result.fma_tflops > 0.0)
    line("fma_tflops", number(result.fma_tflops));
  line("steps", array(result.steps, step_json));
  line("traps", array(result.traps, trap_json));
  out += "  \"demos\": " + array(result.demos, demo_json) + "\n}\n";
  return out;
}

} // namespace lab::detail
