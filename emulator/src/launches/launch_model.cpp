#include "launches/launch_model.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#include "engine/watcher.hpp"
#include "memory/allocations.hpp"

namespace emu {

namespace {

KnownAllocation memory_at(uint64_t address) {
  const auto found = find_allocation(reinterpret_cast<const void *>(address));
  if (!found || !found->alive)
    return {};
  const auto base = reinterpret_cast<uint64_t>(found->base);
  const bool of_host = found->kind == MemoryKind::pinned || found->kind == MemoryKind::registered;
  return {base,
          base + found->size,
          of_host                             ? -1
          : found->kind == MemoryKind::symbol ? KnownAllocation::of_each_device
                                              : found->device,
          found->kind == MemoryKind::managed};
}

LaunchModel *load() {
  const char *library = std::getenv("EMU_MODEL");
  if (library == nullptr)
    return nullptr;
  void *handle = dlopen(library, RTLD_NOW);
  void *make = handle ? dlsym(handle, "emu_launch_model") : nullptr;
  if (make == nullptr) {
    std::fprintf(stderr, "emulator: EMU_MODEL: %s\n", dlerror());
    std::exit(2);
  }
  LaunchModel *const model = reinterpret_cast<MakeLaunchModel>(make)(memory_at);
  if (runtime_watcher == nullptr)
    runtime_watcher = model->watcher();
  return model;
}

} // namespace

void model_begins_part(const char *name) {
  if (LaunchModel *model = launch_model())
    model->begins_part(name);
}

LaunchModel *launch_model() {
  static LaunchModel *const loaded = load();
  return loaded;
}

namespace {

// It shall see all memory as it is made.
[[maybe_unused]] const bool from_the_start = launch_model() != nullptr;

} // namespace

} // namespace emu
