// 11.5 · A budget
//
// A multiprocessor has so much of everything. For what is it spent best? A kernel like v6: a block keeps a table, and a thread
// some registers for itself. Each load of 16 bytes in flight needs room for what comes: four registers of its thread, or, if
// it goes straight to shared memory (cp.async), 16 bytes there. The record is the most bytes in flight on a multiprocessor.
#include <algorithm>

// Of compute capability 8.0 or newer.
struct Multiprocessor {
  int threads, blocks; // places
  int registers; // of 32 bits
  int shared; // bytes
};

struct Kernel {
  int registers; // of a thread, without loads
  int table; // of a block: bytes of shared memory, of which one block at least fits
  int most; // loads and copies together for which it is written, of each thread
};

struct Launch {
  int threads; // of a block: whole warps, [32, 1024] threads
  int blocks; // that a multiprocessor holds at a time
  int loads; // that each thread has in flight into registers
  int copies; // and into shared memory; loads + copies: [1, most]
};

// A launch that fits, with the most bytes in flight on a multiprocessor; of several any.
//
// A thread can have 255 registers at most. A warp gets 32 times a thread's, in units of 256, from one of the four
// quarters of the multiprocessor, each with a fourth of its registers. A block gets its table, its copies, and 1024
// bytes for the system, in units of 128 bytes.
Launch most_in_flight(const Multiprocessor &sm, const Kernel &kernel) {
  // TODO: blocks as v6 launches them are no record, and do not fit everywhere. What may the blocks be, and what may each
  // thread have in flight, of both kinds?
  return {256, 3, std::min(4, kernel.most), 0};
  // end of TODO
}
