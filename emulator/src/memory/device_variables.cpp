// Access to `__device__`, `__constant__` and `__managed__` variables from the host, and which
// device's values they have at present.
#include "memory/device_variables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "context/api.hpp"
#include "emu/language/device_variable.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "memory/allocations.hpp"

namespace emu {
namespace {

struct Variable {
  char *base;
  size_t size;
  size_t offset = 0; // in a bank
};
using Bank = std::vector<char>; // the values of all variables

struct Variables {
  std::mutex mutex;
  std::vector<Variable> all; // by address, once begun
  bool begun = false;
  int loaded = 0; // the device whose values are in place
  Bank initial;
  std::array<Bank, most_devices> banks; // of the others; empty: still as the program began

  /// Nothing can have written them before the first launch or copy.
  void begin() {
    if (begun)
      return;
    begun = true;
    std::sort(all.begin(), all.end(), [](const Variable &a, const Variable &b) {
      return a.base < b.base;
    });
    for (Variable &variable : all) {
      variable.offset = initial.size();
      initial.insert(initial.end(), variable.base, variable.base + variable.size);
    }
  }
  Bank &bank(int device) {
    Bank &values = banks[static_cast<size_t>(device)];
    if (values.empty())
      values = initial;
    return values;
  }
  const Variable *find(const char *address) const {
    const auto after =
        std::upper_bound(all.begin(), all.end(), address, [](const char *at, const Variable &v) {
          return at < v.base;
        });
    if (after == all.begin())
      return nullptr;
    const Variable &found = *std::prev(after);
    return static_cast<size_t>(address - found.base) < found.size ? &found : nullptr;
  }
};

Variables &variables() {
  static Variables &made = *new Variables;
  return made;
}

/// From here on the variable counts as device memory (entering it again changes nothing).
void make_known(Symbol symbol) {
  enter(symbol.address, symbol.size, MemoryKind::symbol, 0, current_device);
}

/// Calls `copy` with the address of a part of a variable.
/// \param with_host  the kind of a copy between it and the host
cudaError_t copy_part(Symbol symbol,
                      size_t size,
                      size_t offset,
                      cudaMemcpyKind kind,
                      cudaMemcpyKind with_host,
                      auto copy) {
  return device_call([&] {
    if (kind != with_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    if (offset > symbol.size || size > symbol.size - offset)
      return cudaErrorInvalidValue;
    make_known(symbol);
    return copy(static_cast<char *>(symbol.address) + offset);
  });
}

} // namespace

DeviceVariable::DeviceVariable(const volatile void *address, size_t size) {
  variables().all.push_back({static_cast<char *>(const_cast<void *>(address)), size});
}

void load_variables(int device) {
  if (!several_devices())
    return;
  Variables &v = variables();
  const std::lock_guard lock(v.mutex);
  v.begin();
  if (v.loaded == device)
    return;
  Bank &old = v.bank(v.loaded);
  for (const Variable &variable : v.all)
    std::memcpy(old.data() + variable.offset, variable.base, variable.size);
  const Bank &next = v.bank(device);
  for (const Variable &variable : v.all)
    std::memcpy(variable.base, next.data() + variable.offset, variable.size);
  v.loaded = device;
}

VariablesInUse::VariablesInUse() {
  if (several_devices())
    lock_ = std::unique_lock(variables().mutex);
}

char *VariablesInUse::place(const char *address, int device) const {
  char *const there = const_cast<char *>(address);
  if (!lock_.owns_lock())
    return there;
  Variables &v = variables();
  v.begin();
  const Variable *variable = device == v.loaded ? nullptr : v.find(address);
  return variable ? v.bank(device).data() + variable->offset + (address - variable->base) : there;
}

const char *address_on(int device, const char *address) {
  if (device == 0 || !several_devices())
    return address;
  Variables &v = variables();
  const std::lock_guard lock(v.mutex);
  v.begin();
  return v.find(address) ? address + (static_cast<uintptr_t>(device) << 56) : address;
}

cudaError_t copy_to_symbol(Symbol symbol,
                           const void *from,
                           size_t size,
                           size_t offset,
                           cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return copy_part(symbol, size, offset, kind, cudaMemcpyHostToDevice, [&](char *part) {
    return cudaMemcpyAsync(part, from, size, kind, stream);
  });
}

cudaError_t copy_from_symbol(
    void *to, Symbol symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_part(symbol, size, offset, kind, cudaMemcpyDeviceToHost, [&](const char *part) {
    return cudaMemcpyAsync(to, part, size, kind, stream);
  });
}

cudaError_t symbol_address(void **address, Symbol symbol) {
  return device_call([&] {
    if (address == nullptr)
      return cudaErrorInvalidValue;
    make_known(symbol);
    *address = symbol.address;
    return cudaSuccess;
  });
}

cudaError_t symbol_size(size_t *size, Symbol symbol) {
  return device_call([&] { return answer(size, symbol.size); });
}

} // namespace emu
