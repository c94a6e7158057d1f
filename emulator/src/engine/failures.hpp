/// \file
/// What goes wrong in the launch that is running: its first error, and what was said of it.
#pragma once

#include <atomic>
#include <optional>
#include <set>
#include <string>

#include "emu/runtime/errors.hpp"

namespace emu {

/// Memory that somebody has given out.
struct KnownMemory {
  const char *base;
  size_t size;
};

/// A launch, as far as its failures are concerned.
struct Failures {
  const char *name; // the kernel's
  /// The memory that ends or begins nearest to an address; null: nobody has given out any.
  std::optional<KnownMemory> (*memory_near)(const void *address) = nullptr;
  std::atomic<int> error{cudaSuccess}; // the first wins; blocks not yet begun are then skipped
  std::set<std::string> reported = {}; // messages given once, under a lock
};

/// Those of the launch that is running; null: none is.
extern std::atomic<Failures *> running_failures;

/// complain() of engine.hpp, about what the running thread did at an instruction of the program.
/// \param instruction  as a return address. Only observed programs know its line; others say how to find it
void complain_at(const char *kind, const char *text, const char *instruction);

/// The first error of the running launch wins.
void record_failure(cudaError_t error);

} // namespace emu
