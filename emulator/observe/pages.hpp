/// \file
/// Where the pages of managed memory lie, and who had to wait for them: by the model that
/// observation/observe.hpp states. Nothing moves here, so this is only kept in mind.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "../src/streams/tasks.hpp"
#include "emu/runtime/driver_types.hpp"
#include "observer.hpp"

namespace emu {

class Pages : public Observer {
public:
  /// Counts begin anew. Pages stay where they are.
  void start() override { reports_.clear(); }
  void part_begins(const std::string &name) override { part_ = name; }
  std::vector<PageReport> take() { return std::move(reports_); }

  unsigned wants() const override { return host_accesses | (lowest_ ? accesses : nothing); }
  void launch_begins(const ObservedLaunch &) override { ++launch_; }
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
  enum class Place : uint8_t { nowhere, host, device, both };
  struct Page {
    Place place = Place::nowhere;
    bool read_mostly = false;
    bool prefers_host = false;
    bool device_may_reach = false; // without moving it
    uint32_t reached_by = 0; // the last launch that reached it over the link
    uint64_t arrival = 0; // its number in the order of arrivals
    bool on_device() const { return place == Place::device || place == Place::both; }
  };
  struct Managed {
    size_t bytes;
    std::vector<Page> pages;
  };

  void touched(const char *address, size_t bytes, bool by_device, bool writes) {
    if (address < highest_ && address + bytes > lowest_)
      touch_pages(address, bytes, by_device, writes);
  }
  void touch_pages(const char *address, size_t bytes, bool by_device, bool writes);
  void touch_by_device(Page &page, bool writes);
  void touch_by_host(Page &page, bool writes);
  /// Moves those out that have been on the device longest, until the others fit.
  void make_room(Page &arrived);
  void set_limits();
  template <class Change> void for_each(const char *memory, size_t bytes, Change change);
  PageReport &report();

  std::map<const char *, Managed, std::greater<>> allocations_; // the highest first
  std::atomic<const char *> lowest_ = nullptr, highest_ = nullptr; // all lie between
  std::deque<std::pair<Page *, uint64_t>> arrivals_; // on the device; some may have left since
  uint64_t arrival_ = 0; // of the last page
  size_t on_device_ = 0;
  uint32_t launch_ = 0;
  std::string part_;
  std::vector<PageReport> reports_;
};

} // namespace emu
