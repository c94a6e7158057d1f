/// \file
/// Looks for host code that takes its own variable for the device's of the same name.
///
/// The host has a variable under the name of each `__device__` and `__constant__` one, which no kernel sees
/// (memory/device_variables.hpp). To write it is a mistake; to read it is one unless it holds what the
/// device's does, as a table that nobody has changed; so is its address where the device's is wanted.
#pragma once

#include "observer.hpp"

namespace emu {

class ShadowUses {
public:
  explicit ShadowUses(HazardSink &sink) : sink_(sink) {}

  /// Whether an access of host code is one of such a variable: then it is nobody else's business.
  bool are(const HostAccess &access);
  /// A call was given this memory. \param as_device  as the device's
  void handed_over(const char *call, const char *memory, size_t bytes, bool writes, bool as_device);
  /// Looks for such addresses among a kernel's arguments.
  void launched(const char *kernel, const Stretch &arguments);

private:
  void report(uint32_t pc, const std::string &text);

  HazardSink &sink_;
};

} // namespace emu
