/// @file
/// Ways to add up the products of one element of C, as steps and demos take them: add() takes the
/// next two factors, result() is the sum. Where end_of_tile(t) says so, settle() is called after
/// the tile number t.
#pragma once

#include <cuda_runtime.h>

/// One addition after the other, each of which rounds.
struct PlainSum {
  float sum = 0.0f;

  __device__ void add(float a, float b) { sum += a * b; }
  __device__ static constexpr bool end_of_tile(int) { return false; }
  __device__ void settle() {}
  __device__ float result() const { return sum; }
};

/// Kahan, 1965: what an addition rounds away is kept and joins the next term. Four instructions:
/// fma, add, subtract, subtract.
struct KahanSum {
  float sum = 0.0f, owed = 0.0f; // owed: what belongs to the sum and is not in it

  __device__ void add(float a, float b) {
    const float term = fmaf(a, b, owed);
    const float next = sum + term;
    owed = term - (next - sum);
    sum = next;
  }
  __device__ static constexpr bool end_of_tile(int) { return false; }
  __device__ void settle() {}
  __device__ float result() const { return sum; }
};

/// Kahan once per `Tiles` tiles: the products of a tile are added plainly, to what is owed from the
/// tiles before; the short sum then joins the long one as Kahan's term.
template <int Tiles> struct KahanPerTile {
  float sum = 0.0f, owed = 0.0f;

  __device__ void add(float a, float b) { owed += a * b; }
  __device__ static constexpr bool end_of_tile(int t) { return t % Tiles == Tiles - 1; }
  __device__ void settle() {
    const float next = sum + owed;
    owed = owed - (next - sum);
    sum = next;
  }
  __device__ float result() const { return sum + owed; }
};
