#pragma once

#include "demos/textures.hpp"

#include <vector>

namespace demo_filtering {

__global__ void read_at(cudaTextureObject_t texture, const float2 *at, float *out, unsigned n) {
  const unsigned i = threadIdx.x;
  if (i < n) {
    const float2 place = at[i];
    out[i] = tex2D<float>(texture, place.x, place.y);
  }
}

// A surface is the same array, to be written. Columns count in bytes there.
__global__ void double_all(cudaSurfaceObject_t surface, int width) {
  const int col = static_cast<int>(threadIdx.x);
  if (col < width) {
    const float value = surf2Dread<float>(surface, col * static_cast<int>(sizeof(float)), 0);
    surf2Dwrite(2.0f * value, surface, col * static_cast<int>(sizeof(float)), 0);
  }
}

inline std::vector<float> read(const Texture &texture, const std::vector<float2> &at) {
  lab::DeviceBuffer<float2> d_at(at);
  lab::DeviceBuffer<float> d_out(at.size());
  lab::poison(d_out);
  read_at<<<1, 64>>>(texture.get(), d_at.data(), d_out.data(), static_cast<unsigned>(at.size()));
  LAB_CHECK_LAUNCH();
  return d_out.download();
}

inline void line(lab::Demo &demo,
                 const char *what,
                 const Texture &texture,
                 const std::vector<float> &columns,
                 const std::vector<float> &expected) {
  std::vector<float2> at;
  for (const float column : columns)
    at.push_back(make_float2(column, 0.5f));
  const std::vector<float> found = read(texture, at);
  demo.say("%-18s", what);
  for (const float value : found)
    demo.say("%8g", value);
  demo.say("\n");
  demo.expect(lab::compare(found, expected, {1e-6, 0.0}));
}

inline void head(lab::Demo &demo, const char *what, const std::vector<float> &columns) {
  demo.say("%-18s", what);
  for (const float column : columns)
    demo.say("%8g", column);
  demo.say("\n");
}

inline void show_filters(lab::Demo &demo, const Array &array) {
  const Texture nearest(array.resource(), sampler());
  const Texture linear(array.resource(), sampler(cudaFilterModeLinear));
  // The last is a thousandth beyond the first element's middle: weights have eight bits.
  const std::vector<float> columns = {0.5f, 0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 0.501f};
  head(demo, "read at", columns);
  line(demo, "nearest", nearest, columns, {10, 10, 20, 20, 20, 40, 10});
  line(demo, "linear", linear, columns, {10, 12.5f, 15, 17.5f, 20, 30, 10});
}

inline void show_edges(lab::Demo &demo, const Array &array) {
  const std::vector<float> columns = {-1.5f, -0.5f, 0.5f, 3.5f, 4.5f, 5.5f};
  demo.say("\n");
  head(demo, "outside", columns);
  const auto edge = [&](const char *what,
                        cudaTextureAddressMode mode,
                        bool normalized,
                        const std::vector<float> &expected) {
    cudaTextureDesc how = sampler(cudaFilterModePoint, mode);
    how.normalizedCoords = normalized; // then 1 is the whole width
    std::vector<float> scaled = columns;
    for (float &column : scaled)
      column /= normalized ? 4.0f : 1.0f;
    line(demo, what, Texture(array.resource(), how), scaled, expected);
  };
  edge("clamp", cudaAddressModeClamp, false, {10, 10, 10, 80, 80, 80});
  edge("border", cudaAddressModeBorder, false, {0, 0, 10, 80, 0, 0});
  edge("wrap", cudaAddressModeWrap, true, {40, 80, 10, 80, 10, 20});
  edge("mirror", cudaAddressModeMirror, true, {20, 10, 10, 80, 80, 40});
}

inline void show_conversion(lab::Demo &demo) {
  const Array bytes(std::vector<unsigned char>{0, 51, 102, 255}, 4);
  cudaTextureDesc how = sampler();
  how.readMode = cudaReadModeNormalizedFloat;
  demo.say("\n");
  head(demo, "bytes", {0, 51, 102, 255});
  line(demo,
       "read as floats",
       Texture(bytes.resource(), how),
       {0.5f, 1.5f, 2.5f, 3.5f},
       {0, 0.2f, 0.4f, 1});
}

inline void show_surface(lab::Demo &demo, const Array &array) {
  cudaSurfaceObject_t surface = 0;
  const cudaResourceDesc what = array.resource();
  LAB_CHECK(cudaCreateSurfaceObject(&surface, &what));
  double_all<<<1, 32>>>(surface, 4);
  LAB_CHECK_LAUNCH();
  LAB_CHECK(cudaDestroySurfaceObject(surface));
  demo.say("\n");
  line(demo,
       "doubled",
       Texture(array.resource(), sampler()),
       {0.5f, 1.5f, 2.5f, 3.5f},
       {20, 40, 80, 160});
}

inline void run(lab::Demo &demo) {
  const Array array(std::vector<float>{10, 20, 40, 80}, 4, cudaArraySurfaceLoadStore);
  demo.say("A row of four elements: 10, 20, 40, 80. Their middles are 0.5, 1.5, 2.5, 3.5.\n\n");
  show_filters(demo, array);
  show_edges(demo, array);
  show_conversion(demo);
  show_surface(demo, array);
  demo.say("\nnearest, linear: how what lies between two middles is read · wrap and mirror need\n"
           "coordinates from 0 to 1, here times 4 · doubled: written through a surface, then read\n"
           "by the next launch through a texture\n");
}

} // namespace demo_filtering
