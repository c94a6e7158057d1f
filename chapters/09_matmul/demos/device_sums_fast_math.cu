// Compiled with --use_fast_math: add_chapter() does that to files that are called like this one. The
// emulator compiles it as usual: its compiler's fast math means something else.
#include "demos/device_sums.cuh"

void multiply_kahan_fast_math(const Operands &m) { launch_kahan(m); }

void divide_exp_fast_math(const float *d_x, const float *d_y, float *d_out, int n) {
  launch_divide_exp(d_x, d_y, d_out, n);
}
