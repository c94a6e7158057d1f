/// @file
/// What a checker's calls of the learner's functions become in the judge: see roles/main.cpp, which
/// writes a definition of each declared function that hands its arguments to call().
#pragma once

#include "judge/calls.hpp"

#include <array>
#include <memory>

namespace judge {

/// An argument as it lies in memory, and what is known of where it points to.
struct Argument {
  const void *bytes;
  std::size_t size;
  bool points_to_memory = false;
  bool constant = false; ///< what it points to
  bool holds_numbers = false; ///< what it points to: nothing in there is a pointer
  std::size_t extent = 0; ///< bytes there; 0: unknown
};

/// A parameter that was declared as an array: `const cudaEvent_t copied[2]`.
template <std::size_t count, class T> struct Elements { T *first; };
template <std::size_t count, class T> __host__ __device__ Elements<count, T> elements(T *first) {
  return {first};
}

template <class T> Argument argument(const T &value) {
  Argument argument{&value, sizeof value};
  if constexpr (leads_to_object<T>()) {
    using Object = std::remove_pointer_t<T>;
    argument.points_to_memory = true;
    argument.constant = std::is_const_v<Object>;
    argument.holds_numbers = std::is_arithmetic_v<Object>;
  }
  return argument;
}
template <std::size_t count, class T> Argument argument(const Elements<count, T> &value) {
  Argument described = argument(value.first);
  described.extent = count * sizeof(T);
  return described;
}

/// Has the learner's process call the function, or, within a launch, launch the kernel.
/// @param key  as learner::Entry has it
/// @throws std::runtime_error with the text of what the function has thrown
void carry_out(const char *key,
               const Argument *arguments,
               std::size_t count,
               void *result,
               std::size_t result_bytes);

/// What stands in kernels, too: here they run on the host.
template <class Result, class... Arguments>
__host__ __device__ Result call(const char *key, const Arguments &...arguments) {
  const std::array<Argument, sizeof...(Arguments)> list{argument(arguments)...};
  if constexpr (std::is_void_v<Result>) {
    carry_out(key, list.data(), list.size(), nullptr, 0);
  } else {
    static_assert(std::is_trivially_copyable_v<Result>);
    Result result;
    carry_out(key, list.data(), list.size(), std::addressof(result), sizeof result);
    return result;
  }
}

/// Tells by which key the learner's process knows a function that has this address here.
struct Named {
  Named(const void *function, const char *key);
};

} // namespace judge
