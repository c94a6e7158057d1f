// 01.2 · A whole program
//
// How many moves has a king on a huge chessboard to each of n squares? A move takes him along x, along y, or both ways at once,
// so the larger of the two differences counts. The GPU shall say, but its memory has no room for all squares: they go there in
// pieces. 7 squares, and room for 3, are pieces of 3, 3 and 1.
#include <cuda_runtime.h>

// TODO: all of it. The king stands at (x, y). h_squares and h_moves are memory of the host, with n elements each; n may be 0.
// At most `room` squares, and as many numbers of moves, may lie in the device's memory. Each piece has a launch of its own,
// with blocks of `block` threads, and not one block too many. Returns the first error of any call but cudaFree(), or
// cudaSuccess. Nothing stays allocated, either way.
cudaError_t
distances(float x, float y, const float2 *h_squares, int n, int room, int block, float *h_moves) {
  return cudaSuccess;
}
// end of TODO
