// Asynchronous copies of CUDA's libraries, which count as plain ones. (Those of the pipeline's primitives are
// instructions: cuda_pipeline_primitives.h.)
#pragma once

#include "emu/engine/engine.hpp"

namespace emu {

struct AsyncBlock {
  bool queues = false; // copies that come later
};
constexpr AsyncBlock async_block;

inline bool begin_copy(void *, const void *, size_t, size_t = 0) { return false; }
inline void commit_copies() {}
inline void wait_for_groups(size_t) {}
inline void wait_for_copies(size_t) {}
inline void end_with_phase(const void *) {}
inline void found_in_phase(const void *, uint64_t) {}

} // namespace emu
