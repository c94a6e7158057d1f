/// \file
/// Where the pages of managed memory lie, and what each touch of one costs: by the model that observation/observe.hpp
/// states. Nothing moves here, so this is only kept in mind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "emu/runtime/driver_types.hpp"
#include <observation/observe.hpp>

namespace emu {

class PagePlaces {
public:
  static constexpr size_t page_bytes = 4096;

  virtual ~PagePlaces() = default;

  /// What happens is added here.
  virtual PageCounts &counts() = 0;
  /// How many pages fit on the device; 0: all.
  virtual size_t room() const { return 0; }

  void add(const char *base, size_t bytes);
  /// \return whether it was one of those added
  bool remove(const char *base);
  /// A kernel's or the host's access.
  void touch(const char *address, size_t bytes, bool by_device, bool writes);
  /// Touches of one launch count once for a page.
  void begin_launch() { ++launch_; }
  /// A copy has written them where they lie, and made those that were nowhere.
  void written_by_copy(const char *memory, size_t bytes, bool on_device);
  void prefetch(const char *memory, size_t bytes, bool to_device);
  void discard(const char *memory, size_t bytes);
  /// \param device  whether the place that the advice names is the device
  void advise(const char *memory, size_t bytes, cudaMemoryAdvise advice, bool device);

  /// Calls `there(first, bytes)` for each stretch of pages that the host would have to fetch, or to make.
  void each_away_from_host(const std::function<void(char *, size_t)> &there) const;

protected:
  const char *lowest() const {
    return allocations_.empty() ? nullptr : allocations_.rbegin()->first;
  }
  const char *highest() const {
    return allocations_.empty() ? nullptr
                                : allocations_.begin()->first + allocations_.begin()->second.bytes;
  }

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

  void touch_by_device(Page &page, bool writes);
  void touch_by_host(Page &page, bool writes);
  /// Moves those out that have been on the device longest, until the others fit.
  void make_room(Page &arrived);
  template <class Change> void for_each(const char *memory, size_t bytes, Change change);

  std::map<const char *, Managed, std::greater<>> allocations_; // the highest first
  std::deque<std::pair<Page *, uint64_t>> arrivals_; // on the device; some may have left since
  uint64_t arrival_ = 0; // of the last page
  size_t on_device_ = 0;
  uint32_t launch_ = 0;
};

} // namespace emu
