/// \file
/// What streams and the host do in a program whose launches are followed: as tasks, with the pages that they move.
#pragma once

#include "host_touches.hpp"
#include "trace.hpp"

#include "emulator/observe/page_places.hpp"
#include "emulator/src/engine/watcher.hpp"
#include "emulator/src/launches/launch_model.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace model {

class TaskCollector final : public emu::RuntimeWatcher, private emu::PagePlaces {
public:
  explicit TaskCollector(emu::MemoryAt memory_at) : memory_at_(memory_at) {}

  void begins_part(const std::string &name);
  /// The allocation at an address, if it is not simply memory of the device on which the running kernel works.
  emu::KnownAllocation past_device(uint64_t address) const;
  /// The running kernel's launch, followed.
  void kernel_follows(uint64_t launch) { running().launch = launch; }
  /// What the running kernel touches past its device, and which of its pages have to move.
  void kernel_touches(const LaunchTrace &launch);
  const std::vector<PartTrace> &parts() const { return parts_; }

  void task_made(emu::Task &) override { host_stops(); }
  void task_submitted(const emu::Task &task) override;
  void task_begins(const emu::Task &task) override;
  void task_ends(const emu::Task &task) override;
  void host_waited(const emu::Task *task) override;
  void device_waited(int device) override;
  void memory_allocated(const emu::Allocation &allocation) override;
  void memory_freed(void *base) override;
  void pages_prefetched(const void *memory, size_t bytes, bool to_device) override {
    prefetch(static_cast<const char *>(memory), bytes, to_device);
  }
  void pages_discarded(const void *memory, size_t bytes) override {
    discard(static_cast<const char *>(memory), bytes);
  }
  void
  pages_advised(const void *memory, size_t bytes, cudaMemoryAdvise advice, bool device) override {
    advise(static_cast<const char *>(memory), bytes, advice, device);
  }
  /// \name Of no interest
  /// @{
  void call_failed(cudaError_t) override {}
  void error_fetched() override {}
  void host_complained(const char *, const char *) override {}
  std::string place_of_caller() override { return ""; }
  bool host_knows(const emu::Task &) override { return true; }
  void waited_in_vain(unsigned) override {}
  void handed_over(const char *, const void *, size_t, bool, bool) override {}
  void memory_written(void *, size_t) override {}
  void handle_made(const void *, const char *) override {}
  void handle_gone(const void *) override {}
  /// @}

private:
  emu::PageCounts &counts() override { return counts_; }
  TaskTrace &running() { return running_ ? parts_.back().tasks[*running_] : nobodys_; }
  /// The host calls: what it did until now was its own.
  void host_stops();
  /// It goes on with what is its own.
  void host_goes_on();
  void add_host(HostTrace::What what, uint64_t task);

  emu::MemoryAt memory_at_;
  HostTouches touches_;
  emu::PageCounts counts_; // of the running task
  std::vector<PartTrace> parts_;
  bool in_part_ = false;
  std::unordered_map<uint64_t, uint64_t> places_; // of the part's tasks, by their numbers
  std::optional<uint64_t> running_; // its place in the part
  int device_ = 0; // on which it runs
  TaskTrace nobodys_; // of no part
  double went_on_us_ = 0, own_us_ = 0, fault_bytes_ = 0;
  bool goes_on_ = false;
};

} // namespace model
