/// \file
/// What kernels get from malloc and new, and give to free and delete: emu/language/keywords.hpp leads such calls of
/// observed code to the instruments.
#pragma once

#include <cstddef>

namespace emu {

/// Memory of the host's malloc, as in a plain program, for the kernel that runs; null if none does. Whoever frees it
/// without telling does no harm.
void *take_from_device_heap(size_t bytes);
/// How many bytes a kernel took there; 0: none did, or it is no kernel that asks.
size_t taken_from_device_heap(const void *memory);
/// Of as many bytes as were taken.
void give_to_device_heap(void *memory);

} // namespace emu
