// Textures, surfaces and the arrays under them.
#include "conformance.cuh"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

struct Place {
  float x = 0, y = 0, z = 0;
  int layer = 0;
};

/// An array that frees itself, filled from host memory.
template <class T> class Array {
public:
  Array(cudaExtent extent, const std::vector<T> &values, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    REQUIRE(cudaMalloc3DArray(&array_, &format, extent, flags) == cudaSuccess);
    cudaMemcpy3DParms copy{};
    const size_t rows = std::max<size_t>(extent.height, 1);
    copy.srcPtr = make_cudaPitchedPtr(
        const_cast<T *>(values.data()), extent.width * sizeof(T), extent.width, rows);
    copy.dstArray = array_;
    copy.extent = make_cudaExtent(extent.width, rows, std::max<size_t>(extent.depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    REQUIRE(cudaMemcpy3D(&copy) == cudaSuccess);
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { cudaFreeArray(array_); }
  cudaArray_t get() const { return array_; }
  cudaResourceDesc resource() const {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array_;
    return r;
  }

private:
  cudaArray_t array_ = nullptr;
};

cudaTextureDesc sampler(cudaTextureFilterMode filter = cudaFilterModePoint,
                        cudaTextureAddressMode address = cudaAddressModeClamp,
                        bool normalized = false) {
  cudaTextureDesc s{};
  s.filterMode = filter;
  s.normalizedCoords = normalized;
  for (auto &mode : s.addressMode)
    mode = address;
  return s;
}

class Texture {
public:
  Texture(const cudaResourceDesc &resource, const cudaTextureDesc &description) {
    REQUIRE(cudaCreateTextureObject(&object_, &resource, &description, nullptr) == cudaSuccess);
  }
  template <class T, class... Sampler>
  explicit Texture(const Array<T> &array, Sampler... how)
      : Texture(array.resource(), sampler(how...)) {}
  Texture(const Texture &) = delete;
  Texture &operator=(const Texture &) = delete;
  ~Texture() { cudaDestroyTextureObject(object_); }
  cudaTextureObject_t get() const { return object_; }

private:
  cudaTextureObject_t object_ = 0;
};

enum class Fetch { row, one, two, three, layered, cube };

template <class T> struct Read {
  Fetch fetch;
  cudaTextureObject_t texture;
  __device__ T operator()(Place at) const {
    switch (fetch) {
    case Fetch::row:
      return tex1Dfetch<T>(texture, at.layer);
    case Fetch::one:
      return tex1D<T>(texture, at.x);
    case Fetch::two:
      return tex2D<T>(texture, at.x, at.y);
    case Fetch::three:
      return tex3D<T>(texture, at.x, at.y, at.z);
    case Fetch::layered:
      return tex2DLayered<T>(texture, at.x, at.y, at.layer);
    default:
      return texCubemap<T>(texture, at.x, at.y, at.z);
    }
  }
};

template <class T>
std::vector<T> read(Fetch fetch, const Texture &t, const std::vector<Place> &at) {
  return conformance::map<T>(Read<T>{fetch, t.get()}, at);
}

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 37) % 64);
  return values;
}

// ------------------------------------------------------------------------------- addresses

TEST_CASE("a point is the element that it lies in; outside the address mode decides") {
  const std::vector<float> values = {10, 11, 12, 13};
  const Array<float> array({4, 0, 0}, values);
  const std::vector<Place> at = {{-5.5f}, {-0.25f}, {0}, {0.99f}, {1}, {3.5f}, {4}, {5.5f}, {9}};
  const auto check =
      [&](cudaTextureAddressMode mode, bool normalized, std::vector<float> expected) {
        CAPTURE(mode);
        const Texture texture(array, cudaFilterModePoint, mode, normalized);
        std::vector<Place> places = at;
        if (normalized)
          for (Place &place : places)
            place.x /= 4;
        CHECK(read<float>(Fetch::one, texture, places) == expected);
      };
  for (const bool normalized : {false, true}) {
    check(cudaAddressModeClamp, normalized, {10, 10, 10, 10, 11, 13, 13, 13, 13});
    check(cudaAddressModeBorder, normalized, {0, 0, 10, 10, 11, 13, 0, 0, 0});
  }
  check(cudaAddressModeWrap, true, {12, 13, 10, 10, 11, 13, 10, 11, 11});
  check(cudaAddressModeMirror, true, {12, 10, 10, 10, 11, 13, 13, 12, 11});
}

// ------------------------------------------------------------------------------- filters

TEST_CASE("linear filtering: weights of eight bits between the centers of elements") {
  const std::vector<float> values = {0, 256, 512, 0};
  const Array<float> array({4, 0, 0}, values);
  const Texture texture(array, cudaFilterModeLinear);
  const std::vector<Place> at = {
      {0}, {0.5f}, {1}, {1.25f}, {1.5f}, {0.5f + 3.0f / 256}, {0.5f + 3.4f / 256}, {4}};
  CHECK(read<float>(Fetch::one, texture, at) == std::vector<float>{0, 0, 128, 192, 256, 3, 3, 0});
}

// The weighted mean of the four elements around, from the formula.
float bilinear(const std::vector<float> &v, int width, int height, float x, float y) {
  const float xb = x - 0.5f, yb = y - 0.5f, i = std::floor(xb), j = std::floor(yb);
  const float a = xb - i, b = yb - j;
  const auto at = [&](float column, float row) {
    const int c = std::clamp(static_cast<int>(column), 0, width - 1);
    const int r = std::clamp(static_cast<int>(row), 0, height - 1);
    return v[static_cast<size_t>(r * width + c)];
  };
  return (1 - a) * (1 - b) * at(i, j) + a * (1 - b) * at(i + 1, j) + (1 - a) * b * at(i, j + 1) +
         a * b * at(i + 1, j + 1);
}

TEST_CASE("linear filtering in two dimensions") {
  const int width = 17, height = 9;
  const std::vector<float> values = ramp(width * height);
  const Array<float> array({width, height, 0}, values);
  for (const bool normalized : {false, true}) {
    const Texture texture(array, cudaFilterModeLinear, cudaAddressModeClamp, normalized);
    std::vector<Place> at, scaled;
    conformance::Random random(3);
    for (int i = 0; i < 2000; ++i) {
      const auto x = static_cast<float>(random.uniform(-2, width + 2));
      const auto y = static_cast<float>(random.uniform(-2, height + 2));
      at.push_back({x, y, 0, 0});
      scaled.push_back(normalized ? Place{x / width, y / height, 0, 0} : at.back());
    }
    const std::vector<float> results = read<float>(Fetch::two, texture, scaled);
    for (size_t i = 0; i < at.size(); ++i) {
      CAPTURE(at[i].x);
      CAPTURE(at[i].y);
      // Both weights are off by half of 1/256 at most, between elements up to 63 apart.
      const float error = std::fabs(results[i] - bilinear(values, width, height, at[i].x, at[i].y));
      REQUIRE(error <= 63.0f * 2 / 512 + 1e-3f);
    }
  }
}

TEST_CASE("three dimensions, and layers") {
  const size_t width = 4, height = 3, depth = 5;
  const std::vector<float> values = ramp(width * height * depth);
  const auto value = [&](size_t x, size_t y, size_t z) {
    return values[x + width * (y + height * z)];
  };
  const Array<float> box({width, height, depth}, values);
  const Texture points(box), linear(box, cudaFilterModeLinear);
  const std::vector<Place> at = {{1.5f, 2.5f, 3.5f, 0}, {0, 0, 0, 0}, {3.9f, 1.2f, 4.9f, 0}};
  CHECK(read<float>(Fetch::three, points, at) ==
        std::vector<float>{value(1, 2, 3), value(0, 0, 0), value(3, 1, 4)});
  const std::vector<Place> between = {{1.5f, 2.5f, 3, 0}, {2, 2.5f, 3.5f, 0}};
  CHECK(read<float>(Fetch::three, linear, between) ==
        std::vector<float>{(value(1, 2, 2) + value(1, 2, 3)) / 2,
                           (value(1, 2, 3) + value(2, 2, 3)) / 2});

  const Array<float> layers({width, height, depth}, values, cudaArrayLayered);
  const Texture layered(layers, cudaFilterModeLinear);
  const std::vector<Place> in_layers = {{1.5f, 2.5f, 0, 3}, {2, 0.5f, 0, 4}, {0.5f, 0.5f, 0, 9}};
  CHECK(read<float>(Fetch::layered, layered, in_layers) ==
        std::vector<float>{value(1, 2, 3), (value(1, 0, 4) + value(2, 0, 4)) / 2, value(0, 0, 4)});
}

TEST_CASE("a cubemap is read by direction") {
  std::vector<float> values(6 * 4);
  std::iota(values.begin(), values.end(), 0.0f);
  const Array<float> array({2, 2, 6}, values, cudaArrayCubemap);
  const Texture texture(array, cudaFilterModePoint, cudaAddressModeClamp, true);
  // The middle of each element of two faces, and one of every other.
  const std::vector<Place> at = {{1, 0.5f, 0.5f},
                                 {1, 0.5f, -0.5f},
                                 {1, -0.5f, 0.5f},
                                 {1, -0.5f, -0.5f},
                                 {-1, 0.5f, -0.5f},
                                 {-0.5f, 1, -0.5f},
                                 {0.5f, -1, 0.5f},
                                 {-0.5f, 0.5f, 1},
                                 {0.5f, 0.5f, 1},
                                 {-0.5f, -0.5f, -1}};
  CHECK(read<float>(Fetch::cube, texture, at) ==
        std::vector<float>{0, 1, 2, 3, 4, 8, 13, 16, 17, 23});
}

// ------------------------------------------------------------------------------- conversions

TEST_CASE("elements are read as they are, or as numbers from 0 or -1 to 1") {
  const Array<uchar4> bytes({1, 0, 0}, {{0, 51, 255, 102}});
  const Texture plain(bytes);
  const uchar4 element = read<uchar4>(Fetch::one, plain, {{0.5f}})[0];
  CHECK((element.x == 0 && element.y == 51 && element.z == 255 && element.w == 102));
  cudaTextureDesc s = sampler();
  s.readMode = cudaReadModeNormalizedFloat;
  const Texture normalized(bytes.resource(), s);
  const float4 numbers = read<float4>(Fetch::one, normalized, {{0.5f}})[0];
  CHECK((numbers.x == 0 && numbers.y == 0.2f && numbers.z == 1 && numbers.w == 0.4f));
  const Array<short> shorts({3, 0, 0}, {-32768, 32767, -32767});
  const Texture signed_ones(shorts.resource(), s);
  CHECK(read<float>(Fetch::one, signed_ones, {{0}, {1}, {2}}) == std::vector<float>{-1, 1, -1});
  const Array<int2> pairs({2, 0, 0}, {{-5, 6}, {2147483647, -8}});
  const Texture of_pairs(pairs);
  const int2 second = read<int2>(Fetch::one, of_pairs, {{1}})[0];
  CHECK((second.x == 2147483647 && second.y == -8));
}

// ------------------------------------------------------------------------------- plain memory

TEST_CASE("textures of plain memory and of rows") {
  const std::vector<float> values = ramp(100);
  const conformance::DeviceArray<float> memory(values);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory.data();
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = memory.bytes();
  const Texture texture(resource, cudaTextureDesc{});
  CHECK(read<float>(Fetch::row, texture, {{0, 0, 0, 0}, {0, 0, 0, 57}, {0, 0, 0, 99}}) ==
        std::vector<float>{values[0], values[57], values[99]});
  CHECK(read<float>(Fetch::row, texture, {{0, 0, 0, -1}, {0, 0, 0, 100}}) ==
        std::vector<float>{0, 0});

  float *rows = nullptr;
  size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&rows, &pitch, 10 * sizeof(float), 10) == cudaSuccess);
  REQUIRE(cudaMemcpy2D(rows, pitch, values.data(), 40, 40, 10, cudaMemcpyHostToDevice) ==
          cudaSuccess);
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = resource.res.pitch2D.height = 10;
  resource.res.pitch2D.pitchInBytes = pitch;
  {
    const Texture of_rows(resource, sampler(cudaFilterModePoint, cudaAddressModeWrap, true));
    CHECK(read<float>(Fetch::two, of_rows, {{0.35f, 0.75f, 0, 0}, {1.35f, -0.25f, 0, 0}}) ==
          std::vector<float>{values[73], values[73]});
  }
  CHECK(cudaFree(rows) == cudaSuccess);
}

// ------------------------------------------------------------------------------- arrays

TEST_CASE("arrays: what they are, and copies to and from them") {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK_OK(cudaMallocArray(&array, &format, 8, 4));
  cudaChannelFormatDesc told{};
  cudaExtent extent{};
  unsigned flags = 7;
  CHECK_OK(cudaArrayGetInfo(&told, &extent, &flags, array));
  CHECK((told.x == 32 && told.y == 0 && told.f == cudaChannelFormatKindSigned));
  CHECK((extent.width == 8 && extent.height == 4 && extent.depth == 0 && flags == 0));
  const std::vector<int> part = {1, 2, 3, 4, 5, 6};
  CHECK_OK(cudaMemcpy2DToArray(array, 8, 1, part.data(), 12, 12, 2, cudaMemcpyHostToDevice));
  std::vector<int> back(4);
  CHECK_OK(cudaMemcpy2DFromArray(back.data(), 8, array, 12, 1, 8, 2, cudaMemcpyDeviceToHost));
  CHECK(back == std::vector<int>{2, 3, 5, 6});
  CHECK_CALL(cudaMemcpy2DToArray(array, 8, 3, part.data(), 12, 12, 2, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
  CHECK_OK(cudaFreeArray(array));
  CHECK_CALL(cudaMallocArray(&array, &format, 0, 4), cudaErrorInvalidValue);
}

// ------------------------------------------------------------------------------- surfaces

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width)
    return;
  const int bytes = static_cast<int>(sizeof(int2));
  int2 value = surf2Dread<int2>(from, x * bytes, y);
  const int2 outside = surf2Dread<int2>(from, -bytes, y, cudaBoundaryModeZero);
  const int2 edge = surf2Dread<int2>(from, (width + 3) * bytes, y, cudaBoundaryModeClamp);
  // Both members of `edge` are looked at: a read of one alone would be clamped on its own.
  value.y += outside.x + (edge.x == width - 1 && edge.y == y ? 1000 : 0);
  surf2Dwrite(value, to, (width - 1 - x) * bytes, height - 1 - y);
  surf2Dwrite(value, to, 0, height, cudaBoundaryModeZero); // goes nowhere
}

TEST_CASE("surfaces are read and written") {
  const int width = 20, height = 6;
  std::vector<int2> values;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      values.push_back({x, y});
  const cudaExtent extent = {width, height, 0};
  const Array<int2> from(extent, values, cudaArraySurfaceLoadStore);
  const Array<int2> to(extent, values, cudaArraySurfaceLoadStore);
  const cudaResourceDesc from_resource = from.resource(), to_resource = to.resource();
  cudaSurfaceObject_t from_surface = 0, to_surface = 0;
  REQUIRE(cudaCreateSurfaceObject(&from_surface, &from_resource) == cudaSuccess);
  REQUIRE(cudaCreateSurfaceObject(&to_surface, &to_resource) == cudaSuccess);
  turn<<<dim3(1, height), 32>>>(from_surface, to_surface, width, height);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  std::vector<int2> results(values.size());
  const size_t row = width * sizeof(int2);
  CHECK_OK(cudaMemcpy2DFromArray(
      results.data(), row, to.get(), 0, 0, row, height, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < values.size(); ++i) {
    const int2 expected = values[values.size() - 1 - i];
    CAPTURE(i);
    REQUIRE(results[i].x == expected.x);
    REQUIRE(results[i].y == expected.y + 1000);
  }
  CHECK_OK(cudaDestroySurfaceObject(from_surface));
  CHECK_OK(cudaDestroySurfaceObject(to_surface));
}

} // namespace
