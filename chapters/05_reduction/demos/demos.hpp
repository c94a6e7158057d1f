/// @file
/// What the chapter shows besides its table.
#pragma once

#include "ladder/chapter.hpp"

/// Sum, minimum, maximum and mean of the same numbers by the same kernel.
void show_sum_min_max_mean(lab::Demo &demo);

/// The sums of a matrix's rows: a block for each.
void show_rows(lab::Demo &demo);

/// 1.23 added up 10^8 times in five ways: when the sum is large, small terms vanish.
void show_float_sum(lab::Demo &demo);
