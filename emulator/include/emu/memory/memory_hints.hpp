// Loads and stores with a cache hint. The emulator has no cache, so they are plain accesses; they
// exist for the types CUDA has them for and for no others.
#pragma once

#include <type_traits>

#include "emu/engine/instrument.hpp"
#include "emu/language/keywords.hpp"
#include "emu/language/types.hpp"

namespace emu {

template <class T> inline constexpr bool has_hinted_access = std::is_arithmetic_v<T>;
template <> inline constexpr bool has_hinted_access<bool> = false;
template <> inline constexpr bool has_hinted_access<long double> = false;
template <> inline constexpr bool has_hinted_access<wchar_t> = false;
#define EMU_HINTED(T) template <> inline constexpr bool has_hinted_access<T> = true;
#define EMU_HINTED_2_4(NAME) \
  EMU_HINTED(NAME##2) \
  EMU_HINTED(NAME##4)
EMU_HINTED_2_4(char)
EMU_HINTED_2_4(uchar)
EMU_HINTED_2_4(short)
EMU_HINTED_2_4(ushort)
EMU_HINTED_2_4(int)
EMU_HINTED_2_4(uint)
EMU_HINTED_2_4(float)
EMU_HINTED(longlong2)
EMU_HINTED(ulonglong2)
EMU_HINTED(double2)
#undef EMU_HINTED_2_4
#undef EMU_HINTED

} // namespace emu

#define EMU_HINTED_LOAD(NAME) \
  template <class T> \
  requires emu::has_hinted_access<T> EMU_INLINE T NAME(const T *address) { return *address; }
EMU_HINTED_LOAD(__ldca)
EMU_HINTED_LOAD(__ldcg)
EMU_HINTED_LOAD(__ldcs)
EMU_HINTED_LOAD(__ldlu)
#undef EMU_HINTED_LOAD
/// Of what no thread of the kernel writes.
template <class T>
requires emu::has_hinted_access<T> EMU_INLINE T __ldg(const T *address) {
  const T value = *address;
#ifndef __CUDA__ // clang's own CUDA has no instruments
  emu::note_read_only(address, sizeof value);
#endif
  return value;
}
/// Really reads, each time.
template <class T>
requires emu::has_hinted_access<T> EMU_INLINE T __ldcv(const T *address) {
#ifndef __CUDA__ // clang's own CUDA has no emulator
  emu::volatile_hint();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
  return *address;
}

#define EMU_HINTED_STORE(NAME) \
  template <class T> \
  requires emu::has_hinted_access<T> EMU_INLINE void NAME(T *address, \
                                                          std::type_identity_t<T> value) { \
    *address = value; \
  }
EMU_HINTED_STORE(__stwb)
EMU_HINTED_STORE(__stcg)
EMU_HINTED_STORE(__stcs)
EMU_HINTED_STORE(__stwt)
#undef EMU_HINTED_STORE
