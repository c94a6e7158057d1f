// Access to `__device__`, `__constant__` and `__managed__` variables from the host, and whose values
// they have at present.
#include "memory/device_variables.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "context/api.hpp"
#include "emu/language/device_variable.hpp"
#include "emu/runtime/runtime_memory.hpp"
#include "engine/watcher.hpp"
#include "memory/allocations.hpp"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

namespace emu {
namespace {

constexpr int the_host = -1; // as a holder of values; the others are devices
// From so many bytes of whole pages on, moving these takes less time than copying them.
constexpr size_t least_moved = 256 << 10;
// Page tables of so many bytes move in one piece, if they are aligned alike.
constexpr size_t alike = 2 << 20;

size_t page_size() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

struct Variable {
  const char *name;
  char *base;
  size_t size, element;
  char *pages; // the whole ones that it fills, of a large variable; else null
  size_t page_bytes;
  size_t at; // in Bank::small; of a large one, in Bank::large
};

/// The values of one holder while another's are in place.
struct Bank {
  std::vector<char> small;
  std::vector<char *> large; // mapped; they lie within their pages as the variables do

  char *place(const Variable &v) { return v.pages ? large[v.at] : small.data() + v.at; }
};

void *map_zeros(size_t bytes, void *at = nullptr) {
  return mmap(at,
              bytes,
              PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0),
              -1,
              0);
}

char *map_like(const Variable &v) {
  void *const memory = map_zeros(v.size + 2 * page_size() + alike);
  if (memory == MAP_FAILED) {
    std::fprintf(
        stderr, "emulator: no address space for variable %s of %zu bytes\n", v.name, v.size);
    std::abort();
  }
  const auto wanted = reinterpret_cast<uintptr_t>(v.base) % alike;
  const auto first = reinterpret_cast<uintptr_t>(memory);
  return static_cast<char *>(memory) + (wanted + alike - first % alike) % alike;
}

/// Calls `work(first, count)` for the pieces of a stretch that are not zeros alone: of memory that holds zeros only what
/// is written is taken.
void for_all_but_zeros(const char *memory, size_t bytes, auto work) {
  constexpr size_t piece = 4096;
  static constexpr char zeros[piece] = {};
  for (size_t i = 0; i < bytes; i += piece)
    if (const size_t count = std::min(piece, bytes - i); std::memcmp(memory + i, zeros, count) != 0)
      work(i, count);
}
/// Copies to memory that holds zeros.
void copy_to_zeros(char *to, const char *from, size_t bytes) {
  for_all_but_zeros(from, bytes, [&](size_t first, size_t count) {
    std::memcpy(to + first, from + first, count);
  });
}
void clear(char *memory, size_t bytes) {
  for_all_but_zeros(
      memory, bytes, [&](size_t first, size_t count) { std::memset(memory + first, 0, count); });
}

/// Moves pages to where others are; both places stay mapped, so that nobody else's mapping can come between.
/// Afterwards the place that they were moved from holds anything.
bool moved(void *to, void *from, size_t bytes) {
  constexpr int how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  return mremap(from, bytes, bytes, how, to) != MAP_FAILED;
}

/// Linux can since 5.7.
bool pages_can_move() {
  static const bool can = [] {
    const size_t page = page_size();
    auto *const pages = static_cast<char *>(map_zeros(2 * page));
    if (pages == MAP_FAILED)
      return false;
    pages[0] = 1;
    const bool both = moved(pages + page, pages, page) && pages[page] == 1 && pages[0] == 0;
    munmap(pages, 2 * page);
    return both;
  }();
  return can;
}

void move_pages(char *to, char *from, size_t bytes) {
  if (moved(to, from, bytes))
    return;
  // Before 5.13 pages of a file, as are those of initialised variables, don't move, but make room first.
  map_zeros(bytes, to);
  std::memcpy(to, from, bytes);
}

void move_value(const Variable &v, char *to, char *from) {
  if (v.pages == nullptr) {
    std::memcpy(to, from, v.size);
    return;
  }
  const auto front = static_cast<size_t>(v.pages - v.base), behind = front + v.page_bytes;
  std::memcpy(to, from, front);
  move_pages(to + front, from + front, v.page_bytes);
  std::memcpy(to + behind, from + behind, v.size - behind);
}

struct Variables {
  std::mutex mutex;
  std::vector<Variable> all; // by address
  std::atomic<const char *> lowest = nullptr, highest = nullptr; // all lie between
  int in_place = the_host;
  Bank initial;
  std::array<Bank, most_devices + 1> banks; // of the host and of the devices

  bool may_hold(const char *address) const { return address >= lowest && address < highest; }

  /// \return false if it is there already
  bool add(Variable v) {
    const auto after =
        std::lower_bound(all.begin(), all.end(), v.base, [](const Variable &one, const char *base) {
          return one.base < base;
        });
    if (after != all.end() && after->base == v.base)
      return false; // an inline one, of another source
    const size_t page = page_size();
    const auto base = reinterpret_cast<uintptr_t>(v.base);
    const uintptr_t first = (base + page - 1) / page * page, last = (base + v.size) / page * page;
    if (last >= first + least_moved && pages_can_move()) {
      v.pages = v.base + (first - base);
      v.page_bytes = last - first;
      v.at = initial.large.size();
      initial.large.push_back(map_like(v));
      copy_to_zeros(initial.large.back(), v.base, v.size);
    } else {
      v.at = initial.small.size();
      initial.small.insert(initial.small.end(), v.base, v.base + v.size);
    }
    all.insert(after, v);
    lowest = all.front().base;
    highest = all.back().base + all.back().size;
    return true;
  }

  /// What a holder has that has not had any before is what the program began with.
  Bank &bank(int holder) {
    Bank &values = banks[static_cast<size_t>(holder + 1)];
    if (values.small.size() < initial.small.size())
      values.small.insert(values.small.end(),
                          initial.small.begin() + static_cast<long>(values.small.size()),
                          initial.small.end());
    if (values.large.size() == initial.large.size())
      return values;
    values.large.resize(initial.large.size());
    for (const Variable &v : all)
      if (v.pages && values.large[v.at] == nullptr) {
        values.large[v.at] = map_like(v);
        copy_to_zeros(values.large[v.at], initial.large[v.at], v.size);
      }
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

  /// Where a holder's value is at present.
  char *place(const Variable &v, int holder) {
    return holder == in_place ? v.base : bank(holder).place(v);
  }

  void put_in_place(int holder) {
    if (lowest == nullptr)
      return;
    const std::lock_guard lock(mutex);
    if (in_place == holder)
      return;
    Bank &old = bank(in_place), &next = bank(holder);
    for (const Variable &v : all) {
      move_value(v, old.place(v), v.base);
      move_value(v, v.base, next.place(v));
    }
    in_place = holder;
  }
};

Variables &variables() {
  static Variables &made = *new Variables;
  return made;
}

// Addresses of devices' variables have the device's number, from 1, in their first byte.
constexpr int tag_shift = 56;
int tag_of(const char *address) {
  return static_cast<int>(reinterpret_cast<uintptr_t>(address) >> tag_shift);
}
const char *without_tag(const char *address) {
  return address - (static_cast<uintptr_t>(tag_of(address)) << tag_shift);
}

bool was_asked_for(const char *address) {
  const auto found = find_allocation(address);
  return found && found->kind == MemoryKind::symbol;
}

/// The whole variable of the device's that begins there; else, as of an element or of a pointer, CUDA finds no symbol.
std::optional<Symbol> find_symbol(const char *call, Symbol symbol) {
  Variables &v = variables();
  const auto *const address = static_cast<const char *>(symbol.address);
  {
    const std::lock_guard lock(v.mutex);
    if (const Variable *const found = v.find(address); found && found->base == address)
      return Symbol{found->base, found->size};
  }
  const auto found = find_allocation(address);
  if (found && found->kind == MemoryKind::managed && found->base == address)
    return Symbol{found->base, found->size};
  if (runtime_watcher)
    call_in_question = std::string(call) + " of what is no variable of the device's";
  return std::nullopt;
}

/// The address of the variable, or of the current device's own, which from here on counts as device memory.
/// (Entering it again changes nothing.)
char *make_known(Symbol symbol) {
  auto *const address =
      const_cast<char *>(address_on(current_device, static_cast<const char *>(symbol.address)));
  enter(address, symbol.size, MemoryKind::symbol, 0, current_device);
  return address;
}

/// Calls `copy` with the address of a part of a variable.
/// \param with_host  the kind of a copy between it and the host
cudaError_t copy_part(const char *call,
                      Symbol given,
                      size_t size,
                      size_t offset,
                      cudaMemcpyKind kind,
                      cudaMemcpyKind with_host,
                      auto copy) {
  return device_call([&] {
    if (kind != with_host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    const std::optional<Symbol> symbol = find_symbol(call, given);
    if (!symbol)
      return cudaErrorInvalidSymbol;
    if (offset > symbol->size || size > symbol->size - offset)
      return cudaErrorInvalidValue;
    return copy(make_known(*symbol) + offset);
  });
}

char *writable(const volatile void *address) {
  return static_cast<char *>(const_cast<void *>(address));
}

} // namespace

DeviceVariable::DeviceVariable(
    const volatile void *address, size_t size, size_t element, bool is_const, const char *name) {
  Variables &v = variables();
  const std::lock_guard lock(v.mutex);
  if (v.add({name, writable(address), size, element, nullptr, 0, 0}) && !is_const)
    clear(writable(address), size); // the initial value is the devices'
}

ManagedVariable::ManagedVariable(const volatile void *address, size_t size) {
  enter(writable(address), size, MemoryKind::managed, of_program | cudaMemAttachGlobal, 0);
}

LoadedVariables::LoadedVariables(int device) { variables().put_in_place(device); }
LoadedVariables::~LoadedVariables() { variables().put_in_place(the_host); }

VariablesInUse::VariablesInUse(std::span<const char *const> addresses) {
  Variables &v = variables();
  for (const char *address : addresses)
    if (!lock_ && v.may_hold(without_tag(address)))
      lock_ = std::unique_lock(v.mutex);
}

char *VariablesInUse::place(const char *address, int device) const {
  Variables &v = variables();
  const int tag = tag_of(address);
  const char *const plain = without_tag(address);
  const Variable *const variable = v.may_hold(plain) ? v.find(plain) : nullptr;
  if (variable == nullptr)
    return const_cast<char *>(address);
  const int holder = tag > 0 ? tag - 1 : was_asked_for(address) ? device : the_host;
  return v.place(*variable, holder) + (plain - variable->base);
}

const char *address_on(int device, const char *address) {
  Variables &v = variables();
  if (!v.may_hold(address))
    return address;
  const std::lock_guard lock(v.mutex);
  return v.find(address) ? address + (static_cast<uintptr_t>(device + 1) << tag_shift) : address;
}

void reset_variables(int device) {
  Variables &v = variables();
  const std::lock_guard lock(v.mutex);
  Bank &values = v.bank(device);
  values.small = v.initial.small;
  for (const Variable &variable : v.all)
    if (variable.pages) {
      char *const value = values.place(variable);
      madvise(value + (variable.pages - variable.base), variable.page_bytes, MADV_DONTNEED);
      const auto front = static_cast<size_t>(variable.pages - variable.base);
      std::memset(value, 0, front);
      std::memset(
          value + front + variable.page_bytes, 0, variable.size - front - variable.page_bytes);
      copy_to_zeros(value, v.initial.place(variable), variable.size);
    }
}

std::optional<HostVariable> find_host_variable(const char *address) {
  Variables &v = variables();
  if (!v.may_hold(address))
    return std::nullopt;
  const std::lock_guard lock(v.mutex);
  const Variable *const found = v.find(address);
  if (found == nullptr)
    return std::nullopt;
  return HostVariable{found->name,
                      found->base,
                      found->size,
                      found->element,
                      v.in_place == the_host ? v.place(*found, current_device) : nullptr,
                      was_asked_for(address)};
}

cudaError_t copy_to_symbol(Symbol symbol,
                           const void *from,
                           size_t size,
                           size_t offset,
                           cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return copy_part(
      "cudaMemcpyToSymbol", symbol, size, offset, kind, cudaMemcpyHostToDevice, [&](char *part) {
        return cudaMemcpyAsync(part, from, size, kind, stream);
      });
}

cudaError_t copy_from_symbol(
    void *to, Symbol symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_part("cudaMemcpyFromSymbol",
                   symbol,
                   size,
                   offset,
                   kind,
                   cudaMemcpyDeviceToHost,
                   [&](const char *part) { return cudaMemcpyAsync(to, part, size, kind, stream); });
}

cudaError_t symbol_address(void **address, Symbol given) {
  return device_call([&] {
    if (address == nullptr)
      return cudaErrorInvalidValue;
    const std::optional<Symbol> symbol = find_symbol("cudaGetSymbolAddress", given);
    if (!symbol)
      return cudaErrorInvalidSymbol;
    // From here on this is the device's, wherever it is used.
    enter(symbol->address, symbol->size, MemoryKind::symbol, 0, current_device);
    *address = symbol->address;
    return cudaSuccess;
  });
}

cudaError_t symbol_size(size_t *size, Symbol given) {
  return device_call([&] {
    const std::optional<Symbol> symbol = find_symbol("cudaGetSymbolSize", given);
    return symbol ? answer(size, symbol->size) : cudaErrorInvalidSymbol;
  });
}

} // namespace emu
