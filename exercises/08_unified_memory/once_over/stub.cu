// 08.5 · Once over the link
//
// An election: voters' records lie on the host, and each begins with a ballot, its key, of which bit c says whether
// candidate c may win. Of the ballots 101, 100 and 110 candidate 0 has one vote, 1 has one, and 2 has three. A kernel
// counts for one candidate after another, and reads keys where they are: right, and they cross the link again for each
// bit.
#include <cuda_runtime.h>

// *found += how many of in[0], in[step], …, in[(count - 1) * step] have this bit. Any launch.
__global__ void count_bit(const unsigned *in, int count, int step, int bit, unsigned *found) {
  const int threads = gridDim.x * blockDim.x;
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
    mine += in[static_cast<size_t>(i) * step] >> bit & 1;
  atomicAdd(found, mine);
}

// TODO 1: a kernel of your own, if you need one.
// end of TODO

// found[bit]: how many keys have this bit, for the bits below `bits`; zeros at first. A record has `words` numbers, the
// first of them its key. records: zero-copy memory, which lies on the host. room: on the device, for `count` numbers.
// count may be 0. An error of CUDA's, if there is one.
cudaError_t count_bits(
    const unsigned *records, int count, int words, int bits, unsigned *room, unsigned *found) {
  // TODO 2: each key crosses the link once, and nothing is copied that is no key.
  static_cast<void>(room);
  for (int bit = 0; bit < bits; ++bit)
    count_bit<<<4, 128>>>(records, count, words, bit, found + bit);
  // end of TODO
  cudaDeviceSynchronize();
  return cudaGetLastError(); // of any call
}
