// 11.3 · Four in flight
//
// Leaves in a storm. For each place of a map `wind` says where it blows a leaf next; where it is negative, the leaf is down.
// Each thread follows a leaf until it is down, and then the next one: it waits at every step, with as many warps as a
// multiprocessor holds. A quarter of them would do if each thread had four leaves in the air.
#include <cuda_runtime.h>

// Leaf i begins at leaves[i]. trail[s * n + i]: where it is after s + 1 steps. Of a leaf that is down nothing more is written.
// Any grid. `trail` may overlap `wind`, so the compiler moves no load ahead of a store.
//
// With a wind of 2 -1 1 a leaf at 0 goes to 2, then to 1, and is down. Its trail is 2 1.
//
// A thread has leaves a to e, and b is down at once. Its rounds: look up a b c d, write a c d; look up a e c d, write a e c d.
__global__ void drift(const int *wind, const int *leaves, int n, int *trail) {
  const int stride = gridDim.x * blockDim.x; // between the leaves of a thread
  // TODO: four leaves in the air, in rounds. All four look up where they go, before any of them is written down. Who is down
  // leaves its place to the thread's next leaf, which looks up in the next round.
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int place = wind[leaves[i]];
    for (int s = 0; place >= 0; ++s) {
      trail[s * n + i] = place;
      place = wind[place];
    }
  }
  // end of TODO
}
