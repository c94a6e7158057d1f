// 04.3 · Two arrays in one
//
// Every block puts m values into the order that m places say: out[i] = values[places[i]]. Both go through
// dynamic shared memory, of which a kernel has one piece, and as much as the launch asks for.
#include <cuda_runtime.h>

// values and out have m numbers for each block, places has m numbers below m for each block.
__global__ void reorder(const unsigned long long *values,
                        const unsigned short *places,
                        int m,
                        unsigned long long *out) {
  extern __shared__ unsigned long long s_memory[];
  // TODO 1: cut two arrays out of s_memory, m numbers each, that share no byte. A number of 8 bytes has
  // to lie at a multiple of 8.
  unsigned long long *s_values = s_memory;
  unsigned short *s_places = reinterpret_cast<unsigned short *>(s_memory);
  // end of TODO
  const int first = blockIdx.x * m;
  for (int i = threadIdx.x; i < m; i += blockDim.x) {
    s_values[i] = values[first + i];
    s_places[i] = places[first + i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < m; i += blockDim.x)
    out[first + i] = s_values[s_places[i]];
}

// Called by the host with pointers into device memory; m is at most 10000.
void reorder_blocks(const unsigned long long *d_values,
                    const unsigned short *d_places,
                    int m,
                    int blocks,
                    unsigned long long *d_out) {
  // TODO 2: how many bytes does a block need? Above 48 KB the launch is refused, unless the program has
  // asked for them before: cudaFuncSetAttribute(), cudaFuncAttributeMaxDynamicSharedMemorySize.
  const int bytes = m * sizeof(unsigned long long);
  // end of TODO
  reorder<<<blocks, 128, bytes>>>(d_values, d_places, m, d_out);
}
