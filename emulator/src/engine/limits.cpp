#include "engine/limits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/surroundings.hpp"

namespace emu {

namespace {

constexpr size_t kib = 1024;
constexpr int mib = 1024 * 1024;

constexpr DeviceLimits devices[] = {
#include "devices.inc"
};

constexpr std::string_view usual_device = "h200";

static_assert(std::ranges::all_of(devices, [](const DeviceLimits &device) {
  return device.shared_optin <= most_shared_per_block;
}));
static_assert(std::ranges::count(devices, usual_device, &DeviceLimits::key) == 1);

} // namespace

const DeviceLimits &device_limits() {
  const char *const given = std::getenv("EMU_DEVICE");
  const std::string_view key = given == nullptr || *given == '\0' ? usual_device : given;
  const auto found = std::ranges::find(devices, key, &DeviceLimits::key);
  if (found != std::end(devices))
    return *found;
  std::string keys;
  for (const DeviceLimits &device : devices)
    keys += (keys.empty() ? "" : ", ") + std::string(device.key);
  std::fprintf(stderr, "emulator: EMU_DEVICE=%s: give one of %s\n", given, keys.c_str());
  std::_Exit(2);
}

int sm_count(int device) {
  const int usual = number_from_environment("EMU_SMS", 1, 10000, device_limits().sms);
  return number_from_environment(("EMU_SMS_" + std::to_string(device)).c_str(), 1, 10000, usual);
}

size_t block_shared_limit() {
  return bytes_from_environment(
      "EMU_SHARED_KB", kib, most_shared_per_block / kib, device_limits().shared_optin);
}

StackSize stack_kb() {
  constexpr int not_given = 0;
  static const int given = number_from_environment("EMU_STACK_KB", 16, 1 << 20, not_given);
  return given == not_given ? StackSize{512, 48} : StackSize{given, given};
}

} // namespace emu
