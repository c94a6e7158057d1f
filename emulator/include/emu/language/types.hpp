// CUDA's built-in vector types, with the size and alignment that the device's wide loads rely on.
//
// Members only: CUDA defines no operators on them, so neither does the emulator (a program that
// brings its own operator+ must not meet a second one).
#pragma once

/// Declares NAME1 to NAME4 with elements of type T and the makers make_NAME1 to make_NAME4.
/// One- and three-element vectors have the element's own alignment (a float3 takes 12 bytes and
/// cannot be loaded in one piece); two and four elements are aligned as given.
#define EMU_VECTOR_TYPES(NAME, T, ALIGN2, ALIGN4) \
  struct NAME##1 { \
    T x; \
  }; \
  struct alignas(ALIGN2) NAME##2 { \
    T x, y; \
  }; \
  struct NAME##3 { \
    T x, y, z; \
  }; \
  EMU_VECTOR_MAKERS(NAME, T) \
  EMU_VECTOR_4(NAME##4, T, ALIGN4)

#define EMU_VECTOR_MAKERS(NAME, T) \
  inline NAME##1 make_##NAME##1(T x) { return {x}; } \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; } \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }

#if defined(__CUDA__) && defined(__clang__)
// When the time model reads a kernel: what is assigned through a pointer cast from a smaller type counts as aligned
// as this type is, as for nvcc. clang would go by the array that the pointer points into.
#define EMU_ASSIGNED_WHOLE(NAME) \
  NAME &operator=(const NAME &other) { \
    __builtin_memcpy(this, &other, sizeof(NAME)); \
    return *this; \
  }
#else
#define EMU_ASSIGNED_WHOLE(NAME)
#endif

#define EMU_VECTOR_4(NAME, T, ALIGN) \
  struct alignas(ALIGN) NAME { \
    T x, y, z, w; \
    EMU_ASSIGNED_WHOLE(NAME) \
  }; \
  inline NAME make_##NAME(T x, T y, T z, T w) { return {x, y, z, w}; }

EMU_VECTOR_TYPES(char, signed char, 2, 4)
EMU_VECTOR_TYPES(uchar, unsigned char, 2, 4)
EMU_VECTOR_TYPES(short, short, 4, 8)
EMU_VECTOR_TYPES(ushort, unsigned short, 4, 8)
EMU_VECTOR_TYPES(int, int, 8, 16)
EMU_VECTOR_TYPES(uint, unsigned int, 8, 16)
EMU_VECTOR_TYPES(long, long, 2 * sizeof(long), 16)
EMU_VECTOR_TYPES(ulong, unsigned long, 2 * sizeof(unsigned long), 16)
EMU_VECTOR_TYPES(longlong, long long, 16, 16)
EMU_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
EMU_VECTOR_TYPES(float, float, 8, 16)
EMU_VECTOR_TYPES(double, double, 16, 16)

// CUDA 13 names the alignment of the 32-byte vectors: _32a may be loaded in one piece.
#define EMU_VECTOR_4_ALIGNED(NAME, T) \
  EMU_VECTOR_4(NAME##4_16a, T, 16) \
  EMU_VECTOR_4(NAME##4_32a, T, 32)

EMU_VECTOR_4_ALIGNED(long, long)
EMU_VECTOR_4_ALIGNED(ulong, unsigned long)
EMU_VECTOR_4_ALIGNED(longlong, long long)
EMU_VECTOR_4_ALIGNED(ulonglong, unsigned long long)
EMU_VECTOR_4_ALIGNED(double, double)

#undef EMU_VECTOR_4_ALIGNED
#undef EMU_VECTOR_TYPES
#undef EMU_VECTOR_MAKERS
#undef EMU_VECTOR_4

/// A grid's or a block's extents; what is not given is 1.
struct dim3 {
  unsigned int x, y, z;

  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
