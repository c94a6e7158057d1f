#include "problem.hpp"

#include <cub/device/device_scan.cuh>

namespace {

// Once to ask how much memory it wants and once to run. With 32 bits for n it is fastest.
void inclusive_sum(void *d_temporary, size_t &bytes, Scan &p) {
  LAB_CHECK(cub::DeviceScan::InclusiveSum(
      d_temporary, bytes, p.d_in.data(), p.d_out.data(), static_cast<unsigned>(p.n)));
}

} // namespace

void allocate_for_cub(Scan &p) {
  size_t bytes = 0;
  inclusive_sum(nullptr, bytes, p);
  if (p.d_cub.size() < bytes || p.d_cub.size() == 0)
    p.d_cub = lab::DeviceBuffer<unsigned char>(bytes > 0 ? bytes : 1);
}

void run_cub(Scan &p) {
  size_t bytes = p.d_cub.size();
  inclusive_sum(p.d_cub.data(), bytes, p);
}
