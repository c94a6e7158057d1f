// Included by odd_syntax_test.cu in angle brackets, through a macro, and by itself.
#pragma once
#include "odd_syntax.cuh"

#define ODD_SHARED __shared__
#define ODD_DECLARE(T, name, count) __shared__ T name[count]
#define ODD_CONFIG(g, b) <<<g, b>>>
#define ODD_LAUNCH(k, n, ...) k<<<1, 32>>>(n, ##__VA_ARGS__)
#define ODD_NIL 0
#define ODD_BOTH __host__ __device__

template <class T> __global__ void odd_twice(T *values) {
  ODD_DECLARE(T, s_values, 32);
  ODD_SHARED T s_factor;
  if (threadIdx.x == 0)
    s_factor = T(2);
  s_values[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = s_factor * s_values[31 - threadIdx.x];
}
