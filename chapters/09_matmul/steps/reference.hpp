/// @file
/// What is right: the product in double, from loops that share nothing with any step.
#pragma once

#include "problem.hpp"

/// C[row][col] and the sum of |A[row][k] B[k][col]|, on the host.
void multiply_on_host(const Operands &m, double *C, double *sum_abs);

/// The same by a plain kernel, for sizes at which the host would take minutes; operands on the
/// device, results on the host. 1000 of its elements are computed by the host, too.
///
/// @throws lab::Error when one of those differs
void multiply_in_double(const Operands &d_m, const Operands &h_m, double *C, double *sum_abs);
