/// \file
/// The stacks that fibers run on.
#pragma once

#ifdef EMU_TSAN
#include <vector>
#endif

#include "emu/engine/fiber.hpp"

namespace emu {

/// The stacks of one host thread.
class StackPool {
public:
  /// \param count       number of stacks
  /// \param bytes       usable bytes of each; memory is taken only where it is touched
  /// \param least       the same, where the process may not have as many addresses (RLIMIT_AS)
  StackPool(int count, size_t bytes, size_t least);
  /// Which of both a pool made now would have, if so many bytes of addresses were free before.
  static size_t bytes_of(int count, size_t bytes, size_t least, size_t freed);
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  /// To be called before the host thread switches to one of these stacks, after it has used another
  /// pool's.
  void enter();
  /// Makes `fiber` run `entry` on stack `index` when it is next switched to. `entry` never returns.
  void prepare(Fiber &fiber, int index, void (*entry)());
  /// Whether stack `index`, one without a guard, was overrun: something was written into its lowest bytes.
  bool overrun(int index) const;
  /// The stack below whose end `address` lies, where nothing may be; -1: it lies elsewhere.
  int guarded_by(const void *address) const;
  /// Usable bytes of each stack.
  size_t usable() const { return bytes_; }
  /// Of one stack, with the room above it.
  size_t bytes() const { return bytes_ + (stride_ - bytes_) / 2; }
  /// Whether `address` lies on one of the stacks, or between two.
  bool holds(const void *address) const {
    return static_cast<size_t>(static_cast<const char *>(address) - memory_) < mapped_;
  }
  /// Where all of them lie, with what is between.
  const char *memory() const { return memory_; }
  size_t memory_bytes() const { return mapped_; }
  /// Lowest address of stack `index`.
  char *bottom(int index) const {
    return memory_ + static_cast<size_t>(index) * stride_ + (stride_ - bytes_) / 2;
  }
  /// The stack that holds `address`, or -1.
  int find(const void *address) const;

private:
  char *memory_ = nullptr;
  size_t mapped_ = 0;
  size_t bytes_ = 0;
  size_t stride_ = 0;
  int count_;
  int guarded_ = 0; // stacks [0, n) have a guard below them
#ifdef EMU_TSAN
  std::vector<void *> contexts_; // of the stacks that were prepared
#endif

  bool reserve(size_t bytes);
  void guard(int index);
};

} // namespace emu
