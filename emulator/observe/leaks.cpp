#include "leaks.hpp"

#include "../src/context/devices.hpp"
#include "emu/runtime/errors.hpp"
#include "symbols.hpp"
#include "task_races.hpp"

namespace emu {

void Leaks::memory_allocated(char *base, size_t bytes, bool) {
  alive_[base] = {bytes, program_callers()};
}

void Leaks::report(HazardSink &sink) const {
  // A ruined context frees nothing, however often it is asked to.
  for (int device = 0; device < device_count(); ++device)
    if (sticky_error(device) != cudaSuccess)
      return;
  std::vector<uint32_t> callers;
  for (const auto &[base, allocation] : alive_)
    callers.insert(callers.end(), allocation.callers.begin(), allocation.callers.end());
  symbols().look_up(callers);
  for (const auto &[base, allocation] : alive_) {
    const std::string bytes = std::to_string(allocation.bytes);
    sink.found({"leak",
                true,
                {{}, place_of(allocation.callers), {}, {}},
                {},
                bytes + " bytes were allocated and never freed"});
  }
}

} // namespace emu
