// Was:   kernels loaded and stored over the links, no faster than loads and stores can.
// Now:   long vectors go by copy engines, in two parts: one travels while the other is added.
// Watch: the time, beside that of plain copies. Short vectors go as before: fewer calls.
#pragma once

#include "steps/v6_few_blocks.cuh"

namespace v7 {

const size_t worth_it = size_t{1} << (lab::at_full_size() ? 27 : 14); // bytes of a vector
constexpr int usual_parts = 2;

// Adds up in rank order what lies on this device by now, into its own sum.
static __global__ void add_up(Everyone e, float *sums, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t i = tid; i < n; i += threads) {
    float sum = e.in[0][i];
    for (int r = 1; r < e.ranks; ++r)
      sum += e.in[r][i];
    sums[i] = sum;
  }
}

inline void by_copy_engines(Vectors &p, int parts) {
  const int ranks = p.ranks();
  const auto copy =
      [&](float *to, int to_rank, const float *from, int rank, size_t n, auto stream) {
        const int to_device = p.team.device(to_rank), device = p.team.device(rank);
        LAB_CHECK(cudaMemcpyPeerAsync(to, to_device, from, device, n * sizeof(float), stream));
      };
  p.team.fork();
  p.lanes.fork(p.team);
  for (int k = 0; k < parts; ++k) {
    for (int rank = 0; rank < ranks; ++rank) { // each sends parts of all shares to their owners
      const Lanes::Rank &lanes = p.lanes.of(rank);
      for (int turn = 1; turn < ranks; ++turn) {
        const int owner = (rank + turn) % ranks;
        const Share part = part_of(share_of(p.n, ranks, owner), parts, k);
        copy(p.slot(owner, rank, part),
             owner,
             p.in[rank].data() + part.first,
             rank,
             part.length,
             lanes.send);
      }
      LAB_CHECK(cudaEventRecord(lanes.sent[k], lanes.send));
    }
    for (int rank = 0; rank < ranks; ++rank) { // each adds up its own, and tells it to all
      const Lanes::Rank &lanes = p.lanes.of(rank);
      const Share part = part_of(share_of(p.n, ranks, rank), parts, k);
      float *const sums = p.out[rank].data() + part.first;
      Everyone e = {};
      e.ranks = ranks;
      for (int other = 0; other < ranks; ++other) {
        e.in[other] = other == rank ? p.in[rank].data() + part.first : p.slot(rank, other, part);
        LAB_CHECK(cudaStreamWaitEvent(p.team.stream(rank), p.lanes.of(other).sent[k]));
      }
      const OnDevice current(p.team.device(rank));
      add_up<<<blocks_for(part.length), block, 0, p.team.stream(rank)>>>(e, sums, part.length);
      LAB_CHECK_LAUNCH();
      LAB_CHECK(cudaEventRecord(lanes.added[k], p.team.stream(rank)));
      LAB_CHECK(cudaStreamWaitEvent(lanes.tell, lanes.added[k]));
      for (int turn = 1; turn < ranks; ++turn) {
        const int other = (rank + turn) % ranks;
        copy(p.out[other].data() + part.first, other, sums, rank, part.length, lanes.tell);
      }
    }
  }
  p.lanes.join(p.team);
  p.team.join();
}

inline void run(Vectors &p) { p.bytes() < worth_it ? v6::run(p) : by_copy_engines(p, usual_parts); }

} // namespace v7
