// Checks half_a_texel.cu: every pixel between its four texels, and the rim.
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>

__global__ void enlarge(cudaTextureObject_t picture, int width, int height, float *out);

namespace {

// A picture in an array of the device, read by a texture that repeats its rim outwards.
class Picture {
public:
  Picture(const std::vector<float> &texels, int width, int height, cudaTextureFilterMode filter) {
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
    how.filterMode = filter;
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

/// @param at  where in the texture a pixel's column, or row, is looked up
/// @param swapped  the two are taken for each other
template <class At>
std::vector<float>
enlarged(const std::vector<float> &texels, int width, int height, At at, bool swapped = false) {
  std::vector<float> out;
  for (int y = 0; y < 2 * height; ++y)
    for (int x = 0; x < 2 * width; ++x) {
      const Mix h = mix(at(swapped ? y : x), width), v = mix(at(swapped ? x : y), height);
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

/// @return the large picture
std::vector<float> large(const std::string &what,
                         const std::vector<float> &texels,
                         int width,
                         int height,
                         int edge = 16,
                         cudaTextureFilterMode filter = cudaFilterModeLinear) {
  const Picture picture(texels, width, height, filter);
  const auto d_out = checker::poisoned<float>(4 * texels.size());
  const dim3 grid(checker::enough_blocks(2 * width, edge),
                  checker::enough_blocks(2 * height, edge));
  checker::launch(what, [&] {
    enlarge<<<grid, dim3(edge, edge)>>>(picture.texture(), width, height, d_out.data());
  });
  return d_out.download();
}

double right(int x) { return (x + 0.5) / 2; }

/// @return the large picture
std::vector<float> check(const std::vector<float> &texels, int width, int height, int edge = 16) {
  const std::string what = std::to_string(width) + " x " + std::to_string(height) + " texels";
  const auto got = large(what, texels, width, height, edge);
  // A texture mixes with shares of 8 bits: a quarter is exact. A few roundings of numbers up to 1.
  const lab::Tolerance tolerance = {8 * lab::unit_roundoff<float>(), 0.0};
  const auto expected = enlarged(texels, width, height, right);
  const auto instead =
      [&](const char *diagnosis, const std::vector<float> &made, const char *text) {
        checker::diagnose(diagnosis,
                          texels.size() > 4 && // in small pictures different mistakes look alike
                              !lab::compare(got, expected, tolerance).ok &&
                              lab::compare(got, made, tolerance).ok,
                          what + ": " + text);
      };
  instead("half_texel",
          enlarged(texels, width, height, [](int x) { return x / 2.0; }),
          "each pixel is looked up half a pixel too far up and to the left. The middle of pixel x "
          "is at x "
          "+ 0.5");
  instead("half_texel_on",
          enlarged(texels, width, height, [](int x) { return x / 2.0 + 0.5; }),
          "each pixel is looked up half a pixel too far down and to the right, a quarter of a "
          "texel: the half is "
          "added behind the division, and is not halved");
  instead(
      "whole_texels",
      enlarged(texels, width, height, [](int x) { return x / 2 + 0.5; }),
      "each texel comes out four times, and nothing lies between two of them. An int divided by "
      "an int is an int");
  instead("swapped",
          enlarged(texels, width, height, right, true),
          "rows and columns have changed places. tex2D() takes x first");
  checker::expect_same(what, got, expected, tolerance, 2 * width);
  return got;
}

void check(int width, int height, int edge = 16) {
  check(checker::random_values<float>(static_cast<std::size_t>(width) * height, 0.0f, 1.0f),
        width,
        height,
        edge);
}

} // namespace

TEST_CASE("a square") { check(16, 16); }

TEST_CASE("any shape") {
  check(7, 30);
  check(33, 5, 7);
}

TEST_CASE("a single texel") { check(1, 1); }

TEST_CASE("two texels") {
  checker::record("second_of_four_pixels", static_cast<double>(check({0.0f, 1.0f}, 2, 1)[1]));
}

TEST_CASE("a texture that mixes nothing") {
  const auto texels = checker::random_values<float>(64, 0.0f, 1.0f);
  const auto got = large("8 x 8 texels, not filtered", texels, 8, 8, 16, cudaFilterModePoint);
  checker::expect(!lab::compare(got, enlarged(texels, 8, 8, right), {1e-5, 1e-5}).ok,
                  "mixes_itself",
                  "the picture is right, and it is as smooth with a texture that does not filter: "
                  "the kernel mixes by itself what the texture would mix");
}
