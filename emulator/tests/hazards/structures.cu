// Structures that functions return, or get by value: what happens to them in memory must be seen,
// on the line of the kernel that it happens on.
#include "hazards.hpp"

#include <new>

namespace {

struct Pair {
  int key, value;
};
struct Triple { // 12 bytes: in three pieces
  int x, y, z;
};
struct Quad { // 16 bytes, aligned to 4
  int x, y, z, w;
};
struct Wide { // 64 bytes
  double values[8];
};
struct Nested {
  Pair pair;
  Triple triple;
  float4 vector;
};
typedef struct {
  double re, im;
} Complex;
template <class T> struct Vec {
  T x, y, z;
  __device__ Vec(T a = 0) : x(a), y(a), z(a) {}
  __device__ Vec operator+(const Vec &other) const {
    Vec sum;
    sum.x = x + other.x;
    sum.y = y + other.y;
    sum.z = z + other.z;
    return sum;
  }
};
// Its copies are its own.
struct Copied {
  int key, weight;
  __device__ Copied() : key(0), weight(0) {}
  __device__ Copied(const Copied &other) : key(other.key), weight(other.weight) {}
  __device__ Copied &operator=(const Copied &other) {
    key = other.key;
    weight = other.weight;
    return *this;
  }
};
struct Holder { // copied member by member
  Copied inner;
  int tag;
};

template <class T> __device__ __noinline__ T make(int value) {
  T made{};
  *reinterpret_cast<int *>(&made) = value;
  return made;
}
template <class T> __device__ __noinline__ int first_int(T thing) {
  return *reinterpret_cast<int *>(&thing);
}

// ------------------------------------------------------------------------------ returned into memory

template <class T> __global__ void returned_to_shared_kernel(int *out) {
  __shared__ T s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = make<T>(tid);
  __syncthreads();
  out[tid] = first_int(s_data[63 - tid]);
}
CORRECT(returned_pair) { returned_to_shared_kernel<Pair><<<1, 64>>>(m.out); }
CORRECT(returned_triple) { returned_to_shared_kernel<Triple><<<1, 64>>>(m.out); }
CORRECT(returned_quad) { returned_to_shared_kernel<Quad><<<1, 64>>>(m.out); }
CORRECT(returned_wide) { returned_to_shared_kernel<Wide><<<1, 64>>>(m.out); }
CORRECT(returned_nested) { returned_to_shared_kernel<Nested><<<1, 64>>>(m.out); }
CORRECT(returned_complex) { returned_to_shared_kernel<Complex><<<1, 64>>>(m.out); }
CORRECT(returned_float4) { returned_to_shared_kernel<float4><<<1, 64>>>(m.out); }
CORRECT(returned_double2) { returned_to_shared_kernel<double2><<<1, 64>>>(m.out); }
CORRECT(returned_vec) { returned_to_shared_kernel<Vec<int>><<<1, 64>>>(m.out); }
CORRECT(returned_copied) { returned_to_shared_kernel<Copied><<<1, 64>>>(m.out); }
CORRECT(returned_holder) { returned_to_shared_kernel<Holder><<<1, 64>>>(m.out); }

template <class T> __global__ void returned_without_barrier_kernel(int *out) {
  __shared__ T s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = make<T>(tid); // other
  out[tid] = first_int(s_data[63 - tid]); // here
}
HAZARD(pair_without_barrier, shared_race) {
  returned_without_barrier_kernel<Pair><<<1, 64>>>(m.out);
}
HAZARD(triple_without_barrier, shared_race) {
  returned_without_barrier_kernel<Triple><<<1, 64>>>(m.out);
}
HAZARD(quad_without_barrier, shared_race) {
  returned_without_barrier_kernel<Quad><<<1, 64>>>(m.out);
}
HAZARD(wide_without_barrier, shared_race) {
  returned_without_barrier_kernel<Wide><<<1, 64>>>(m.out);
}
HAZARD(nested_without_barrier, shared_race) {
  returned_without_barrier_kernel<Nested><<<1, 64>>>(m.out);
}
HAZARD(complex_without_barrier, shared_race) {
  returned_without_barrier_kernel<Complex><<<1, 64>>>(m.out);
}
HAZARD(float4_without_barrier, shared_race) {
  returned_without_barrier_kernel<float4><<<1, 64>>>(m.out);
}
HAZARD(double2_without_barrier, shared_race) {
  returned_without_barrier_kernel<double2><<<1, 64>>>(m.out);
}
HAZARD(vec_without_barrier, shared_race) {
  returned_without_barrier_kernel<Vec<int>><<<1, 64>>>(m.out);
}

// ------------------------------------------------------------------------------ by value from memory

// Nothing has written what the function gets.
template <class T> __global__ void passed_too_early_kernel(int *out) {
  __shared__ T s_data[64];
  out[threadIdx.x] = first_int(s_data[threadIdx.x]); // here
}
HAZARD(pair_never_written, uninitialised) { passed_too_early_kernel<Pair><<<1, 64>>>(m.out); }
HAZARD(triple_never_written, uninitialised) { passed_too_early_kernel<Triple><<<1, 64>>>(m.out); }
HAZARD(wide_never_written, uninitialised) { passed_too_early_kernel<Wide><<<1, 64>>>(m.out); }
HAZARD(float4_never_written, uninitialised) { passed_too_early_kernel<float4><<<1, 64>>>(m.out); }

// One past the end.
template <class T> __global__ void passed_from_outside_kernel(T *in, int *out) {
  out[threadIdx.x] = first_int(in[threadIdx.x + 1]); // here
}
template <class T> void pass_from_outside(int *out) {
  T *in = nullptr;
  cudaMalloc(&in, 64 * sizeof(T));
  cudaMemset(in, 0, 64 * sizeof(T));
  passed_from_outside_kernel<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
}
HAZARD(pair_past_the_end, out_of_bounds) { pass_from_outside<Pair>(m.out); }
HAZARD(triple_past_the_end, out_of_bounds) { pass_from_outside<Triple>(m.out); }
HAZARD(wide_past_the_end, out_of_bounds) { pass_from_outside<Wide>(m.out); }

template <class T> __global__ void returned_to_outside_kernel(T *out) {
  out[threadIdx.x + 1] = make<T>(threadIdx.x); // here
}
template <class T> void return_to_outside() {
  T *out = nullptr;
  cudaMalloc(&out, 64 * sizeof(T));
  returned_to_outside_kernel<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
HAZARD(quad_behind_the_end, out_of_bounds) { return_to_outside<Quad>(); }
HAZARD(nested_behind_the_end, out_of_bounds) { return_to_outside<Nested>(); }

// --------------------------------------------------------------------------------- between structures

// A member function that returns part of what lies in memory, and one that sets it.
struct Item {
  Pair pair;
  int next;
  __device__ Pair get() const { return pair; } // here
  __device__ void set(Pair p) { pair = p; } // other
};
__global__ void members_kernel(int *out) {
  __shared__ Item s_items[64];
  const unsigned tid = threadIdx.x;
  s_items[tid].set(make<Pair>(tid));
  out[tid] = s_items[63 - tid].get().key;
}
HAZARD(members_without_barrier, shared_race) { members_kernel<<<1, 64>>>(m.out); }

__global__ void members_in_order_kernel(int *out) {
  __shared__ Item s_items[64];
  const unsigned tid = threadIdx.x;
  s_items[tid].set(make<Pair>(tid));
  __syncthreads();
  out[tid] = s_items[63 - tid].get().key;
}
CORRECT(members_with_barrier) { members_in_order_kernel<<<1, 64>>>(m.out); }

// A tree of sums, with an operator.
__global__ void vec_tree_kernel(int *out) {
  __shared__ Vec<int> s_sum[64];
  const unsigned tid = threadIdx.x;
  s_sum[tid] = Vec<int>(tid);
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (tid < half)
      s_sum[tid] = s_sum[tid] + s_sum[tid + half];
    __syncthreads();
  }
  if (tid == 0)
    out[0] = s_sum[0].x;
}
CORRECT(vec_tree) { vec_tree_kernel<<<1, 64>>>(m.out); }

// A list in braces, a choice, and a structure in a structure.
__global__ void all_ways_kernel(Nested *global, int *out) {
  __shared__ Nested s_data[64];
  const unsigned tid = threadIdx.x;
  s_data[tid] = {{1, 2}, make<Triple>(tid), make_float4(1, 2, 3, 4)};
  __syncthreads();
  s_data[tid].pair = tid > 3 ? make<Pair>(tid) : s_data[tid].pair;
  __syncthreads();
  const Nested mine = s_data[63 - tid];
  global[tid] = mine;
  const auto read = [=] { return mine.triple.x; };
  out[tid] = read() + first_int(global[tid].triple);
}
CORRECT(all_ways_to_copy) { all_ways_kernel<<<1, 64>>>(reinterpret_cast<Nested *>(m.raw), m.out); }

// Objects with virtual functions, made by the kernel that calls them.
struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Line : Shape {
  __device__ int area() const override { return 0; }
};
__global__ void shapes_kernel(int *out) {
  __shared__ alignas(16) char s_memory[64][16];
  const unsigned tid = threadIdx.x;
  if (tid % 2 == 0)
    new (s_memory[tid]) Square(tid);
  else
    new (s_memory[tid]) Line;
  __syncthreads();
  out[tid] = reinterpret_cast<Shape *>(s_memory[63 - tid])->area();
}
CORRECT(virtual_functions) { shapes_kernel<<<1, 64>>>(m.out); }

// Two longs side by side are aligned to 8, wherever they lie.
struct Row {
  long long key;
  Complex value;
};
__global__ void odd_eights_kernel(Row *rows, int *out) {
  const unsigned tid = threadIdx.x;
  rows[tid].key = tid;
  rows[tid].value = make<Complex>(tid);
  const Complex mine = rows[tid].value;
  out[tid] = static_cast<int>(mine.im) + first_int(rows[tid].value);
}
CORRECT(sixteen_bytes_aligned_to_eight) {
  odd_eights_kernel<<<1, 64>>>(reinterpret_cast<Row *>(m.raw), m.out);
}

} // namespace
