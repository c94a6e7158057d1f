// 10.6 · Tickets
//
// Customers at 256 desks: each draws a ticket at the desk that it goes to. At each desk the tickets are 0, 1,
// 2 … and each is given once, in any order. Right, but every customer costs an atomic addition.
#include <cuda_runtime.h>

// Blocks of 128 threads, enough for n customers. desks: [0, 256). next has 256 elements, which are 0 at
// first and end as the numbers of tickets given.
__global__ void tickets(const unsigned *desks, int n, unsigned *next, unsigned *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return; // a mask may still name lanes that have left the kernel: nobody waits for them
  const unsigned desk = desks[i];

  // TODO: let the lanes that go to the same desk find each other. One of them draws as many tickets as they
  // are, and tells the others where these begin. Of those, each takes its own.
  const unsigned ticket = atomicAdd(&next[desk], 1u);
  // end of TODO

  out[i] = ticket;
}
