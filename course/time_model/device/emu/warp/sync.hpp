// Barriers, shuffles, votes, match and reduce, as instructions.
#pragma once

#include "emu/engine/engine.hpp"

#define EMU_SITE const char *emu_file = "", int emu_line = 0
#define EMU_HERE (::emu::Site{emu_file, emu_line})

#ifdef __CUDA_ARCH__
#define EMU_ON_DEVICE(...) __VA_ARGS__
#else
#define EMU_ON_DEVICE(...)
#endif

namespace emu {

template <class T> inline uint64_t to_bits(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T> inline T from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// A value of up to 8 bytes, by a move of 4.
template <class T, class Move> inline T in_words(T value, Move move) {
  const uint64_t bits = to_bits(value);
  uint64_t moved = static_cast<unsigned>(move(static_cast<int>(bits)));
  if constexpr (sizeof(T) > 4)
    moved |= static_cast<uint64_t>(static_cast<unsigned>(move(static_cast<int>(bits >> 32)))) << 32;
  return from_bits<T>(moved);
}

/// The value of lane `source`.
template <class T> inline T shuffle(unsigned mask, T value, int source, Site) {
  EMU_ON_DEVICE(value = in_words(value, [=](int word) {
                  return __nvvm_shfl_sync_idx_i32(mask, word, source, 31);
                });)
  return value;
}

} // namespace emu

#define EMU_SHUFFLE(NAME, OPERATION, OPERAND, CLAMP) \
  template <class T> \
  inline T NAME(unsigned mask, T value, OPERAND operand, int width = 32, EMU_SITE) { \
    EMU_ON_DEVICE(const int control = (32 - width) << 8 | CLAMP; \
                  value = emu::in_words(value, [=](int word) { \
                    return __nvvm_shfl_sync_##OPERATION##_i32( \
                        mask, word, static_cast<int>(operand), control); \
                  });) \
    return value; \
  }
EMU_SHUFFLE(__shfl_sync, idx, int, 31)
EMU_SHUFFLE(__shfl_up_sync, up, unsigned, 0)
EMU_SHUFFLE(__shfl_down_sync, down, unsigned, 31)
EMU_SHUFFLE(__shfl_xor_sync, bfly, int, 31)
#undef EMU_SHUFFLE

#define __syncthreads() ::emu::barrier(::emu::Site())
inline int __syncthreads_count(int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_bar0_popc(predicate);)
  return predicate;
}
inline int __syncthreads_and(int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_bar0_and(predicate);)
  return predicate;
}
inline int __syncthreads_or(int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_bar0_or(predicate);)
  return predicate;
}

inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_SITE) {
  EMU_ON_DEVICE(__nvvm_bar_warp_sync(mask);)
}
inline unsigned __activemask(EMU_SITE) { return emu::converge(EMU_HERE); }
inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_vote_ballot_sync(mask, predicate);)
  return mask & static_cast<unsigned>(predicate);
}
inline int __any_sync(unsigned mask, int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_vote_any_sync(mask, predicate);)
  return predicate;
}
inline int __all_sync(unsigned mask, int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_vote_all_sync(mask, predicate);)
  return predicate;
}
inline int __uni_sync(unsigned mask, int predicate, EMU_SITE) {
  EMU_ON_DEVICE(return __nvvm_vote_uni_sync(mask, predicate);)
  return predicate;
}
template <class T> inline unsigned __match_any_sync(unsigned mask, T value, EMU_SITE) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) > 4)
    return static_cast<unsigned>(
        __nvvm_match_any_sync_i64(mask, static_cast<long long>(emu::to_bits(value))));
  else
    return __nvvm_match_any_sync_i32(mask, static_cast<int>(emu::to_bits(value)));
#endif
  return mask;
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int *all_equal, EMU_SITE) {
  const unsigned same = __match_any_sync(mask, value);
  *all_equal = same == mask;
  return same == mask ? mask : 0;
}

#define EMU_REDUCE(NAME, OPERATION, TYPE) \
  inline TYPE NAME(unsigned mask, TYPE value, EMU_SITE) { \
    EMU_ON_DEVICE(value = static_cast<TYPE>(__nvvm_redux_sync_##OPERATION( \
                      static_cast<int>(value), static_cast<int>(mask)));) \
    return value; \
  }
EMU_REDUCE(__reduce_add_sync, add, unsigned)
EMU_REDUCE(__reduce_add_sync, add, int)
EMU_REDUCE(__reduce_min_sync, umin, unsigned)
EMU_REDUCE(__reduce_max_sync, umax, unsigned)
EMU_REDUCE(__reduce_min_sync, min, int)
EMU_REDUCE(__reduce_max_sync, max, int)
EMU_REDUCE(__reduce_and_sync, and, unsigned)
EMU_REDUCE(__reduce_or_sync, or, unsigned)
EMU_REDUCE(__reduce_xor_sync, xor, unsigned)
#undef EMU_REDUCE
