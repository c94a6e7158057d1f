#include "engine/watcher.hpp"

namespace emu {

Watcher *watcher = nullptr;

} // namespace emu
