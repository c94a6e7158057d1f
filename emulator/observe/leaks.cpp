#include "leaks.hpp"

#include <array>
#include <cstdio>
#include <execinfo.h>

#include "symbols.hpp"

extern "C" char __executable_start[], etext[];

namespace emu {

void Leaks::memory_allocated(char *base, size_t bytes, bool) {
  std::array<void *, 24> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  Allocation allocation{bytes, {}};
  for (int i = 0; i < count; ++i) {
    const auto *address = static_cast<const char *>(frames[static_cast<size_t>(i)]);
    if (address >= __executable_start && address < etext)
      allocation.callers.push_back(static_cast<uint32_t>(address - __executable_start));
  }
  alive_[base] = allocation;
}

// The innermost caller whose source is known and that is not the emulator itself.
uint32_t Leaks::place_of(const Allocation &allocation) {
  for (const uint32_t caller : allocation.callers) {
    const SourceLine where = symbols().line(caller);
    if (where.line > 0 && !is_emulators_own(where.file))
      return caller;
  }
  return 0;
}

void Leaks::report(HazardSink &sink) const {
  std::vector<uint32_t> callers;
  for (const auto &[base, allocation] : alive_)
    callers.insert(callers.end(), allocation.callers.begin(), allocation.callers.end());
  symbols().look_up(callers);
  for (const auto &[base, allocation] : alive_) {
    char text[80];
    std::snprintf(text, sizeof text, "%zu bytes were allocated and never freed", allocation.bytes);
    sink.found({"leak", true, {{}, place_of(allocation), {}, {}}, {}, text});
  }
}

} // namespace emu
