// 03.3 · Backwards, four floats at a time
//
// A line is read backwards; its letters are floats: out[k] = in[n - 1 - k]. A thread has four of them: 1 2 3 4 5 become 5 4 3 2 1,
// of which thread 1 has only the last. n is any number, and the memory of each array ends with its last float.
#include <cstring>
#include <cuda_runtime.h>

// A line of up to 56 letters that says something else backwards. Find one of your own, or one that says the same.
void say(char *line) { std::strcpy(line, "live pool no diaper deliver star part mood stressed"); }

// One thread for every four floats, the last of which may have fewer; and at least one block. Both pointers are multiples
// of 16 bytes.
__global__ void backwards(const float *in, int n, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  // TODO: this is right if n is a multiple of 4, and if no thread is too many. Make it right for every n.
  const float4 v = reinterpret_cast<const float4 *>(in)[n / 4 - 1 - i];
  reinterpret_cast<float4 *>(out)[i] = make_float4(v.w, v.z, v.y, v.x);
  // end of TODO
}
