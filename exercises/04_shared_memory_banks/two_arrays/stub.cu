// 04.3 · Three arrays in one
//
// A scrambled screen of an old games machine. A word of 8 bytes is a tile of 8 x 8 pixels, and out[i] is the tile of the kind
// that stands at place i: with the tiles A B C, the kinds 1 1 0 and the places 2 0 2 you see A B A. Kinds, words and places
// go through dynamic shared memory, of which a kernel has one piece, as large as the launch says. The kinds stay in front; words
// and places may follow in either order. With m = 3 and t = 1 it takes 28 bytes (5 of them wasted) or 24.
#include <cuda_runtime.h>

// kinds, places and out have m elements for each block, places are below m. All blocks use the same t words.
__global__ void decode(const unsigned char *kinds,
                       const unsigned long long *words,
                       const unsigned *places,
                       int m,
                       int t,
                       unsigned long long *out) {
  extern __shared__ unsigned long long s_memory[];
  unsigned char *s_kinds = reinterpret_cast<unsigned char *>(s_memory); // m bytes, in front
  // TODO 1: cut the other two out of s_memory, so that none share a byte. A number of 8 bytes has to lie at a multiple of 8,
  // one of 4 bytes at a multiple of 4. But m may be any number: with 3 kinds, where can the first word begin?
  unsigned long long *s_words = s_memory;
  unsigned *s_places = reinterpret_cast<unsigned *>(s_memory);
  // end of TODO
  const int first = blockIdx.x * m;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    s_kinds[i] = kinds[first + i];
    s_places[i] = places[first + i];
  }
  for (int i = threadIdx.x; i < t; i += blockDim.x)
    s_words[i] = words[i];
  __syncthreads();
  for (int i = threadIdx.x; i < m; i += blockDim.x)
    out[first + i] = s_words[s_kinds[s_places[i]]];
}

// Called by the host with pointers into device memory; m > 0, t > 0. Returns whether the kernel was launched: false if a
// block can't have so much shared memory on the current device. Then cudaGetLastError() has nothing to tell either.
bool decode_blocks(const unsigned char *d_kinds,
                   const unsigned long long *d_words,
                   const unsigned *d_places,
                   int m,
                   int t,
                   int blocks,
                   unsigned long long *d_out) {
  int device = 0, most = 0; // most: bytes that a block can have on this device
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  // TODO 2: how many bytes does a block need, with the gaps between its arrays, and no more? If a block can't have them, say so.
  // A kernel that wants more than 48 KB has to be allowed them first.
  const int bytes = m + t * sizeof(unsigned long long) + m * sizeof(unsigned);
  // end of TODO
  decode<<<blocks, 128, bytes>>>(d_kinds, d_words, d_places, m, t, d_out);
  return true;
}
