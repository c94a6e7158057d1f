#include "launches/launch_model.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#include "memory/allocations.hpp"

namespace emu {

namespace {

std::pair<uint64_t, uint64_t> memory_at(uint64_t address) {
  const auto found = find_allocation(reinterpret_cast<const void *>(address));
  if (!found || !found->alive)
    return {};
  const auto base = reinterpret_cast<uint64_t>(found->base);
  return {base, base + found->size};
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
  return reinterpret_cast<MakeLaunchModel>(make)(memory_at);
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

} // namespace emu
