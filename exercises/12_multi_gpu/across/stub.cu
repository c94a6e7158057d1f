// 12.2 · Across
//
// One device squares numbers, and sends them to several others, which work on with them. Each has a stream, and
// nothing makes one device wait for another. The mailboxes are used again at the next call.
#include <cuda_runtime.h>

// A device, a stream of it, and an event that was made on it.
struct Place {
  int device;
  cudaStream_t stream;
  cudaEvent_t event;
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

// n > 0. d_in and d_squares lie on the device of `from`, d_mailbox[r] and d_out[r] on that of to[r]. Asks for
// everything and returns at once: whoever wants d_out[r] waits for to[r].stream. Called again and again, with the
// same places and mailboxes, but each time other d_in, d_squares and d_out. Any of the receivers may be late, and holds
// up no other one.
void square_here_add_there(const float *d_in,
                           float *d_squares,
                           int n,
                           const Place &from,
                           const Place *to,
                           int receivers,
                           float *const *d_mailbox,
                           float *const *d_out) {
  const unsigned blocks = (n + 255) / 256;
  cudaSetDevice(from.device);
  square<<<blocks, 256, 0, from.stream>>>(d_in, n, d_squares);
  // TODO: are the squares there, and is the mailbox free? Who has to know, and whose stream copies?
  for (int r = 0; r < receivers; ++r) {
    cudaMemcpyPeerAsync(
        d_mailbox[r], to[r].device, d_squares, from.device, n * sizeof(float), from.stream);
    cudaSetDevice(to[r].device);
    add_one<<<blocks, 256, 0, to[r].stream>>>(d_mailbox[r], n, d_out[r]);
  }
  // end of TODO
}
