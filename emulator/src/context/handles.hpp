/// \file
/// What handles are alive. One that was destroyed is told from a live one by looking it up, never by touching what it
/// points to. Of those whose type says by which call they are destroyed the instruments hear.
#pragma once

#include <mutex>
#include <unordered_set>

#include "emu/runtime/errors.hpp"
#include "engine/watcher.hpp"

namespace emu {

template <class Object> class Handles {
public:
  Object *enter(Object *made) {
    {
      const std::lock_guard lock(mutex_);
      alive_.insert(made);
    }
    if constexpr (is_told)
      if (runtime_watcher)
        runtime_watcher->handle_made(made, Object::destroyed_by);
    return made;
  }
  bool contains(const Object *handle) {
    const std::lock_guard lock(mutex_);
    return alive_.contains(const_cast<Object *>(handle));
  }
  /// Calls `use(Object &)`, for as long as which it stays; `use` asks for no other handle of this kind.
  cudaError_t with(Object *handle, auto use, cudaError_t unknown = cudaErrorInvalidResourceHandle) {
    const std::lock_guard lock(mutex_);
    return alive_.contains(handle) ? use(*handle) : unknown;
  }
  cudaError_t destroy(Object *handle, cudaError_t unknown = cudaErrorInvalidResourceHandle) {
    {
      const std::lock_guard lock(mutex_);
      if (alive_.erase(handle) == 0)
        return unknown;
    }
    end(handle);
    return cudaSuccess;
  }
  void destroy_if(auto goes) {
    const std::lock_guard lock(mutex_);
    std::erase_if(alive_, [&](Object *object) {
      const bool gone = goes(*object);
      if (gone)
        end(object);
      return gone;
    });
  }
  void destroy_all() {
    destroy_if([](const Object &) { return true; });
  }

private:
  static constexpr bool is_told = requires { Object::destroyed_by; };

  static void end(Object *object) {
    if constexpr (is_told)
      if (runtime_watcher)
        runtime_watcher->handle_gone(object);
    delete object;
  }

  std::mutex mutex_;
  std::unordered_set<Object *> alive_;
};

/// Never destroyed: destructors of static objects call CUDA, too.
template <class Object> Handles<Object> &handles() {
  static auto &made = *new Handles<Object>;
  return made;
}

} // namespace emu
