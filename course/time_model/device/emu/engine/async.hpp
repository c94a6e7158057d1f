// Asynchronous copies of CUDA's libraries, which count as plain ones. (Those of the pipeline's primitives are
// instructions: cuda_pipeline_primitives.h.)
#pragma once

#include "emu/engine/engine.hpp"

namespace emu {

inline bool begin_copy(void *, const void *, size_t, size_t = 0) { return false; }
inline void commit_copies() {}
inline void wait_for_groups(size_t) {}
inline void wait_for_copies(size_t) {}
inline void end_with_phase(const void *) {}

} // namespace emu
