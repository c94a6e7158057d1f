#include "steps/places.hpp"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

#if CUDART_VERSION >= 13000

cudaMemLocation location(Place place) {
  return place == Place::device
             ? cudaMemLocation{cudaMemLocationTypeDevice, lab::choose_device().id}
             : cudaMemLocation{cudaMemLocationTypeHost, 0};
}

#else

int location(Place place) {
  return place == Place::device ? lab::choose_device().id : cudaCpuDeviceId;
}

#endif

// Once: what the steps from v4 on are about does not happen on this machine.
void say_that_nothing_moves() {
  static const bool said = [] {
    std::fprintf(
        stderr,
        "note: pages do not move one by one here (concurrentManagedAccess is 0): prefetches "
        "and advice are left out, and v4 to v7 do what v3 does\n");
    return true;
  }();
  static_cast<void>(said);
}

} // namespace

bool pages_move() { return lab::device_attribute(cudaDevAttrConcurrentManagedAccess) != 0; }

void prefetch(const void *memory, size_t bytes, Place place, cudaStream_t stream) {
  if (bytes == 0)
    return;
  if (!pages_move()) {
    say_that_nothing_moves();
    return;
  }
#if CUDART_VERSION >= 13000
  LAB_CHECK(cudaMemPrefetchAsync(memory, bytes, location(place), 0, stream));
#else
  LAB_CHECK(cudaMemPrefetchAsync(memory, bytes, location(place), stream));
#endif
}

void advise(const void *memory, size_t bytes, cudaMemoryAdvise advice, Place place) {
  if (bytes > 0 && pages_move())
    LAB_CHECK(cudaMemAdvise(memory, bytes, advice, location(place)));
}

int last_prefetch(const void *memory, size_t bytes) {
  int place = cudaInvalidDeviceId;
  LAB_CHECK(cudaMemRangeGetAttribute(
      &place, sizeof place, cudaMemRangeAttributeLastPrefetchLocation, memory, bytes));
  return place;
}

ManagedBuffer::ManagedBuffer(size_t n) : size_(n) {
  size_t free = 0, total = 0;
  LAB_CHECK(cudaMemGetInfo(&free, &total));
  if (bytes() > free / 2)
    throw lab::Error(1,
                     lab::size_text(static_cast<double>(bytes())) + " of managed memory, and " +
                         lab::size_text(static_cast<double>(free)) +
                         " are free on the device: take a smaller --n");
  const size_t at_least_one = n > 0 ? bytes() : sizeof(double);
  LAB_CHECK(cudaMallocManaged(&data_, at_least_one));
  std::memset(data_, 0, at_least_one);
}

ManagedBuffer::~ManagedBuffer() { cudaFree(data_); }
