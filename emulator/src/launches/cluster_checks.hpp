/// \file
/// Whether a grid can be launched in clusters.
#pragma once

#include <string>

#include "emu/language/types.hpp"

namespace emu {

/// What is wrong with a launch in clusters; empty: nothing.
/// \param cluster  blocks of one in each axis; 0: none are asked for
/// \param own   the clusters that the kernel asks for by itself; 0: none
/// \param most  blocks that a cluster of this kernel may have; 0: the device has no clusters
std::string
fault_of_cluster(const dim3 &grid, const dim3 &cluster, const dim3 &own, unsigned long long most);

} // namespace emu
