#include "array_names.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "../src/engine/shared_memory.hpp"
#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

namespace {

std::string indexed(const std::string &name, long index) {
  return name + '[' + std::to_string(index) + ']';
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

void ArrayNames::launch_begins(const KernelBody &body) {
  pointers_.clear();
  std::istringstream text(body.names);
  std::string parameters;
  std::getline(text, parameters, ';');
  std::getline(text, launch_memory_);
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
      pointers_.push_back({name, pointer});
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
  const long offset = access.address - array.first;
  return array.name.empty() ? std::string() : indexed(array.name, offset / long{access.bytes});
}

std::string ArrayNames::of_launch(const ThreadAccess &access) const {
  const long offset = access.in_own_shared() - dynamic_shared;
  return launch_memory_.empty() ? launch_memory_
                                : indexed(launch_memory_, offset / long{access.bytes});
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
