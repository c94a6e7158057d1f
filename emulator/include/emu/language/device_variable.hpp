// What the rewriter puts behind the definition of a variable for the device.
#pragma once

#include <cstddef>
#include <type_traits>

namespace emu {

/// Makes known that the host and each device have a variable of their own behind this address.
class DeviceVariable {
public:
  template <class T>
  DeviceVariable(T &variable, const char *name)
      : DeviceVariable(__builtin_addressof(variable),
                       sizeof(T),
                       std::rank_v<T> == 1 ? sizeof(std::remove_extent_t<T>) : sizeof(T),
                       std::is_const_v<T>,
                       name) {}

private:
  DeviceVariable(
      const volatile void *address, size_t size, size_t element, bool is_const, const char *name);
};

/// Makes known a `__managed__` variable, which is one for all.
class ManagedVariable {
public:
  template <class T>
  ManagedVariable(const T &variable, const char *)
      : ManagedVariable(__builtin_addressof(variable), sizeof(T)) {}

private:
  ManagedVariable(const volatile void *address, size_t size);
};

/// Names the object that makes a template's variable known where that has to be a number.
template <const auto *known> inline constexpr size_t with = 0;

} // namespace emu
