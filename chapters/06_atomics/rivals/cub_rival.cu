#include "problem.hpp"

#include <cub/device/device_histogram.cuh>

namespace {

// Once to ask how much memory it wants and once to run. CUB empties the bins itself.
void histogram(void *d_temporary, size_t &bytes, Histogram &p) {
  LAB_CHECK(cub::DeviceHistogram::HistogramEven(d_temporary,
                                                bytes,
                                                p.d_in.data(),
                                                p.d_bins.data(),
                                                static_cast<int>(bins + 1),
                                                0,
                                                static_cast<int>(bins),
                                                static_cast<long long>(p.n)));
}

} // namespace

void allocate_for_cub(Histogram &p) {
  size_t bytes = 0;
  histogram(nullptr, bytes, p);
  if (p.d_cub.size() < bytes || p.d_cub.size() == 0)
    p.d_cub = lab::DeviceBuffer<unsigned char>(bytes > 0 ? bytes : 1);
}

void run_cub(Histogram &p) {
  size_t bytes = p.d_cub.size();
  histogram(p.d_cub.data(), bytes, p);
}
