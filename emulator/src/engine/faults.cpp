#include "engine/faults.hpp"

#include <csignal>
#include <cstdio>

#include "emu/engine/engine.hpp"
#include "engine/failures.hpp"
#include "engine/limits.hpp"

namespace emu {

namespace {
std::optional<KnownMemory> memory_near(const void *address) {
  const Failures *running = running_failures;
  return running && running->memory_near ? running->memory_near(address) : std::nullopt;
}
} // namespace

void tell_fault(const Fault &fault, int stack_owner) {
  constexpr const char *observe = "try: ./tutor observe names the line";
  if (fault.signal == SIGFPE) {
    complain(
        "division_by_zero", "an integer division by zero (a GPU gives an undefined result)", {});
    record_failure(cudaErrorLaunchFailure);
    return;
  }
  char text[256];
  cudaError_t error = cudaErrorIllegalAddress;
  const char *kind = "out_of_bounds";
  if (stack_owner >= 0) {
    error = cudaErrorLaunchFailure;
    kind = "stack_overflow";
    std::snprintf(text,
                  sizeof text,
                  "a thread used more local memory than its stack holds: set EMU_STACK_KB to more "
                  "than %d",
                  stack_kb());
  } else if (!fault.has_address) {
    error = cudaErrorMisalignedAddress;
    kind = "misaligned";
    std::snprintf(text,
                  sizeof text,
                  "an address that is no multiple of 16 bytes, or that no memory can have; %s",
                  observe);
  } else if (const auto near = memory_near(fault.address)) {
    const long before = near->base - fault.address;
    std::snprintf(text,
                  sizeof text,
                  "an access %ld bytes %s an allocation of %zu bytes; %s",
                  before > 0 ? before : -before - static_cast<long>(near->size),
                  before > 0 ? "before" : "past the end of",
                  near->size,
                  observe);
  } else {
    std::snprintf(
        text,
        sizeof text,
        "no memory at address %p: a pointer that was never set, or an index far out of its "
        "range; %s",
        static_cast<const void *>(fault.address),
        observe);
  }
  complain(kind, text, {});
  record_failure(error);
}

} // namespace emu
