#pragma once

#include "demos/signals.cuh"
#include "problem.hpp"
#include "rivals/nccl_ranks.hpp"
#include "steps/sixteen_bytes.cuh"

#include <string>

namespace demo_in_a_row {

constexpr unsigned threads = 512;

// v5's additions for a share, by a few blocks; the mean instead of the sum, so that a mean of means is
// the same again and nothing grows.
__device__ inline void average(const Everyone &e, size_t first, size_t n) {
  const size_t all = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t tid = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float scale = 1.0f / static_cast<float>(e.ranks);
  for (size_t i = tid; i < n / 4; i += all) {
    float4 sum = four_at(e.in[0] + first, i);
    for (int r = 1; r < e.ranks; ++r)
      sum = sum + four_at(e.in[r] + first, i);
    sum = make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
    for (int r = 0; r < e.ranks; ++r)
      four_at(e.out[r] + first, i) = sum;
  }
}

static __global__ void average_share(Everyone e, size_t first, size_t n) { average(e, first, n); }

// The devices meet in the kernel: no event is needed. Who comes here has ended the round before, so
// all inputs are there, and nobody reads any more what is written now.
static __global__ void
average_and_meet(Everyone e, size_t first, size_t n, Signals s, unsigned times) {
  meet(s, times);
  average(e, first, n);
}

struct Rounds {
  Team team;
  size_t n; // a multiple of 128 floats
  std::vector<lab::DeviceBuffer<float>>
      buffers[2]; // [rank]; each round reads one and writes the other
  std::vector<lab::DeviceBuffer<unsigned>> told; // [rank]
  std::vector<float> expected;
  unsigned met = 0;

  Rounds(size_t n, unsigned long long seed) : n(n), expected(n) {
    for (int rank = 0; rank < team.size(); ++rank) {
      const OnDevice current(team.device(rank));
      for (auto &buffer : buffers) {
        buffer.emplace_back(n);
        lab::poison(buffer.back());
      }
      told.emplace_back(most_meeting_blocks * most_ranks);
      LAB_CHECK(cudaMemset(told.back().data(), 0, told.back().bytes()));
    }
    std::vector<double> sums(n);
    for (int rank = 0; rank < team.size(); ++rank) {
      std::vector<float> vector(n);
      lab::fill_random(vector.data(), n, seed + static_cast<unsigned>(rank));
      const OnDevice current(team.device(rank)); // in the stream that has poisoned it
      buffers[0][rank].upload(vector);
      for (size_t i = 0; i < n; ++i)
        sums[i] += static_cast<double>(vector[i]);
    }
    for (size_t i = 0; i < n; ++i)
      expected[i] = static_cast<float>(sums[i] / team.size());
    synchronize_all();
  }
  Everyone of_round(int round) const {
    Everyone e = {};
    e.ranks = team.size();
    for (int rank = 0; rank < e.ranks; ++rank) {
      e.in[rank] = buffers[round % 2][rank].data();
      e.out[rank] = buffers[(round + 1) % 2][rank].data();
    }
    return e;
  }
  unsigned blocks() const {
    const size_t fours = n / 4 / static_cast<size_t>(team.size());
    const size_t all = (fours + threads - 1) / threads;
    return static_cast<unsigned>(all < most_meeting_blocks ? all : most_meeting_blocks);
  }
};

inline void by_events(Rounds &p, int round) {
  const Everyone e = p.of_round(round);
  p.team.meet();
  for (int rank = 0; rank < e.ranks; ++rank) {
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, e.ranks, (rank + round) % e.ranks); // another's, last round
    average_share<<<p.blocks(), threads, 0, p.team.stream(rank)>>>(e, share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
}

inline void by_signals(Rounds &p, int round) {
  const Everyone e = p.of_round(round);
  for (int rank = 0; rank < e.ranks; ++rank) {
    Signals s = {};
    s.rank = rank;
    s.ranks = e.ranks;
    for (int r = 0; r < e.ranks; ++r)
      s.told[r] = p.told[r].data();
    const OnDevice current(p.team.device(rank));
    const Share share = share_of(p.n, e.ranks, (rank + round) % e.ranks); // another's, last round
    average_and_meet<<<p.blocks(), threads, 0, p.team.stream(rank)>>>(
        e, share.first, share.length, s, p.met + 1);
    LAB_CHECK_LAUNCH();
  }
  ++p.met;
}

#ifdef HAVE_NCCL
inline void by_nccl(Rounds &p, int round) {
  const Everyone e = p.of_round(round);
  const std::vector<ncclComm_t> &communicators = nccl_ranks(); // made before the group begins
  NCCL_CHECK(ncclGroupStart());
  for (int rank = 0; rank < e.ranks; ++rank)
    NCCL_CHECK(ncclAllReduce(e.in[rank],
                             e.out[rank],
                             p.n,
                             ncclFloat,
                             ncclAvg,
                             communicators[rank],
                             p.team.stream(rank)));
  NCCL_CHECK(ncclGroupEnd());
}
#endif

struct Way {
  const char *what, *key;
  void (*go)(Rounds &, int round);
};

// The ways that work here.
inline std::vector<Way> ways() {
  std::vector<Way> list = {{"events", "events", by_events}};
  // The emulator runs kernels whole, one after the other: none can wait for another one's signal.
  if (!lab::on_emulator() && ranks_have_devices())
    list.push_back({"signals in the kernel", "signals", by_signals});
#ifdef HAVE_NCCL
  if (!no_nccl())
    list.push_back({"NCCL", "nccl", by_nccl});
#endif
  return list;
}

// Microseconds a round: means of means, each of which needs the one before on all devices.
inline double round_us(const Way &way, Rounds &p, int rounds) {
  return lab::median_of(7, 1, [&] {
    for (int hold = 0; hold < 80; ++hold) // until the host has asked for all rounds
      lab::hold_device();
    const double ms = lab::event_ms([&] {
      p.team.fork();
      for (int round = 0; round < rounds; ++round)
        way.go(p, round);
      p.team.join();
    });
    return 1e3 * ms / rounds;
  });
}

inline void run(lab::Demo &demo) {
  if (lab::on_emulator())
    demo.say(
        "left out here: signals in the kernel. The emulator runs kernels whole, one after the\n"
        "other: none can wait for what another one tells it.\n\n");
  for (const Way &way : ways()) {
    for (unsigned turn = 0; turn < 5; ++turn) { // on the emulator, streams in another order each
      Rounds p(2048, demo.seed() + turn);
      draw_order(turn + 1);
      p.team.fork();
      for (int round = 0; round < 5; ++round)
        way.go(p, round);
      p.team.join();
      LAB_CHECK(cudaDeviceSynchronize()); // of device 0, which has waited for all
      // Rounding: of the first mean's additions and its scale, then of the same for equal numbers.
      const lab::Tolerance tolerance =
          lab::tolerance_for_operations<float>(5.0 * (p.team.size() + 1));
      for (int rank = 0; rank < p.team.size(); ++rank)
        demo.expect(lab::compare(p.buffers[1][rank].download(), p.expected, tolerance));
      draw_order(0);
    }
    demo.say("%-24s 5 means in a row, 8 KiB each: right\n", way.what);
  }
  if (!demo.timed())
    return;
  demo.say("\n50 means in a row, µs each\n      KiB");
  for (const Way &way : ways())
    demo.say("%24s", way.what);
  demo.say("\n");
  for (size_t bytes = 4096; bytes <= size_t{1} << 22; bytes *= 4) {
    demo.say("%9zu", bytes / 1024);
    for (const Way &way : ways()) {
      Rounds p(bytes / sizeof(float), demo.seed());
      const double us = round_us(way, p, 50);
      demo.say("%24.2f", us);
      demo.value(std::string(way.key) + "_" + std::to_string(bytes / 1024), us);
    }
    demo.say("\n");
  }
}

} // namespace demo_in_a_row
