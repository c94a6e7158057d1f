// 03.2 · Pieces
//
// The 32 lanes of a warp read, each at an address of its own, in any order; some lanes do not read at all. No cache has
// any of it. DRAM delivers whole pieces, which begin at a multiple of their size, and each piece once, however many
// lanes want something of it. How many bytes does it deliver?
#include <cuda_runtime.h>

struct Reads {
  unsigned long long address[32]; // of the first byte that a lane reads
  int bytes[32]; // so many from there on, 48 at most; 0: the lane does not read
};

// A piece has 32, 64 or 128 bytes.
long long bytes_delivered(const Reads &reads, int piece) {
  // TODO: this takes a piece for each lane. Lanes may share one, and a lane may want two or more.
  long long pieces = 0;
  for (int lane = 0; lane < 32; ++lane)
    if (reads.bytes[lane] > 0)
      ++pieces;
  return pieces * piece;
  // end of TODO
}
