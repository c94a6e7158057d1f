// 12.2 · Across
//
// One device squares numbers, in two buffers by turns, and sends them to several others, which work on with them. Each has
// a stream, and nothing makes one device wait for another. Buffers and mailboxes are used again.
#include <cuda_runtime.h>

// A device, a stream of it, and two events that were made on it. (Whoever waits for an event that nobody has recorded yet goes on.)
struct Place {
  int device;
  cudaStream_t stream;
  cudaEvent_t event[2];
};

namespace {

__global__ void square(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = in[i] * in[i];
}

__global__ void add_one(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    out[i] = in[i] + 1.0f;
}

} // namespace

// n > 0. d_in and d_squares lie on the device of `from`, d_mailbox[r] and d_out[r] on that of to[r]. Asks for everything
// and returns at once: whoever wants d_out[r] waits for to[r].stream. Call number 0, 1, 2 … has the same places and mailboxes.
// d_squares is one of two buffers: one in calls 0, 2, 4 …, the other one in calls 1, 3 …
//
// If to[2] is late, the others get the numbers of calls 0 and 1 all the same: each call has a buffer of its own. Call 2 squares
// into the buffer of call 0, which to[2] has not copied yet. So call 2 waits for to[2], and so do all who want its numbers.
void square_here_add_there(const float *d_in,
                           float *d_squares,
                           int n,
                           int call,
                           const Place &from,
                           const Place *to,
                           int receivers,
                           float *const *d_mailbox,
                           float *const *d_out) {
  const unsigned blocks = (n + 255) / 256;
  // TODO: is the buffer free, are the squares there, is the mailbox free? Who has to know, and whose stream copies?
  static_cast<void>(call);
  cudaSetDevice(from.device);
  square<<<blocks, 256, 0, from.stream>>>(d_in, n, d_squares);
  for (int r = 0; r < receivers; ++r) {
    cudaMemcpyPeerAsync(
        d_mailbox[r], to[r].device, d_squares, from.device, n * sizeof(float), from.stream);
    cudaSetDevice(to[r].device);
    add_one<<<blocks, 256, 0, to[r].stream>>>(d_mailbox[r], n, d_out[r]);
  }
  // end of TODO
}
