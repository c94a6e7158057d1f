// lab::observe, in a program with the instruments and, from the same source, in one without them.
#include "ladder/chapter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

namespace {

__global__ void copy(const float *in, float *out, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i * stride];
}

} // namespace

TEST_CASE("counts of what was launched in the call, and of nothing else") {
  lab::DeviceBuffer<float> d_in(1024), d_out(32);
  d_in.upload(std::vector<float>(1024, 1.0f));
  copy<<<1, 32>>>(d_in.data(), d_out.data(), 32, 1);
  bool ran = false;
  const auto seen = lab::observe([&] {
    copy<<<1, 32>>>(d_in.data(), d_out.data(), 32, 32);
    ran = true;
  });
  CHECK(ran);
  CHECK(seen.has_value() == lab::can_observe());
  CHECK_FALSE(lab::being_observed());
#ifdef BUILT_TO_BE_OBSERVED
  REQUIRE(lab::can_observe());
  CHECK_FALSE(seen->has_errors());
  REQUIRE(seen->kernels.size() == 1);
  const emu::KernelReport &kernel = seen->kernels[0];
  CHECK(kernel.name == "copy");
  CHECK(kernel.launches == 1);
  CHECK(kernel.total(emu::Access::global_load).sectors_per_request() == 32);
  CHECK(kernel.total(emu::Access::global_load).ideal_sectors == 4);
  CHECK(kernel.total(emu::Access::global_store).sectors_per_request() == 4);
#else
  CHECK_FALSE(lab::can_observe());
#endif
}

#ifdef BUILT_TO_BE_OBSERVED

namespace {

struct Numbers {
  explicit Numbers(const lab::Case &c) : n(static_cast<int>(c.n)), d_out(c.n) {}
  void prepare() {}
  lab::Verdict check() { return {}; } // what matters is what the instruments see
  int n;
  lab::DeviceBuffer<int> d_out;
};

__global__ void fill(int *out, int n) {
  const int i = threadIdx.x;
  if (i < n)
    out[i] = i;
}

void right(Numbers &p) { fill<<<1, 64>>>(p.d_out.data(), p.n); }
void one_more(Numbers &p) { fill<<<1, 64>>>(p.d_out.data(), p.n + 1); }

int look_for_hazards(void (*step)(Numbers &), void (*trap)(Numbers &), const char *hazard) {
  lab::Ladder<Numbers> ladder("00_numbers", "numbers");
  ladder.step("v0_step", step);
  ladder.trap("trap", trap, "why").exposed_by({.n = 33}).hazard(hazard);
  char program[] = "00_numbers", option[] = "--hazards";
  char *arguments[] = {program, option, nullptr};
  return ladder.main(2, arguments);
}

} // namespace

TEST_CASE("a ladder's steps have no hazard, and its traps the one that they declare") {
  CHECK(look_for_hazards(right, one_more, "out_of_bounds") == 0);
  CHECK(look_for_hazards(one_more, one_more, "out_of_bounds") ==
        1); // right results, and one too many
  CHECK(look_for_hazards(right, right, "out_of_bounds") == 1);
  CHECK(look_for_hazards(right, one_more, "") == 1);
  CHECK(look_for_hazards(right, one_more, "shared_race") == 1);
}

namespace {

constexpr int store_line = __LINE__ + 4, load_line = store_line + 3;

__global__ void reverse(float *data, bool wait) {
  __shared__ float s_data[64];
  s_data[threadIdx.x] = data[threadIdx.x];
  if (wait)
    __syncthreads();
  data[threadIdx.x] = s_data[63 - threadIdx.x];
}

} // namespace

TEST_CASE("hazards name both lines; the program goes on") {
  lab::DeviceBuffer<float> d_data(64);
  d_data.upload(std::vector<float>(64, 1.0f));
  const auto good = lab::observe([&] { reverse<<<1, 64>>>(d_data.data(), true); });
  CHECK(good->hazards.empty());
  const auto bad = lab::observe([&] { reverse<<<1, 64>>>(d_data.data(), false); });
  const emu::Hazard *race = bad->find("shared_race");
  REQUIRE(race);
  CHECK(std::min(race->here.where.line, race->other.where.line) == store_line);
  CHECK(std::max(race->here.where.line, race->other.where.line) == load_line);
  CHECK(lab::observe([&] { reverse<<<1, 64>>>(d_data.data(), true); })->hazards.empty());
}

TEST_CASE("launches of one shape are summed up unless they cost different things") {
  lab::DeviceBuffer<float> d_in(1024), d_out(32);
  d_in.upload(std::vector<float>(1024, 1.0f));
  const auto seen = lab::observe([&] {
    for (int stride : {1, 1, 32, 1, 32})
      copy<<<1, 32>>>(d_in.data(), d_out.data(), 32, stride);
    const lab::ObservedPart part("elsewhere");
    copy<<<1, 32>>>(d_in.data(), d_out.data(), 32, 1);
  });
  REQUIRE(seen->kernels.size() == 3);
  CHECK(seen->kernels[0].launches == 3);
  CHECK(seen->kernels[0].total(emu::Access::global_load).requests == 3);
  CHECK(seen->kernels[1].launches == 2);
  CHECK(seen->kernels[1].lines[0].worst.cost == 32);
  CHECK(seen->kernels[2].part == "elsewhere");
}

namespace {

// Each warp: a vote, five shuffles, and a __syncwarp of each half.
__global__ void meet(unsigned *out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = __ballot_sync(~0u, lane % 2);
  for (int source = 0; source < 5; ++source)
    sum += __shfl_sync(~0u, sum, source);
  __syncwarp(lane < 16 ? 0xFFFFu : 0xFFFF0000u);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

} // namespace

TEST_CASE("how often lanes meet is counted in the blocks that are traced") {
  lab::DeviceBuffer<unsigned> d_out(100 * 80);
  for (const unsigned blocks : {1u, 100u}) {
    const auto seen = lab::observe([&] { meet<<<blocks, 80>>>(d_out.data()); });
    CHECK(seen->hazards.empty());
    REQUIRE(seen->kernels.size() == 1);
    const emu::KernelReport &kernel = seen->kernels[0];
    CHECK(kernel.blocks_traced < 100);
    CHECK(kernel.warp_meetings == kernel.blocks_traced * (8 + 8 + 7)); // the last has one half only
    CHECK(kernel.barriers == 0);
  }
}

TEST_CASE("an exception ends the observation too") {
  CHECK_THROWS_AS(lab::observe([] { throw std::runtime_error("no"); }), std::runtime_error);
  const auto seen = lab::observe([] {});
  CHECK(seen->kernels.empty());
}

#endif
