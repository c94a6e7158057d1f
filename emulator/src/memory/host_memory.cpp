// Host memory that has an end, and copies that run over it.
#include "observation/host_memory.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "engine/watcher.hpp"
#include "memory/copies.hpp"

namespace emu {
namespace {

struct Known {
  std::mutex mutex;
  std::vector<const HostMemory *> all;
};

Known &known() {
  static Known &made = *new Known;
  return made;
}

} // namespace

HostMemory::HostMemory(const void *its_first, size_t its_bytes)
    : first(static_cast<const char *>(its_first)), bytes(its_bytes) {
  const std::lock_guard lock(known().mutex);
  known().all.push_back(this);
}

HostMemory::~HostMemory() {
  const std::lock_guard lock(known().mutex);
  std::erase(known().all, this);
}

bool runs_over_host_memory(const char *call, const void *memory, size_t size, bool writes) {
  const auto *const at = static_cast<const char *>(memory);
  size_t room = 0;
  {
    const std::lock_guard lock(known().mutex);
    const auto found = std::find_if(known().all.begin(), known().all.end(), [&](const auto *one) {
      return at >= one->first && at < one->first + one->bytes;
    });
    if (found == known().all.end())
      return false;
    room = static_cast<size_t>((*found)->first + (*found)->bytes - at);
  }
  if (size <= room)
    return false;
  if (runtime_watcher)
    runtime_watcher->host_complained("out_of_bounds",
                                     (std::string(call) + (writes ? " writes " : " reads ") +
                                      std::to_string(size) + " bytes " + (writes ? "to" : "from") +
                                      " memory of the host's that has " + std::to_string(room))
                                         .c_str());
  return true;
}

} // namespace emu
