#include "demos/demos.hpp"

namespace {

constexpr unsigned BLOCK = 256;
constexpr unsigned STRIP = 64; // elements that one thread adds up

// Lanes stand side by side in a row, and step down together.
__global__ void sum_down_columns(const unsigned *in, unsigned *out, size_t n) {
  const size_t col = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.y) * STRIP;
  if (col >= n)
    return;
  unsigned sum = 0;
  for (size_t row = first; row < first + STRIP && row < n; ++row)
    sum += in[row * n + col];
  out[blockIdx.y * n + col] = sum;
}

// Lanes stand one below the other, each in its own row, and step to the right together.
__global__ void sum_along_rows(const unsigned *in, unsigned *out, size_t n) {
  const size_t row = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  const size_t first = static_cast<size_t>(blockIdx.y) * STRIP;
  if (row >= n)
    return;
  unsigned sum = 0;
  for (size_t col = first; col < first + STRIP && col < n; ++col)
    sum += in[row * n + col];
  out[blockIdx.y * n + row] = sum;
}

using Kernel = void (*)(const unsigned *, unsigned *, size_t);

// What the host expects of a walk: element (step, lane) is at row_step and col_step.
std::vector<unsigned> sums(const std::vector<unsigned> &in, size_t n, bool down_columns) {
  std::vector<unsigned> out(ceil_div(n, STRIP) * n);
  for (size_t lane = 0; lane < n; ++lane)
    for (size_t step = 0; step < n; ++step)
      out[step / STRIP * n + lane] += down_columns ? in[step * n + lane] : in[lane * n + step];
  return out;
}

struct Walk {
  const char *name, *key;
  Kernel kernel;
  bool down_columns;
};

void show(lab::Demo &demo,
          const Walk &walk,
          const std::vector<unsigned> &h_in,
          const lab::DeviceBuffer<unsigned> &d_in,
          size_t n) {
  const size_t strips = ceil_div(n, STRIP);
  lab::DeviceBuffer<unsigned> d_out(strips * n);
  lab::poison(d_out);
  const dim3 grid(blocks_for(n, BLOCK), static_cast<unsigned>(strips));
  const auto launch = [&] {
    walk.kernel<<<grid, BLOCK>>>(d_in.data(), d_out.data(), n);
    LAB_CHECK_LAUNCH();
  };
  launch();
  demo.expect(lab::compare(d_out.download(), sums(h_in, n, walk.down_columns), lab::exact(), n));

  const size_t stride = walk.down_columns ? sizeof(unsigned) : n * sizeof(unsigned);
  const size_t step = walk.down_columns ? n * sizeof(unsigned) : sizeof(unsigned);
  double sectors = 0; // on average: after eight steps requests begin within a sector as before
  for (size_t i = 0; i < 8; ++i)
    sectors += sectors_of_request(sizeof(unsigned), stride, i * step) / 8.0;
  demo.say("  %-46s %7.3g", walk.name, sectors);
  demo.value(std::string(walk.key) + "_sectors", sectors);
  const auto gbps = [&] {
    return 4.0 * static_cast<double>(n * n) / lab::measure(launch, {.cold_l2 = true}).median_ms *
           1e-6;
  };
  demo.say_timed(std::string(walk.key) + "_gbps", " %8.0f\n", gbps, "\n");
}

} // namespace

void show_walks(lab::Demo &demo) {
  const size_t n = demo.n_or(demo.quick() ? 257 : lab::on_emulator() ? 1024 : 16384);
  if (n == 0) {
    demo.say("a matrix without elements cannot be walked\n");
    return;
  }
  std::vector<unsigned> h_in(n * n);
  lab::fill_random(h_in.data(), h_in.size(), demo.seed());
  lab::DeviceBuffer<unsigned> d_in(h_in);

  demo.say("%zu x %zu integers, stored row by row\n\n", n, n);
  demo.say(
      "  %-46s %7s%s\n", "the lanes of a warp", "sectors", lab::on_emulator() ? "" : "     GB/s");
  show(demo,
       {"side by side in a row, stepping down", "side_by_side", sum_down_columns, true},
       h_in,
       d_in,
       n);
  show(demo,
       {"one below the other, stepping to the right", "one_below_the_other", sum_along_rows, false},
       h_in,
       d_in,
       n);
}
