// CUDA that is odd but valid: each case was once taken wrong by the emulator's front end.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <vector>

#include "conformance.cuh"
#include <odd_syntax.cuh>
#define ODD_HEADER "odd_syntax.cuh"
#include ODD_HEADER

#if 0
__shared__ int nothing
#endif

namespace odd {

constexpr int lanes = 32;

std::vector<int> each(int factor, int offset) {
  std::vector<int> values;
  for (int i = 0; i < lanes; ++i)
    values.push_back(factor * i + offset);
  return values;
}

// Runs `start` on 32 values, 0 to 31, and returns what they are then.
template <class Start> std::vector<int> after(const Start &start) {
  const conformance::DeviceArray<int> values(each(1, 0));
  start(values.data());
  return values.to_host();
}

// ------------------------------------------------------------------------------- launches

template <int N> __global__ void add_number(int *values) {
  __builtin_assume(threadIdx.x < lanes);
  values[threadIdx.x] += N;
}
__global__ void add(int *values, int n, bool both = false, const int *more = nullptr) {
  values[threadIdx.x] += both ? 2 * n : n + (more != nullptr ? *more : 0);
}
__global__ void add_one(int *values) { values[threadIdx.x] += 1; }

struct Stream {
  int sum = 0;
};
template <class T> Stream &operator<<(Stream &stream, T value) {
  stream.sum += static_cast<int>(value);
  return stream;
}

TEST_CASE("launches behind macros, expressions and names that look like something else") {
  CHECK(after([](int *p) { add_one ODD_CONFIG(1, lanes)(p); }) == each(1, 1));
  CHECK(after([](int *p) { ODD_LAUNCH(add_one, p); }) == each(1, 1));
  CHECK(after([](int *p) { ODD_LAUNCH(add, p, 3, true); }) == each(1, 6));
  CHECK(after([](int *p) { add_number<1 << 4><<<1, lanes>>>(p); }) == each(1, 16));
  CHECK(after([](int *p) { add_number<(sizeof(int) < 8)><<<1, lanes>>>(p); }) == each(1, 1));
  CHECK(after([](int *p) {
          const int a = 1, b = 2, c = 3, d = 4;
          add<<<1, lanes>>>(p, a<b, c>(d));
        }) == each(1, 1));
  CHECK(after([](int *p) { add<<<1, lanes>>>(p, 5, false, ODD_NIL); }) == each(1, 5));
  CHECK(after([](int *p) {
          add<<<1, lanes>>>(p,
#ifdef ODD_NEVER
                            7
#else
                            8
#endif
          );
        }) == each(1, 8));
  CHECK(after([](int *p) {
          void (*kernels[])(int *) = {add_number<1>, add_number<2>};
          int i = 0;
          kernels[i++]<<<1, lanes>>>(p);
          kernels[i++]<<<1, lanes>>>(p);
          CHECK(i == 2);
        }) == each(1, 3));
  CHECK(after([](int *p) {
          const struct {
            void (*kernel)(int *);
            const char *name;
          } table[] = {{add_one, "one"}, {add_number<3>, "three"}};
          for (auto [kernel, name] : table)
            kernel<<<1, lanes>>>(p);
        }) == each(1, 4));
  CHECK(after([](int *p) { odd_twice<<<1, lanes>>>(p); }) == each(-2, 62));
  Stream stream;
  operator<< <int>(stream, 2) << 3;
  CHECK(stream.sum == 5);
}

// ------------------------------------------------------------------------------- arguments

int conversions = 0, copies = 0;

class Owner { // an owning buffer, as many programs have one
public:
  explicit Owner(int *p) : p_(p) {}
  Owner(const Owner &) = delete;
  operator int *() const {
    ++conversions;
    return p_;
  }

private:
  int *p_;
};

struct Deep { // whose copies are not the original
  int *p;
  int n;
  explicit Deep(int *values) : p(values), n(4) {}
  Deep(const Deep &other) : p(other.p), n(other.n) { ++copies; }
};
__global__ void add_deep(Deep deep) {
  deep.n += 1; // each thread's own
  deep.p[threadIdx.x] += deep.n;
}

TEST_CASE("arguments are converted once, at the launch") {
  conversions = copies = 0;
  CHECK(after([](int *p) { add_one<<<1, lanes>>>(Owner(p)); }) == each(1, 1));
  CHECK(conversions == 1);
  CHECK(after([](int *p) { add_deep<<<1, lanes>>>(Deep(p)); }) == each(1, 5));
  CHECK(copies <= 2);
}

// ------------------------------------------------------------------------------- shared memory

extern __shared__ char odd_dynamic[];
__shared__ int odd_count;

__global__ void dynamic_by_address(int *values) {
  int *const s_ints = (int *)odd_dynamic;
  int *const s_same = (int *)&odd_dynamic;
  s_ints[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = s_same[lanes - 1 - threadIdx.x];
}
__global__ void count_in_file_scope(int *values) {
  if (threadIdx.x == 0)
    odd_count = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    odd_count += 1;
    odd_count++;
  }
  __syncthreads();
  values[threadIdx.x] += odd_count;
}
__global__ void in_a_switch(int *values, int choice) {
  switch (choice) {
  case 0:
    __shared__ int s_zero;
    s_zero = 5;
    __syncthreads();
    values[threadIdx.x] += s_zero;
    break;
  default:
    [[maybe_unused]] __shared__ int s_other[lanes];
    __attribute__((aligned(16))) __shared__ int s_aligned[lanes];
    s_aligned[threadIdx.x] = 7;
    __syncthreads();
    values[threadIdx.x] += s_aligned[lanes - 1 - threadIdx.x];
  }
}
__global__ void in_a_local_class(int *values) {
  __shared__ int s_offset;
  struct Adder {
    __device__ int operator()(int a) const { return a + s_offset; }
  };
  if (threadIdx.x == 0)
    s_offset = 9;
  __syncthreads();
  values[threadIdx.x] = Adder{}(values[threadIdx.x]);
}
template <class F> __global__ void apply(int *values, F f) { f(values + threadIdx.x); }

TEST_CASE("shared memory wherever it may be declared") {
  CHECK(after([](int *p) { dynamic_by_address<<<1, lanes, lanes * sizeof(int)>>>(p); }) ==
        each(-1, 31));
  CHECK(after([](int *p) { count_in_file_scope<<<1, lanes>>>(p); }) == each(1, 3));
  CHECK(after([](int *p) { in_a_switch<<<1, lanes>>>(p, 0); }) == each(1, 5));
  CHECK(after([](int *p) { in_a_switch<<<1, lanes>>>(p, 1); }) == each(1, 7));
  CHECK(after([](int *p) { in_a_local_class<<<1, lanes>>>(p); }) == each(1, 9));
}

void launch_with_lambda(int *p) {
  apply<<<1, lanes>>>(p, [] __device__(int *value) {
    __shared__ int s_last;
    if (threadIdx.x == lanes - 1)
      s_last = *value;
    __syncthreads();
    *value += s_last;
  });
}
TEST_CASE("shared memory in a lambda among a launch's arguments") {
  CHECK(after(launch_with_lambda) == each(1, 31));
}

void launch_with_ptx(int *p) {
  apply<<<1, lanes>>>(p, [] __device__(int *value) {
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    *value += lane;
  });
}
TEST_CASE("inline PTX in a lambda among a launch's arguments") {
  CHECK(after(launch_with_ptx) == each(2, 0));
}

// ------------------------------------------------------------------------------- __CUDA_ARCH__

#ifdef __CUDA_ARCH__
#define ODD_ALIGN __align__(16)
#else
#define ODD_ALIGN __attribute__((aligned(16)))
#endif
struct ODD_ALIGN Four {
  int x, y, z, w;
};

ODD_BOTH int side() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
struct Sided {
  ODD_BOTH Sided()
      : value(
#if defined(__CUDA_ARCH__)
            0
#else
            0
#endif
        ) {
  }
  ODD_BOTH auto get() const -> int {
#if !defined(__CUDA_ARCH__)
    return value + 20;
#else
    return value + 10;
#endif
  }
  int value;
};
struct __align__(16) AlignedSided{ODD_BOTH int get() const {
#ifdef __CUDA_ARCH__
    return 100;
#else
    return 200;
#endif
} // namespace odd
}
;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 100
__device__ int too_old(int a) { return a; }
#endif

__global__ void add_sides(int *values) {
#if __CUDA_ARCH__ >= 600
  values[threadIdx.x] +=
      side() + Sided().get() + AlignedSided().get() + static_cast<int>(alignof(Four));
#else
  values[threadIdx.x] = -1;
#endif
}
void launch_sided_lambda(int *p) {
  apply<<<1, lanes>>>(p, [] __device__(int *value) -> void {
#ifdef __CUDA_ARCH__
    *value += 3;
#else
    *value = -1;
#endif
  });
}
TEST_CASE("__CUDA_ARCH__ is there in functions for the device, wherever these stand") {
  CHECK(side() == 2);
  CHECK(Sided().get() == 20);
  CHECK(AlignedSided().get() == 200);
  CHECK(after([](int *p) { add_sides<<<1, lanes>>>(p); }) == each(1, 1 + 10 + 100 + 16));
  CHECK(after(launch_sided_lambda) == each(1, 3));
}

// A branch that is not compiled opens a brace of its own.
#ifdef ODD_NEVER
__global__ void shorter(double *values) {
#else
__global__ void shorter(int *values) {
#endif
  values[threadIdx.x] += 1 + 1;
}
extern __shared__ int odd_behind[]; // at file scope, whatever braces were passed over
__global__ void uses_what_is_behind(int *values) {
  odd_behind[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = odd_behind[lanes - 1 - threadIdx.x];
}
TEST_CASE("a head that the preprocessor chooses") {
  CHECK(after([](int *p) { shorter<<<1, lanes>>>(p); }) == each(1, 2));
  CHECK(after([](int *p) { uses_what_is_behind<<<1, lanes, lanes * sizeof(int)>>>(p); }) ==
        each(-1, 31));
}

typedef __align__(16) int2 AlignedPair; // in the middle of a declaration
static_assert(alignof(AlignedPair) == 16);

// What a template's argument points to, restrictedly.
template <typename T, int n>
__global__ void
add_restricted(T *__restrict__ values, const T *__restrict const other, const T more) {
  values[threadIdx.x] += n + (other == nullptr ? more : 0);
}
TEST_CASE("restrict pointers to a template's type") {
  CHECK(after([](int *p) { add_restricted<int, 2><<<1, lanes>>>(p, nullptr, 1); }) == each(1, 3));
}

// threadIdx and its kin where a kernel's own parameters could not be reached, or are called so.
__global__ void lambda_without_captures(int *values) {
  const auto mine = [] __device__() { return static_cast<int>(threadIdx.x); };
  values[mine()] += 1;
}
__global__ void local_type(int *values) {
  struct Thread {
    static __device__ int mine() { return static_cast<int>(threadIdx.x); }
  };
  values[Thread::mine()] += 1;
}
__device__ int number_of(uint3 index) { return static_cast<int>(index.x); }
__global__ void given_away(int *values) { values[number_of(threadIdx)] += 1; }
__global__ void other_meanings(int *values, int gridDim) {
  const int blockDim = 1;
  values[threadIdx.x] += gridDim * blockDim;
}
TEST_CASE("threadIdx and its kin, wherever they stand") {
  for (const auto kernel : {&lambda_without_captures, &local_type, &given_away})
    CHECK(after([=](int *p) { kernel<<<1, lanes>>>(p); }) == each(1, 1));
  CHECK(after([](int *p) { other_meanings<<<1, lanes>>>(p, 1); }) == each(1, 1));
}

} // namespace odd
