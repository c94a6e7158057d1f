// 12.2 · Across
//
// One device squares numbers, in two buffers by turns, and sends them to several others, which work on with them. Each has
// a stream, and nothing makes one device wait for another. Buffers and mailboxes are used again.
#include <cuda_runtime.h>

// A device, a stream of it, and two events that were made on it.
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
// and returns at once: whoever wants d_out[r] waits for to[r].stream. Call number 0, 1, 2 … with the same places and
// mailboxes, d_squares in turns one of two buffers, and other d_in and d_out.
//
// to[2] is late. Calls 0 and 1 are squared, and all others get theirs. Call 2 needs the buffer of call 0, from which to[2] has
// not taken its numbers: now all wait for it, and not before.
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
