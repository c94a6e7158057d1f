// Checks half_a_texel.cu: every pixel between its four texels, and the rim.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

__global__ void enlarge(cudaTextureObject_t picture, int width, int height, float *out);

namespace {

// A picture in an array of the device, read by a texture that filters and repeats its rim outwards.
class Picture {
public:
  Picture(const std::vector<float> &texels, int width, int height) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    LAB_CHECK(cudaMallocArray(&array_, &format, width, height));
    const std::size_t row = width * sizeof(float);
    LAB_CHECK(
        cudaMemcpy2DToArray(array_, 0, 0, texels.data(), row, row, height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    LAB_CHECK(cudaCreateTextureObject(&texture_, &resource, &how, nullptr));
  }
  ~Picture() {
    cudaDestroyTextureObject(texture_);
    cudaFreeArray(array_);
  }
  Picture(const Picture &) = delete;
  Picture &operator=(const Picture &) = delete;
  cudaTextureObject_t texture() const { return texture_; }

private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
};

// Of the two texels around `at`: the first, and how much of the second is mixed in.
struct Mix {
  int first, second;
  double share;
};

Mix mix(double at, int size) {
  const double place = at - 0.5;
  const int first = static_cast<int>(std::floor(place));
  return {std::clamp(first, 0, size - 1), std::clamp(first + 1, 0, size - 1), place - first};
}

std::vector<float> enlarged(const std::vector<float> &texels, int width, int height, double shift) {
  std::vector<float> out;
  for (int y = 0; y < 2 * height; ++y)
    for (int x = 0; x < 2 * width; ++x) {
      const Mix h = mix((x + shift) / 2.0, width), v = mix((y + shift) / 2.0, height);
      const auto texel = [&](int row, int col) {
        return static_cast<double>(texels[static_cast<std::size_t>(row) * width + col]);
      };
      const double upper =
          texel(v.first, h.first) * (1 - h.share) + texel(v.first, h.second) * h.share;
      const double lower =
          texel(v.second, h.first) * (1 - h.share) + texel(v.second, h.second) * h.share;
      out.push_back(static_cast<float>(upper * (1 - v.share) + lower * v.share));
    }
  return out;
}

void check(int width, int height, int edge = 16) {
  const auto texels =
      checker::random_values<float>(static_cast<std::size_t>(width) * height, 0.0f, 1.0f);
  const Picture picture(texels, width, height);
  const auto d_out = checker::poisoned<float>(4 * texels.size());
  const std::string what = std::to_string(width) + " x " + std::to_string(height) + " texels";
  const dim3 grid(checker::enough_blocks(2 * width, edge),
                  checker::enough_blocks(2 * height, edge));
  checker::observe(what, [&] {
    enlarge<<<grid, dim3(edge, edge)>>>(picture.texture(), width, height, d_out.data());
    LAB_CHECK_LAUNCH();
  });
  const auto got = d_out.download();
  // A texture mixes with shares of 8 bits: a quarter is exact. A few roundings of numbers up to 1.
  const lab::Tolerance tolerance = {8 * lab::unit_roundoff<float>(), 0.0};
  checker::diagnose("half_texel",
                    lab::compare(got, enlarged(texels, width, height, 0.0), tolerance).ok,
                    what +
                        ": everything lies half a pixel too far up and to the left. The middle of "
                        "pixel x is at x + 0.5");
  checker::expect_same(what, got, enlarged(texels, width, height, 0.5), tolerance, 2 * width);
}

} // namespace

TEST_CASE("a square") { check(16, 16); }

TEST_CASE("any shape") {
  check(7, 30);
  check(33, 5, 8);
}

TEST_CASE("a single texel") { check(1, 1); }
