#include "context/devices.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "engine/surroundings.hpp"
#include <observation/devices.hpp>

namespace emu {

namespace {

constinit std::atomic<int> wanted{1};
/// By the device that reaches, and the one that is reached.
constinit std::atomic<bool> reach[most_devices][most_devices] = {};
constinit std::atomic<bool> reach_pool[most_devices][most_devices] = {};

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

int want_devices(int count) {
  wanted = count < 1 ? 1 : count > most_devices ? most_devices : count;
  return device_count();
}

size_t device_memory() {
  static const size_t share = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                              static_cast<size_t>(sysconf(_SC_PAGE_SIZE)) / 2 /
                              static_cast<size_t>(device_count());
  const int given = number_from_environment("EMU_MEMORY_GB", 1, 1024, 0);
  return given == 0 ? share : static_cast<size_t>(given) << 30;
}

bool can_reach(int device, int other) {
  if (device == other)
    return false;
  const char *const given = std::getenv("EMU_PEERS");
  const std::string pairs = "," + std::string(given ? given : "") + ",";
  if (pairs.find(':') != std::string::npos)
    return pairs.find("," + std::to_string(device) + ":" + std::to_string(other) + ",") !=
           std::string::npos;
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
