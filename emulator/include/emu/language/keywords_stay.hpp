// Included behind cuda_runtime.h where a CUDA source is preprocessed: CUDA's keywords have to stay for the
// rewriter to see them, and are macros still, which programs ask.
#undef __cluster_dims__
#undef __constant__
#undef __device__
#undef __global__
#undef __grid_constant__
#undef __host__
#undef __launch_bounds__
#undef __managed__
#undef __nv_pure__
#define __cluster_dims__(...) __cluster_dims__(__VA_ARGS__)
#define __constant__ __constant__
#define __device__ __device__
#define __global__ __global__
#define __grid_constant__ __grid_constant__
#define __host__ __host__
#define __launch_bounds__(...) __launch_bounds__(__VA_ARGS__)
#define __managed__ __managed__
#define __nv_pure__ __nv_pure__
#define __shared__ __shared__
