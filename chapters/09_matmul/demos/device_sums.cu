#include "demos/device_sums.cuh"

void multiply_kahan(const Operands &m) { launch_kahan(m); }

void divide_exp(const float *d_x, const float *d_y, float *d_out, int n) {
  launch_divide_exp(d_x, d_y, d_out, n);
}
