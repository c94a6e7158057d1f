// 12.1 · A part each
//
// A crew of old devices and new ones scales numbers, and goes home when the last one is done. Each needs a while to wake up, and
// then works at a speed of its own. Somebody has put a loop around what worked for one device, with equal parts, and the results
// are right. Only that all devices but one sleep on.
#include <cuda_runtime.h>

// It needs `wake` us before it works, and then does `speed` > 0 numbers a us.
struct Member {
  int device, wake, speed;
};

namespace {

__global__ void scale(float *values, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, n) and some more
  if (i < n)
    values[i] *= factor;
}

// After so many us it is done with its numbers. Who gets none sleeps on.
double done(const Member &one, int numbers) {
  return numbers == 0 ? 0.0 : one.wake + static_cast<double>(numbers) / one.speed;
}

} // namespace

// Rank's part of n > 0 numbers becomes [begin[rank], begin[rank + 1]). Parts follow each other from 0 to n, and may be empty.
//
// One wakes in 20 us and does 6 numbers a us, one in 5 and 2. Of 190 numbers they get 120 and 70, and both are done after 40 us.
// Of 30 the second one gets all: it is done after 20 us, before the first one would do a single number.
void share_out(int n, const Member *crew, int ranks, int *begin) {
  // TODO 1: let the last one be done as early as can be. (A number more or less for a device does no harm.)
  static_cast<void>(crew);
  for (int rank = 0; rank <= ranks; ++rank)
    begin[rank] = n * rank / ranks;
  // end of TODO
}

// d_part[rank] becomes memory of rank's device with its part of h_in, scaled. (Who calls will free it.) All is done when this
// returns.
void scale_parts(const float *h_in,
                 int n,
                 float factor,
                 const Member *crew,
                 int ranks,
                 int *begin,
                 float **d_part) {
  share_out(n, crew, ranks, begin);
  int before = 0;
  cudaGetDevice(&before);
  // TODO 2: the memory, the kernel and the wait at the end: each for the device that is meant, and all at work at the same time.
  for (int rank = 0; rank < ranks; ++rank) {
    const int part = begin[rank + 1] - begin[rank];
    if (part == 0)
      continue; // a grid without blocks is an error
    cudaMalloc(&d_part[rank], part * sizeof(float));
    cudaMemcpy(d_part[rank], h_in + begin[rank], part * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(part + 255) / 256, 256>>>(d_part[rank], part, factor);
  }
  cudaDeviceSynchronize();
  // end of TODO
  cudaSetDevice(before); // current again, as who calls has left it
}
