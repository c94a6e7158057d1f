#include "bounds.hpp"

#include <algorithm>
#include <cstdio>

#include "../src/allocations.hpp"
#include "shadow.hpp"

namespace emu {

namespace {

const char *verb(Operation operation) {
  return operation == Operation::load    ? "read"
         : operation == Operation::store ? "write"
                                         : "atomic operation";
}

} // namespace

void Bounds::report(const char *kind, const ThreadAccess &access, const char *text) {
  sink_.found({kind, false, {{}, access.pc, blockIdx, threadIdx}, {}, text});
}

bool Bounds::check(const ThreadAccess &access, SharedPlace place, bool program_variable) {
  char text[200];
  if (reinterpret_cast<uintptr_t>(access.address) % access.piece != 0) {
    std::snprintf(text,
                  sizeof text,
                  "%s of %u bytes at an address that is no multiple of %u",
                  verb(access.operation),
                  access.bytes,
                  access.bytes);
    report("misaligned", access, text);
  }
  if (place == SharedPlace::nothing) {
    std::snprintf(text,
                  sizeof text,
                  "%s of %u bytes outside every __shared__ variable of the block",
                  verb(access.operation),
                  access.bytes);
    report("out_of_bounds", access, text);
    return false;
  }
  if (place != SharedPlace::elsewhere) {
    check_written(access, shadow().shared());
    return true;
  }
  return program_variable || check_global(access);
}

bool Bounds::check_global(const ThreadAccess &access) {
  char text[200];
  if (reinterpret_cast<uintptr_t>(access.address) < 4096) {
    report("out_of_bounds", access, "access through a null pointer");
    return true; // the fault that follows ends the launch
  }
  Region *region = shadow().find(access.address, redzone);
  if (!region) {
    report("host_pointer",
           access,
           "access to memory of the host: a kernel reaches only what cudaMalloc and its kin gave");
    return false;
  }
  const long offset = access.address - region->base;
  const long end = offset + static_cast<long>(access.bytes);
  if (!region->alive) {
    report("use_after_free", access, "access to memory that was freed");
    return false;
  }
  if (offset < 0 || end > static_cast<long>(region->bytes)) {
    std::snprintf(text,
                  sizeof text,
                  "%s of %u bytes, %ld bytes %s an allocation of %zu bytes",
                  verb(access.operation),
                  access.bytes,
                  offset < 0 ? -offset : offset - static_cast<long>(region->bytes),
                  offset < 0 ? "before" : "past the end of",
                  region->bytes);
    report("out_of_bounds", access, text);
    return false;
  }
  check_written(access, *region);
  return true;
}

void Bounds::check_written(const ThreadAccess &access, Region &region) {
  const auto first = static_cast<size_t>(access.address - region.base);
  bool all = true;
  for (size_t i = first; i < first + access.bytes;) {
    const unsigned in_word = static_cast<unsigned>(i % 4);
    const unsigned count =
        static_cast<unsigned>(std::min<size_t>(4 - in_word, first + access.bytes - i));
    const auto mask = static_cast<uint8_t>(((1u << count) - 1) << in_word);
    if (access.operation == Operation::store)
      region.written[i / 4] |= mask;
    else
      all = all && (region.written[i / 4] & mask) == mask;
    i += count;
  }
  if (!all)
    report("uninitialised",
           access,
           access.space == Space::shared ? "reads shared memory that this block has not written"
                                         : "reads memory that nothing has written");
}

void Bounds::host_access(char *address, uint32_t bytes, Operation operation, uint32_t pc) {
  Region *region = shadow().find(address);
  if (!region || region->base == nullptr)
    return;
  const auto found = find_allocation(address);
  if (!found)
    return;
  if (found->kind != MemoryKind::device) {
    if (operation != Operation::load)
      shadow().mark_written(address, bytes);
    return;
  }
  sink_.found({"device_pointer_on_host",
               false,
               {{}, pc, {}, {}},
               {},
               "host code follows a pointer to device memory: copy it with cudaMemcpy"});
}

void Bounds::block_begins(uint64_t, int) { shadow().forget_shared(); }

void Bounds::memory_allocated(char *base, size_t bytes, bool host_writes) {
  shadow().add(base, bytes, host_writes); // what the host writes there, nobody tells us
}
void Bounds::memory_freed(char *base) { shadow().retire(base); }
void Bounds::memory_written(char *base, size_t bytes) { shadow().mark_written(base, bytes); }

} // namespace emu
