/// @file
/// The precision lab: how far results are off, in four figures, and ways to add up.
#pragma once

#include "problem.hpp"

/// How floats differ from exact results. A relative error is |float - exact| / |exact|; an ULP is
/// the distance between the two floats around the exact result.
struct Errors {
  double max_relative = 0.0, mean_relative = 0.0;
  double max_ulp = 0.0, mean_ulp = 0.0;
};

/// Of all elements of m.C, in device memory, against `exact`, M x N.
Errors errors_of(const Operands &m, const std::vector<double> &exact);

/// The distance between the two floats around x, which is not 0: 2^-23 for x in [1, 2).
double ulp_of(double x);

/// A B without any rounding, then as a double. Factors must be multiples of 2^-24 of at most 1: then
/// products are whole numbers of 2^-48, and the sum of 2^14 of them fits 64 bits.
std::vector<double> exact_product(const Matmul &p);

/// A way of adding up, in a kernel as simple as v0: one thread for each element.
struct Summation {
  const char *key;
  const char *name;
  void (*run)(Matmul &);
};

/// plain, kahan, neumaier, pairwise, doubled, tf32, in_double: in this order.
const std::vector<Summation> &summations();

/// Prints a line of a table of errors and records the figures as KEY_max and so on.
void say_errors(lab::Demo &demo, const char *key, const char *name, const Errors &errors);
/// The head of that table.
void say_errors_head(lab::Demo &demo);
