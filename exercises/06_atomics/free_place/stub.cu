// 06.1 · A place of its own
//
// A ferry has `room` places. Cars with a number above 0 stand from the bow on, at 0, 1, 2 …, all others from the stern on,
// at room - 1, room - 2 …, in any order. On five places 3 -1 4 -2 -6 5 may become 3 4 -6 -2 -1, and the 5 stays ashore.
// All come at once, and take each other's places.
#include <cuda_runtime.h>

// Enough threads for n cars; out is the ferry. ends[0] is its first free place, 0 at first, and ends[1] its last free one,
// room - 1 at first. Afterwards they have to be true, too: on a full ferry ends[1] is just below ends[0]. ends[2] is 0 at
// first, and yours to use. Nobody stays ashore as long as a place is free.
__global__ void part(const int *in, int n, int *out, int room, int *ends) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: between a thread's look and its store others look, too: at both ends, and at whether there is room.
  if (i < n && ends[0] <= ends[1]) {
    if (in[i] > 0) {
      const int place = ends[0];
      ends[0] = place + 1;
      out[place] = in[i];
    } else {
      const int place = ends[1];
      ends[1] = place - 1;
      out[place] = in[i];
    }
  }
  // end of TODO
}
