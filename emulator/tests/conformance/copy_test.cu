// Copying and setting memory: linear, in two and three dimensions, and to variables.
#include "conformance.cuh"

#include <numeric>

namespace {

using conformance::DeviceArray;

struct Sides {
  // Larger than any copy that is tried, so that an accepted one does no harm.
  std::vector<int> host = std::vector<int>(100), other_host = std::vector<int>(100);
  DeviceArray<int> device{100}, other_device{100};
};

TEST_CASE("a copy goes where its direction says, or is refused") {
  Sides s;
  constexpr size_t bytes = 40;
  int *const h = s.host.data(), *const h2 = s.other_host.data();
  int *const d = s.device.data(), *const d2 = s.other_device.data();
  const cudaError_t refused = cudaErrorInvalidValue;
  CHECK_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
  CHECK_OK(cudaMemcpy(d, d2, bytes, cudaMemcpyDeviceToDevice));
  CHECK_OK(cudaMemcpy(h, h2, bytes, cudaMemcpyHostToHost));
  for (int *to : {h, d})
    for (int *from : {h2, d2})
      CHECK_OK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  // Plain host memory where the device's is named.
  CHECK_CALL(cudaMemcpy(h, d, bytes, cudaMemcpyHostToDevice), refused);
  CHECK_CALL(cudaMemcpy(d, h, bytes, cudaMemcpyDeviceToHost), refused);
  CHECK_CALL(cudaMemcpy(h, h2, bytes, cudaMemcpyHostToDevice), refused);
  CHECK_CALL(cudaMemcpy(h, h2, bytes, cudaMemcpyDeviceToHost), refused);
  CHECK_CALL(cudaMemcpy(d, h, bytes, cudaMemcpyDeviceToDevice), refused);
  CHECK_CALL(cudaMemcpy(h, h2, bytes, cudaMemcpyDeviceToDevice), refused);
  // Device memory where the host's is named: addresses are unified.
  CHECK_OK(cudaMemcpy(d, d2, bytes, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy(d, d2, bytes, cudaMemcpyDeviceToHost));
  CHECK_OK(cudaMemcpy(h, d, bytes, cudaMemcpyHostToHost));
  CHECK_CALL(cudaMemcpy(d, h, bytes, static_cast<cudaMemcpyKind>(17)),
             cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("a copy that leaves its allocation is refused, an empty one never") {
  Sides s;
  int *const h = s.host.data(), *const d = s.device.data();
  CHECK_OK(cudaMemcpy(d, h, 400, cudaMemcpyHostToDevice));
  CHECK_CALL(cudaMemcpy(d + 1, h, 400, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpy(h, d + 99, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemcpy(d, h, 0, static_cast<cudaMemcpyKind>(17)));
}

TEST_CASE("copies between devices need devices") {
  Sides s;
  int *const d = s.device.data(), *const d2 = s.other_device.data();
  CHECK_OK(cudaMemcpyPeer(d, 0, d2, 0, 40));
  CHECK_CALL(cudaMemcpyPeer(d, 99, d2, 0, 40), cudaErrorInvalidDevice);
}

TEST_CASE("cudaMemset sets bytes of device memory") {
  DeviceArray<unsigned char> d(100);
  unsigned char on_host = 0;
  CHECK_OK(cudaMemset(d.data(), 1, 100));
  CHECK_OK(cudaMemsetAsync(d.data() + 3, 0x1FF, 2, nullptr)); // its low byte
  const std::vector<unsigned char> bytes = d.to_host();
  CHECK(bytes[2] == 1);
  CHECK(bytes[3] == 0xFF);
  CHECK(bytes[4] == 0xFF);
  CHECK(bytes[5] == 1);
  CHECK_CALL(cudaMemset(d.data(), 0, 101), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemset(&on_host, 0, 1), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemset(nullptr, 0, 1), cudaErrorInvalidValue);
  CHECK_OK(cudaMemset(nullptr, 0, 0));
}

TEST_CASE("two dimensions: rows keep their pitches") {
  constexpr size_t width = 10, rows = 3; // elements, rows
  int *d = nullptr;
  size_t pitch = 0; // bytes
  CHECK_OK(cudaMallocPitch(&d, &pitch, width * sizeof(int), rows));
  CHECK(pitch >= width * sizeof(int));
  CHECK(pitch % 32 == 0);
  std::vector<int> from(12 * rows), to(width * rows, -1);
  std::iota(from.begin(), from.end(), 0);
  // Host rows are 12 elements apart, and come back 10 apart.
  CHECK_OK(cudaMemcpy2D(d, pitch, from.data(), 48, 40, rows, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemset2D(d, pitch, 0, 8, 2)); // two elements of two rows
  CHECK_OK(cudaMemcpy2D(to.data(), 40, d, pitch, 40, rows, cudaMemcpyDeviceToHost));
  for (size_t row = 0; row < rows; ++row)
    for (size_t col = 0; col < width; ++col)
      CHECK(to[row * width + col] == (row < 2 && col < 2 ? 0 : from[row * 12 + col]));

  const auto copy = [&](size_t d_pitch, size_t h_pitch, size_t bytes, size_t n, int kind) {
    return cudaMemcpy2D(
        d, d_pitch, from.data(), h_pitch, bytes, n, static_cast<cudaMemcpyKind>(kind));
  };
  CHECK_CALL(copy(pitch, 39, 40, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  CHECK_CALL(copy(30, 40, 40, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  CHECK_CALL(copy(pitch, 40, 40, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  CHECK_CALL(copy(pitch, 40, 40, 2, 9), cudaErrorInvalidMemcpyDirection);
  CHECK_OK(copy(pitch, 39, 40, 0, cudaMemcpyHostToDevice)); // nothing to do
  CHECK_OK(copy(pitch, 40, 0, 2, cudaMemcpyHostToDevice));
  CHECK_CALL(cudaMemset2D(d, 30, 0, 40, 3), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemset2D(d, pitch, 0, 40, 3000), cudaErrorInvalidValue);
  CHECK_OK(cudaMallocPitch(&d, &pitch, 0, 3));
  CHECK(d == nullptr);
}

TEST_CASE("three dimensions: boxes keep their rows and slices") {
  constexpr size_t width = 20, height = 4, depth = 3; // bytes, rows, slices
  const cudaExtent extent = make_cudaExtent(width, height, depth);
  cudaPitchedPtr d;
  CHECK_OK(cudaMalloc3D(&d, extent));
  CHECK(d.xsize == width);
  CHECK(d.ysize == height);
  CHECK_OK(cudaMemset3D(d, 7, extent));

  std::vector<unsigned char> from(width * height * depth), to(from.size(), 0);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
  cudaMemcpy3DParms up = {};
  up.srcPtr = make_cudaPitchedPtr(from.data(), width, width, height);
  up.dstPtr = d;
  up.dstPos = make_cudaPos(4, 1, 1); // a smaller box, to a corner inside
  up.extent = make_cudaExtent(10, 2, 2);
  up.kind = cudaMemcpyHostToDevice;
  CHECK_OK(cudaMemcpy3D(&up));
  cudaMemcpy3DParms down = {};
  down.srcPtr = d;
  down.dstPtr = make_cudaPitchedPtr(to.data(), width, width, height);
  down.extent = extent;
  down.kind = cudaMemcpyDeviceToHost;
  CHECK_OK(cudaMemcpy3D(&down));
  const auto at = [&](size_t x, size_t y, size_t z) { return (z * height + y) * width + x; };
  CHECK(to[at(4, 1, 1)] == from[at(0, 0, 0)]);
  CHECK(to[at(13, 2, 2)] == from[at(9, 1, 1)]);
  CHECK(to[at(14, 2, 2)] == 7);
  CHECK(to[at(3, 1, 1)] == 7);
  CHECK(to[at(4, 3, 1)] == 7);
  CHECK(to[at(4, 1, 0)] == 7);

  up.kind = cudaMemcpyDeviceToHost;
  CHECK_CALL(cudaMemcpy3D(&up), cudaErrorInvalidValue);
  up.kind = cudaMemcpyHostToDevice;
  up.srcPtr.pitch = 5;
  CHECK_CALL(cudaMemcpy3D(&up), cudaErrorInvalidPitchValue);
  up.srcPtr.pitch = width;
  up.srcPtr.ysize = 1;
  CHECK_CALL(cudaMemcpy3D(&up), cudaErrorInvalidPitchValue);
  up.srcPtr.ysize = height;
  up.srcPtr.ptr = nullptr;
  CHECK_CALL(cudaMemcpy3D(&up), cudaErrorInvalidValue);
  up.extent.width = 0;
  CHECK_OK(cudaMemcpy3D(&up));
  cudaFree(d.ptr);
}

// ------------------------------------------------------------------------- variables

__device__ int numbers[10];
__constant__ float coefficients[4];
__device__ double scale = 0.5;

__global__ void apply(double *out) {
  const int i = threadIdx.x; // [0, 4)
  out[i] = coefficients[i] * numbers[i] * scale;
}

TEST_CASE("variables of the device are written, read and measured") {
  const int ints[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const float floats[4] = {1, 10, 100, 1000};
  CHECK_OK(cudaMemcpyToSymbol(numbers, ints, sizeof ints));
  CHECK_OK(cudaMemcpyToSymbol(coefficients, floats, sizeof floats));
  DeviceArray<double> out(4);
  apply<<<1, 4>>>(out.data());
  CHECK(out.to_host() == std::vector<double>{0.5, 10, 150, 2000});

  const int two[2] = {-1, -2};
  int back[10] = {};
  CHECK_OK(cudaMemcpyToSymbol(numbers, two, sizeof two, 8 * sizeof(int)));
  CHECK_OK(cudaMemcpyFromSymbol(back, numbers, sizeof back));
  CHECK(back[7] == 8);
  CHECK(back[8] == -1);
  CHECK(back[9] == -2);
  CHECK_CALL(cudaMemcpyToSymbol(numbers, ints, 44), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpyToSymbol(numbers, ints, 4, 40), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpyFromSymbol(back, numbers, 8, 36), cudaErrorInvalidValue);
  CHECK_CALL(cudaMemcpyToSymbol(&numbers[1], ints, 4), cudaErrorInvalidSymbol); // a temporary
  CHECK_CALL(cudaMemcpyToSymbol(&numbers[1], ints, 8), cudaErrorInvalidSymbol);
  CHECK_CALL(cudaMemcpyToSymbol(&numbers[1], ints, 16), cudaErrorInvalidSymbol);
  CHECK_CALL(cudaMemcpyToSymbol(numbers[1], ints, 4), cudaErrorInvalidSymbol);
  CHECK_CALL(cudaMemcpyFromSymbol(back, &numbers[1], 4), cudaErrorInvalidSymbol);
  CHECK_CALL(cudaMemcpyToSymbol(numbers, ints, 4, 0, cudaMemcpyDeviceToHost),
             cudaErrorInvalidMemcpyDirection);
  CHECK_CALL(cudaMemcpyFromSymbol(back, numbers, 4, 0, cudaMemcpyHostToDevice),
             cudaErrorInvalidMemcpyDirection);

  size_t size = 0;
  CHECK_OK(cudaGetSymbolSize(&size, coefficients));
  CHECK(size == sizeof floats);
  int *address = nullptr;
  CHECK_OK(cudaGetSymbolAddress(reinterpret_cast<void **>(&address), numbers));
  CHECK_OK(cudaMemset(address, 0, 4));
  CHECK_OK(cudaMemcpy(back, address, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 0);
  CHECK(back[1] == 2);
  CHECK_CALL(cudaFree(address), cudaErrorInvalidValue);
}

} // namespace
