// 04.3 · Three arrays in one
//
// A screen of an old games machine, m tiles for each block. Tile i is words[kind], 8 x 8 pixels in 8 bytes, and its kind is
// kinds[places[i]]: with the tiles A B C, the kinds 1 1 0 and the places 2 0 2 you see A B A. All three go through dynamic
// shared memory, of which a kernel has one piece, as large as the launch says. A word has to begin at a multiple of 8 bytes,
// a place at a multiple of 4, a kind anywhere.
#include <cstring>
#include <cuda_runtime.h>

// A tile of your own: draw another one, and you will see it on the screen.
void draw(char *pixels) {
  std::strcpy(pixels,
              "..####.."
              ".######."
              "########"
              "##.##.##"
              "########"
              ".##..##."
              "##.##.##"
              ".#....#.");
}

// kinds, places and out have m elements for each block, places are below m. All blocks use the same t words.
__global__ void decode(const unsigned char *kinds,
                       const unsigned long long *words,
                       const unsigned *places,
                       int m,
                       int t,
                       unsigned long long *out) {
  extern __shared__ unsigned long long s_memory[];
  // TODO 1: here all begin at byte 0. Let them begin where each lies alone as long as it is needed. m and t may be any
  // numbers.
  unsigned char *s_kinds = reinterpret_cast<unsigned char *>(s_memory);
  unsigned long long *s_words = s_memory;
  unsigned *s_places = reinterpret_cast<unsigned *>(s_memory);
  // end of TODO
  const int first = blockIdx.x * m;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    s_kinds[i] = kinds[first + i];
    s_places[i] = places[first + i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < m; i += blockDim.x)
    s_places[i] = s_kinds[s_places[i]]; // from now on the kind itself
  __syncthreads();
  for (int i = threadIdx.x; i < t; i += blockDim.x)
    s_words[i] = words[i];
  __syncthreads();
  for (int i = threadIdx.x; i < m; i += blockDim.x)
    out[first + i] = s_words[s_places[i]];
}

// Called by the host with pointers into device memory; m > 0, t > 0. Returns whether the kernel was launched: false if a
// block can't have so much shared memory on the current device.
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
  // TODO 2: the bytes of the piece, as many as your cut takes. No more than 8 of them may never be used.
  const int bytes = m + 8 * t + 4 * m;
  // end of TODO
  if (bytes > most)
    return false;
  // More than 48 KB have to be asked for.
  cudaFuncSetAttribute(decode, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  decode<<<blocks, 128, bytes>>>(d_kinds, d_words, d_places, m, t, d_out);
  return true;
}
