// 11.5 · A budget
//
// The other way round: so many blocks are to fit on a multiprocessor. How many registers may a thread have
// then, and how much shared memory a block? Nearly right: nothing is handed out by the piece.
#include <algorithm>

// Of compute capability 8.0 or newer.
struct Multiprocessor {
  int registers; // of 32 bits
  int shared; // bytes
};

// The most that leaves room for all blocks.
struct Budget {
  int registers; // of a thread
  int shared; // of a block, bytes; its kernel has been allowed them
};

// threads: [1, 1024], of a block. There is room for so many blocks of this size, if they want nothing else.
Budget budget(const Multiprocessor &sm, int threads, int blocks) {
  Budget most;
  // TODO 1: a warp gets registers for 32 threads, however many it has, in units of 256. It gets them from one
  // of the four quarters of the multiprocessor, each with a fourth of the registers. And no thread can have
  // more than 255.
  most.registers = sm.registers / (blocks * threads);
  // TODO 2: a block gets shared memory in units of 128 bytes, and of its share the system keeps 1024 bytes.
  most.shared = sm.shared / blocks;
  // end of TODO
  return most;
}
