/// \file
/// `__device__` and `__constant__` variables: the host has one under each name, and so has each device.
///
/// Host and kernels reach them by the one address that the compiler gave them. So the values there are those
/// of one holder at a time: of the host while no kernel runs, and those of its device while one does. That is
/// so for all code, whatever function it stands in, which a second name for the host could not promise: most
/// functions have one text for both sides. What host code writes by name thus reaches no kernel, as on a GPU,
/// and what it reads is its own. (Another host thread that uses the name while a kernel runs finds the
/// device's.) The rewriter puts a DeviceVariable behind each definition
/// (emu/language/device_variable.hpp). The values of small variables are copied, the pages of large ones move,
/// so that a launch takes as long whatever their size.
///
/// An address that calls are given is the device's only if the program has asked for it, by
/// cudaGetSymbolAddress; else it is `&variable` of host code: the host's own memory.
#pragma once

#include <mutex>
#include <optional>
#include <span>

namespace emu {

/// While it lives, the variables have the values of a device, for a kernel that runs there. One at a time.
class LoadedVariables {
public:
  explicit LoadedVariables(int device);
  ~LoadedVariables();
  LoadedVariables(const LoadedVariables &) = delete;
  LoadedVariables &operator=(const LoadedVariables &) = delete;
};

/// While it lives, nobody exchanges them, if one of these addresses may be of one.
class VariablesInUse {
public:
  explicit VariablesInUse(std::span<const char *const> addresses);
  /// Where the bytes at `address` are. \param device  whose variable it is if the program has asked for its
  /// address
  char *place(const char *address, int device) const;

private:
  std::unique_lock<std::mutex> lock_;
};

/// The address of a device's variable that no other memory has; itself for all other memory. Calls may be
/// given it; it leads nowhere.
const char *address_on(int device, const char *address);

/// The variables of a device are again as the program began.
void reset_variables(int device);

/// A variable that the host has under the name of one for the device.
struct HostVariable {
  const char *name;
  const char *base;
  size_t size; // bytes
  size_t element; // bytes; of an array of one dimension less than its size
  const char *on_device; // the value that the current device has; null while a kernel runs
  bool asked_for; // by cudaGetSymbolAddress: to calls and kernels the address is the device's
};
/// The one that holds the address.
std::optional<HostVariable> find_host_variable(const char *address);

} // namespace emu
