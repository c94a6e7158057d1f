/// @file
/// The learner's side of a call: what roles/main.cpp writes for each function that a checker declares.
#pragma once

#include "judge/calls.hpp"

#include <new>
#include <utility>

namespace learner {

/// The arguments of a question, as functions of this process take them.
class Arguments {
public:
  virtual ~Arguments() = default;
  /// Bytes of argument number i. Where it points to memory of the judge's that has come along, it
  /// points to that here.
  virtual void *at(std::size_t i, std::size_t bytes, bool points_to_memory) = 0;
  virtual const emu::LaunchConfig &launch() const = 0;
};

/// A function that the judge can ask for.
struct Entry {
  using Invoke = void (*)(const char *name, Arguments &arguments, void *result);
  Entry(const char *key,
        const char *name,
        const void *address,
        Invoke invoke,
        std::size_t result_bytes,
        bool kernel);

  const char *key; ///< name and parameters
  const char *name;
  const void *address;
  Invoke invoke;
  std::size_t result_bytes;
  bool kernel;
};

template <class P> std::remove_cvref_t<P> &value_of(Arguments &arguments, std::size_t i) {
  using Value = std::remove_cvref_t<P>;
  return *static_cast<Value *>(arguments.at(i, sizeof(Value), judge::leads_to_object<Value>()));
}

template <auto function> struct Function;

template <class R, class... P, R (*function)(P...)> struct Function<function> {
  template <std::size_t... i>
  static void call(Arguments &arguments, void *result, std::index_sequence<i...>) {
    if constexpr (std::is_void_v<R>)
      function(value_of<P>(arguments, i)...);
    else
      new (result) R(function(value_of<P>(arguments, i)...));
  }
  template <std::size_t... i>
  static void launch(const char *name, Arguments &arguments, std::index_sequence<i...>) {
    emu::configure(name, arguments.launch());
    function(value_of<P>(arguments, i)...);
  }

  static Entry host(const char *key, const char *name) {
    return {key,
            name,
            reinterpret_cast<const void *>(function),
            [](const char *, Arguments &arguments, void *result) {
              call(arguments, result, std::index_sequence_for<P...>{});
            },
            size_of_result(),
            false};
  }
  static Entry kernel(const char *key, const char *name) {
    return {key,
            name,
            reinterpret_cast<const void *>(function),
            [](const char *called, Arguments &arguments, void *) {
              launch(called, arguments, std::index_sequence_for<P...>{});
            },
            0,
            true};
  }

private:
  static constexpr std::size_t size_of_result() {
    if constexpr (std::is_void_v<R>)
      return 0;
    else
      return sizeof(R);
  }
};

} // namespace learner
