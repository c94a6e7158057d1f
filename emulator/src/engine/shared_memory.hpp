/// \file
/// The shared memory of the block that a host thread runs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace emu {

struct SharedVariable;

/// One host thread's copy. Holds a pattern at first and then whatever the blocks before left: as
/// on a GPU, nothing may be assumed of it.
class SharedMemory {
public:
  SharedMemory();
  ~SharedMemory() { open(); }
  /// Makes it the shared memory of the blocks that this host thread runs next.
  void enter();
  /// Where its static part begins.
  char *begin() const;
  /// Who touches it from here on, or until it is opened, gets a fault: a block has ended whose memory others of its
  /// cluster have addresses of.
  void close();
  void open();

private:
  struct Free {
    void operator()(char *memory) const;
  };
  std::unique_ptr<char, Free> memory_;
  bool closed_ = false;
};

/// Variables placed in the running launch, in the order of their first use.
const std::vector<const SharedVariable *> &placed_shared_variables();
/// Bytes of static shared memory they take.
size_t static_shared_used();
/// Bytes from static_shared on, in which they lie.
size_t static_shared_end();
/// Whether `address` lies in the shared memory of a block, and what is there.
/// \param begin  of its static part
enum class SharedPlace { elsewhere, variable, dynamic, nothing };
SharedPlace find_shared(const char *begin, const void *address, size_t bytes, size_t dynamic_bytes);

} // namespace emu
