// Mistakes that the compiler finds, one in each line that says so; rewriter_test.cpp compiles it. Functions
// and variables without a word of CUDA's are the host's.
#include <vector>

int host(int a) { return a + 1; }
template <class T> T host_of_any(T a) { return a; }
int overloaded(int a) { return a; }
__device__ int overloaded(float a) { return static_cast<int>(a); }
int counter = 3;
const float weights[] = {1, 2, 3};
const int size = 3;
constexpr int padded(int n) { return n + 1; }
__device__ int device_counter;

struct Pair {
  int a, b;
  explicit Pair(int n) : a(n), b(n) {}
  __device__ Pair(int x, int y) : a(x), b(y) {}
  int sum() const { return a + b; }
  __device__ int product() const { return a * b; }
  Pair operator+(int n) const { return Pair(a + n); }
};

__device__ int of_device(int a) {
  return host(a); // refused: from a __device__ function("of_device") is not allowed
}
__host__ __device__ int of_both(int a) { return host(a); } // nvcc warns
template <class T> __device__ T of_any(T a) {
  return host_of_any(a); // refused: is not allowed
}

__global__ void kernel(int *p) {
  __shared__ float tile[padded(size)];
  tile[0] = 1;
  p[0] = of_device(p[1]) + of_both(2) + of_any(size) + padded(size) + overloaded(1.f);
  p[1] = overloaded(1); // refused: from a __global__ function("kernel") is not allowed
  p[2] = counter; // refused: identifier "counter" is undefined in device code
  p[3] = static_cast<int>(weights[p[2]]); // refused: identifier "weights"
  const Pair pair(1, 2);
  p[4] = pair.product() + device_counter;
  p[5] = pair.sum(); // refused: from a __global__ function("kernel")
  const Pair other(1); // refused: from a __global__ function("kernel")
  p[6] = (pair + 1).a; // refused: from a __global__ function("kernel")
  const auto lambda = [=](int a) {
    return host(a); // refused: is not allowed
  };
  p[7] = lambda(other.a) + sizeof(weights) / sizeof(weights[0]) + sizeof(counter);
}

template <class F> __global__ void each(F f) { f(static_cast<int>(threadIdx.x)); }

int main() {
  std::vector<int> v(3, host(counter));
  each<<<1, 3>>>([] __device__(int i) { device_counter = i; });
  each<<<1, 3>>>([] __device__(int i) {
    device_counter = host(i); // refused: from a __device__ function("lambda")
  });
  kernel<<<1, 1>>>(nullptr);
  return Pair(2).sum() + overloaded(v[0]);
}
