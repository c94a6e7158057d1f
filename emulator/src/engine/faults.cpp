#include "engine/faults.hpp"

#include <csignal>
#include <cstdio>

#include "emu/engine/engine.hpp"
#include "engine/failures.hpp"

namespace emu {

namespace {

std::optional<KnownMemory> memory_near(const void *address) {
  const Failures *running = running_failures;
  return running && running->memory_near ? running->memory_near(address) : std::nullopt;
}

} // namespace

void tell_overrun(size_t local_memory, const char *instruction) {
  char text[256];
  std::snprintf(
      text,
      sizeof text,
      "a thread needs more local memory, for its arrays and calls, than the %zu KiB of its "
      "stack (a GPU gives 512): try smaller arrays, or EMU_STACK_KB set to more",
      local_memory >> 10);
  complain_at("stack_overflow", text, instruction);
  record_failure(cudaErrorIllegalAddress);
}

void tell_fault(const Fault &fault, size_t local_memory) {
  // What is kept of an instruction is where it ends, as of a call.
  const char *const instruction = fault.instruction + 1;
  if (fault.signal == SIGFPE) {
    complain_at("division_by_zero",
                "an integer division by zero (a GPU gives an undefined result)",
                instruction);
    record_failure(cudaErrorLaunchFailure);
    return;
  }
  if (local_memory > 0)
    return tell_overrun(local_memory, instruction);
  char text[256];
  cudaError_t error = cudaErrorIllegalAddress;
  const char *kind = "out_of_bounds";
  if (!fault.has_address) {
    error = cudaErrorMisalignedAddress;
    kind = "misaligned";
    std::snprintf(text,
                  sizeof text,
                  "an address that is no multiple of 16 bytes, or that no memory can have");
  } else if (const auto near = memory_near(fault.address)) {
    const long before = near->base - fault.address;
    std::snprintf(text,
                  sizeof text,
                  "an access %ld bytes %s an allocation of %zu bytes",
                  before > 0 ? before : -before - static_cast<long>(near->size),
                  before > 0 ? "before" : "past the end of",
                  near->size);
  } else {
    std::snprintf(
        text,
        sizeof text,
        "no memory at address %p: a pointer that was never set, or an index far out of its "
        "range",
        static_cast<const void *>(fault.address));
  }
  complain_at(kind, text, instruction);
  record_failure(error);
}

} // namespace emu
