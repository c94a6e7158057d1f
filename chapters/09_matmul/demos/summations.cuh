/// @file
/// More ways to add up products than the steps take, for the precision lab. As in sums.cuh: add()
/// takes the next two factors, result() is the sum.
#pragma once

#include "steps/sums.cuh"

/// Neumaier, 1974: like Kahan, but right as well when the term is larger than the sum. What is owed is
/// added at the end.
struct NeumaierSum {
  float sum = 0.0f, owed = 0.0f;

  __device__ void add(float a, float b) {
    const float term = a * b;
    const float next = sum + term;
    owed += fabsf(sum) >= fabsf(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  __device__ float result() const { return sum + owed; }
};

/// Pairs, pairs of pairs, …: no product passes through more than log2 K additions. level[i] is the
/// sum of 2^i products, as the digits of a binary counter.
struct PairwiseSum {
  float level[24] = {};
  unsigned count = 0;

  __device__ void add(float a, float b) {
    float carry = a * b;
    int i = 0;
    for (; count >> i & 1; ++i)
      carry += level[i];
    level[i] = carry;
    ++count;
  }
  __device__ float result() const {
    float sum = 0.0f;
    for (int i = 0; i < 24; ++i)
      if (count >> i & 1)
        sum += level[i];
    return sum;
  }
};

/// Ogita, Rump and Oishi, 2005 (Dot2): nothing is lost at all, neither by an addition nor by a
/// multiplication, whose remainder an fma finds. As if all was computed with twice the digits.
struct DoubledSum {
  float sum = 0.0f, owed = 0.0f;

  __device__ void add(float a, float b) {
    const float product = __fmul_rn(a, b);
    const float rest = fmaf(a, b, -product);
    const float next = sum + product;
    const float of_product = next - sum; // what of the product has arrived
    owed += ((sum - (next - of_product)) + (product - of_product)) + rest;
    sum = next;
  }
  __device__ float result() const { return sum + owed; }
};

/// Double precision, rounded once, at the end.
struct DoubleSum {
  double sum = 0.0;

  __device__ void add(float a, float b) { sum += static_cast<double>(a) * static_cast<double>(b); }
  __device__ float result() const { return static_cast<float>(sum); }
};

/// Factors rounded to the 11 significant bits of TF32, as tensor cores take them; summed as floats.
struct Tf32Sum {
  float sum = 0.0f;

  __device__ static float rounded(float x) { // to nearest, halves away from zero, as cvt.rna does
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
  }
  __device__ void add(float a, float b) { sum += rounded(a) * rounded(b); }
  __device__ float result() const { return sum; }
};
