// Checks half_a_texel.cu: every pixel between the four texels that it comes from, about the middle, back and forth.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>

void visitor(char *squares, float *degrees);
__global__ void
turn(cudaTextureObject_t picture, int width, int height, float cosine, float sine, float *out);

namespace {

// A picture in an array of the device, read by a texture that is 0 outside.
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
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
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

struct Angle {
  float cosine, sine;
  explicit Angle(double degrees)
      : cosine(static_cast<float>(std::cos(degrees * std::acos(-1.0) / 180))),
        sine(static_cast<float>(std::sin(degrees * std::acos(-1.0) / 180))) {}
  Angle(float cosine, float sine) : cosine(cosine), sine(sine) {}
};

struct Texels {
  std::vector<float> values;
  int width, height;

  double texel(int col, int row) const {
    const bool inside = col >= 0 && col < width && row >= 0 && row < height;
    return inside ? static_cast<double>(values[static_cast<std::size_t>(row) * width + col]) : 0.0;
  }
  /// What lies at this place, between the middles of four texels.
  double at(double u, double v) const {
    const double left = std::floor(u - 0.5), top = std::floor(v - 0.5);
    const int col = static_cast<int>(left), row = static_cast<int>(top);
    const double right = u - 0.5 - left, lower = v - 0.5 - top; // shares
    return (1 - lower) * ((1 - right) * texel(col, row) + right * texel(col + 1, row)) +
           lower * ((1 - right) * texel(col, row + 1) + right * texel(col + 1, row + 1));
  }
  /// Turned back about (mid_x, mid_y), a pixel being `in` from its corner, and at the end so much further on.
  std::vector<float> turned(const Angle &by,
                            double mid_x,
                            double mid_y,
                            double in = 0.5,
                            double further = 0.0,
                            bool swapped = false,
                            std::optional<double> further_down = {}) const {
    std::vector<float> out;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double right = x + in - mid_x, down = y + in - mid_y;
        const double cosine = by.cosine, sine = by.sine;
        const double u = mid_x + cosine * right + sine * down + further;
        const double v = mid_y - sine * right + cosine * down + further_down.value_or(further);
        out.push_back(static_cast<float>(swapped ? at(v, u) : at(u, v)));
      }
    return out;
  }
  std::vector<float> turned(const Angle &by) const { return turned(by, width / 2.0, height / 2.0); }
};

Texels random_texels(int width, int height) {
  return {checker::random_values<float>(static_cast<std::size_t>(width) * height, 0.25f, 1.0f),
          width,
          height};
}

std::optional<emu::Observation> seen; // of the last launch

std::vector<float> turned_by_kernel(const std::string &what,
                                    const Texels &texels,
                                    const Angle &by,
                                    int edge = 16,
                                    cudaTextureFilterMode filter = cudaFilterModeLinear) {
  const Picture picture(texels.values, texels.width, texels.height, filter);
  const auto d_out = checker::poisoned<float>(texels.values.size());
  const dim3 grid(checker::enough_blocks(texels.width, edge),
                  checker::enough_blocks(texels.height, edge));
  checker::perhaps("Thread (x, y) writes pixel (x, y) of out, and no other one: ask where it comes "
                   "from, and not where a texel goes",
                   "global_race");
  seen = checker::launch(what, [&] {
    turn<<<grid, dim3(edge, edge)>>>(
        picture.texture(), texels.width, texels.height, by.cosine, by.sine, d_out.data());
  });
  return d_out.download();
}

// A texture mixes with shares of 8 bits, in both directions, and where a place lies is rounded.
constexpr lab::Tolerance tolerance = {0.01, 0.0};

/// @return the turned picture
std::vector<float>
check(const std::string &how, const Texels &texels, const Angle &by, int edge = 16) {
  const int width = texels.width, height = texels.height;
  const std::string what =
      std::to_string(width) + " x " + std::to_string(height) + " texels, " + how;
  const auto got = turned_by_kernel(what, texels, by, edge);
  const double mid_x = width / 2.0, mid_y = height / 2.0;
  const auto expected = texels.turned(by);
  const auto instead =
      [&](const char *diagnosis, const std::vector<float> &made, const std::string &text) {
        checker::diagnose(diagnosis,
                          texels.values.size() > 4 && // in small pictures mistakes look alike
                              !lab::compare(got, expected, tolerance).ok &&
                              lab::compare(got, made, tolerance).ok,
                          what + ": " + text);
      };
  instead(
      "not_turned",
      texels.values,
      "the picture is as it was: each pixel shows the texel at its own place. Which one was there "
      "before the turn?");
  instead("other_way",
          texels.turned({by.cosine, -by.sine}),
          "the picture has turned the other way. The formula says where a texel goes; you are at a "
          "pixel and ask where it comes from: turn back, by minus the angle");
  instead("about_the_corner",
          texels.turned(by, 0, 0),
          "the picture is turned about its upper left corner. Take (right, down) from the middle, "
          "and go back there at the end");
  instead("half_texel",
          texels.turned(by, mid_x, mid_y, 0.0),
          "each pixel is looked up where its upper left corner comes from. The middle of pixel x "
          "is at x + 0.5");
  instead("half_at_the_end",
          texels.turned(by, mid_x, mid_y, 0.0, 0.5),
          "half a texel is added behind the turn. It leads from a pixel's corner to its middle, "
          "and turns like all the rest: add it before");
  instead("middle_of_ints",
          texels.turned(by, width / 2, height / 2),
          "the picture is turned about a point that is not its middle: of " +
              (width % 2 == 1 ? std::to_string(width) + " columns the middle lies at " +
                                    std::to_string(width / 2)
                              : std::to_string(height) + " rows the middle lies at " +
                                    std::to_string(height / 2)) +
              ".5. An int divided by an int is an int");
  instead("swapped",
          texels.turned(by, mid_x, mid_y, 0.5, 0.0, true),
          "rows and columns have changed places. tex2D() takes x first");
  if (!lab::compare(got, expected, tolerance).ok)
    instead("not_from_the_middle",
            texels.turned(by, mid_x, mid_y, 0.5, -mid_x, false, -mid_y),
            "what lies (right, down) of the middle is looked up as if it were counted from the "
            "picture's corner. Add the middle once more at the end");
  checker::diagnose(
      "other_place",
      texels.values.size() > 4 && !lab::compare(got, expected, tolerance).ok &&
          std::none_of(got.begin(), got.end(), [](float one) { return lab::is_poison(one); }),
      what + ": pixels come from other places than before the turn. In this order: "
             "from the pixel's middle to (right, down) of the picture's, turned by "
             "minus the angle, and from the picture's middle on");
  checker::expect_same(what, got, expected, tolerance, width);
  return got;
}

} // namespace

TEST_CASE("a little") { check("turned by 20 degrees", random_texels(48, 48), Angle(20)); }

TEST_CASE("any shape") {
  check("turned by 100 degrees", random_texels(17, 30), Angle(100));
  check("turned by -75 degrees", random_texels(33, 25), Angle(-75), 7);
  check("turned by half", random_texels(5, 40), Angle(-1.0f, 0.0f));
  for (int n : checker::own_sizes(1, 500, 700)) {
    check("turned by 100 degrees", random_texels(n, 9), Angle(100));
    check("turned by 100 degrees", random_texels(9, n), Angle(100));
  }
  checker::at_large_size([] {
    check("turned by half", random_texels(260, 3), Angle(-1.0f, 0.0f));
    check("turned by half", random_texels(3, 260), Angle(-1.0f, 0.0f));
  });
}

TEST_CASE("a single texel") { check("turned by half", random_texels(1, 1), Angle(-1.0f, 0.0f)); }

TEST_CASE("four quarter turns") {
  const Texels first = random_texels(31, 31);
  Texels now = first;
  for (int quarter = 0; quarter < 4; ++quarter)
    now.values = check("a quarter turn", now, Angle(0.0f, 1.0f));
  checker::expect_same("a picture after four quarter turns", now.values, first.values, tolerance);
}

TEST_CASE("a texture that mixes nothing") {
  const Texels texels = random_texels(16, 16);
  const auto got =
      turned_by_kernel("16 x 16 texels, not filtered", texels, Angle(20), 16, cudaFilterModePoint);
  checker::expect(!lab::compare(got, texels.turned(Angle(20)), tolerance).ok,
                  "mixes_itself",
                  "the picture is right, and it is as smooth with a texture that does not filter: "
                  "the kernel mixes by itself what the texture would mix");
}

TEST_CASE("a white square") {
  const Texels white{std::vector<float>(96 * 96, 1.0f), 96, 96};
  const auto got = check("turned by an eighth", white, Angle(45));
  if (seen)
    checker::expect_lanes(*seen, emu::Access::global_store, 30.0);
  double sum = 0;
  for (float one : got)
    sum += static_cast<double>(one);
  checker::record("percent_black", std::round(100 - 100 * sum / (96 * 96)));
}

TEST_CASE("a visitor") {
  checker::unless_failed_before();
  constexpr int edge = 50, cell = 4, left = 3, top = 9, rows = 8, cols = 11;
  std::vector<char> squares(1024);
  std::vector<float> degrees(1);
  visitor(squares.data(), degrees.data());
  if (!std::isfinite(degrees[0])) {
    checker::note("Right. But nobody leans by so many degrees: see visitor().");
    return;
  }
  Texels texels{std::vector<float>(edge * edge, 0.0f), edge, edge};
  for (int row = 0; row < rows * cell; ++row)
    for (int col = 0; col < cols * cell; ++col)
      texels.values[(top + row) * edge + left + col] =
          squares[row / cell * cols + col / cell] > ' ';
  const auto got = check("a visitor that leans", texels, Angle(degrees[0]));
  std::vector<bool> cells;
  for (int i = 0; i < edge * edge; ++i)
    cells.push_back(got[i] > 0.5f);
  checker::note("Your visitor, which leans by your kernel. Draw another, in visitor():" +
                checker::picture(cells, edge));
}
