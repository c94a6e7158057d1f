#pragma once

#include <cuda_runtime.h>

/// How far apart two points of the plane are.
__host__ __device__ inline float euclidean(float2 from, float2 to) {
  const float dx = from.x - to.x;
  const float dy = from.y - to.y;
  return sqrtf(dx * dx + dy * dy);
}
