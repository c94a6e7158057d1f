#include "demos/demos.hpp"

void register_demos(lab::Ladder<Matrix> &ladder) {
  ladder.demo("strides", show_strides, "what a warp pulls when its lanes are apart").counted();
  ladder.demo("offsets", show_offsets, "what a warp pulls when it starts between two sectors")
      .counted();
  ladder.demo("walks", show_walks, "a matrix along its rows and down its columns").counted();
  ladder.demo("granularity", show_granularity, "what the L2 fetches for reads that are apart");
  ladder.demo("through_tile", show_through_tile, "a copy through a tile in shared memory");
  ladder.demo("shapes", show_shapes, "tiles and blocks of other sizes");
  ladder.demo("orders", show_orders, "reads alone and writes alone, in two orders of the blocks");
  ladder.demo("structures", show_structures, "vectors of three floats, stored in four ways")
      .counted();
  ladder.demo("partition_camping", show_partition_camping, "an old remedy, tried again").counted();
}

unsigned sectors_of_request(size_t bytes, size_t stride, size_t offset) {
  unsigned sectors = 0;
  size_t fresh = 0; // sectors before this one are counted already
  for (size_t lane = 0; lane < 32; ++lane) {
    const size_t first = (offset + lane * stride) / 32;
    const size_t last = (offset + lane * stride + bytes - 1) / 32;
    for (size_t sector = first < fresh ? fresh : first; sector <= last; ++sector) {
      ++sectors;
      fresh = sector + 1;
    }
  }
  return sectors;
}

double percent_used(size_t bytes, unsigned sectors) {
  return 100.0 * 32.0 * static_cast<double>(bytes) / (32.0 * sectors);
}
