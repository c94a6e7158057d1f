/// \file
/// Bulk copies of boxes of a tensor (cp.async.bulk.tensor), by a map of it that the host has made.
#pragma once

#include <cstdint>

#include "emu/engine/bulk.hpp"

namespace emu {

/// What a CUtensorMap holds. Dimension 0 lies without gaps in memory.
struct TensorMap {
  static constexpr uint32_t made = 0x54454e53;
  static constexpr int most = 5; // dimensions

  uint32_t mark; // `made` in a map that was encoded
  uint8_t rank, element; // bytes of an element
  uint8_t swizzle; // 0: none; else 16-byte pieces trade places in 2^swizzle of them
  uint8_t fill; // each byte of what lies outside the tensor
  const char *address;
  uint64_t extent[most]; // elements
  uint64_t stride[most - 1]; // bytes from one index to the next, of dimension 1 on
  uint16_t box[most]; // elements
  uint8_t step[most]; // from one element of the box to the next, of dimension 1 on
};
static_assert(sizeof(TensorMap) <= 128);

/// \param corner  the index in each dimension of the box's first element; outside the tensor, too
/// \param blocks  as begin_bulk_load() has it
void begin_tensor_load(void *to,
                       const void *map,
                       const int32_t *corner,
                       int rank,
                       PhaseBarrier &until,
                       int blocks,
                       Site site);
void begin_tensor_store(
    const void *map, const int32_t *corner, int rank, const void *from, Site site);

} // namespace emu
