// 12.5 · A stranger's sum
//
// Each device has a vector, and all get the sum of all vectors. Somebody hands you this, and says that it has always
// been right, on both of his devices. On three it is not.
#include <cuda_runtime.h>

// n > 0 numbers on each of `ranks` devices, [1, 8], which may reach each other's memory. d_in[r], d_sum[r] and d_room[r],
// which has room for the vectors of all, lie on devices[r]. Every d_sum[r] is to become the sum of all vectors, and the
// same to the bit. All is done when this returns, each device has added up its own sum, and the device is current that
// was so before.
void sum_on_all(const int *devices,
                int ranks,
                size_t n,
                const float *const *d_in,
                float *const *d_room,
                float *const *d_sum);

// TODO: find what is wrong, and mend it. There are four mistakes.
namespace {

struct Rank {
  cudaStream_t stream;
  cudaEvent_t sent; // its vector has gone out
};

// Adds up the vectors in the room, this rank's own and those of the others.
__global__ void add_up(const float *room, size_t n, int ranks, int rank, float *sum) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float total = room[rank * n + i];
  for (int k = 1; k < ranks; ++k)
    total += room[(rank + k) % ranks * n + i];
  sum[i] = total;
}

} // namespace

void sum_on_all(const int *devices,
                int ranks,
                size_t n,
                const float *const *d_in,
                float *const *d_room,
                float *const *d_sum) {
  int before = 0;
  cudaGetDevice(&before);
  Rank rank[8] = {};
  for (int r = 0; r < ranks; ++r) {
    cudaSetDevice(r);
    cudaStreamCreateWithFlags(&rank[r].stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&rank[r].sent, cudaEventDisableTiming);
  }
  for (int r = 0; r < ranks; ++r) { // each sends its vector to all, itself as well
    for (int other = 0; other < ranks; ++other)
      cudaMemcpyPeerAsync(d_room[other] + r * n,
                          devices[other],
                          d_in[r],
                          devices[r],
                          n * sizeof(float),
                          rank[r].stream);
    cudaEventRecord(rank[r].sent, rank[r].stream);
  }
  for (int r = 0; r < ranks; ++r) { // each adds up what has come
    cudaSetDevice(r);
    cudaStreamWaitEvent(rank[r].stream, rank[(r + 1) % ranks].sent, 0);
    add_up<<<static_cast<unsigned>((n + 255) / 256), 256, 0, rank[r].stream>>>(
        d_room[r], n, ranks, r, d_sum[r]);
  }
  cudaDeviceSynchronize();
  for (int r = 0; r < ranks; ++r) {
    cudaEventDestroy(rank[r].sent);
    cudaStreamDestroy(rank[r].stream);
  }
  cudaSetDevice(before);
}
// end of TODO
