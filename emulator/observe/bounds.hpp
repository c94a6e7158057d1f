/// \file
/// Looks for accesses to memory that is not there, not the kernel's, not aligned or not written.
#pragma once

#include "../src/shared_memory.hpp"
#include "observer.hpp"

namespace emu {

struct Region;

class Bounds : public Observer {
public:
  explicit Bounds(HazardSink &sink) : sink_(sink) {}

  /// \return whether the access reaches memory that a kernel may touch; if not, a hazard was found
  bool check(const ThreadAccess &access, SharedPlace place, bool program_variable);
  /// An access of host code: device memory is not for it.
  void host_access(char *address, uint32_t bytes, Operation operation, uint32_t pc);

  void block_begins(uint64_t block, int threads) override;
  void memory_allocated(char *base, size_t bytes, bool host_writes) override;
  void memory_freed(char *base) override;
  void memory_written(char *base, size_t bytes) override;

private:
  bool check_global(const ThreadAccess &access);
  void check_written(const ThreadAccess &access, Region &region);
  void report(const char *kind, const ThreadAccess &access, const char *text);

  HazardSink &sink_;
};

} // namespace emu
