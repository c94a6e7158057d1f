/// \file
/// Instructions of PTX on memory. Included by ptx.hpp.
#pragma once

#include "cuda_pipeline_primitives.h"
#include "emu/engine/bulk.hpp"
#include "emu/memory/nv_atomics.hpp"
#include "emu/ptx/ptx_arithmetic.hpp"

namespace emu::ptx {

template <Name op> consteval Scope scope() {
  constexpr std::string_view o = op.view();
  return has(o, "cta")       ? Scope::block
         : has(o, "cluster") ? Scope::cluster
         : has(o, "sys")     ? Scope::system
                             : Scope::device;
}
template <Name op> consteval int order() {
  constexpr std::string_view o = op.view();
  return has(o, "acquire")   ? __NV_ATOMIC_ACQUIRE
         : has(o, "release") ? __NV_ATOMIC_RELEASE
         : has(o, "acq_rel") ? __NV_ATOMIC_ACQ_REL
                             : __NV_ATOMIC_RELAXED;
}
template <Name op> consteval int nv_scope_of() {
  return scope<op>() == Scope::block     ? __NV_THREAD_SCOPE_BLOCK
         : scope<op>() == Scope::cluster ? __NV_THREAD_SCOPE_CLUSTER
         : scope<op>() == Scope::system  ? __NV_THREAD_SCOPE_SYSTEM
                                         : __NV_THREAD_SCOPE_DEVICE;
}
template <Name op> constexpr bool is_atomic() {
  constexpr std::string_view o = op.view();
  return has(o, "acquire") || has(o, "release") || has(o, "relaxed");
}
/// What one access moves.
template <class T, size_t N> struct alignas(N * sizeof(T)) Several { T values[N]; };

template <Name op, class D>
requires(is<op>("ld", "ldu")) EMU_INLINE void memory(Site, D &&d, Address from) {
  using T = Type<op>;
  constexpr size_t n = lanes_of_vector<op>();
  if constexpr (has(op.view(), "volatile") || has(op.view(), "cv"))
    volatile_hint();
  if constexpr (has(op.view(), "cg") || has(op.view(), "cv"))
    __atomic_signal_fence(__ATOMIC_SEQ_CST); // read each time, as the L1 cache has no say
  if constexpr (n > 1) {
    const Several<T, n> all = *pointer<op, const Several<T, n>>(from);
    set_all(d, all.values);
  } else if constexpr (is_atomic<op>()) {
    set(d, __nv_atomic_load_n(pointer<op, const T>(from), order<op>(), nv_scope_of<op>()));
  } else if constexpr (has(op.view(), "volatile")) {
    set(d, static_cast<T>(*pointer<op, const volatile T>(from)));
  } else {
    set(d, *pointer<op, const T>(from));
  }
  if constexpr (has(op.view(), "nc"))
    note_read_only(pointer<op, const T>(from), n * sizeof(T));
}
template <Name op, class A>
requires(is<op>("st")) EMU_INLINE void memory(Site, Address to, const A &x) {
  using T = Type<op>;
  constexpr size_t n = lanes_of_vector<op>();
  if constexpr (n > 1) {
    Several<T, n> all;
    get_all(all.values, x);
    *pointer<op, Several<T, n>>(to) = all;
  } else if constexpr (is_atomic<op>()) {
    __nv_atomic_store_n(pointer<op, T>(to), get<T>(x), order<op>(), nv_scope_of<op>());
  } else if constexpr (has(op.view(), "volatile")) {
    *pointer<op, volatile T>(to) = get<T>(x);
  } else {
    *pointer<op, T>(to) = get<T>(x);
  }
}

// The atomic operation's function for blocks, for the device, which does for clusters, too, or for the system.
#define EMU_PTX_SCOPES(NAME, ...) \
  (scope<op>() == Scope::block    ? NAME##_block(__VA_ARGS__) \
   : scope<op>() == Scope::system ? NAME##_system(__VA_ARGS__) \
                                  : NAME(__VA_ARGS__))
template <Name op, class... A> EMU_INLINE auto atomic(Address at, const A &...operands) {
  constexpr std::string_view o = op.view();
  using T = std::conditional_t<std::is_same_v<Type<op>, S64> && has(o, "add"), U64, Type<op>>;
  T *const p = pointer<op, T>(at);
  if constexpr (order<op>() >= __NV_ATOMIC_RELEASE)
    note_fence(scope<op>());
  const auto done = [&](T a, auto... more) {
    if constexpr (has(o, "add"))
      return EMU_PTX_SCOPES(atomicAdd, p, a);
    else if constexpr (has(o, "min"))
      return EMU_PTX_SCOPES(atomicMin, p, a);
    else if constexpr (has(o, "max"))
      return EMU_PTX_SCOPES(atomicMax, p, a);
    else if constexpr (has(o, "inc"))
      return EMU_PTX_SCOPES(atomicInc, p, a);
    else if constexpr (has(o, "dec"))
      return EMU_PTX_SCOPES(atomicDec, p, a);
    else if constexpr (has(o, "and"))
      return EMU_PTX_SCOPES(atomicAnd, p, a);
    else if constexpr (has(o, "or"))
      return EMU_PTX_SCOPES(atomicOr, p, a);
    else if constexpr (has(o, "xor"))
      return EMU_PTX_SCOPES(atomicXor, p, a);
    else if constexpr (has(o, "exch"))
      return EMU_PTX_SCOPES(atomicExch, p, a);
    else
      return EMU_PTX_SCOPES(atomicCAS, p, a, more...);
  }(get<T>(operands)...);
  if constexpr (nv_acquires(order<op>()))
    note_acquire();
  return done;
}
#undef EMU_PTX_SCOPES
template <Name op, class D, class... A>
requires(is<op>("atom") && lanes_of_vector<op>() == 1) //
    EMU_INLINE void memory(Site, D &&d, Address at, const A &...operands) {
  set(d, atomic<op>(at, operands...));
}
template <Name op, class A>
requires(is<op>("red") && lanes_of_vector<op>() == 1) //
    EMU_INLINE void memory(Site, Address at, const A &a) {
  static_cast<void>(atomic<op>(at, a));
}

// Asynchronous copies, and waiting for them.
template <Name op, class Bytes, class... Rest>
requires(is<op>("cp") && part(op.view(), 1) == "async" && !has(op.view(), "bulk") &&
         !has(op.view(), "mbarrier")) //
    EMU_INLINE void memory(Site, Address to, Address from, Bytes bytes, Rest... rest) {
  size_t read = static_cast<size_t>(bytes);
  if constexpr (sizeof...(rest) > 0)
    if (const size_t given = get<size_t>(std::get<0>(std::tuple(rest...))); given < read)
      read = given;
  __pipeline_memcpy_async(from_shared(to.value),
                          reinterpret_cast<const void *>(from.value),
                          static_cast<size_t>(bytes),
                          static_cast<size_t>(bytes) - read);
}
template <Name op, class... N>
requires(is<op>("cp") &&
         (has(op.view(), "commit_group") || has(op.view(), "wait_group") ||
          has(op.view(), "wait_all")) &&
         !has(op.view(), "bulk")) //
    EMU_INLINE void memory(Site, N... but) {
  if constexpr (!has(op.view(), "wait_group"))
    commit_copies();
  if constexpr (!has(op.view(), "commit_group"))
    wait_for_groups((size_t{0} + ... + get<size_t>(but)));
}

/// Advice for caches.
template <Name op, class... A>
requires(is<op>("prefetch", "prefetchu", "discard", "applypriority")) EMU_INLINE
    void memory(Site, const A &...) {}
template <Name op, class D, class... A>
requires(is<op>("createpolicy")) EMU_INLINE void memory(Site, D &&d, const A &...) { d = 0; }

template <Name op>
requires(is<op>("membar", "fence") && !has(op.view(), "proxy") &&
         !has(op.view(), "mbarrier_init")) //
    EMU_INLINE void memory(Site) {
  constexpr Scope among = has(op.view(), "gl") ? Scope::device : scope<op>();
  fence(among);
}
/// Between accesses by threads and by asynchronous operations, or of these, only which barriers were made ready.
template <Name op>
requires(is<op>("fence") && (has(op.view(), "proxy") || has(op.view(), "mbarrier_init"))) EMU_INLINE
    void memory(Site) {
  if constexpr (has(op.view(), "async") || part(op.view(), 2).substr(0, 5) == "async")
    proxy_fence();
  else if constexpr (has(op.view(), "mbarrier_init"))
    proxy_fence(true);
}

} // namespace emu::ptx
