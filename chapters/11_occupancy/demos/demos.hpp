/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

/// A step, and how it uses a multiprocessor.
struct PlannedStep {
  const char *name;
  Plan plan;
  void (*run)(Readings &);
};

/// All steps of the ladder, in its order.
std::vector<PlannedStep> planned_steps();

void register_demos(lab::Ladder<Readings> &ladder);
