/// @file
/// Ways to do the same: checked, and on a GPU timed in turn.
#pragma once

#include "problem.hpp"

#include <string>

struct Way {
  const char *name;
  void (*run)(Histogram &);
};

/// Checks each way on `p`, whose input and expected counts stand. On a GPU, and not in quick runs,
/// returns the median times in their order; else nothing.
std::vector<double> check_and_time(lab::Demo &demo, Histogram &p, const std::vector<Way> &ways);
