// What the time model says of the kernels in kernels.cuh was written down before anybody had timed them, and
// docs/time_model.md says how far off it was.
//
//   blind [NAME…]         each against plain loops on the host, at a small size
//   blind --once [NAME…]  launches each once, at the size that is timed
//   blind --time [NAME…]  times them on a GPU, as JSON: one launch between two events, median of 21
//
// It needs CUDA alone: nvcc -O3 -arch=sm_90 -std=c++20 blind.cu -o blind
#include "kernels.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#define CHECK(call) check(call, #call)
void check(cudaError_t error, const char *call) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    std::exit(1);
  }
}

/// What they read, the same on host (h) and device (d).
template <class T> struct Input {
  std::vector<T> h;
  T *d = nullptr;
  template <class Value> void fill(size_t n, Value value) {
    h.resize(n);
    for (size_t i = 0; i < n; ++i)
      h[i] = value(uint32_t(i));
    CHECK(cudaMalloc(&d, n * sizeof(T)));
    CHECK(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
};
Input<float> f; // from 0.5 to 1.5
Input<double> g; // the same
Input<uint32_t> words; // any bits
Input<int> row_begin, row_cols; // sparse rows, 4 to 27 elements in each, near the diagonal
void *written;
template <class T> T *out() { return static_cast<T *>(written); }

int row_length(uint32_t row) { return 4 + mixed(row) % 24; }

void make_inputs(bool small) {
  f.fill(small ? 1 << 17 : 1 << 25, [](uint32_t i) { return 0.5f + mixed(i) * 0x1p-32f; });
  g.fill(small ? 1 << 14 : 1 << 22, [](uint32_t i) { return 0.5 + mixed(~i) * 0x1p-32; });
  words.fill(small ? 1 << 14 : 1 << 22, [](uint32_t i) { return mixed(i + 12345); });
  const int rows = small ? 1 << 9 : 1 << 17;
  int begin = 0;
  row_begin.fill(rows + 1, [&](uint32_t row) {
    begin += row == 0 ? 0 : row_length(row - 1);
    return begin;
  });
  row_cols.fill(begin, [&](uint32_t i) {
    const int row =
        std::upper_bound(row_begin.h.begin(), row_begin.h.end(), int(i)) - row_begin.h.begin() - 1;
    return std::clamp(row - 256 + int(mixed(i) % 512), 0, rows - 1);
  });
  CHECK(cudaMalloc(&written, small ? 1 << 19 : 1 << 26));
}

/// A kernel, how it is launched, and whether what it wrote is right.
struct Kernel {
  const char *name;
  int small, large; // n, where it is checked and where it is timed
  std::function<void(int n)> launch;
  std::function<bool()> right;

  template <class Launch> Kernel &runs(Launch how) {
    launch = how;
    return *this;
  }
  /// \param expected  output i
  template <class T, class Expected> void gives(int outputs, Expected expected) {
    right = [=, name = name] {
      std::vector<T> got(outputs);
      CHECK(cudaMemcpy(got.data(), written, outputs * sizeof(T), cudaMemcpyDeviceToHost));
      for (int i = 0; i < outputs; ++i)
        if (const double e = expected(i); !(std::abs(got[i] - e) <= 1e-4 * (1 + std::abs(e)))) {
          std::printf("%s: output %d is %g, not %g\n", name, i, double(got[i]), e);
          return false;
        }
      return true;
    };
  }
};
std::vector<Kernel> kernels;

Kernel &kernel(const char *name, int small, int large) {
  return kernels.emplace_back(Kernel{name, small, large, {}, {}});
}

/// term(0) + … + term(n - 1)
template <class Term> double sum(int n, Term term) {
  double all = 0;
  for (int k = 0; k < n; ++k)
    all += term(k);
  return all;
}

/// Row i of 500 sparse ones, times a vector behind their elements.
double sparse_row(int i) {
  return sum(row_begin.h[i + 1] - row_begin.h[i], [&](int k) {
    const int at = row_begin.h[i] + k;
    return f.h[at] * f.h[28 * 500 + row_cols.h[at]];
  });
}

int blocks(int n, int block = 256) { return (n + block - 1) / block; }

void add_elements() {
  kernel("axpby", 1000, 1 << 24)
      .runs([](int n) { axpby<<<blocks(n), 256>>>(2, f.d, 0.5f, f.d + n, out<float>(), n); })
      .gives<float>(1000, [](int i) { return 2 * f.h[i] + 0.5 * f.h[1000 + i]; });
  kernel("every_seventh", 1000, 1 << 22)
      .runs([](int n) { every_seventh<<<blocks(n), 256>>>(f.d, out<float>(), n); })
      .gives<float>(1000, [](int i) { return f.h[7 * i]; });
  kernel("gather_doubles", 1024, 1 << 21)
      .runs([](int n) { gather_doubles<<<blocks(n), 256>>>(words.d, g.d, out<double>(), n); })
      .gives<double>(1024, [](int i) { return g.h[words.h[i] % 1024]; });
  kernel("sine_series", 1000, 1 << 22)
      .runs([](int n) { sine_series<<<blocks(n), 256>>>(g.d, out<double>(), n); })
      .gives<double>(1000, [](int i) { return std::sin(g.h[i]); });
  kernel("divisors", 300, 1 << 20)
      .runs([](int n) { divisors<<<blocks(n), 256>>>(words.d, out<uint32_t>(), n); })
      .gives<uint32_t>(300, [](int i) { return std::gcd(words.h[i], words.h[300 + i]); });
  kernel("call_prices", 1000, 1 << 21)
      .runs([](int n) {
        call_prices<<<blocks(n), 256>>>(f.d, f.d + n, f.d + 2 * n, out<float>(), n);
      })
      .gives<float>(1000, [](int i) {
        const double s = f.h[i], k = f.h[1000 + i], t = f.h[2000 + i], width = 0.3 * std::sqrt(t);
        const auto cdf = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
        const double d = (std::log(s / k) + (0.02 + 0.045) * t) / width;
        return s * cdf(d) - k * std::exp(-0.02 * t) * cdf(d - width);
      });
  kernel("median_of_window", 300, 1 << 18)
      .runs([](int n) { median_of_window<<<blocks(n), 256>>>(f.d, out<float>(), n); })
      .gives<float>(300, [](int i) {
        std::vector<float> seen(&f.h[i], &f.h[i + window]);
        std::ranges::sort(seen);
        return seen[window / 2];
      });
  kernel("bitonic_step", 1024, 1 << 18)
      .runs([](int n) {
        const auto *in = reinterpret_cast<const uint64_t *>(words.d);
        bitonic_step<<<blocks(n), 256>>>(in, out<uint64_t>(), n / 16, n / 2, n);
      })
      .gives<uint64_t>(1024, [](int i) {
        const auto at = [](int k) { return words.h[2 * k] + 0x1p32 * words.h[2 * k + 1]; };
        const auto [least, most] = std::minmax({at(i & ~64), at(i | 64)});
        return (i < 512) == ((i & 64) == 0) ? least : most;
      });
}

void add_stencils_and_transposes() {
  kernel("star_shared", 50, 2048)
      .runs([](int n) {
        const dim3 grid(blocks(2 * n, tile_x), blocks(n, tile_y));
        star_shared<<<grid, dim3(tile_x, tile_y)>>>(f.d, out<float>(), n, 2 * n);
      })
      .gives<float>(50 * 100, [](int i) {
        return sum(9, [&](int r) {
          const int row = std::clamp(i / 100 + r - radius, 0, 49);
          const int col = std::clamp(i % 100 + r - radius, 0, 99);
          return (f.h[row * 100 + i % 100] + f.h[i / 100 * 100 + col]) / 18;
        });
      });
  kernel("laplace_3d", 20, 256)
      .runs([](int n) {
        const dim3 grid(blocks(n, 32), blocks(n, 8), n);
        laplace_3d<<<grid, dim3(32, 8)>>>(f.d, out<float>(), n, n, n);
      })
      .gives<float>(20 * 20 * 20, [](int i) {
        double all = 0;
        for (int step : {1, 20, 400}) {
          if (i / step % 20 == 0 || i / step % 20 == 19)
            return 0.0;
          all += f.h[i - step] + f.h[i + step] - 2 * f.h[i];
        }
        return all;
      });
  kernel("transpose_doubles", 40, 2048)
      .runs([](int n) {
        const dim3 grid(blocks(n - 16, 32), blocks(n, 8));
        transpose_doubles<<<grid, dim3(32, 8)>>>(g.d, out<double>(), n, n - 16);
      })
      .gives<double>(40 * 24, [](int i) { return g.h[i % 40 * 24 + i / 40]; });
  kernel("transpose_one_bank", 64, 2048)
      .runs([](int n) {
        const dim3 grid(2 * n / 32, n / 32);
        transpose_one_bank<<<grid, dim3(32, 8)>>>(f.d, out<float>(), n, 2 * n);
      })
      .gives<float>(64 * 128, [](int i) { return f.h[i % 64 * 128 + i / 64]; });
}

void add_rows_and_columns() {
  kernel("row_norms", 20, 8192)
      .runs([](int n) { row_norms<<<blocks(n, 8), 256>>>(f.d, out<float>(), n, 1000); })
      .gives<float>(20, [](int i) {
        return std::sqrt(sum(1000, [&](int k) { return std::pow(f.h[i * 1000 + k], 2); }));
      });
  kernel("column_means", 60, 1024)
      .runs([](int n) { column_means<<<blocks(n, 32), dim3(32, 8)>>>(f.d, out<float>(), 2000, n); })
      .gives<float>(60,
                    [](int i) { return sum(2000, [&](int k) { return f.h[k * 60 + i]; }) / 2000; });
  kernel("log_softmax", 5, 8192)
      .runs([](int n) { log_softmax<<<n, 128>>>(f.d, out<float>(), 1000); })
      .gives<float>(5 * 1000, [](int i) {
        const float *row = &f.h[i / 1000 * 1000];
        return f.h[i] - std::log(sum(1000, [&](int k) { return std::exp(row[k]); }));
      });
  kernel("layer_norm", 4, 8192)
      .runs([](int n) { layer_norm<<<n, 256>>>(f.d, f.d, out<float>()); })
      .gives<float>(4 * 768, [](int i) {
        const float *x = &f.h[i / 768 * 768];
        const double mean = sum(768, [&](int k) { return x[k]; }) / 768;
        const double variance = sum(768, [&](int k) { return std::pow(x[k] - mean, 2); }) / 768;
        return (f.h[i] - mean) / std::sqrt(variance + 1e-5) * f.h[i % 768];
      });
}

void add_atomics_and_scans() {
  kernel("histogram_bytes", 5000, 1 << 24)
      .runs([](int n) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(words.d);
        histogram_bytes<<<std::min(blocks(n), 1056), 256>>>(bytes, out<uint32_t>(), n);
      })
      .gives<uint32_t>(64, [](int i) {
        return sum(5000, [&](int k) {
          return words.h[k / 4] >> (8 * (k % 4)) << 24 >> 26 == uint32_t(i);
        });
      });
  kernel("count_hashes", 5000, 1 << 22)
      .runs([](int n) { count_hashes<<<blocks(n), 256>>>(words.d, out<uint32_t>(), n); })
      .gives<uint32_t>(buckets, [](int i) {
        return sum(5000, [&](int k) { return mixed(words.h[k]) % buckets == uint32_t(i); });
      });
  kernel("compact_in_blocks", 1000, 1 << 23)
      .runs([](int n) { compact_in_blocks<<<blocks(n), 256>>>(f.d, out<float>(), n); })
      .gives<float>(1000, [](int i) {
        for (int k = i / 256 * 256, left = i % 256; k < std::min(1000, (i / 256 + 1) * 256); ++k)
          if (f.h[k] > 1 && left-- == 0)
            return f.h[k];
        return 0.0f;
      });
}

void add_matrices_and_bodies() {
  kernel("rows_times_rows", 33, 512)
      .runs([](int n) {
        const dim3 grid(blocks(n, 32), blocks(n, 8));
        rows_times_rows<<<grid, dim3(32, 8)>>>(f.d, f.d + n * n, out<float>(), n);
      })
      .gives<float>(33 * 33, [](int i) {
        const float *a = &f.h[i / 33 * 33], *b = &f.h[33 * 33 + i % 33 * 33];
        return sum(33, [&](int k) { return a[k] * b[k]; });
      });
  kernel("dgemm_tiled", 32, 1408)
      .runs([](int n) {
        const dim3 grid(n / 16, n / 16);
        dgemm_tiled<<<grid, dim3(16, 16)>>>(g.d, g.d + n * n, out<double>(), n);
      })
      .gives<double>(32 * 32, [](int i) {
        const double *a = &g.h[i / 32 * 32], *b = &g.h[32 * 32 + i % 32];
        return sum(32, [&](int k) { return a[k] * b[32 * k]; });
      });
  kernel("batched_gemv", 3, 4096)
      .runs([](int n) { batched_gemv<<<n, 64>>>(f.d, f.d + n * 4096, out<float>()); })
      .gives<float>(3 * 64, [](int i) {
        const float *x = &f.h[3 * 4096 + i / 64 * 64];
        return sum(64, [&](int k) { return f.h[i * 64 + k] * x[k]; });
      });
  kernel("csr_by_eights", 500, 1 << 17)
      .runs([](int n) {
        csr_by_eights<<<blocks(8 * n), 256>>>(
            row_begin.d, row_cols.d, f.d, f.d + 28 * n, out<float>(), n);
      })
      .gives<float>(500, sparse_row);
  kernel("potential", 256, 1 << 15)
      .runs([](int n) {
        const auto *bodies = reinterpret_cast<const float4 *>(f.d);
        potential<<<n / 256, 256>>>(bodies, out<float>(), n);
      })
      .gives<float>(256, [](int i) {
        const auto *own = &f.h[4 * i];
        return sum(256, [&](int k) {
          const float *b = &f.h[4 * k];
          const double x = b[0] - own[0], y = b[1] - own[1], z = b[2] - own[2];
          return -own[3] * b[3] / std::sqrt(x * x + y * y + z * z + 1e-3);
        });
      });
}

void add_seventh_of_elements() {
  kernel("slopes", 60, 2048)
      .runs([](int n) {
        const dim3 grid(blocks(n, 32), blocks(n, 8));
        slopes<<<grid, dim3(32, 8)>>>(g.d, out<double>(), n, n);
      })
      .gives<double>(60 * 60, [](int i) {
        const auto at = [&](int rows) { return g.h[i + 60 * rows]; };
        return i < 120 || i >= 58 * 60 ? 0 : (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / 12;
      });
  kernel("red_step", 60, 2048)
      .runs([](int n) {
        const dim3 grid(blocks(2 * n, 32), blocks(n, 8));
        red_step<<<grid, dim3(32, 8)>>>(f.d, out<float>(), n, 2 * n);
      })
      .gives<float>(60 * 120, [](int i) {
        const int row = i / 120, col = i % 120;
        if (row == 0 || row == 59 || col == 0 || col == 119 || (row + col) % 2 == 1)
          return 0.0;
        return f.h[i] - 1.6 * f.h[i] + 0.4 * f.h[i - 1] + 0.4 * f.h[i + 1] + 0.4 * f.h[i - 120] +
               0.4 * f.h[i + 120];
      });
  kernel("from_morton", 64, 4096)
      .runs([](int n) {
        from_morton<<<dim3(blocks(n, 32), blocks(n, 8)), dim3(32, 8)>>>(f.d, out<float>(), n);
      })
      .gives<float>(64 * 64, [](int i) {
        int at = 0;
        for (int bit = 0; bit < 6; ++bit)
          at += (i >> bit & 1) << 2 * bit | (i >> (6 + bit) & 1) << (2 * bit + 1);
        return f.h[at];
      });
  kernel("rotate_points", 1000, 1 << 22)
      .runs([](int n) {
        const auto *points = reinterpret_cast<const Point *>(f.d);
        rotate_points<<<blocks(n), 256>>>(points, out<Point>(), 0.6f, 0.8f, n);
      })
      .gives<float>(3000, [](int i) {
        const float *p = &f.h[i / 3 * 3];
        return i % 3 == 0 ? 0.8 * p[0] - 0.6 * p[1] : i % 3 == 1 ? 0.6 * p[0] + 0.8 * p[1] : p[2];
      });
  kernel("fourier_pass", 500, 1 << 21)
      .runs([](int n) {
        const auto *points = reinterpret_cast<const float2 *>(f.d);
        fourier_pass<<<blocks(n), 256>>>(points, out<float2>(), n);
      })
      .gives<float>(4000, [](int i) {
        const int point = i / 8, k = i / 2 % 4;
        return sum(4, [&](int j) {
          const double angle = -std::acos(-1) * k * (j + point / 500.0) / 2;
          const float *z = &f.h[2 * (point + 500 * j)];
          return i % 2 == 0 ? z[0] * std::cos(angle) - z[1] * std::sin(angle)
                            : z[0] * std::sin(angle) + z[1] * std::cos(angle);
        });
      });
  kernel("tridiagonal", 300, 1 << 18)
      .runs([](int n) { tridiagonal<<<blocks(n), 256>>>(f.d, out<float>(), n); })
      .gives<float>(300 * unknowns, [](int i) {
        double x[unknowns] = {};
        for (int round = 0; round < 100; ++round)
          for (int k = 0; k < unknowns; ++k)
            x[k] = (f.h[k * 300 + i % 300] + (k > 0 ? x[k - 1] : 0) +
                    (k + 1 < unknowns ? x[k + 1] : 0)) /
                   3;
        return x[i / 300];
      });
}

void add_seventh_of_words() {
  kernel("segment_sums", 1000, 1 << 23)
      .runs([](int n) { segment_sums<<<blocks(n), 256>>>(f.d, out<float>(), n); })
      .gives<float>(100, [](int i) {
        return sum(1000, [&](int k) { return segment_of(k) == i ? f.h[k] : 0; });
      });
  kernel("bitonic_merge", 4, 1 << 12)
      .runs([](int n) { bitonic_merge<<<n, 512>>>(words.d, out<uint32_t>()); })
      .gives<uint32_t>(4096, [](int i) {
        std::vector<uint32_t> all(&words.h[i / 1024 * 1024], &words.h[i / 1024 * 1024] + 1024);
        std::ranges::reverse(all.begin() + 512, all.end());
        for (int distance = 512; distance > 0; distance /= 2)
          for (int k = 0; k < 1024; ++k)
            if ((k & distance) == 0 && all[k] > all[k + distance])
              std::swap(all[k], all[k + distance]);
        return all[i % 1024];
      });
  kernel("csr_by_warps", 500, 1 << 17)
      .runs([](int n) {
        csr_by_warps<<<blocks(32 * n), 256>>>(
            row_begin.d, row_cols.d, f.d, f.d + 28 * n, out<float>(), n);
      })
      .gives<float>(500, sparse_row);
  kernel("transpose_bytes", 96, 4096)
      .runs([](int n) {
        const auto *bytes = reinterpret_cast<const uint8_t *>(words.d);
        const dim3 grid((n - 32) / 32, n / 32);
        transpose_bytes<<<grid, dim3(32, 8)>>>(bytes, out<uint8_t>(), n, n - 32);
      })
      .gives<uint8_t>(96 * 64, [](int i) {
        const int from = i % 96 * 64 + i / 96;
        return words.h[from / 4] >> 8 * (from % 4) & 255;
      });
  kernel("prefix_of_eights", 2048, 1 << 22)
      .runs([](int n) {
        const auto *fours = reinterpret_cast<const uint4 *>(words.d);
        prefix_of_eights<<<n / 2048, 256>>>(fours, out<uint4>());
      })
      .gives<uint32_t>(2048, [](int i) {
        return std::accumulate(&words.h[i / 256 * 256], &words.h[i] + 1, 0u);
      });
  kernel("crc32", 300, 1 << 18)
      .runs([](int n) { crc32<<<blocks(n), 256>>>(words.d, out<uint32_t>(), n); })
      .gives<uint32_t>(300, [](int i) {
        uint32_t crc = ~0u;
        for (int byte = 0; byte < 64; ++byte)
          crc = crc >> 8 ^ crc_of_byte((crc ^ words.h[byte / 4 * 300 + i] >> 8 * (byte % 4)) & 255);
        return ~crc;
      });
}

/// The median of 21 launches, each between two events, as in a program that waits for each.
double milliseconds(const Kernel &kernel) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times(26);
  for (float &ms : times) {
    CHECK(cudaEventRecord(begin));
    kernel.launch(kernel.large);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
  }
  times.erase(times.begin(), times.begin() + 5); // until caches hold what they will
  std::ranges::sort(times);
  return times[10];
}

void time_all(const std::vector<Kernel> &chosen) {
  for (int i = 0; i < 10000; ++i) // until the clock is as high as it will be
    chosen.front().launch(chosen.front().large);
  CHECK(cudaDeviceSynchronize());
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("{\"device\": \"%s\", \"kernels\": [", properties.name);
  for (const Kernel &kernel : chosen)
    std::printf("%s\n  {\"name\": \"%s\", \"measured_ms\": %.4g}",
                &kernel == &chosen.front() ? "" : ",",
                kernel.name,
                milliseconds(kernel));
  std::printf("]\n}\n");
}

int main(int count, char **arguments) {
  const std::string mode = count > 1 && arguments[1][0] == '-' ? arguments[1] : "";
  const std::vector<std::string> names(arguments + (mode.empty() ? 1 : 2), arguments + count);
  add_elements();
  add_stencils_and_transposes();
  add_rows_and_columns();
  add_atomics_and_scans();
  add_matrices_and_bodies();
  add_seventh_of_elements();
  add_seventh_of_words();
  std::erase_if(kernels, [&](const Kernel &kernel) {
    return !names.empty() && std::ranges::find(names, kernel.name) == names.end();
  });
  if (kernels.empty()) {
    std::fprintf(stderr, "there is no such kernel\n");
    return 2;
  }
  make_inputs(mode.empty());
  bool right = true;
  if (mode == "--time")
    time_all(kernels);
  else
    for (const Kernel &kernel : kernels) {
      CHECK(cudaMemset(written, 0, 1 << 19));
      kernel.launch(mode == "--once" ? kernel.large : kernel.small);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      right = (mode == "--once" || kernel.right()) && right;
    }
  for (void *memory :
       std::initializer_list<void *>{f.d, g.d, words.d, row_begin.d, row_cols.d, written})
    CHECK(cudaFree(memory));
  return right ? 0 : 1;
}
