#include "host_touches.hpp"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace model {
namespace {

constexpr uintptr_t piece_bytes = 2 << 20;

HostTouches *the_only_one = nullptr;

char *rounded(const char *address, uintptr_t unit, bool up) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  return reinterpret_cast<char *>((number + (up ? unit - 1 : 0)) / unit * unit);
}

void protect(const HostTouches::Range &range, int protection) {
  if (range.first < range.second)
    mprotect(range.first, static_cast<size_t>(range.second - range.first), protection);
}

} // namespace

HostTouches::HostTouches() {
  the_only_one = this;
  struct sigaction action = {};
  action.sa_sigaction = touched;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before_);
}

HostTouches::~HostTouches() {
  stop();
  sigaction(SIGSEGV, &before_, nullptr);
}

void HostTouches::watch(std::vector<Range> ranges) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  size_t pieces = 0;
  for (Range &range : ranges) {
    range = {rounded(range.first, page, true), rounded(range.second, page, false)};
    protect(range, PROT_NONE);
    if (range.first < range.second)
      pieces += static_cast<size_t>(range.second - range.first) / piece_bytes + 2;
  }
  watched_ = std::move(ranges);
  touched_.clear();
  touched_.reserve(pieces); // a signal's handler does not ask for memory
}

std::vector<HostTouches::Range> HostTouches::stop() {
  for (const Range &range : watched_)
    protect(range, PROT_READ | PROT_WRITE);
  watched_.clear();
  return std::move(touched_);
}

void HostTouches::touched(int, siginfo_t *info, void *) {
  auto *const address = static_cast<char *>(info->si_addr);
  for (const Range &range : the_only_one->watched_)
    if (address >= range.first && address < range.second) {
      char *const piece = rounded(address, piece_bytes, false);
      const Range part = {std::max(range.first, piece),
                          std::min(range.second, piece + piece_bytes)};
      protect(part, PROT_READ | PROT_WRITE);
      the_only_one->touched_.push_back(part);
      return;
    }
  sigaction(SIGSEGV, &the_only_one->before_, nullptr); // it is not ours, and comes again
}

} // namespace model
