// 01.2 · A whole program
//
// Five kings share a huge chessboard: a square belongs to the one who has the fewest moves to it. A move takes a king along x,
// along y, or both ways at once, so the larger of the two differences counts: from (1, 2) to (4, 9) it is 7 moves. The GPU shall
// say, for one king at a time. Its memory has no room for all squares: 7 squares, and room for 3, are pieces of 3, 3 and 1.
#include <cuda_runtime.h>

// Where your five kings stand, on a board of 72 x 18 squares. Put them where you like: you will see whose land is whose.
void place(float2 *kings) {
  kings[0] = make_float2(9, 4);
  kings[1] = make_float2(60, 2);
  kings[2] = make_float2(35, 9);
  kings[3] = make_float2(14, 15);
  kings[4] = make_float2(55, 14);
}

// TODO: a kernel, and all of this. The king stands at (x, y). h_squares and h_moves are memory of the host, with n elements
// each; n may be 0. Of the device's memory you may have `room` squares and `room` floats; room is 1 or more, and may be more than
// n. Each piece has a launch of its own, with blocks of `block` threads, and not one block too many. Returns the first error of
// any call but cudaFree(), or cudaSuccess. Nothing stays allocated, either way.
cudaError_t
distances(float x, float y, const float2 *h_squares, int n, int room, int block, float *h_moves) {
  return cudaSuccess;
}
// end of TODO
