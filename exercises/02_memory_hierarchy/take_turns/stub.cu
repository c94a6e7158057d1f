// 02.1 · Take turns
//
// Where does `wanted` stand for the last time? Each thread of a grid looks through a piece of the ints, from its end to its
// front, and leaves the last place that it finds. That works. Of 5 ints from place 4 on, 4 and 5, and 6 and 7 are pairs; int 8
// has no partner.
#include <cstring>
#include <cuda_runtime.h>

// A text, and what is to be found in it. Take your own: up to 220 letters, and you will see the search leap through them.
void choose(char *text, char *words) {
  std::strcpy(text,
              "The time has come, the Walrus said, to talk of many things: of shoes and ships and "
              "sealing-wax, of cabbages and kings, and why the sea is boiling hot, and whether "
              "pigs have wings.");
  std::strcpy(words, "pigs have wings");
}

// Any number of blocks, of any size. Looked at are all[begin] to all[end - 1]; `all` begins where an int2 may, and begin
// is even. Thread t of the grid leaves places[t]: the last place, counted in `all`, among those that it has looked at, or -1.
// The host takes the greatest of them.
__global__ void last_place(const int *all, int begin, int end, int wanted, int *places) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x; // in the whole grid
  const int threads = gridDim.x * blockDim.x;
  int place = -1;
  // TODO: in each round the lanes of a warp read 32 ints that lie far apart. Let all threads take turns, from the end
  // to the front, and read pairs: seen as const int2 *, all[2 * k] and all[2 * k + 1] are element k. If end is odd, who looks
  // at the last int?
  const int piece = (end - begin + threads - 1) / threads;
  const int front = begin + thread * piece;
  for (int i = min(end, front + piece) - 1; i >= front && place < 0; --i)
    if (all[i] == wanted)
      place = i;
  // end of TODO
  places[thread] = place;
}
