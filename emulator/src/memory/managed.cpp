// Hints about managed memory: checked as CUDA does, remembered, and without effect. The instruments
// keep in mind what a GPU would do about them (observe/pages).
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/watcher.hpp"
#include "memory/allocations.hpp"
#include "memory/copies.hpp"
#include "streams/streams.hpp"
#include <observation/observe.hpp>

namespace {

using namespace emu;

/// What was advised for one managed allocation; advice for a part of it is taken for all.
struct Advice {
  bool read_mostly = false;
  cudaMemLocation preferred = {cudaMemLocationTypeInvalid, 0};
  cudaMemLocation last_prefetch = {cudaMemLocationTypeInvalid, 0};
  cudaMemLocation accessed_by = {cudaMemLocationTypeInvalid, 0};
};

std::mutex advice_mutex;
std::map<unsigned long long, Advice> advice_by_allocation; // by serial number

/// Finds the allocation that holds the range; an error if it is not managed memory.
cudaError_t
managed_range(const char *call, const void *memory, size_t size, unsigned long long &allocation) {
  const auto found = find_allocation(memory);
  if (size == 0 || !found || !found->alive || found->kind != MemoryKind::managed)
    return cudaErrorInvalidValue;
  if (!found->holds(memory, size)) {
    const auto there =
        static_cast<size_t>(found->base + found->size - static_cast<const char *>(memory));
    call_in_question = std::string(call) + " of " + std::to_string(size) +
                       " bytes where there are " + std::to_string(there);
    return cudaErrorInvalidValue;
  }
  allocation = found->serial;
  return cudaSuccess;
}

cudaError_t check_location(cudaMemLocation location) {
  switch (location.type) {
  case cudaMemLocationTypeDevice:
    return valid_device(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNumaCurrent:
    return cudaSuccess;
  case cudaMemLocationTypeHostNuma:
    return location.id == 0 ? cudaSuccess : cudaErrorInvalidValue;
  default:
    return cudaErrorInvalidValue;
  }
}

bool needs_location(cudaMemoryAdvise advice) {
  return advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
         advice == cudaMemAdviseUnsetAccessedBy;
}

/// Known from here on, though it may not have begun.
cudaError_t prefetch(const char *call,
                     const void *memory,
                     size_t size,
                     cudaMemLocation location,
                     cudaStream_t stream) {
  unsigned long long allocation = 0;
  if (managed_range(call, memory, size, allocation) != cudaSuccess)
    return cudaErrorInvalidValue;
  {
    const std::lock_guard lock(advice_mutex);
    advice_by_allocation[allocation].last_prefetch = location;
  }
  const bool to_device = location.type == cudaMemLocationTypeDevice;
  return perform(
      stream,
      TaskKind::prefetch,
      call,
      [&](Task &task) {
        task.bytes = size;
        task.route = to_device ? Route::to_device : Route::to_host;
      },
      [=] {
        if (runtime_watcher)
          runtime_watcher->pages_prefetched(memory, size, to_device);
      });
}

/// What a discarded range holds here: whoever reads on finds no number that was ever computed.
constexpr int discarded = 0xDD;

/// Forgets what a range holds; and sends it, empty, if there is a location.
cudaError_t
discard(void *memory, size_t size, const cudaMemLocation *location, cudaStream_t stream) {
  const bool sent = location != nullptr;
  const char *const call =
      sent ? "cudaMemDiscardAndPrefetchBatchAsync" : "cudaMemDiscardBatchAsync";
  unsigned long long allocation = 0;
  if (managed_range(call, memory, size, allocation) != cudaSuccess)
    return cudaErrorInvalidValue;
  const bool to_device = sent && location->type == cudaMemLocationTypeDevice;
  if (sent) {
    const std::lock_guard lock(advice_mutex);
    advice_by_allocation[allocation].last_prefetch = *location;
  }
  return perform(
      stream,
      TaskKind::prefetch,
      call,
      [&](Task &task) {
        task.writes = {{static_cast<const char *>(memory), size}};
      }, // no bytes move
      [=] {
        std::memset(memory, discarded, size);
        if (runtime_watcher == nullptr)
          return;
        runtime_watcher->pages_discarded(memory, size);
        if (sent)
          runtime_watcher->pages_prefetched(memory, size, to_device);
      });
}

auto discard_in(cudaStream_t stream) {
  return [stream](void *memory, size_t size, const cudaMemLocation *location) {
    return discard(memory, size, location, stream);
  };
}

/// The ranges of a batch, each with its location: the last one whose first range is not behind it.
/// \param use  (memory, size, location; null: there are none)
cudaError_t for_each_range(void **memory,
                           const size_t *sizes,
                           size_t count,
                           std::span<const cudaMemLocation> locations,
                           const size_t *first_of_location,
                           auto use) {
  for (size_t i = 0, place = 0; i < count; ++i) {
    while (place + 1 < locations.size() && first_of_location[place + 1] <= i)
      ++place;
    const cudaMemLocation *location = locations.empty() ? nullptr : &locations[place];
    if (const cudaError_t error = use(memory[i], sizes[i], location))
      return error;
  }
  return cudaSuccess;
}

/// Whether each location of a batch exists, and begins behind the one before.
cudaError_t check_locations(const cudaMemLocation *locations,
                            const size_t *first_of_location,
                            size_t location_count,
                            size_t count) {
  if (locations == nullptr || first_of_location == nullptr || location_count == 0 ||
      location_count > count || first_of_location[0] != 0)
    return cudaErrorInvalidValue;
  for (size_t i = 0; i < location_count; ++i) {
    if (const cudaError_t error = check_location(locations[i]))
      return error;
    if (first_of_location[i] >= count ||
        (i > 0 && first_of_location[i] <= first_of_location[i - 1]))
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

/// A batch goes into a stream that was made: CUDA refuses the default one.
cudaError_t check_batch(void **memory,
                        const size_t *sizes,
                        size_t count,
                        unsigned long long flags,
                        cudaStream_t stream) {
  if (memory == nullptr || sizes == nullptr || count == 0 || flags != 0 || stream == nullptr ||
      stream == cudaStreamLegacy)
    return cudaErrorInvalidValue;
  return validate_stream(stream);
}

int device_id(cudaMemLocation location) {
  switch (location.type) {
  case cudaMemLocationTypeInvalid:
    return cudaInvalidDeviceId;
  case cudaMemLocationTypeDevice:
    return location.id;
  default:
    return cudaCpuDeviceId;
  }
}

std::atomic<size_t> pages_that_fit = 0;

} // namespace

namespace emu {

void set_device_pages(size_t pages) { pages_that_fit = pages; }
size_t device_pages() { return pages_that_fit; }

} // namespace emu

cudaError_t cudaMemPrefetchAsync(const void *memory,
                                 size_t size,
                                 cudaMemLocation location,
                                 unsigned int flags,
                                 cudaStream_t stream) {
  return stream_call(stream, [&] {
    if (const cudaError_t error = check_location(location))
      return error;
    return flags != 0 ? cudaErrorInvalidValue
                      : prefetch("cudaMemPrefetchAsync", memory, size, location, stream);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void **memory,
                                      size_t *sizes,
                                      size_t count,
                                      cudaMemLocation *locations,
                                      size_t *first_of_location,
                                      size_t location_count,
                                      unsigned long long flags,
                                      cudaStream_t stream) {
  return device_call([&] {
    if (const cudaError_t error = check_batch(memory, sizes, count, flags, stream))
      return error;
    if (const cudaError_t error =
            check_locations(locations, first_of_location, location_count, count))
      return error;
    return for_each_range(memory,
                          sizes,
                          count,
                          {locations, location_count},
                          first_of_location,
                          [&](void *range, size_t size, const cudaMemLocation *location) {
                            return prefetch(
                                "cudaMemPrefetchBatchAsync", range, size, *location, stream);
                          });
  });
}

cudaError_t cudaMemDiscardBatchAsync(
    void **memory, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream) {
  return device_call([&] {
    if (const cudaError_t error = check_batch(memory, sizes, count, flags, stream))
      return error;
    return for_each_range(memory, sizes, count, {}, nullptr, discard_in(stream));
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **memory,
                                                size_t *sizes,
                                                size_t count,
                                                cudaMemLocation *locations,
                                                size_t *first_of_location,
                                                size_t location_count,
                                                unsigned long long flags,
                                                cudaStream_t stream) {
  return device_call([&] {
    if (const cudaError_t error = check_batch(memory, sizes, count, flags, stream))
      return error;
    if (const cudaError_t error =
            check_locations(locations, first_of_location, location_count, count))
      return error;
    return for_each_range(
        memory, sizes, count, {locations, location_count}, first_of_location, discard_in(stream));
  });
}

cudaError_t
cudaMemAdvise(const void *memory, size_t size, cudaMemoryAdvise advice, cudaMemLocation location) {
  return device_call([&] {
    unsigned long long allocation = 0;
    if (const cudaError_t error = managed_range("cudaMemAdvise", memory, size, allocation))
      return error;
    if (needs_location(advice))
      if (const cudaError_t error = check_location(location))
        return error;
    if (runtime_watcher)
      runtime_watcher->pages_advised(
          memory, size, advice, location.type == cudaMemLocationTypeDevice);
    const std::lock_guard lock(advice_mutex);
    Advice &given = advice_by_allocation[allocation];
    constexpr cudaMemLocation nowhere = {cudaMemLocationTypeInvalid, 0};
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      given.read_mostly = advice == cudaMemAdviseSetReadMostly;
      return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
      given.preferred = location;
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      given.preferred = nowhere;
      return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
      given.accessed_by = location;
      return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy:
      given.accessed_by = nowhere;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemRangeGetAttribute(void *data,
                                     size_t data_size,
                                     cudaMemRangeAttribute attribute,
                                     const void *memory,
                                     size_t size) {
  return device_call([&] {
    unsigned long long allocation = 0;
    if (const cudaError_t error =
            managed_range("cudaMemRangeGetAttribute", memory, size, allocation))
      return error;
    if (data == nullptr || data_size < sizeof(int) || data_size % sizeof(int) != 0 ||
        (attribute != cudaMemRangeAttributeAccessedBy && data_size != sizeof(int)))
      return cudaErrorInvalidValue;
    const std::lock_guard lock(advice_mutex);
    const Advice &given = advice_by_allocation[allocation];
    int *const result = static_cast<int *>(data);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return answer(result, given.read_mostly);
    case cudaMemRangeAttributePreferredLocation:
      return answer(result, device_id(given.preferred));
    case cudaMemRangeAttributeAccessedBy: // a list; unused places say so
      for (size_t i = 0; i < data_size / sizeof(int); ++i)
        result[i] = i == 0 ? device_id(given.accessed_by) : cudaInvalidDeviceId;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
      return answer(result, device_id(given.last_prefetch));
    case cudaMemRangeAttributePreferredLocationType:
      return answer(result, static_cast<int>(given.preferred.type));
    case cudaMemRangeAttributePreferredLocationId:
      return answer(result, given.preferred.id);
    case cudaMemRangeAttributeLastPrefetchLocationType:
      return answer(result, static_cast<int>(given.last_prefetch.type));
    case cudaMemRangeAttributeLastPrefetchLocationId:
      return answer(result, given.last_prefetch.id);
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t size, unsigned int flags) {
  return stream_call(stream, [&] {
    const auto found = find_allocation(memory);
    const bool known_flags =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    if (!known_flags || !found || !found->alive || found->kind != MemoryKind::managed ||
        (size != 0 && size != found->size))
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}
