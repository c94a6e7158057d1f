#include "context/devices.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "engine/surroundings.hpp"
#include <observation/devices.hpp>

namespace emu {

namespace {

constinit std::atomic<int> wanted{1};
/// By the device that reaches, and the one that is reached.
constinit std::atomic<bool> reach[most_devices][most_devices] = {};
constinit std::atomic<bool> reach_pool[most_devices][most_devices] = {};

/// Of pairs as in 1:0,2:1. Others end the program.
bool is_among(const char *pairs, int device, int other) {
  bool found = false;
  const char *const end = pairs + std::strlen(pairs);
  for (const char *at = pairs;; ++at) {
    int from = 0, to = 0;
    const auto first = std::from_chars(at, end, from);
    const bool has_second = first.ec == std::errc{} && first.ptr != end && *first.ptr == ':';
    const auto second = std::from_chars(has_second ? first.ptr + 1 : end, end, to);
    at = second.ptr;
    if (second.ec != std::errc{} || (at != end && *at != ',') || std::min(from, to) < 0 ||
        std::max(from, to) >= most_devices) {
      std::fprintf(stderr,
                   "emulator: EMU_PEERS=%s: give 0, 1, 2, or pairs of devices, as in 1:0,2:1\n",
                   pairs);
      std::_Exit(2);
    }
    found = found || (from == device && to == other);
    if (at == end)
      return found;
  }
}

} // namespace

constinit thread_local int current_device = 0;
int running_device = 0;

int device_count_so_far() {
  return number_from_environment("EMU_DEVICES", 1, most_devices, wanted);
}

int device_count() {
  static const int count = device_count_so_far();
  return count;
}

int devices_to_see() {
  const int count = device_count();
  return std::min(count, number_from_environment("EMU_DEVICES", 1, most_devices, count));
}

int want_devices(int count) {
  wanted = count < 1 ? 1 : count > most_devices ? most_devices : count;
  return device_count();
}

size_t device_memory() {
  static const size_t share = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                              static_cast<size_t>(sysconf(_SC_PAGE_SIZE)) / 2 /
                              static_cast<size_t>(device_count());
  return bytes_from_environment("EMU_MEMORY_GB", size_t{1} << 30, 1024, share);
}

bool can_reach(int device, int other) {
  if (device == other)
    return false;
  const char *const given = std::getenv("EMU_PEERS");
  if (given && std::strchr(given, ':'))
    return is_among(given, device, other);
  const int peers = number_from_environment("EMU_PEERS", 0, 2, 1);
  return peers == 1 || (peers == 2 && device < other);
}

bool may_reach(int device, int other) {
  return device == other || reach[device][other].load(std::memory_order_relaxed);
}

bool let_reach(int device, int other, bool may) { return reach[device][other].exchange(may); }

bool may_reach_pool(int device, int owner) {
  return device == owner || reach_pool[device][owner].load(std::memory_order_relaxed);
}

void let_reach_pool(int device, int owner, bool may) { reach_pool[device][owner] = may; }

void forget_peers(int device) {
  for (int other = 0; other < most_devices; ++other) {
    reach[device][other] = reach[other][device] = false;
    reach_pool[device][other] = reach_pool[other][device] = false;
  }
}

} // namespace emu
