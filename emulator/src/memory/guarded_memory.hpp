/// \file
/// Memory of the device: apart from the program's own, with stretches on either side that nobody may
/// touch, so that an index out of its range meets nothing that matters.
#pragma once

#include <cstddef>

namespace emu {

/// `size` bytes, filled with `fresh_byte`, `redzone` more of these and the rest of a page on either
/// side, and then `guard_bytes` that fault. Null if there is no memory.
char *map_guarded(size_t size);
void unmap_guarded(char *base, size_t size);

/// The whole pages that hold `size` bytes.
struct WholePages {
  char *first;
  size_t bytes;
};
WholePages whole_pages_of(void *base, size_t size);

/// So many bytes of a file, whole pages, guarded as above. Null if it cannot be.
char *map_guarded_file(int file, size_t bytes);
void unmap_guarded_file(char *first, size_t bytes);

/// Bytes on either side of an allocation that belong to nobody: an access there is out of bounds.
constexpr size_t redzone = 512;

constexpr unsigned char fresh_byte = 0xA5; // memory that was never written
constexpr unsigned char freed_byte = 0xDD; // memory that was freed

/// Bytes on either side of the accessible ones that fault: a multiple of every page's size.
constexpr size_t guard_bytes = 64 << 10;

} // namespace emu
