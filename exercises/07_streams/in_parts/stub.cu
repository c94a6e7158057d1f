// 07.4 · In parts
//
// How far has a river risen in each of n hours, of which n + 1 levels are known? Levels 2 5 4 9 make rises 3 -1 5; in two
// parts, 2 5 4 make 3 -1, and 4 9 make 5. All levels take 60 minutes to come, all rises 60 minutes to go back, and the kernel
// takes 120. With 4 parts alike, and a character for 5 minutes:
//
//   there   000111222333
//   kernel     000000111111222222333333
//   back             000   111   222   333
//
// The kernel waits 15 minutes for part 0, and then works for 120; and part 3 is home 15 minutes later: 150.
#include <cuda_runtime.h>

namespace {

__global__ void rises(const float *levels, int count, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; // [0, count) and some more
  if (i < count)
    out[i] = levels[i + 1] - levels[i];
}

// Part 0 begins with hour 0, and each part ends where the next one begins: so for part `parts`, where the last one ends, this
// is n. Parts may be empty.
int first_hour(int part, int parts, int n) {
  // TODO: here all are alike. Which lengths waste less?
  return static_cast<long long>(n) * part / parts;
  // end of TODO
}

} // namespace

// n >= 0; h_levels and h_out are pinned. d_levels has room for n + parts numbers, h_levels holds n + 1 of them, and
// d_out and h_out n. Returns without waiting. Done as it is.
void in_parts(const float *h_levels,
              int n,
              float *d_levels,
              float *d_out,
              float *h_out,
              int parts,
              const cudaStream_t *streams,
              int stream_count) {
  for (int part = 0; part < parts; ++part) {
    const int first = first_hour(part, parts, n);
    const int count = first_hour(part + 1, parts, n) - first;
    if (count == 0)
      continue;
    const size_t bytes = count * sizeof(float);
    const cudaStream_t stream = streams[part % stream_count];
    float *const d_part = d_levels + first + part; // the next part has the last level, too
    const cudaMemcpyKind there = cudaMemcpyHostToDevice;
    cudaMemcpyAsync(d_part, h_levels + first, bytes + sizeof(float), there, stream);
    rises<<<(count + 255) / 256, 256, 0, stream>>>(d_part, count, d_out + first);
    cudaMemcpyAsync(h_out + first, d_out + first, bytes, cudaMemcpyDeviceToHost, stream);
  }
}
