/// \file
/// The lanes of a warp's mask.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emu {

/// `for (const size_t lane : LanesOf(mask))`: those whose bits are set, in rising order.
class LanesOf {
public:
  explicit LanesOf(uint32_t mask) : mask_(mask) {}

  struct Iterator {
    uint32_t rest;
    size_t operator*() const { return static_cast<size_t>(__builtin_ctz(rest)); }
    void operator++() { rest &= rest - 1; }
    bool operator!=(const Iterator &other) const { return rest != other.rest; }
  };
  Iterator begin() const { return {mask_}; }
  Iterator end() const { return {0}; }

private:
  uint32_t mask_;
};

} // namespace emu
