/// \file
/// Who had to wait for pages of managed memory, in each part of the program.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "../src/streams/tasks.hpp"
#include "observer.hpp"
#include "page_places.hpp"

namespace emu {

class Pages : public Observer, private PagePlaces {
public:
  /// Counts begin anew. Pages stay where they are.
  void start() override { reports_.clear(); }
  void part_begins(const std::string &name) override { part_ = name; }
  std::vector<PageReport> take() { return std::exchange(reports_, {}); }
  /// What became of pages later.
  void add(const std::vector<PageReport> &later);

  /// Whether there are any.
  bool any() const { return lowest_ != nullptr; }
  unsigned wants() const override { return host_accesses | (any() ? accesses : nothing); }
  void launch_begins(const ObservedLaunch &) override { begin_launch(); }
  void memory_allocated(const Allocation &allocation) override;
  void memory_freed(char *base) override;
  void access(ObservedBlock &, const ThreadAccess &access) override {
    if (access.space != Space::shared)
      touched(access.address, access.bytes, true, access.operation != Operation::load);
  }
  void host_access(const HostAccess &access) override {
    touched(access.address, access.bytes, false, access.operation != Operation::load);
  }
  /// What a copy, or cudaMemset, has written.
  void task_ends(const Task &task, TaskCost &cost) override;
  void pages_prefetched(const char *memory, size_t bytes, bool to_device) override;
  void pages_discarded(const char *memory, size_t bytes) override;
  void
  pages_advised(const char *memory, size_t bytes, cudaMemoryAdvise advice, bool device) override;

private:
  void touched(const char *address, size_t bytes, bool by_device, bool writes) {
    if (address < highest_ && address + bytes > lowest_)
      touch_locked(address, bytes, by_device, writes);
  }
  void touch_locked(const char *address, size_t bytes, bool by_device, bool writes);
  void set_limits();
  PageCounts &counts() override { return counts_of(part_); }
  PageCounts &counts_of(const std::string &part);
  size_t room() const override;

  std::atomic<const char *> lowest_ = nullptr, highest_ = nullptr; // all lie between
  std::string part_;
  std::vector<PageReport> reports_;
};

} // namespace emu
