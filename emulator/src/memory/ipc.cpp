// Device memory of other processes. The pages of an allocation are put into a file without a name when the first
// handle to it is asked for; whoever has the handle finds that file among the open ones of its owner.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

#include "context/api.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "engine/surroundings.hpp"
#include "memory/allocations.hpp"
#include "memory/copies.hpp"
#include "memory/guarded_memory.hpp"

namespace {

using namespace emu;

/// What a cudaIpcMemHandle_t says.
struct IpcMemory {
  uint64_t mark, machine, size, serial;
  int32_t process, file, device;
  uint32_t offset; // of the first byte in the file
};
static_assert(sizeof(IpcMemory) <= CUDA_IPC_HANDLE_SIZE);
constexpr uint64_t shared_memory_mark = 0x79726f6d656d7565;

uint64_t this_machine() { return std::hash<std::string>{}(this_host()); }

/// What this process has opened; memory that is opened twice is one.
struct Opened {
  char *memory;
  WholePages pages;
  int times;
};
std::mutex opened_mutex;
std::map<std::pair<int32_t, uint64_t>, Opened> opened; // by process and serial

cudaError_t get_handle(cudaIpcMemHandle_t *handle, void *memory) {
  const auto found = find_allocation(memory);
  if (handle == nullptr || !found || !found->alive || found->kind != MemoryKind::device ||
      found->flags == from_pool)
    return cudaErrorInvalidValue;
  wait_for_all_tasks(); // the pages are exchanged: nobody may write meanwhile
  const int file = put_into_file(found->base);
  if (file < 0)
    return cudaErrorMapBufferObjectFailed;
  note_written(found->base, found->size); // from now on others may
  const IpcMemory shared = {
      shared_memory_mark,
      this_machine(),
      found->size,
      found->serial,
      getpid(),
      file,
      found->device,
      static_cast<uint32_t>(found->base - whole_pages_of(found->base, found->size).first)};
  *handle = {};
  std::memcpy(handle->reserved, &shared, sizeof shared);
  return cudaSuccess;
}

bool map(Opened &opening, const IpcMemory &shared) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", shared.process, shared.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat about {};
  if (file < 0)
    return false;
  if (fstat(file, &about) == 0)
    opening.pages.bytes = static_cast<size_t>(about.st_size);
  opening.pages.first = map_guarded_file(file, opening.pages.bytes);
  close(file);
  opening.memory = opening.pages.first + shared.offset;
  return opening.pages.first != nullptr;
}

cudaError_t open_handle(void **memory, const IpcMemory &shared) {
  if (shared.mark != shared_memory_mark || shared.machine != this_machine())
    return cudaErrorInvalidResourceHandle;
  if (shared.process == getpid())
    return cudaErrorDeviceUninitialized; // as CUDA has it: a process does not open what is its own
  const std::lock_guard lock(opened_mutex);
  Opened &entry = opened[{shared.process, shared.serial}];
  if (entry.times == 0 &&
      (!map(entry, shared) ||
       !enter(entry.memory, shared.size, MemoryKind::opened, 0, shared.device))) {
    opened.erase({shared.process, shared.serial});
    return cudaErrorMapBufferObjectFailed;
  }
  ++entry.times;
  *memory = entry.memory;
  return cudaSuccess;
}

cudaError_t close_handle(void *memory) {
  const std::lock_guard lock(opened_mutex);
  for (auto entry = opened.begin(); entry != opened.end(); ++entry) {
    Opened &found = entry->second;
    if (found.memory != memory)
      continue;
    if (--found.times > 0)
      return cudaSuccess;
    wait_for_all_tasks();
    release(memory, [](MemoryKind kind) { return kind == MemoryKind::opened; });
    unmap_guarded_file(found.pages.first, found.pages.bytes);
    opened.erase(entry);
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

} // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
  return device_call([&] { return get_handle(handle, memory); });
}

cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned int flags) {
  return device_call([&] {
    if (memory == nullptr || flags != cudaIpcMemLazyEnablePeerAccess)
      return cudaErrorInvalidValue;
    IpcMemory shared;
    std::memcpy(&shared, handle.reserved, sizeof shared);
    if (!valid_device(shared.device))
      return cudaErrorInvalidDevice;
    if (shared.device != current_device) { // whose kernels may follow the pointer
      if (!can_reach(current_device, shared.device))
        return cudaErrorPeerAccessUnsupported;
      let_reach(current_device, shared.device, true);
    }
    return open_handle(memory, shared);
  });
}

cudaError_t cudaIpcCloseMemHandle(void *memory) {
  return release_call([&] { return close_handle(memory); });
}
