// CUDA's cooperative groups: the block, the cluster, the grid, tiles of a block, and lanes that came together.
#pragma once
#define _COOPERATIVE_GROUPS_H_ // programs ask for it

#include <emu/groups/group_partitions.hpp>
#include <emu/groups/group_tiles.hpp>
#include <emu/groups/groups.hpp>
