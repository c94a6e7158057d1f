// The report for people.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <observation/legend.hpp>

#include "advice.hpp"
#include "symbols.hpp"
#include "text.hpp"

namespace emu {

namespace {

constexpr size_t most_lines = 16; // of one kernel
constexpr size_t most_pairs = 5; // of lines with the same hazard

unsigned long ul(uint64_t value) { return static_cast<unsigned long>(value); }
size_t columns(const TextStyle &style) { return static_cast<size_t>(style.columns); }

std::string titled(const char *title, const std::string &text, const TextStyle &style) {
  return text.empty() ? "" : Ink(style).bold(title) + "\n" + text + "\n";
}

// -------------------------------------------------------------------------------------- hazards

std::string thread_text(const HazardSide &side, const KernelReport *launch) {
  constexpr unsigned one[3] = {1, 1, 1};
  const auto where = [](const unsigned(&index)[3], const unsigned(&sizes)[3]) {
    const std::string text = coordinates(index, sizes);
    return text.find(',') == std::string::npos ? text : "(" + text + ")";
  };
  return "thread " + where(side.thread, launch ? launch->block : one) + " of block " +
         where(side.block, launch ? launch->grid : one);
}

// "    thread 1 of block 0   kernel.cu:12   a[i] = b[i + 1];"
std::string side_text(const HazardSide &side,
                      bool in_kernel,
                      const KernelReport *launch,
                      const TextStyle &style) {
  std::string text = "    ";
  if (in_kernel)
    text += thread_text(side, launch) + "   ";
  if (side.where.line > 0)
    text += place(side.where) + "   ";
  const size_t room = columns(style) - std::min<size_t>(width(text), 60);
  return text + clipped(source_text(side.where), room) + "\n";
}

bool same_trouble(const Hazard &a, const Hazard &b) {
  return a.kind == b.kind && a.kernel == b.kernel && a.part == b.part && a.message == b.message;
}

// Hazards that differ in their lines only, from `begin` on; those handled are added to `told`.
std::string trouble_text(const Observation &observation,
                         size_t begin,
                         std::set<size_t> &told,
                         const TextStyle &style) {
  const Ink ink(style);
  const std::vector<Hazard> &all = observation.hazards;
  const Hazard &first = all[begin];
  const KernelReport *launch = launch_of(observation, first);
  std::string where = first.kernel.empty() ? "the program" : first.kernel;
  if (!first.part.empty())
    where = first.part + " · " + where;
  const std::string kind = (first.warning ? "warning: " : "HAZARD: ") + first.kind;
  std::string text = (first.warning ? ink.yellow(kind) : ink.red(kind)) + " in " + where + "\n" +
                     wrapped("  " + first.message, columns(style), 2);
  const bool in_kernel = !first.kernel.empty() && first.kind != "unobserved"; // no thread's doing
  size_t pairs = 0;
  for (size_t i = begin; i < all.size(); ++i) {
    if (!same_trouble(first, all[i]))
      continue;
    told.insert(i);
    if (++pairs > most_pairs)
      continue;
    const Hazard &hazard = all[i];
    text += pairs > 1 ? "\n" : "";
    if (hazard.here.where.line > 0 || in_kernel)
      text += side_text(hazard.here, in_kernel, launch, style);
    if (hazard.other.where.line > 0)
      text += side_text(hazard.other, in_kernel, launch, style);
    if (hazard.count > 1)
      text += format("    %lu times\n", ul(hazard.count));
  }
  if (pairs > most_pairs)
    text += format("  and %zu more like these\n", pairs - most_pairs);
  return text + (first.advice.empty() ? "" : wrapped("  try: " + first.advice, columns(style), 7)) +
         "\n";
}

std::string hazards_text(const Observation &observation, const TextStyle &style) {
  std::string text;
  std::set<size_t> told;
  for (const bool warnings : {false, true})
    for (size_t i = 0; i < observation.hazards.size(); ++i)
      if (observation.hazards[i].warning == warnings && !told.count(i))
        text += trouble_text(observation, i, told, style);
  return text;
}

// --------------------------------------------------------------------------------------- counts

/// The accesses of one source line, and the worst that is to be said of them.
struct AnnotatedLine {
  SourceLine where;
  std::vector<const LineReport *> accesses;
  Remark remark;
  uint64_t requests = 0;
  size_t rank = 0; // among the lines with a remark, from 1
};

std::vector<AnnotatedLine> annotate(const KernelReport &kernel) {
  std::vector<AnnotatedLine> lines;
  for (const LineReport &line : kernel.lines) {
    if (lines.empty() || lines.back().where != line.where)
      lines.push_back({line.where, {}, {}, 0, 0});
    AnnotatedLine &annotated = lines.back();
    annotated.accesses.push_back(&line);
    annotated.requests += line.counts.requests;
    const Remark its = remark(line, kernel);
    if (its.waste > annotated.remark.waste)
      annotated.remark = {access_words(line.access) + ": " + its.text, its.waste};
  }
  std::vector<AnnotatedLine *> bad;
  for (AnnotatedLine &line : lines)
    if (!line.remark.text.empty())
      bad.push_back(&line);
  std::sort(bad.begin(), bad.end(), [](const auto *a, const auto *b) {
    return std::tuple(-a->remark.waste, a) < std::tuple(-b->remark.waste, b);
  });
  for (size_t i = 0; i < bad.size(); ++i)
    bad[i]->rank = i + 1;
  return lines;
}

// Keeps the lines that matter: those with a remark, then those with most requests.
size_t drop_minor_lines(std::vector<AnnotatedLine> &lines) {
  if (lines.size() <= most_lines)
    return 0;
  std::vector<const AnnotatedLine *> order;
  for (const AnnotatedLine &line : lines)
    order.push_back(&line);
  std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
    return std::tuple(-a->remark.waste, b->requests, a) <
           std::tuple(-b->remark.waste, a->requests, b);
  });
  std::set<std::pair<std::string, int>> minor;
  for (size_t i = most_lines; i < order.size(); ++i)
    minor.insert({order[i]->where.file, order[i]->where.line});
  std::erase_if(lines, [&](const AnnotatedLine &line) {
    return minor.count({line.where.file, line.where.line}) > 0;
  });
  return minor.size();
}

std::string quantity(double value, const char *unit) {
  const std::string number = number_text(value);
  return format(" %6s %s%s", number.c_str(), unit, number == "1" ? "" : "s");
}

std::string access_text(const LineReport &line, const TextStyle &style) {
  const AccessCounts &c = line.counts;
  const std::string lanes = number_text(c.active_lanes());
  const char *requests = style.columns < 90 ? "req" : c.requests == 1 ? "request " : "requests";
  std::string text = format("        %-13s %3u B %9lu %s %5s lane%s",
                            access_words(line.access).c_str(),
                            line.access_bytes,
                            ul(c.requests),
                            requests,
                            lanes.c_str(),
                            lanes == "1" ? " " : "s");
  if (is_shared(line.access))
    text += quantity(c.wavefronts_per_request(), "wavefront") + format(", %u-way", c.max_conflict);
  else
    text += quantity(c.sectors_per_request(), "sector") +
            format(", %.0f %% used", c.sectors_used_percent());
  if (c.max_same_address > 1) {
    const std::string more = format("%u at 1 address", c.max_same_address);
    const bool fits = width(text) + 2 + width(more) <= columns(style);
    text += (fits ? ", " : ",\n        ") + more;
  }
  return text;
}

std::string lines_text(const KernelReport &kernel, const TextStyle &style) {
  const Ink ink(style);
  std::vector<AnnotatedLine> lines = annotate(kernel);
  const size_t dropped = drop_minor_lines(lines);
  std::string text, file;
  for (const AnnotatedLine &line : lines) {
    if (line.where.file != file) {
      file = line.where.file;
      text += "  " + ink.dim(line.where.line > 0 ? file_name(file) : "lines unknown") + "\n";
    }
    std::string mark = line.rank > 0 ? format("(%zu)", line.rank) : "";
    mark.resize(std::max<size_t>(mark.size(), 4), ' ');
    const std::string source = clipped(source_text(line.where), columns(style) - 14);
    text += " " + ink.red(mark) + format("%5d  ", line.where.line) + source + "\n";
    for (const LineReport *access : line.accesses)
      text += ink.dim(access_text(*access, style)) + "\n";
  }
  if (dropped > 0)
    text += format("        … and %zu lines with fewer requests\n", dropped);
  // What several lines have in common is said once.
  std::map<size_t, std::string> remarks; // by rank
  for (const AnnotatedLine &line : lines)
    if (line.rank > 0)
      remarks[line.rank] = line.remark.text;
  while (!remarks.empty()) {
    const std::string remark = remarks.begin()->second;
    std::string marks;
    std::erase_if(remarks, [&](const auto &other) {
      if (other.second != remark)
        return false;
      marks += format(" (%zu)", other.first);
      return true;
    });
    text += wrapped(marks + " " + remark + ".", columns(style), 5);
  }
  return text;
}

uint64_t work(const KernelReport &kernel) {
  uint64_t requests = 0;
  for (const LineReport &line : kernel.lines)
    requests += line.counts.requests;
  return kernel.blocks_traced ? requests * kernel.blocks() / kernel.blocks_traced : 0;
}

bool same_code(const KernelReport &a, const KernelReport &b) {
  return a.part == b.part && a.name == b.name && std::equal(a.block, a.block + 3, b.block);
}

std::string header_text(const KernelReport &kernel) {
  std::string text;
  if (kernel.launches > 1)
    text += format("%lu launches · ", ul(kernel.launches));
  text += format("%lu of %lu block%s counted",
                 ul(kernel.blocks_traced),
                 ul(kernel.blocks()),
                 kernel.blocks() == 1 ? "" : "s");
  const double barriers = kernel.blocks_traced ? static_cast<double>(kernel.barriers) /
                                                     static_cast<double>(kernel.blocks_traced)
                                               : 0;
  return text + format(" · %s barrier%s a block",
                       number_text(barriers).c_str(),
                       barriers == 1.0 ? "" : "s");
}

// A reduction launches its kernel again for what the first launch left. Such small launches of the
// same code are named, but their counts teach nothing new.
std::string kernels_text(const Observation &observation, const TextStyle &style) {
  const Ink ink(style);
  const std::vector<KernelReport> &kernels = observation.kernels;
  std::string text;
  for (const KernelReport &kernel : kernels) {
    bool minor = false;
    std::string smaller;
    for (const KernelReport &other : kernels) {
      if (&other == &kernel || !same_code(kernel, other))
        continue;
      minor = minor || 16 * work(kernel) < work(other);
      if (16 * work(other) < work(kernel))
        smaller += (smaller.empty() ? "" : ", ") + sizes_text(other.grid);
    }
    if (minor)
      continue;
    text += ink.bold(launch_text(kernel)) + "\n  " + header_text(kernel) + "\n";
    if (!smaller.empty())
      text += wrapped(
          "  not shown: its smaller launches, of " + smaller + " blocks", columns(style), 4);
    text += lines_text(kernel, style) + "\n";
  }
  return text;
}

std::string pages_text(const Observation &observation, const TextStyle &style) {
  std::string text;
  for (const PageReport &pages : observation.pages) {
    const PageCounts &c = pages.counts;
    const std::pair<uint64_t, const char *> counts[] = {
        {c.kernel_faults, c.kernel_faults == 1 ? "fault of a kernel" : "faults of kernels"},
        {c.host_faults, c.host_faults == 1 ? "fault of the host" : "faults of the host"},
        {c.sent_to_device, "sent to the device"},
        {c.sent_to_host, "sent to the host"},
        {c.over_the_link, "reached over the link"},
        {c.moved_out, "moved out to make room"},
        {c.made_by_kernels, "made by kernels"},
        {c.made_by_host, "made by the host"},
    };
    std::string line;
    for (const auto &[count, what] : counts)
      if (count > 0)
        line += (line.empty() ? "" : " · ") + format("%lu %s", ul(count), what);
    const std::string part = pages.part.empty() ? "" : pages.part + ": ";
    text += wrapped("  " + part + line, columns(style), 4);
  }
  return titled("managed memory, in pages of 4 KiB", text, style);
}

std::string end_words(int device) { return device < 0 ? "the host" : format("device %d", device); }

std::string size_words(uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return bytes < 10240      ? format("%lu bytes", ul(bytes))
         : bytes < 10 << 20 ? format("%.1f KiB", number / 1024)
                            : format("%.1f MiB", number / (1 << 20));
}

std::string links_text(const Observation &observation, const TextStyle &style) {
  std::string text;
  for (const LinkReport &link : observation.links) {
    const LinkCounts &c = link.counts;
    std::string line;
    const auto add = [&](const std::string &words) { line += (line.empty() ? "" : " · ") + words; };
    if (c.copied > 0)
      add(size_words(c.copied) +
          format(" in %lu %s", ul(c.copies), c.copies == 1 ? "copy" : "copies"));
    for (const LinkLine &access : link.lines)
      add(size_words(access.bytes) +
          (access.access == Access::global_load    ? " loaded"
           : access.access == Access::global_store ? " stored"
                                                   : " by atomics") +
          " (" + file_name(access.where.file) + format(":%d)", access.where.line));
    const std::string part = link.part.empty() ? "" : link.part + ": ";
    text += wrapped("  " + part + "from " + end_words(link.from) + " to " + end_words(link.to) +
                        ": " + line,
                    columns(style),
                    4);
  }
  return titled("what moved between devices and the host", text, style);
}

std::string legend_text(const TextStyle &style) {
  static constexpr const char *legend =
      "lanes: how many of a warp's 32 threads take part · sectors: pieces of 32 bytes of global "
      "memory that a request needs · wavefronts: rounds that the banks of shared memory need for "
      "it "
      "· n-way: at worst n lanes wait for one bank. Counts are per request of a warp, from the "
      "blocks counted; hazards are looked for in all blocks.";
  const bool seen = not_yet_seen({legend}).empty();
  return wrapped(seen ? "(observe --legend explains these words)" : legend, columns(style), 0) +
         "\n";
}

std::string verdict_text(const Observation &observation, const TextStyle &style) {
  const Ink ink(style);
  uint64_t launches = 0, warnings = 0, hazards = 0;
  for (const KernelReport &kernel : observation.kernels)
    launches += kernel.launches;
  for (const Hazard &hazard : observation.hazards)
    ++(hazard.warning ? warnings : hazards);
  const auto counted = [](uint64_t n, const char *one, const char *many) {
    return format("%lu %s", ul(n), n == 1 ? one : many);
  };
  if (launches == 0 && observation.hazards.empty())
    return "no kernel ran\n";
  std::string text =
      hazards > 0 ? ink.red(counted(hazards, "hazard", "hazards")) : ink.green("no hazard seen");
  if (warnings > 0)
    text += ", " + ink.yellow(counted(warnings, "warning", "warnings"));
  text += " in " + counted(launches, "launch", "launches");
  if (observation.schedule != 0)
    text += format(", with EMU_SCHEDULE=%lu", ul(observation.schedule));
  if (observation.partial)
    text += ", until the program ended early";
  return text + "\n";
}

} // namespace

std::string text_report(const Observation &observation, const TextStyle &style) {
  std::string text = hazards_text(observation, style) + kernels_text(observation, style) +
                     pages_text(observation, style) + links_text(observation, style);
  if (!observation.kernels.empty())
    text += legend_text(style);
  return text + verdict_text(observation, style);
}

std::string picture(const LineReport &line, const TextStyle &style) {
  const std::string where = place(line.where);
  return Ink(style).bold(where) + "  " +
         clipped(source_text(line.where), columns(style) - width(where) - 2) + "\n" +
         drawing(line, style);
}

} // namespace emu
