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
struct TraceEvent {
  enum Type : uint8_t { load, store, atomic, basic_block, async_load };
  uint64_t address;
  uint32_t pc;
  uint8_t bytes;
  Type type : 4;
  AtomicSort sort : 4;
  Space space;
  uint8_t depth; // of calls

  TraceEvent(uint64_t address_,
             uint32_t pc_,
             uint32_t bytes_,
             Type type_,
             AtomicSort sort_,
             Space space_,
             uint8_t depth_)
      : address{address_}, pc{pc_}, bytes{static_cast<uint8_t>(bytes_)}, type{type_}, sort{sort_},
        space{space_}, depth{depth_} {}
};

class WarpTrace {
public:
  using Lane = std::vector<TraceEvent>;

  Lane &lane(int index) { return lanes_[static_cast<size_t>(index)]; }

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
