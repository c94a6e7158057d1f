/// \file
/// The memory that a followed block sees: its own, and the program's, of which it only changes a copy.
#pragma once

#include "machine.hpp"

#include <unordered_map>

namespace model {

// Where the memory of a block and of a thread lies among the program's addresses: where nothing else does.
constexpr uint64_t shared_window = uint64_t{1} << 60;
constexpr uint64_t local_window = uint64_t{1} << 61;

class BlockMemory {
public:
  BlockMemory(const Function &f, const Launch &launch, uint64_t block)
      : f_(f), launch_(launch), block_(block),
        shared_(f.static_shared + 16 + launch.dynamic_shared) {}

  /// \param local  that of the warp's 32 threads
  uint64_t read(std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane);
  void
  write(std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane, uint64_t value);
  /// What the other blocks have added before, where all draw in turn.
  uint64_t ticket(uint64_t address, uint64_t added);

private:
  bool readable(uint64_t address, size_t bytes);
  uint8_t *own_memory(std::vector<uint8_t> &local, uint64_t address, size_t bytes, size_t lane);

  const Function &f_;
  const Launch &launch_;
  uint64_t block_;
  std::vector<uint8_t> shared_;
  /// Eight bytes that begin at a multiple of eight.
  struct Word {
    uint64_t bytes = 0;
    uint64_t written = 0; // which of them: all bits of these
  };
  std::unordered_map<uint64_t, Word> written_; // by address
  std::pair<uint64_t, uint64_t> readable_{};
  std::unordered_map<uint64_t, uint64_t> tickets_; // drawn, by address
};

/// What tells a thread who it is. \throws Refused
uint64_t special_register(Special which,
                          const Launch &launch,
                          const Extent &block_id,
                          unsigned thread, // in its block
                          uint64_t clock);

} // namespace model
