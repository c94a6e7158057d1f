/// \file
/// How many blocks an SM holds: chapter 11's calculator.
#pragma once

#include <cstddef>
#include <iosfwd>

namespace model {

/// What an SM has.
struct SmLimits {
  int threads = 0;
  int blocks = 0;
  int registers = 0; // of 32 bits
  size_t shared = 0; // bytes
  size_t shared_per_block = 0; // bytes, for a kernel that opts in
  size_t shared_reserved = 0; // bytes kept of it for each block
};
std::istream &operator>>(std::istream &in, SmLimits &limits);
std::ostream &operator<<(std::ostream &out, const SmLimits &limits);

/// \param registers of a thread
/// \param shared    bytes of a block
int resident(const SmLimits &limits, int threads, int registers, size_t shared);

} // namespace model
