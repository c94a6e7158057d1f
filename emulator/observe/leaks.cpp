#include "leaks.hpp"

#include "../src/context/devices.hpp"
#include "../src/memory/allocations.hpp"
#include "emu/runtime/errors.hpp"
#include "symbols.hpp"
#include "task_races.hpp"

namespace emu {

void Leaks::memory_allocated(const Allocation &allocation) {
  if (!(allocation.flags & of_program))
    made(allocation.base,
         std::to_string(allocation.size) + " bytes were allocated and never freed");
}

void Leaks::handle_made(const void *handle, const char *destroyed_by) {
  std::string type = destroyed_by; // cudaStreamDestroy: a cudaStream_t
  type.replace(type.find("Destroy"), std::string::npos, "_t");
  made(handle, "the " + type + " that was made here was never given to " + destroyed_by);
}

void Leaks::made(const void *what, const std::string &message) {
  if (observes_)
    alive_[what] = {message, program_callers()};
}

void Leaks::stop(HazardSink &sink) {
  observes_ = false;
  // A ruined context frees nothing, however often it is asked to.
  for (int device = 0; device < device_count(); ++device)
    if (sticky_error(device) != cudaSuccess)
      return;
  std::vector<uint32_t> callers;
  for (const auto &[what, made] : alive_)
    callers.insert(callers.end(), made.callers.begin(), made.callers.end());
  symbols().look_up(callers);
  for (const auto &[what, made] : alive_)
    sink.found({"leak", true, {{}, place_of(made.callers), {}, {}}, {}, made.message});
}

} // namespace emu
