#pragma once

#include "problem.hpp"

/// Registers the mistakes, each with the smallest input that shows it.
void add_traps(lab::Ladder<Points> &ladder);
