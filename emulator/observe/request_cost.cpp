#include "request_cost.hpp"

#include <algorithm>

#include "lanes.hpp"

namespace emu {

namespace {

constexpr int lanes = 32;

} // namespace

size_t distinct_sectors(const WarpRequest &request, uint32_t mask) {
  std::array<uint64_t, lanes * 2> sectors; // a lane touches at most 16 bytes
  size_t count = 0;
  bool ascending = true; // mostly
  for (const size_t lane : LanesOf(mask)) {
    const uint64_t last = (request.address[lane] + request.bytes - 1) / 32;
    for (uint64_t sector = request.address[lane] / 32; sector <= last; ++sector) {
      if (count > 0 && sector == sectors[count - 1])
        continue;
      ascending = ascending && (count == 0 || sectors[count - 1] < sector);
      sectors[count++] = sector;
    }
  }
  if (ascending)
    return count;
  const auto end = sectors.begin() + static_cast<long>(count);
  std::sort(sectors.begin(), end);
  return static_cast<size_t>(std::unique(sectors.begin(), end) - sectors.begin());
}

namespace {

// The most words of one bank that the lanes of `mask` touch.
unsigned worst_bank(const WarpRequest &request, uint32_t mask) {
  std::array<std::array<uint64_t, 32>, lanes> of_banks; // the first word of each, the second ...
  std::array<unsigned, 32> counts{};
  unsigned worst = 0;
  for (const size_t lane : LanesOf(mask)) {
    const uint64_t last = (request.address[lane] + request.bytes - 1) / 4;
    for (uint64_t word = request.address[lane] / 4; word <= last; ++word) {
      const size_t bank = word % 32;
      unsigned k = 0;
      while (k < counts[bank] && of_banks[k][bank] != word)
        ++k;
      if (k < counts[bank])
        continue;
      of_banks[k][bank] = word;
      worst = std::max(worst, ++counts[bank]);
    }
  }
  return worst;
}

constexpr uint32_t lanes_from(int first, int count) {
  return static_cast<uint32_t>(((uint64_t{1} << count) - 1) << first);
}

// Whether each two active lanes of `mask` whose numbers differ in `bit` want the same address.
bool same_in_pairs(const WarpRequest &request, uint32_t mask, size_t bit) {
  bool same = true;
  for (const size_t lane : LanesOf(request.active & mask))
    if (request.active >> (lane ^ bit) & 1)
      same = same && request.address[lane] == request.address[lane ^ bit];
  return same;
}

// Whether the lanes of `mask`, which are those of two rounds, are served in one.
bool two_rounds_in_one(const WarpRequest &request, uint32_t mask) {
  return request.operation == Operation::load && (request.active & mask) != 0 &&
         (same_in_pairs(request, mask, 1) || same_in_pairs(request, mask, 2)) &&
         worst_bank(request, request.active & mask) == 1;
}

// The addresses that the active lanes want, in ascending order; returns how many.
size_t sort_addresses(const WarpRequest &request, std::array<uint64_t, lanes> &addresses) {
  size_t count = 0;
  for (const size_t lane : LanesOf(request.active))
    addresses[count++] = request.address[lane];
  const auto end = addresses.begin() + static_cast<long>(count);
  if (!std::is_sorted(addresses.begin(), end))
    std::sort(addresses.begin(), end);
  return count;
}

} // namespace

uint64_t distinct_bytes(const WarpRequest &request) {
  std::array<uint64_t, lanes> addresses;
  const size_t count = sort_addresses(request, addresses);
  uint64_t bytes = count > 0 ? request.bytes : 0;
  for (size_t i = 1; i < count; ++i)
    bytes += std::min<uint64_t>(request.bytes, addresses[i] - addresses[i - 1]);
  return bytes;
}

unsigned most_at_one_address(const WarpRequest &request) {
  std::array<uint64_t, lanes> addresses;
  const size_t count = sort_addresses(request, addresses);
  unsigned most = 0, run = 0;
  for (size_t i = 0; i < count; ++i) {
    run = i > 0 && addresses[i] == addresses[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

namespace {

constexpr uint64_t line_bytes = 128;

// In which of four queues an atomic waits for its way to the L2 cache. Higher bits matter, too, but the
// system chooses them anew in each run.
size_t queue_of(uint64_t line) {
  const auto odd = [&](uint64_t bits) {
    return static_cast<size_t>(__builtin_parityll(line & bits));
  };
  return 2 * odd(0b10101) + odd(0b11010);
}

// Of the lanes in `queue`, those that go first: with the first one all that want the same line and
// have none before them in the queue that wants the same bank.
uint32_t first_to_go(const WarpRequest &request, uint32_t queue) {
  const uint64_t line = request.address[__builtin_ctz(queue)] / line_bytes;
  uint32_t banks = 0, go = 0;
  for (const size_t lane : LanesOf(queue)) {
    const uint64_t address = request.address[lane];
    const uint32_t bank = 1u << address / 4 % 32;
    if (!(banks & bank) && address / line_bytes == line)
      go |= 1u << lane;
    banks |= bank;
  }
  return go;
}

// How many lanes wait for the busiest bank, if those at one address do not go together. Of a word of
// 8 bytes, the first half stands for both.
unsigned lanes_at_worst_bank(const WarpRequest &request) {
  std::array<unsigned, 32> of_bank{};
  unsigned worst = 0;
  for (const size_t lane : LanesOf(request.active))
    worst = std::max(worst, ++of_bank[request.address[lane] / 4 % 32]);
  return worst;
}

} // namespace

AtomicSectors count_atomic_sectors(const WarpRequest &request) {
  std::array<uint32_t, 4> queues{};
  for (const size_t lane : LanesOf(request.active))
    queues[queue_of(request.address[lane] / line_bytes)] |= 1u << lane;
  const uint32_t of_a_lane = (1u << (request.bytes + 3) / 4) - 1;
  AtomicSectors sum;
  for (uint32_t queue : queues)
    while (queue) {
      const uint32_t go = first_to_go(request, queue);
      uint32_t words = 0; // of the line's 32
      for (const size_t lane : LanesOf(go))
        words |= of_a_lane << request.address[lane] / 4 % 32;
      for (; words != 0; words >>= 8) {
        sum.all += (words & 0xff) != 0;
        sum.whole += (words & 0xff) == 0xff;
      }
      queue &= ~go;
    }
  return sum;
}

namespace {

// Each line that a pair of lanes wants, the first of which has an even number.
unsigned count_lines_of_pairs(const WarpRequest &request) {
  unsigned count = 0;
  for (const size_t lane : LanesOf(request.active)) {
    const bool other_has_it =
        lane % 2 != 0 && (request.active >> (lane - 1) & 1) != 0 &&
        request.address[lane - 1] / line_bytes == request.address[lane] / line_bytes;
    count += !other_has_it;
  }
  return count;
}

} // namespace

unsigned count_sectors(const WarpRequest &request) {
  if (request.operation == Operation::atomic)
    return count_atomic_sectors(request).all;
  if (request.asynchronous && request.bytes == 16)
    return count_lines_of_pairs(request);
  return static_cast<unsigned>(distinct_sectors(request, request.active));
}

std::array<uint32_t, 4> shared_rounds(const WarpRequest &request) {
  const int per_round = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  std::array<uint32_t, 4> rounds{};
  size_t count = 0;
  for (int first = 0; first < lanes; first += per_round) {
    const bool second_may_join = per_round < 32 && first / per_round % 2 == 0;
    const bool joins =
        second_may_join && two_rounds_in_one(request, lanes_from(first, 2 * per_round));
    rounds[count++] = lanes_from(first, joins ? 2 * per_round : per_round);
    first += joins ? per_round : 0;
  }
  return rounds;
}

RequestCost count_wavefronts(const WarpRequest &request) {
  RequestCost cost;
  if (request.operation == Operation::atomic && request.sort != AtomicSort::adds_one) {
    const unsigned rounds =
        lanes_at_worst_bank(request) * (request.sort == AtomicSort::compare ? 2 : 1);
    cost.max_conflict = worst_bank(request, request.active);
    cost.wavefronts = rounds;
    cost.ideal_wavefronts = 1 + rounds - cost.max_conflict; // turns at one address remain
    return cost;
  }
  for (const uint32_t round : shared_rounds(request))
    if (const uint32_t active = request.active & round)
      cost.add_round(worst_bank(request, active));
  return cost;
}

} // namespace emu
