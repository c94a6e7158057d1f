#include "resident.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

namespace model {

std::istream &operator>>(std::istream &in, SmLimits &l) {
  return in >> l.threads >> l.blocks >> l.registers >> l.shared >> l.shared_per_block >>
         l.shared_reserved;
}

std::ostream &operator<<(std::ostream &out, const SmLimits &l) {
  return out << l.threads << ' ' << l.blocks << ' ' << l.registers << ' ' << l.shared << ' '
             << l.shared_per_block << ' ' << l.shared_reserved;
}

int resident(const SmLimits &limits, int threads, int registers, size_t shared) {
  constexpr int partitions = 4, register_unit = 256;
  constexpr size_t shared_unit = 128;
  const int warps = (threads + 31) / 32;
  const int of_warp = (registers * 32 + register_unit - 1) / register_unit * register_unit;
  if (warps < 1 || shared > limits.shared_per_block)
    return 0;
  int blocks = std::min(limits.threads / 32 / warps, limits.blocks);
  if (of_warp > 0)
    blocks = std::min(blocks, limits.registers / partitions / of_warp * partitions / warps);
  const size_t of_block =
      (shared + limits.shared_reserved + shared_unit - 1) / shared_unit * shared_unit;
  if (of_block > 0)
    blocks = std::min(blocks, static_cast<int>(limits.shared / of_block));
  return blocks;
}

} // namespace model
