/// @file
/// The steps as a table: the ladder registers them, and the demos run them at other shapes.
#pragma once

#include "problem.hpp"

#include <vector>

/// One step of the ladder, or one beside it.
struct Step {
  const char *name;
  void (*run)(Matmul &);
  void (*before)(Matmul &) = nullptr; ///< makes the operands as the step wants them
  lab::Verdict (*check)(Matmul &) = nullptr; ///< if its result is not in Matmul::plain
};

// Each in a file of its own: the later ones take their time to compile.
std::vector<Step> first_steps(); ///< v0 to v5
std::vector<Step> register_tile_steps(); ///< v6 to v8
std::vector<Step> async_steps(); ///< v9 to v14
std::vector<Step> last_steps(); ///< v15 to v18
std::vector<Step> kahan_steps(); ///< k0 to k2

/// What later steps do with shapes that are too small or too ragged for them: v11, and k0.
void run_any_shape(Matmul &p);
void run_any_shape_kahan(Matmul &p);
