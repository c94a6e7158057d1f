#include "launches/cluster_checks.hpp"

#include "engine/limits.hpp"

namespace emu {

namespace {

std::string sizes(const dim3 &extent) {
  return std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
         std::to_string(extent.z);
}

std::string
reason(const dim3 &grid, const dim3 &cluster, const dim3 &own, unsigned long long most) {
  if (most == 0)
    return "the device has none";
  if (own.x != 0 && (own.x != cluster.x || own.y != cluster.y || own.z != cluster.z))
    return "the kernel asks for clusters of " + sizes(own);
  if (static_cast<unsigned long long>(cluster.x) * cluster.y * cluster.z > most)
    return "they have at most " + std::to_string(most) + " blocks" +
           (most == most_blocks_per_cluster
                ? ""
                : ", " + std::to_string(most_blocks_per_cluster) +
                      " with cudaFuncAttributeNonPortableClusterSizeAllowed");
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return "the grid is no multiple of them in each axis";
  return {};
}

} // namespace

std::string
fault_of_cluster(const dim3 &grid, const dim3 &cluster, const dim3 &own, unsigned long long most) {
  if (cluster.x == 0)
    return {};
  const std::string why = reason(grid, cluster, own, most);
  return why.empty() ? why
                     : "a launch of " + sizes(grid) + " blocks in clusters of " + sizes(cluster) +
                           ": " + why;
}

} // namespace emu
