#include "engine/failures.hpp"

#include <cstdio>
#include <mutex>

#include "emu/engine/engine.hpp"
#include "engine/watcher.hpp"

extern "C" char __executable_start[], etext[];

namespace emu {

std::atomic<Failures *> running_failures{nullptr};

namespace {
std::mutex report_mutex;
}

void record_failure(cudaError_t error) {
  if (Failures *running = running_failures) {
    int none = cudaSuccess;
    running->error.compare_exchange_strong(none, error);
  }
}

void complain(const char *kind, const char *text, Site site, uint3 other_thread, Site other) {
  if (kernel_watcher) {
    kernel_watcher->complained(
        {kind, text, {site, 0, blockIdx, threadIdx}, {other, 0, blockIdx, other_thread}});
    return;
  }
  Failures *running = running_failures;
  const std::lock_guard lock(report_mutex);
  const std::string key = std::string(kind) + site.file + ':' + std::to_string(site.line);
  if (running && !running->reported.insert(key).second)
    return;
  std::fflush(stdout);
  const auto print_side = [](uint3 thread, Site where) {
    std::fprintf(stderr, "thread (%u,%u,%u)", thread.x, thread.y, thread.z);
    if (where.line > 0)
      std::fprintf(stderr, " at %s:%d", where.file, where.line);
  };
  std::fprintf(stderr,
               "emulator: %s: %s: kernel %s, block (%u,%u,%u), ",
               kind,
               text,
               running ? running->name : "?",
               blockIdx.x,
               blockIdx.y,
               blockIdx.z);
  print_side(threadIdx, site);
  if (other.line > 0) {
    std::fprintf(stderr, " and ");
    print_side(other_thread, other);
  }
  std::fprintf(stderr, "\n");
}

void complain_at(const char *kind, const char *text, const char *instruction) {
  if (!kernel_watcher)
    return complain(
        kind, (std::string(text) + "; try: ./tutor observe names the line").c_str(), Site{});
  const bool own = instruction > __executable_start && instruction <= etext;
  const auto pc = static_cast<uint32_t>(own ? instruction - __executable_start : 0);
  kernel_watcher->complained({kind, text, {{}, pc, blockIdx, threadIdx}, {}});
}

} // namespace emu
