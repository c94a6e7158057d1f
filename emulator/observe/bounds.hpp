/// \file
/// Looks for accesses to memory that is not there, not the kernel's, not aligned or not written.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "../src/context/devices.hpp"
#include "../src/engine/shared_memory.hpp"
#include "emu/runtime/errors.hpp"
#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

class Bounds : public Observer {
public:
  Bounds(HazardSink &sink, Shadow &shadow) : sink_(sink), shadow_(shadow) {}

  /// What an access was found to be: inside memory that a kernel may touch, or else a hazard was found.
  /// What would do harm here, or ends a launch on every GPU, is illegal or misaligned. (One number: a
  /// structure would be put together in memory for each access.)
  enum class Verdict { inside, outside, illegal, misaligned };
  Verdict check(const ThreadAccess &access, SharedPlace place) {
    if (!is_ordinary(access, place))
      return look_closer(access, place);
    remember_pointer(access);
    return Verdict::inside;
  }
  unsigned wants() const override { return host_accesses; }
  void start() override { observes_ = true; }
  /// Device memory is not for host code.
  void host_access(const HostAccess &access) override;
  void launch_begins(const ObservedLaunch &launch) override;
  void memory_allocated(const Allocation &allocation) override;
  void memory_freed(char *base) override;
  void memory_written(char *base, size_t bytes) override;
  void task_begins(const Task &task) override;
  void task_ends(const Task &, TaskCost &) override;

private:
  /// Most are: whole words, or bytes of one, that were written before, in memory of the kernel's own device or block.
  static bool is_ordinary(const ThreadAccess &access, SharedPlace place) {
    const Region *region = access.region;
    if (access.space == Space::constant || place == SharedPlace::nothing || !region ||
        !region->alive || (region->device >= 0 && region->device != running_device) ||
        (reinterpret_cast<uintptr_t>(access.address) & (access.piece - 1)) != 0)
      return false;
    const auto first = static_cast<size_t>(access.address - region->base);
    if (first + access.bytes > region->bytes)
      return false;
    const uint8_t *written = region->written + first / 4;
    if (access.bytes > 4) {
      const uint32_t words = access.bytes / 4;
      uint8_t all = 0xf;
      for (uint32_t i = 0; i < words; ++i)
        all &= written[i];
      return words <= 4 && (first | access.bytes) % 4 == 0 && all == 0xf;
    }
    const auto bits = ((1u << access.bytes) - 1) << first % 4;
    return (*written & bits) == bits;
  }
  void remember_pointer(const ThreadAccess &access) {
    if (access.bytes == sizeof(void *) && access.operation == Operation::load)
      __builtin_memcpy(&loaded_[next_loaded_++ % loaded_.size()], access.address, sizeof(void *));
  }
  Verdict look_closer(const ThreadAccess &access, SharedPlace place);
  Verdict check_global(const ThreadAccess &access);
  Verdict report_stray(const ThreadAccess &access);
  void report_outside(const ThreadAccess &access, const Region &region);
  std::string no_whole_number(const Region &region, long element) const;
  const char *pointer_below(const ThreadAccess &access, const char *shared) const;
  bool lend_memory(const char *address, size_t bytes);
  bool is_lent(const char *address) const;
  void check_written(const ThreadAccess &access, Region &region);
  std::string brought_before(const char *address, const Region &region) const;
  std::string was_freed(const char *base) const;
  void report(const char *kind, const ThreadAccess &access, const std::string &text);

  HazardSink &sink_;
  Shadow &shadow_;
  Stretch parameters_; // of the running kernel
  size_t dynamic_bytes_ = 0; // of shared memory, in its launch
  // The last words that kernels loaded and that are long enough for pointers.
  std::array<const char *, 4> loaded_{};
  size_t next_loaded_ = 0;
  std::vector<char *> lent_; // pages
  /// What a task of the host's has written last at the beginning of an allocation and no further.
  struct Brought {
    size_t bytes;
    std::string by; // the task's name
    std::vector<uint32_t> callers; // its line is looked up when it is told
  };
  std::map<const char *, Brought> brought_;
  struct Freed {
    std::string by; // the task's name; empty: the call was no task
    std::vector<uint32_t> callers;
  };
  std::map<const char *, Freed> freed_; // what nobody has been given since
  bool observes_ = false;
  std::map<const char *, std::vector<uint32_t>>
      allocated_in_; // callers, of what was allocated since
};

} // namespace emu
