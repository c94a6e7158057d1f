// Clusters of blocks: what a kernel asks of one is a call of a function that nobody defines (see engine.hpp).
#pragma once

#include "emu/engine/engine.hpp"

namespace emu {

dim3 cluster_dim();
unsigned cluster_blocks();
bool has_clusters();
dim3 cluster_index();
dim3 index_in_cluster();
unsigned cluster_rank();
dim3 clusters_of_grid();
void cluster_arrive(bool releases, Site site);
void cluster_wait(Site site);
void *in_shared_of(const void *address, unsigned rank, Site site);
int rank_of_shared(const void *address);
char *shared_of(unsigned rank);

} // namespace emu
