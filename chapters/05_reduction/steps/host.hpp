/// @file
/// The sum on the host: a plain loop, which everything is checked against, and the textbook's
/// recursive halving.
#pragma once

#include "problem.hpp"

/// Adds up from the first to the last.
Value sum_loop(const std::vector<Value> &values);

/// Adds the second half to the first, then does the same with the first half. Destroys `values`.
Value sum_by_halving(std::vector<Value> &values);

void run_cpu_loop(Reduction &p);
void run_cpu_halving(Reduction &p);
void copy_input_on_host(Reduction &p); ///< gives cpu_halving an input to destroy
lab::Verdict check_host(Reduction &p);
