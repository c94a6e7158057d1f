#pragma once

#include "problem.hpp"

namespace demo_device {

inline void run(lab::Demo &demo) {
  const int mapped = lab::device_attribute(cudaDevAttrCanMapHostMemory);
  const int managed = lab::device_attribute(cudaDevAttrManagedMemory);
  const int concurrent = lab::device_attribute(cudaDevAttrConcurrentManagedAccess);
  const int pageable = lab::device_attribute(cudaDevAttrPageableMemoryAccess);
  demo.say("%-28s%d   kernels reach page-locked memory (zero-copy)\n", "canMapHostMemory", mapped);
  demo.say("%-28s%d   there is managed memory\n", "managedMemory", managed);
  demo.say("%-28s%d   %s\n",
           "concurrentManagedAccess",
           concurrent,
           concurrent != 0 ? "pages move one by one, at any time"
                           : "out of bounds for the host while a kernel runs");
  demo.say("%-28s%d   %s\n",
           "pageableMemoryAccess",
           pageable,
           pageable != 0 ? "kernels reach what new and malloc give"
                         : "kernels do not reach what new and malloc give");
  demo.value("concurrent_managed_access", concurrent);
  demo.value("pageable_memory_access", pageable);
  demo.expect((concurrent != 0) == pages_move(), "pages_move() asks for the same attribute");
}

} // namespace demo_device
