#include "engine/drawn_order.hpp"

#include <numeric>

#include "engine/surroundings.hpp"

namespace emu {

namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t mixed(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

uint64_t asked_for() { return static_cast<uint64_t>(count_from_environment("EMU_SCHEDULE", 0)); }

} // namespace

uint64_t DrawnOrder::next() { return mixed(state_ += golden); }

// i * step + first, modulo `blocks`: all of them, because step and blocks have no common divisor.
uint64_t DrawnOrder::block(uint64_t i, uint64_t blocks) const {
  if (!drawn() || blocks < 2)
    return i;
  uint64_t step = mixed(seed_ + golden) % blocks;
  while (std::gcd(step, blocks) != 1)
    ++step;
  const uint64_t first = mixed(seed_ + 2 * golden) % blocks;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * step + first) % blocks);
}

DrawnOrder &drawn_order() {
  static DrawnOrder instance(asked_for());
  return instance;
}

void follow_environment() {
  static uint64_t followed = drawn_order().seed(); // not what emu::set_schedule() says meanwhile
  if (const uint64_t now = asked_for(); now != followed) {
    followed = now;
    drawn_order() = DrawnOrder(now);
  }
}

} // namespace emu
