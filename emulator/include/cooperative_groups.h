// CUDA's cooperative groups: the block, the grid, tiles of a block, and lanes that came together.
//
// Not here: clusters (compute capability 9.0).
#pragma once
#define _COOPERATIVE_GROUPS_H_ // programs ask for it

#include "emu/groups/group_partitions.hpp"
#include "emu/groups/group_tiles.hpp"
#include "emu/groups/groups.hpp"
