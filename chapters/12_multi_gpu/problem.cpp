#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#ifdef BUILD_FIRST_EMULATOR
#include <emu/schedule.hpp>
#endif

namespace {

// Floats to spare: on rank 0 a vector of each other rank, elsewhere one, or a share of each other rank.
size_t spare_on(int rank, int ranks, size_t n) {
  return n * (rank == 0 ? static_cast<size_t>(ranks) - 1 : 1) + 32 * most_ranks;
}

} // namespace

Vectors::Vectors(const lab::Case &c)
    : n(c.n), lanes(team), h_sum(n), expected(n),
      pinned_in(n * static_cast<size_t>(team.size()) + 1), pinned_sum(n + 1) {
  std::vector<double> sums(n);
  for (int rank = 0; rank < ranks(); ++rank) {
    const size_t r = static_cast<size_t>(rank);
    const int device = team.device(rank);
    in.push_back(on_device<float>(device, n + 1)); // never empty, so that every copy has two ends
    out.push_back(on_device<float>(device, n + 1));
    spare.push_back(on_device<float>(device, spare_on(rank, ranks(), n)));
    std::vector<float> vector(n);
    lab::fill_random(vector.data(), n, c.seed + r, -1.0f, 1.0f);
    for (size_t i = 0; i < n; ++i)
      sums[i] += static_cast<double>(vector[i]);
    const OnDevice current(device);
    in[r].upload(vector);
    h_in.emplace_back(n);
  }
  for (size_t i = 0; i < n; ++i)
    expected[i] = static_cast<float>(sums[i]);
}

Vectors::~Vectors() { draw_order(0); }

void Vectors::prepare() {
  draw_order(0);
  synchronize_all();
  std::fill_n(h_sum.data(), n, NAN); // n may be 0
  std::fill_n(pinned_sum.data(), n, NAN);
  for (int rank = 0; rank < ranks(); ++rank) {
    const OnDevice current(team.device(rank));
    const size_t r = static_cast<size_t>(rank);
    lab::poison(out[r]);
    lab::poison(spare[r]);
  }
  synchronize_all();
  static unsigned seed = 0;
  draw_order(++seed);
}

lab::Verdict Vectors::check() {
  LAB_CHECK(cudaDeviceSynchronize()); // of device 0 alone: a step must end with join()
  // One addition for each vector but the first, and one rounding of what is expected.
  const auto terms = static_cast<size_t>(ranks());
  const lab::Tolerance tolerance = lab::tolerance_for_sum<float>(terms + 1, ranks());
  std::vector<float> first, sum(n);
  for (int rank = 0; rank < ranks(); ++rank) {
    const OnDevice current(team.device(rank));
    const float *const d_sum = out[static_cast<size_t>(rank)].data();
    LAB_CHECK(cudaMemcpy(sum.data(), d_sum, bytes(), cudaMemcpyDeviceToHost));
    lab::Verdict verdict =
        rank == 0 ? lab::compare(sum, expected, tolerance) : lab::compare(sum, first);
    if (!verdict.ok)
      return lab::Verdict::wrong(
          (rank == 0 ? "rank 0: " : "rank " + std::to_string(rank) + ", against rank 0: ") +
          verdict.message);
    if (rank == 0)
      first = sum;
  }
  draw_order(0);
  return lab::Verdict::right();
}

Everyone everyone(const Vectors &p) {
  Everyone all = {};
  all.ranks = p.ranks();
  for (int rank = 0; rank < all.ranks; ++rank) {
    all.in[rank] = p.in[static_cast<size_t>(rank)].data();
    all.out[rank] = p.out[static_cast<size_t>(rank)].data();
  }
  return all;
}

Share share_of(size_t n, int ranks, int rank) {
  const size_t count = static_cast<size_t>(ranks);
  const size_t usual = ((n + count - 1) / count + 31) / 32 * 32;
  const size_t first =
      usual * static_cast<size_t>(rank) < n ? usual * static_cast<size_t>(rank) : n;
  return {first, n - first < usual ? n - first : usual};
}

Share part_of(const Share &share, int parts, int k) {
  const Share part = share_of(share.length, parts, k);
  return {share.first + part.first, part.length};
}

float *Vectors::slot(int owner, int other, const Share &part) const {
  const Share share = share_of(n, ranks(), owner);
  const size_t number = static_cast<size_t>(other < owner ? other : other - 1);
  const size_t length = (share.length + 31) / 32 * 32; // so that each place is as well aligned
  return spare[static_cast<size_t>(owner)].data() + number * length + part.first - share.first;
}

double bus_bytes(double bytes, int ranks) { return 2.0 * (ranks - 1) / ranks * bytes; }

void draw_order([[maybe_unused]] unsigned seed) {
#ifdef BUILD_FIRST_EMULATOR
  if (!lab::can_observe())
    emu::set_schedule(seed);
#endif
}

void hold_long(Vectors &) {
  for (int times = 0; times < 24; ++times)
    lab::hold_device();
}
