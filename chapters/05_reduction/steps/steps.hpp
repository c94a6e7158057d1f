/// @file
/// The steps, in the order of the lesson; in two files, which compile at the same time.
#pragma once

#include "problem.hpp"

/// v0 to v5: a tree over all elements.
void register_trees(lab::Ladder<Reduction> &ladder);
/// v6 to v12: each thread adds up its share before the tree.
void register_shares(lab::Ladder<Reduction> &ladder);
