// The same kernels in OpenCL C, on the CPU that PoCL offers.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "kernels.hpp"

namespace {

constexpr const char *source = R"(
kernel void vector_add(global const float *a, global const float *b, global float *c, int n) {
  const int i = get_global_id(0);
  if (i < n)
    c[i] = a[i] + b[i];
}
kernel void reduce_sequential(global const int *in, global int *out, int n) {
  local int s_data[256];
  const int tid = get_local_id(0), i = get_global_id(0);
  s_data[tid] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (tid < s)
      s_data[tid] += s_data[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0)
    out[get_group_id(0)] = s_data[0];
}
kernel void histogram(global const int *in, global int *out, int n) {
  local int s_bins[256];
  s_bins[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&s_bins[in[i] & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&out[get_local_id(0)], s_bins[get_local_id(0)]);
}
kernel void nothing() {}
)";

void check(cl_int error, const char *what) {
  if (error == CL_SUCCESS)
    return;
  std::fprintf(stderr, "pocl_benchmarks: %s fails with %d\n", what, error);
  std::exit(1);
}

struct Device {
  Device() {
    cl_platform_id platform = nullptr;
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS || platform == nullptr ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &id, nullptr) != CL_SUCCESS) {
      std::fprintf(stderr, "pocl_benchmarks: no OpenCL for this CPU: install pocl-opencl-icd\n");
      std::exit(77);
    }
    context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, id, 0, nullptr);
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
    check(clBuildProgram(program, 1, &id, "", nullptr, nullptr), "clBuildProgram");
  }
  cl_mem buffer(const std::vector<int> &values) const {
    return clCreateBuffer(context,
                          CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(int),
                          const_cast<int *>(values.data()),
                          nullptr);
  }
  template <class... Arguments> cl_kernel kernel(const char *name, Arguments... arguments) const {
    const cl_kernel made = clCreateKernel(program, name, nullptr);
    cl_uint i = 0;
    (check(clSetKernelArg(made, i++, sizeof arguments, &arguments), name), ...);
    return made;
  }
  void run(cl_kernel kernel, size_t threads, size_t local) const {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &threads, &local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  }
  long sum_of(cl_mem buffer, size_t n) const {
    std::vector<int> values(n);
    clEnqueueReadBuffer(
        queue, buffer, CL_TRUE, 0, n * sizeof(int), values.data(), 0, nullptr, nullptr);
    return std::accumulate(values.begin(), values.end(), 0l);
  }
  cl_device_id id = nullptr;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
};

} // namespace

int main() {
  const Device device;
  const cl_mem in = device.buffer(std::vector<int>(streaming_elements, 1));
  const cl_mem a = device.buffer(std::vector<int>(streaming_elements));
  const cl_mem b = device.buffer(std::vector<int>(streaming_elements));
  const cl_mem c = device.buffer(std::vector<int>(streaming_elements));
  const cl_mem out = device.buffer(std::vector<int>(grid));
  const auto timed = [&](const char *name, cl_kernel kernel, int n, size_t threads, int times = 1) {
    measure(name, n, [&] {
      for (int i = 0; i < times; ++i)
        device.run(kernel, threads, std::min<size_t>(threads, block));
      clFinish(device.queue);
    });
  };
  timed("vector_add",
        device.kernel("vector_add", a, b, c, streaming_elements),
        streaming_elements,
        streaming_elements);
  timed("reduce_sequential",
        device.kernel("reduce_sequential", in, out, elements),
        elements,
        elements);
  check(device.sum_of(out, grid) == elements ? CL_SUCCESS : 1, "reduce_sequential");
  timed("histogram", device.kernel("histogram", in, out, elements), elements, elements / 64);
  timed("launches", device.kernel("nothing"), 2000, 32, 2000);
  return 0;
}
