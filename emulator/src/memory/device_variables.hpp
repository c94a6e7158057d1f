/// \file
/// `__device__` and `__constant__` variables: each device has its own.
///
/// A kernel reaches them by the one address that the compiler gave them. So the values there are
/// those of one device at a time, and a launch on another device exchanges them first. The rewriter
/// puts a DeviceVariable behind each definition (emu/language/device_variable.hpp). With one device nothing
/// of this happens.
#pragma once

#include <mutex>

namespace emu {

/// Puts the values of a device in place, for a kernel that runs there next.
void load_variables(int device);

/// While it lives, nobody exchanges them.
class VariablesInUse {
public:
  VariablesInUse();
  /// Where the bytes at `address` are if they are a variable of this device; else there.
  char *place(const char *address, int device) const;

private:
  std::unique_lock<std::mutex> lock_; // of nothing where there is one device
};

/// For the instruments: an address that no other device's variable has. Itself for all other memory.
const char *address_on(int device, const char *address);

} // namespace emu
