#include "demos/demos.hpp"
#include "demos/precision.hpp"

#include <cmath>
#include <string>

namespace {

// Pairs of functions: the accurate one, the fast one, and what is right.
enum class Function { exp, log, sin, divide, sqrt };

template <Function F> __device__ float accurate(float x, float y) {
  return F == Function::exp    ? expf(x)
         : F == Function::log  ? logf(x)
         : F == Function::sin  ? sinf(x)
         : F == Function::sqrt ? 1.0f / sqrtf(x)
                               : x / y;
}

template <Function F> __device__ float fast(float x, float y) {
  return F == Function::exp    ? __expf(x)
         : F == Function::log  ? __logf(x)
         : F == Function::sin  ? __sinf(x)
         : F == Function::sqrt ? rsqrtf(x)
                               : __fdividef(x, y);
}

template <Function F> double right(double x, double y) {
  return F == Function::exp    ? std::exp(x)
         : F == Function::log  ? std::log(x)
         : F == Function::sin  ? std::sin(x)
         : F == Function::sqrt ? 1.0 / std::sqrt(x)
                               : x / y;
}

template <Function F>
__global__ void
evaluate(const float *x, const float *y, float *by_accurate, float *by_fast, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    by_accurate[i] = accurate<F>(x[i], y[i]);
    by_fast[i] = fast<F>(x[i], y[i]);
  }
}

template <Function F>
void show(
    lab::Demo &demo, const char *key, const char *name, float low, float high, double promise) {
  const int n = demo.quick() ? 1 << 12 : lab::on_emulator() ? 1 << 16 : 1 << 20;
  std::vector<float> x(n), y(n);
  lab::fill_random(x.data(), x.size(), demo.seed(), low, high);
  lab::fill_random(y.data(), y.size(), demo.seed() + 1, 0.5f, 100.0f);
  lab::DeviceBuffer<float> d_x(x), d_y(y), d_accurate(n), d_fast(n);
  lab::poison(d_accurate);
  lab::poison(d_fast);
  evaluate<F><<<n / 256, 256>>>(d_x.data(), d_y.data(), d_accurate.data(), d_fast.data(), n);
  LAB_CHECK_LAUNCH();
  const std::vector<float> results[2] = {d_accurate.download(), d_fast.download()};
  double worst[2] = {0.0, 0.0};
  for (size_t i = 0; i < x.size(); ++i)
    for (int which = 0; which < 2; ++which) {
      const double r = right<F>(x[i], y[i]);
      if (r == 0.0)
        continue;
      const double off = std::fabs(results[which][i] - r) / ulp_of(r);
      worst[which] = off <= worst[which] ? worst[which] : off;
    }
  demo.say(
      "  %-26s %6g to %-6g %12.2f %14.2f\n", name, double(low), double(high), worst[0], worst[1]);
  demo.value(std::string(key) + "_ulp", worst[0]);
  demo.value(std::string(key) + "_fast_ulp", worst[1]);
  demo.expect(worst[0] <= promise, "the accurate function keeps what the manual promises");
}

} // namespace

// The promises: CUDA C++ Programming Guide, mathematical functions, maximum ULP error.
void show_intrinsics(lab::Demo &demo) {
  demo.say("greatest error in ULP%s\n\n",
           lab::on_emulator() ? ", as the emulator computes; a GPU's fast functions are its own"
                              : "");
  demo.say("  %-26s %16s %12s %14s\n", "", "of x in", "accurate", "fast");
  show<Function::exp>(demo, "exp", "expf, __expf", -10.0f, 10.0f, 2.0);
  show<Function::log>(demo, "log", "logf, __logf", 0.25f, 4.0f, 1.0);
  show<Function::sin>(demo, "sin", "sinf, __sinf", -3.0f, 3.0f, 2.0);
  show<Function::divide>(demo, "divide", "x / y, __fdividef", 0.5f, 100.0f, 0.51);
  show<Function::sqrt>(demo, "rsqrt", "1 / sqrtf, rsqrtf", 0.5f, 100.0f, 2.0);
}
