// Bulk copies have no time yet: a kernel that comes there is refused, by the function's name.
#pragma once

#include "emu/engine/phases.hpp"

namespace emu {

using Combine = void (*)(char *to, const char *from, size_t bytes);

constexpr int to_one_block = -1;
void begin_bulk_load(
    void *to, const void *from, size_t bytes, PhaseBarrier &until, int blocks, Site site);
void begin_bulk_store(void *to, const void *from, size_t bytes, Combine combine, Site site);
void commit_bulk();
void wait_for_bulk(size_t but, bool read);
inline void proxy_fence(bool = false) {}

} // namespace emu
