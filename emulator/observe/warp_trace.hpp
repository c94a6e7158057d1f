/// \file
/// Puts the lanes of a warp back together.
///
/// The emulator runs the threads of a warp one after the other; on a GPU their equal instructions
/// are one. Each lane leaves a trace of events; when all lanes of a warp have stopped, the traces
/// are merged as a GPU would have executed them: always the lanes that are furthest behind (in the
/// deepest call, then at the lowest address) go first, and lanes at the same place go together.
/// Taking the k-th occurrence on each lane together instead is wrong as soon as loops nest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "observer.hpp"

namespace emu {

/// One entry of a lane's trace: an access, or the beginning of a basic block.
class TraceEvent {
public:
  enum Type : uint8_t { load, store, atomic, basic_block, async_load };

  TraceEvent(uint64_t address,
             uint32_t pc,
             uint32_t bytes,
             Type type,
             AtomicSort sort,
             Space space,
             uint8_t depth)
      : address_{address}, bits_{uint64_t{255u - depth} << 56 | uint64_t{pc} << 24 |
                                 uint64_t{type} << 16 | uint64_t{static_cast<uint8_t>(sort)} << 12 |
                                 uint64_t{static_cast<uint8_t>(space)} << 8 | (bytes & 0xff)} {}

  uint64_t address() const { return address_; }
  uint32_t pc() const { return static_cast<uint32_t>(bits_ >> 24); }
  uint32_t bytes() const { return bits_ & 0xff; }
  Type type() const { return static_cast<Type>(bits_ >> 16 & 0xff); }
  AtomicSort sort() const { return static_cast<AtomicSort>(bits_ >> 12 & 0xf); }
  Space space() const { return static_cast<Space>(bits_ >> 8 & 0xf); }
  /// Orders events as a warp executes them: the deepest call first, then the lowest address. Events
  /// of one instruction (a load and a store of `x += 1` have the same address) keep their order.
  uint64_t order() const { return bits_ >> 16; }
  /// Whether they are the same, but for the address.
  bool is_like(const TraceEvent &other) const { return bits_ == other.bits_; }

private:
  uint64_t address_;
  uint64_t bits_; // in one number, as nothing is compared as often
};

class WarpTrace {
public:
  using Lane = std::vector<TraceEvent>;

  Lane &lane(size_t index) { return lanes_[index]; }

  /// Merges what the lanes have left and hands it over, instruction by instruction.
  /// \param block    its block
  /// \param members  lanes that exist
  /// \param pending  lanes that go on where their trace ends: what the others did after that must
  ///                 wait for them, and stays in the traces
  void merge(ObservedBlock &block,
             uint32_t members,
             uint32_t pending,
             const std::vector<Observer *> &observers);
  void clear();

private:
  std::array<Lane, 32> lanes_;
};

} // namespace emu
