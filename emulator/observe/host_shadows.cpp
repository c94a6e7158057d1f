#include "host_shadows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "../src/memory/device_variables.hpp"
#include "look.hpp"
#include "task_races.hpp"

namespace emu {

namespace {

/// "counter", "table[3]"
std::string element_of(const HostVariable &variable, const char *address) {
  std::string text = variable.name;
  if (variable.element < variable.size)
    text +=
        '[' + std::to_string(static_cast<size_t>(address - variable.base) / variable.element) + ']';
  return text;
}

bool differs(const HostVariable &variable, const char *address, size_t bytes) {
  const auto offset = static_cast<size_t>(address - variable.base);
  return variable.on_device && std::memcmp(address,
                                           variable.on_device + offset,
                                           std::min(bytes, variable.size - offset)) != 0;
}

constexpr const char *whose = "the host has a variable of its own under this name, ";

} // namespace

// Variables are found before: nobody who has their lock waits for that of the instruments.
void ShadowUses::report(uint32_t pc, const std::string &text) {
  const LockedLook look;
  sink_.found(
      {"shadow_used", false, {{}, pc ? pc : place_of(program_callers()), {}, {}}, {}, text});
}

bool ShadowUses::are(const HostAccess &access) {
  const std::optional<HostVariable> variable = find_host_variable(access.address);
  if (!variable || !access.observed)
    return variable.has_value();
  const std::string element = element_of(*variable, access.address);
  if (access.operation != Operation::load)
    report(access.pc, "host code writes " + element + ": " + whose + "which no kernel sees");
  else if (differs(*variable, access.address, access.bytes))
    report(access.pc,
           "host code reads " + element + ": " + whose + "which does not hold the device's value");
  return true;
}

void ShadowUses::handed_over(
    const char *call, const char *memory, size_t bytes, bool writes, bool as_device) {
  const std::optional<HostVariable> variable = find_host_variable(memory);
  if (!variable || variable->asked_for ||
      !(as_device || writes || differs(*variable, memory, bytes)))
    return;
  report(0,
         std::string(call) + " gets the address of " + element_of(*variable, memory) + ": " +
             whose + "and this is its address");
}

void ShadowUses::launched(const char *kernel, const Stretch &arguments) {
  const Look look;
  for (size_t i = 0; i + sizeof(char *) <= arguments.bytes; i += sizeof(char *)) {
    const char *word = nullptr;
    std::memcpy(&word, arguments.base + i, sizeof word);
    const std::optional<HostVariable> variable = find_host_variable(word);
    if (variable && !variable->asked_for)
      report(0,
             std::string("kernel ") + kernel + " gets the address of " +
                 element_of(*variable, word) + ": " + whose + "and this is its address");
  }
}

} // namespace emu
