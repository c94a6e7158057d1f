#include "array_names.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "../src/engine/shared_memory.hpp"
#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

namespace {

std::string indexed(const std::string &name, long index) {
  return name + '[' + std::to_string(index) + ']';
}

/// Bytes of a type that everybody has; 0 of all others.
long bytes_of(std::string_view type) {
  static constexpr std::pair<std::string_view, long> types[] = {{"char", 1},
                                                                {"unsigned char", 1},
                                                                {"uint8_t", 1},
                                                                {"short", 2},
                                                                {"unsigned short", 2},
                                                                {"__half", 2},
                                                                {"half", 2},
                                                                {"__nv_bfloat16", 2},
                                                                {"int", 4},
                                                                {"unsigned", 4},
                                                                {"unsigned int", 4},
                                                                {"uint32_t", 4},
                                                                {"float", 4},
                                                                {"__half2", 4},
                                                                {"double", 8},
                                                                {"long long", 8},
                                                                {"uint64_t", 8},
                                                                {"size_t", 8},
                                                                {"float2", 8},
                                                                {"unsigned long long", 8},
                                                                {"int2", 8},
                                                                {"int4", 16},
                                                                {"float4", 16},
                                                                {"double2", 16}};
  const auto known = std::ranges::find(types, type, &std::pair<std::string_view, long>::first);
  return known == std::end(types) ? 0 : known->second;
}

/// Which element of the variable lies `offset` bytes from its beginning.
std::string element_of(const SharedVariable &variable, size_t offset) {
  std::string text = variable.name;
  size_t bytes = variable.size;
  for (const size_t extent : variable.extents) {
    if (extent == 0)
      break;
    bytes /= extent;
    text = indexed(text, static_cast<long>(offset / bytes));
    offset %= bytes;
  }
  return text;
}

} // namespace

std::string ArrayNames::Array::part(long offset, long bytes) const {
  if (element == 0)
    return (bytes == 1
                ? "byte " + std::to_string(offset)
                : "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes - 1)) +
           " of " + name;
  const auto index_of = [this](long byte) { // rounds down, before the array, too
    return (byte - (byte < 0 ? element - 1 : 0)) / element;
  };
  const long first_index = index_of(offset), last_index = index_of(offset + bytes - 1);
  return indexed(name, first_index) +
         (last_index > first_index ? " to " + indexed(name, last_index) : "");
}

void ArrayNames::launch_begins(const KernelBody &body) {
  pointers_.clear();
  std::istringstream text(body.names);
  std::string parameters, type;
  std::getline(text, parameters, ';');
  launch_memory_ = {};
  std::getline(text, launch_memory_.name, ':');
  std::getline(text, type);
  launch_memory_.element = bytes_of(type);
  std::istringstream names(parameters);
  size_t at = body.bytes_before_arguments;
  for (const ArgumentShape *shape = body.arguments; shape->bytes != 0; ++shape) {
    at = (at + shape->align - 1) / shape->align * shape->align;
    std::string name;
    std::getline(names, name, ',');
    const char *pointer = nullptr;
    if (shape->bytes == sizeof pointer)
      std::memcpy(&pointer, static_cast<const char *>(body.body) + at, sizeof pointer);
    if (pointer && !name.empty() && name.rfind("emu_p", 0) != 0)
      pointers_.push_back({name, pointer, static_cast<long>(shape->element)});
    at += shape->bytes;
  }
}

ArrayNames::Array ArrayNames::array_at(const Region &region, const char *address) const {
  Array found;
  for (const Array &array : pointers_) {
    const bool there = region.holds(array.first);
    const bool nearer =
        array.first <= address && (found.first > address || array.first > found.first);
    if (there && (found.name.empty() || nearer))
      found = array;
  }
  return found;
}

std::string ArrayNames::element(const ThreadAccess &access) const {
  if (access.space == Space::shared)
    return shared_element(access);
  if (!access.region)
    return {};
  const Array array = array_at(*access.region, access.address);
  return array.name.empty() ? array.name
                            : array.part(access.address - array.first, long{access.bytes});
}

std::string ArrayNames::of_parameter(const char *pointer, const ThreadAccess &access) const {
  const auto found = std::ranges::find(pointers_, pointer, &Array::first);
  return found == pointers_.end() ? std::string()
                                  : found->part(access.address - pointer, long{access.bytes});
}

std::string ArrayNames::place(const ThreadAccess &access) const {
  Array array;
  if (access.space != Space::shared && access.region)
    array = array_at(*access.region, access.address);
  else if (access.space == Space::shared && access.in_own_shared() >= dynamic_shared)
    array = {launch_memory_.name, access.address - (access.in_own_shared() - dynamic_shared), 0};
  return array.name.empty()
             ? array.name
             : "byte " + std::to_string(access.address - array.first) + " of " + array.name;
}

std::string ArrayNames::of_launch(const ThreadAccess &access) const {
  return launch_memory_.name.empty()
             ? launch_memory_.name
             : launch_memory_.part(access.in_own_shared() - dynamic_shared, long{access.bytes});
}

std::string ArrayNames::beside(const ThreadAccess &access) const {
  if (access.in_own_shared() >= dynamic_shared)
    return of_launch(access);
  const long offset = access.in_own_shared() - static_shared;
  const SharedVariable *before = nullptr;
  for (const SharedVariable *variable : placed_shared_variables())
    if (long{variable->offset} <= offset && (!before || variable->offset > before->offset))
      before = variable;
  return before && before->extents[0] != 0
             ? element_of(*before, static_cast<size_t>(offset) - before->offset)
             : std::string();
}

std::string ArrayNames::shared_element(const ThreadAccess &access) const {
  if (access.in_own_shared() >= dynamic_shared)
    return of_launch(access);
  const auto offset = static_cast<size_t>(access.in_own_shared() - static_shared);
  for (const SharedVariable *variable : placed_shared_variables())
    if (offset >= variable->offset && offset < variable->offset + variable->size)
      return element_of(*variable, offset - variable->offset);
  return {};
}

ArrayNames &array_names() {
  static ArrayNames &instance = *new ArrayNames;
  return instance;
}

} // namespace emu
