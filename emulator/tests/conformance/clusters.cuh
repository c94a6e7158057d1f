// Launches in clusters, for the tests of these.
#pragma once

#include "conformance.cuh"

namespace conformance {

/// Launches in clusters of the given size.
template <class... P, class... Arguments>
cudaError_t
launch_clusters(dim3 cluster, dim3 grid, dim3 block, void (*kernel)(P...), Arguments... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = cluster.x;
  attributes[0].val.clusterDim.y = cluster.y;
  attributes[0].val.clusterDim.z = cluster.z;
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = attributes;
  config.numAttrs = 2;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

} // namespace conformance
