#include "leaks.hpp"

#include "../src/context/devices.hpp"
#include "../src/memory/allocations.hpp"
#include "emu/runtime/errors.hpp"
#include "symbols.hpp"
#include "task_races.hpp"

namespace emu {

void Leaks::memory_allocated(const Allocation &allocation) {
  if (!(allocation.flags & of_program))
    alive_[allocation.base] = {allocation.size, program_callers()};
}

void Leaks::report(HazardSink &sink) const {
  // A ruined context frees nothing, however often it is asked to.
  for (int device = 0; device < device_count(); ++device)
    if (sticky_error(device) != cudaSuccess)
      return;
  std::vector<uint32_t> callers;
  for (const auto &[base, made] : alive_)
    callers.insert(callers.end(), made.callers.begin(), made.callers.end());
  symbols().look_up(callers);
  for (const auto &[base, made] : alive_) {
    const std::string bytes = std::to_string(made.bytes);
    sink.found({"leak",
                true,
                {{}, place_of(made.callers), {}, {}},
                {},
                bytes + " bytes were allocated and never freed"});
  }
}

} // namespace emu
