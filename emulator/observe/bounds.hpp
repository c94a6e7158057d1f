/// \file
/// Looks for accesses to memory that is not there, not the kernel's, not aligned or not written.
#pragma once

#include <array>
#include <vector>

#include "../src/shared_memory.hpp"
#include "emu/errors.hpp"
#include "observer.hpp"

namespace emu {

struct Region;

class Bounds : public Observer {
public:
  explicit Bounds(HazardSink &sink) : sink_(sink) {}

  /// What an access was found to be. If it is not inside memory that a kernel may touch, a hazard
  /// was found; if it would do harm here, or ends a launch on every GPU, `fatal` says with what.
  struct Verdict {
    bool inside = true;
    cudaError_t fatal = cudaSuccess;
    int owner = -1; // the device whose memory it is, if that is another one than the kernel's
  };
  Verdict check(const ThreadAccess &access, SharedPlace place, bool program_variable);
  /// An access of host code: device memory is not for it.
  void host_access(char *address, uint32_t bytes, Operation operation, uint32_t pc);
  /// Those of the kernel that runs next.
  void set_parameters(Stretch parameters) { parameters_ = parameters; }

  void launch_begins(const LaunchConfig &config) override;
  void block_begins(uint64_t block, int threads) override;
  void memory_allocated(char *base, size_t bytes, bool host_writes) override;
  void memory_freed(char *base) override;
  void memory_written(char *base, size_t bytes) override;

private:
  Verdict check_global(const ThreadAccess &access);
  Verdict report_stray(const ThreadAccess &access);
  void report_outside(const ThreadAccess &access, const Region &region);
  const char *pointer_below(const char *address) const;
  bool lend_memory(const char *address, size_t bytes);
  bool is_lent(const char *address) const;
  void check_written(const ThreadAccess &access, Region &region);
  void report(const char *kind, const ThreadAccess &access, const char *text);

  HazardSink &sink_;
  Stretch parameters_;
  // The last words that kernels loaded and that are long enough for pointers.
  std::array<const char *, 4> loaded_{};
  size_t next_loaded_ = 0;
  std::vector<char *> lent_; // pages
};

} // namespace emu
