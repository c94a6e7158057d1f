// What the rewriter puts behind the definition of a variable for the device.
#pragma once

#include <cstddef>

namespace emu {

/// Makes known that each device has a variable of its own behind this address.
class DeviceVariable {
public:
  template <class T>
  explicit DeviceVariable(const T &variable)
      : DeviceVariable(__builtin_addressof(variable), sizeof(T)) {}

private:
  DeviceVariable(const volatile void *address, size_t size);
};

} // namespace emu
