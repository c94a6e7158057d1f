#include "demos/demos.hpp"

void register_demos(lab::Ladder<Matmul> &ladder) {
  ladder.demo("precision", show_precision, "nine ways of adding up the same products");
  ladder.demo("cancellation", show_cancellation, "sums that are small beside their terms");
  ladder.demo("fast_math", show_fast_math, "the same code, compiled in two ways");
  ladder.demo("intrinsics", show_intrinsics, "fast functions, and how far they are off");
  ladder.demo("tf32", show_tf32, "factors with 11 bits");
  ladder.demo("cublas_modes", show_cublas_modes, "the rival in three modes of arithmetic");
  ladder.demo("kahan_2008", show_kahan_2008, "the kernels of 2008, timed as they were then");
  ladder.demo("x_along_rows", show_x_along_rows, "which way the lanes of a warp go");
  ladder.demo("block_order", show_block_order, "the same kernel, its blocks in another order");
  ladder.demo("roofline", show_roofline, "more and more arithmetic with each byte");
  ladder.demo("shares_of_v9", show_shares_of_v9, "from v8 to v9 in smaller steps");
  ladder.demo("orders", show_orders, "v14 with its instructions in other orders");
  ladder.demo("two_at_once", show_two_at_once, "two products by v18 in two streams");
  ladder.demo("shapes", show_shapes, "every step at ragged shapes, with gaps between rows");
}
