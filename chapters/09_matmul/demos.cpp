#include "demos.hpp"

void register_demos(lab::Ladder<Matmul> &ladder) {
  ladder.demo("precision", show_precision, "nine ways of adding up the same products");
  ladder.demo("cancellation", show_cancellation, "sums that are small beside their terms");
  ladder.demo("fast_math", show_fast_math, "the same code, compiled in two ways");
  ladder.demo("intrinsics", show_intrinsics, "fast functions, and how far they are off");
  ladder.demo("tf32", show_tf32, "factors with 11 bits");
  ladder.demo("shapes", show_shapes, "every step at ragged shapes, with gaps between rows");
}
