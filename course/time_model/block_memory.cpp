#include "block_memory.hpp"

#include <array>
#include <cstring>

namespace model {

namespace {

/// The part of up to eight bytes that lies in one word of BlockMemory's.
struct Piece {
  uint64_t word; // its address
  uint64_t mask; // of its bits
  unsigned shift, offset; // bits before it in the word, and in what is read or written
};

/// The second one is of no bits where all lies in one word.
std::array<Piece, 2> pieces_of(uint64_t address, size_t bytes) {
  const uint64_t first = address & ~uint64_t{7};
  const auto shift = static_cast<unsigned>(8 * (address & 7));
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * bytes);
  if (shift == 0)
    return {{{first, all, 0, 0}, {first + 8, 0, 0, 0}}};
  return {{{first, all << shift, shift, 0}, {first + 8, all >> (64 - shift), 0, 64 - shift}}};
}

} // namespace

bool BlockMemory::readable(uint64_t address, size_t bytes) {
  if (address >= readable_.first && address + bytes <= readable_.second)
    return true;
  for (const Symbol &symbol : f_.symbols) {
    const auto values = reinterpret_cast<uint64_t>(symbol.values.data());
    if (!symbol.values.empty() && address >= values &&
        address + bytes <= values + symbol.values.size())
      return true;
  }
  const auto found =
      launch_.memory_at ? launch_.memory_at(address) : std::pair<uint64_t, uint64_t>{};
  if (found.second == 0)
    return false;
  readable_ = found;
  return address >= found.first && address + bytes <= found.second;
}

uint8_t *
BlockMemory::own_memory(std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane) {
  if (address >= local_window && address - local_window + bytes <= f_.local)
    return &local[lane * f_.local + (address - local_window)];
  if (address >= shared_window && address < local_window &&
      address - shared_window + bytes <= shared_.size())
    return &shared_[address - shared_window];
  return nullptr;
}

uint64_t
BlockMemory::read(std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane) {
  uint64_t value = 0;
  if (address >= shared_window) {
    if (const uint8_t *own = own_memory(local, address, bytes, lane))
      std::memcpy(&value, own, bytes);
    return value;
  }
  if (readable(address, bytes))
    std::memcpy(&value, reinterpret_cast<const void *>(address), bytes);
  if (written_.empty())
    return value;
  for (const Piece &piece : pieces_of(address, bytes))
    if (const auto found = written_.find(piece.word); found != written_.end()) {
      const Word &word = found->second;
      const uint64_t mask = (word.written & piece.mask) >> piece.shift << piece.offset;
      value = (value & ~mask) | (word.bytes >> piece.shift << piece.offset & mask);
    }
  return value;
}

void BlockMemory::write(
    std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane, uint64_t value) {
  if (address >= shared_window) {
    if (uint8_t *own = own_memory(local, address, bytes, lane))
      std::memcpy(own, &value, bytes);
  } else if (written_.size() < 200'000) {
    for (const Piece &piece : pieces_of(address, bytes)) {
      Word &word = written_[piece.word];
      word.bytes = (word.bytes & ~piece.mask) | (value >> piece.offset << piece.shift & piece.mask);
      word.written |= piece.mask;
    }
  }
}

uint64_t BlockMemory::ticket(uint64_t address, uint64_t added) {
  const uint64_t others = tickets_[address]++ == 0 ? block_ : launch_.grid.count() - 1;
  return others * added;
}

uint64_t special_register(
    Special which, const Launch &launch, const Extent &block_id, unsigned thread, uint64_t clock) {
  const Extent &b = launch.block;
  const Extent thread_id = {thread % b.x, thread / b.x % b.y, thread / b.x / b.y};
  if (which <= Special::nctaid_z) { // three of each, one after the other
    const Extent &of =
        *std::array{&thread_id, &b, &block_id, &launch.grid}[static_cast<size_t>(which) / 3];
    return std::array{of.x, of.y, of.z}[static_cast<size_t>(which) % 3];
  }
  const unsigned lane = thread % 32;
  switch (which) {
  case Special::laneid:
    return lane;
  case Special::warpid:
    return thread / 32;
  case Special::clock:
    return clock;
  case Special::lanemask_lt:
    return (1u << lane) - 1;
  case Special::lanemask_le:
    return (2u << lane) - 1;
  case Special::lanemask_eq:
    return 1u << lane;
  case Special::lanemask_gt:
    return ~((2u << lane) - 1);
  case Special::lanemask_ge:
    return ~((1u << lane) - 1);
  default:
    throw Refused("it asks for a register of the GPU that is not modelled");
  }
}

} // namespace model
