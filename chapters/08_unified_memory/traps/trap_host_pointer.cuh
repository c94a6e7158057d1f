// "All memory is unified now": a pointer from new or std::vector for a kernel.
#pragma once

#include "problem.hpp"

namespace trap_host_pointer {

inline const char *why =
    "only managed, page-locked and device memory can be reached by every kernel. A pointer from "
    "new works where cudaDevAttrPageableMemoryAccess is 1, and ends the program's use of the "
    "device elsewhere. Ask cudaPointerGetAttributes() what a pointer is.";

// Nothing is launched: where it is wrong, no kernel would run any more afterwards.
inline void run(VectorSum &) {}

inline lab::Verdict check(VectorSum &p) {
  cudaPointerAttributes vector = {}, managed = {};
  LAB_CHECK(cudaPointerGetAttributes(&vector, p.h_a.data()));
  LAB_CHECK(cudaPointerGetAttributes(&managed, p.m_a.data()));
  return lab::compare_value("kind of memory (3: managed, 0: CUDA does not know it)",
                            static_cast<int>(vector.type),
                            static_cast<int>(managed.type));
}

} // namespace trap_host_pointer
