// Cooperative groups: threads that do something together are an object, which knows who they are.
#pragma once

#include "problem.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace demo_groups {

namespace cg = cooperative_groups;

constexpr unsigned threads = 64;
enum Row : unsigned { of_warp, of_eight, of_digit, of_parity, of_block, rows };

template <class Group> __device__ inline unsigned sum_of(const Group &group, unsigned value) {
  return cg::reduce(group, value, cg::plus<unsigned>());
}

// Who takes part is said where a group is made; what they do together says it no more.
__global__ void sums(const unsigned *in, unsigned *out, unsigned *multiples) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = block.thread_rank();
  const unsigned mine = in[i];
  unsigned *my_out = out + i; // of each row

  const auto warp = cg::tiled_partition<32>(block);
  my_out[of_warp * threads] = sum_of(warp, mine);
  const auto eight = cg::tiled_partition<8>(warp);
  my_out[of_eight * threads] = sum_of(eight, mine);
  const cg::coalesced_group digit = cg::labeled_partition(warp, mine % 10); // who ends like me
  my_out[of_digit * threads] = sum_of(digit, mine);
  const cg::coalesced_group parity = cg::binary_partition(warp, mine % 2 == 1); // odd, or even
  my_out[of_parity * threads] = sum_of(parity, mine);

  __shared__ unsigned s_sums[threads / 32];
  if (warp.thread_rank() == 0)
    s_sums[warp.meta_group_rank()] = out[of_warp * threads + i];
  block.sync(); // __syncthreads() by another name
  unsigned sum = 0;
  for (unsigned w = 0; w < warp.meta_group_size(); ++w)
    sum += s_sums[w];
  my_out[of_block * threads] = sum;

  if (mine % 3 == 0) { // those who happen to be here together count themselves with one atomic
    const cg::coalesced_group here = cg::coalesced_threads();
    if (here.thread_rank() == 0)
      atomicAdd(multiples, here.num_threads());
  }
}

// Whether threads a and b of the block are in one group of this kind.
inline bool together(unsigned row, const std::vector<unsigned> &in, unsigned a, unsigned b) {
  if (row == of_block)
    return true;
  if (row == of_eight)
    return a / 8 == b / 8;
  if (a / 32 != b / 32)
    return false;
  return row == of_warp || (row == of_digit && in[a] % 10 == in[b] % 10) ||
         (row == of_parity && in[a] % 2 == in[b] % 2);
}

inline void run(lab::Demo &demo) {
  std::vector<unsigned> h_in(threads), expected(rows * threads, 0);
  unsigned multiples = 0;
  for (unsigned i = 0; i < threads; ++i) {
    h_in[i] = static_cast<unsigned>(lab::random_u64(demo.seed(), i) % 100);
    multiples += h_in[i] % 3 == 0;
  }
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned a = 0; a < threads; ++a)
      for (unsigned b = 0; b < threads; ++b)
        expected[row * threads + a] += together(row, h_in, a, b) ? h_in[b] : 0;
  lab::DeviceBuffer<unsigned> d_in(h_in), d_out(rows * threads), d_multiples(1);
  lab::poison(d_out);
  LAB_CHECK(cudaMemset(d_multiples.data(), 0, d_multiples.bytes()));
  sums<<<1, threads>>>(d_in.data(), d_out.data(), d_multiples.data());
  LAB_CHECK_LAUNCH();
  const std::vector<unsigned> out = d_out.download();
  demo.expect(lab::compare(out, expected, {}, threads));
  demo.expect(lab::compare_value("multiples of 3", d_multiples.at(0), multiples));

  const auto line = [&](const char *what, const unsigned *values) {
    demo.say("%-42s", what);
    for (unsigned i = 0; i < 10; ++i)
      demo.say("%5u", values[i]);
    demo.say(" …\n");
  };
  line("thread k of the block has", h_in.data());
  line("sum in tiled_partition<32>(block)", &out[of_warp * threads]);
  line("       tiled_partition<8>(warp)", &out[of_eight * threads]);
  line("       labeled_partition(warp, last digit)", &out[of_digit * threads]);
  line("       binary_partition(warp, odd)", &out[of_parity * threads]);
  line("       this_thread_block()", &out[of_block * threads]);
  demo.say("multiples of 3, counted by coalesced_threads(): %u\n", multiples);
}

} // namespace demo_groups
