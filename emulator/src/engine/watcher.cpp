#include "engine/watcher.hpp"

namespace emu {

KernelWatcher *kernel_watcher = nullptr;
RuntimeWatcher *runtime_watcher = nullptr;

} // namespace emu
