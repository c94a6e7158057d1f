/// @file
/// The banks of shared memory, as plain arithmetic: what a request of a warp must cost.
///
/// Shared memory has 32 banks. Word k, of 4 bytes, lies in bank k modulo 32. In one round each bank
/// serves one word, to as many lanes as want it. A round is what profilers call a wavefront.
/// Source: CUDA C++ Programming Guide, "Shared Memory" under compute capabilities 5.x and later.
#pragma once

constexpr unsigned banks = 32;

/// What the lanes of a warp ask for in one instruction, in elements of an array.
struct Request {
  static constexpr unsigned idle = ~0u; // this lane takes no part
  unsigned index[32];
};

/// Lane k asks for element k * stride.
Request strided(unsigned stride);

/// Rounds of a load of 4, 8 or 16 bytes per lane. A round moves 32 words at most, so a warp that asks
/// for 8 bytes per lane is served in halves of 16 lanes, one that asks for 16 bytes in quarters.
///
/// Two halves, or the first or last two quarters, share one round when each two lanes whose numbers
/// differ in bit 1, or each two whose numbers differ in bit 2, want the same element and no bank has
/// two words to give. That is not documented: an H200's counters and clock say so.
unsigned rounds(const Request &request, unsigned element_bytes = 4);

/// The same for strided(stride), by a formula. Of the L lanes served at a time, lanes that lie
/// L / gcd(stride, L) apart meet in a bank, so gcd(stride, L) of them do, in each of 32 / L groups.
unsigned rounds_of_stride(unsigned stride, unsigned element_bytes);
