// 12.2 · Across
//
// One device squares numbers and sends them to another one, which works on with them. Each has a stream, and
// nothing makes one device wait for the other. The mailbox is used again at the next call.
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

// n > 0. d_in and d_squares lie on the first device, d_mailbox and d_out on the second. Asks for everything
// and returns at once: whoever wants d_out waits for second.stream. Called again and again, with the same
// places, mailbox and squares.
void square_here_add_there(const float *d_in,
                           float *d_squares,
                           float *d_mailbox,
                           float *d_out,
                           int n,
                           const Place &first,
                           const Place &second) {
  const unsigned blocks = (n + 255) / 256;
  cudaSetDevice(first.device);
  square<<<blocks, 256, 0, first.stream>>>(d_in, n, d_squares);
  // TODO 1: has the second device taken out what the call before this one has put into the mailbox?
  // end of TODO
  cudaMemcpyPeerAsync(
      d_mailbox, second.device, d_squares, first.device, n * sizeof(float), first.stream);
  // TODO 2: are the squares there? And what does the next call have to know?
  cudaSetDevice(second.device);
  add_one<<<blocks, 256, 0, second.stream>>>(d_mailbox, n, d_out);
  // end of TODO
}
