// The report for people.
#include <cstdarg>
#include <cstdio>

#include "emu/observe.hpp"
#include "symbols.hpp"

namespace emu {

namespace {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string format(const char *pattern, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

std::string file_name(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

std::string place(const SourceLine &where) {
  return where.line > 0 ? file_name(where.file) + ":" + std::to_string(where.line) : "?";
}

std::string triple(const unsigned (&v)[3]) {
  if (v[2] > 1)
    return format("%ux%ux%u", v[0], v[1], v[2]);
  return v[1] > 1 ? format("%ux%u", v[0], v[1]) : format("%u", v[0]);
}

bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic;
}

std::string line_of_counts(const LineReport &line) {
  const AccessCounts &c = line.counts;
  std::string text = format("  %-28s %-13s %2u B %9lu req %5.1f lanes",
                            place(line.where).c_str(),
                            access_name(line.access),
                            line.access_bytes,
                            static_cast<unsigned long>(c.requests),
                            c.active_lanes());
  if (is_shared(line.access))
    text += format("  %6.2f wavefronts, %u-way", c.wavefronts_per_request(), c.max_conflict);
  else
    text +=
        format("  %6.2f sectors, %3.0f %% used", c.sectors_per_request(), c.bytes_used_percent());
  if (c.max_same_address > 1)
    text += format(", %u at one address", c.max_same_address);
  return text + "\n";
}

std::string kernel_text(const KernelReport &kernel) {
  std::string text = format("%s <<<%s, %s>>>",
                            kernel.name.c_str(),
                            triple(kernel.grid).c_str(),
                            triple(kernel.block).c_str());
  if (kernel.launches > 1)
    text += format(" x %lu", static_cast<unsigned long>(kernel.launches));
  text += format("   %lu block(s) traced, %.1f of 32 lanes at work, %lu barrier(s)\n",
                 static_cast<unsigned long>(kernel.blocks_traced),
                 kernel.active_lanes,
                 static_cast<unsigned long>(kernel.barriers));
  for (const LineReport &line : kernel.lines)
    text += line_of_counts(line);
  return text;
}

struct Advice {
  const char *kind;
  const char *try_this;
  const char *lesson;
};
constexpr Advice advices[] = {
    {"shared_race", "a __syncthreads() (in one warp: __syncwarp()) between the two accesses", "05"},
    {"global_race", "two launches, or an atomic; nothing else orders blocks", "05"},
    {"out_of_bounds", "a test like `if (i < n)` around the access", "01"},
    {"divergent_barrier", "one __syncthreads() that all threads of the block reach", "05"},
    {"exited_at_barrier",
     "guard the work, not the thread: no return before a __syncthreads()",
     "05"},
    {"deadlock", "let every thread that is named, or in the block, reach the same barrier", "05"},
    {"uninitialised",
     "write it (or cudaMemset it) before it is read, with a barrier between",
     "04"},
    {"invalid_shuffle", "a mask that names exactly the lanes that take part", "10"},
    {"host_pointer", "cudaMalloc a copy for the device and cudaMemcpy into it", "01"},
    {"device_pointer_on_host", "cudaMemcpy to host memory first", "01"},
    {"misaligned", "an index that is a multiple of the vector's length, or plain accesses", "03"},
    {"use_after_free", "cudaFree after the last use", "01"},
    {"leak", "a cudaFree for every cudaMalloc", "01"},
    {"endless_loop", "look at the condition that should end the loop", "01"},
};

std::string side_text(const char *who, const HazardSide &side, bool in_kernel) {
  std::string text = format("    %s ", who);
  if (in_kernel)
    text += format("block (%u,%u,%u) thread (%u,%u,%u) at ",
                   side.block[0],
                   side.block[1],
                   side.block[2],
                   side.thread[0],
                   side.thread[1],
                   side.thread[2]);
  text += place(side.where);
  const std::string source = source_text(side.where);
  return text + (source.empty() ? "\n" : ":  " + source + "\n");
}

std::string hazard_text(const Hazard &hazard) {
  std::string text = format("%s %s in %s: %s",
                            hazard.warning ? "warning" : "HAZARD",
                            hazard.kind.c_str(),
                            hazard.kernel.empty() ? "the program" : hazard.kernel.c_str(),
                            hazard.message.c_str());
  if (hazard.count > 1)
    text += format(" (%lu times)", static_cast<unsigned long>(hazard.count));
  text += "\n";
  const bool in_kernel = hazard.kind != "leak" && hazard.kind != "device_pointer_on_host";
  if (hazard.here.where.line > 0 || in_kernel)
    text += side_text("    ", hazard.here, in_kernel);
  if (hazard.other.where.line > 0)
    text += side_text("and ", hazard.other, in_kernel);
  for (const Advice &advice : advices)
    if (hazard.kind == advice.kind)
      text += format("    try: %s (chapter %s)\n", advice.try_this, advice.lesson);
  return text;
}

} // namespace

std::string text_report(const Observation &observation) {
  std::string text;
  for (const KernelReport &kernel : observation.kernels)
    text += kernel_text(kernel);
  for (const Hazard &hazard : observation.hazards)
    text += hazard_text(hazard);
  if (observation.hazards.empty())
    text += "no hazard seen\n";
  return text;
}

} // namespace emu
