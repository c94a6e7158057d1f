#include "demos/heat.hpp"

std::vector<float> plate_at_start(size_t rows, size_t cols, unsigned long long seed) {
  std::vector<float> plate((rows + 2) * cols); // and a row above and below, which stay as they are
  lab::fill_random(plate.data(), plate.size(), seed);
  return plate;
}

std::vector<float> plate_on_host(size_t rows, size_t cols, unsigned long long seed, int steps) {
  std::vector<float> now = plate_at_start(rows, cols, seed), next = now;
  for (int step = 0; step < steps; ++step) {
    for (size_t row = 1; row <= rows; ++row)
      for (size_t col = 1; col + 1 < cols; ++col) {
        const float *const p = &now[row * cols + col];
        next[row * cols + col] = 0.25f * ((p[-static_cast<long>(cols)] + p[cols]) + (p[-1] + p[1]));
      }
    now.swap(next);
  }
  return {now.begin() + static_cast<long>(cols), now.end() - static_cast<long>(cols)};
}
