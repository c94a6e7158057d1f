// Sizes and alignments of the vector types, on the host and on the device.
#include "conformance.cuh"

#include <cuComplex.h>

#include <type_traits>

namespace {

// CUDA 13 warns of the four-element types whose alignment their names do not tell.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifndef __NVCC__ // headers of programs ask for it, and have kernels only there
#error "what compiles this calls itself neither nvcc nor a stand-in"
#endif
#pragma nv_diag_suppress 20199

struct Layout {
  unsigned size, alignment;
};

template <class T> __global__ void measure(Layout *layout) {
  *layout = {static_cast<unsigned>(sizeof(T)), static_cast<unsigned>(alignof(T))};
}

template <class T> void check_layout(size_t size, size_t alignment) {
  CHECK(sizeof(T) == size);
  CHECK(alignof(T) == alignment);
  CHECK(std::is_trivially_copyable_v<T>);
  CHECK(std::is_aggregate_v<T>);
  conformance::DeviceArray<Layout> layout(1);
  measure<T><<<1, 1>>>(layout.data());
  const Layout on_device = layout.to_host()[0];
  CHECK(on_device.size == size);
  CHECK(on_device.alignment == alignment);
}

#define CHECK_FAMILY(NAME, ELEMENT, ALIGN2, ALIGN4) \
  check_layout<NAME##1>(sizeof(ELEMENT), alignof(ELEMENT)); \
  check_layout<NAME##2>(2 * sizeof(ELEMENT), ALIGN2); \
  check_layout<NAME##3>(3 * sizeof(ELEMENT), alignof(ELEMENT)); \
  check_layout<NAME##4>(4 * sizeof(ELEMENT), ALIGN4)

TEST_CASE("vector types have CUDA's sizes and alignments") {
  CHECK_FAMILY(char, signed char, 2, 4);
  CHECK_FAMILY(uchar, unsigned char, 2, 4);
  CHECK_FAMILY(short, short, 4, 8);
  CHECK_FAMILY(ushort, unsigned short, 4, 8);
  CHECK_FAMILY(int, int, 8, 16);
  CHECK_FAMILY(uint, unsigned, 8, 16);
  CHECK_FAMILY(long, long, 2 * sizeof(long), 16);
  CHECK_FAMILY(ulong, unsigned long, 2 * sizeof(long), 16);
  CHECK_FAMILY(longlong, long long, 16, 16);
  CHECK_FAMILY(ulonglong, unsigned long long, 16, 16);
  CHECK_FAMILY(float, float, 8, 16);
  CHECK_FAMILY(double, double, 16, 16);
}

#if CUDART_VERSION >= 13000
TEST_CASE("the 32-byte vectors come in two alignments") {
  check_layout<double4_16a>(32, 16);
  check_layout<double4_32a>(32, 32);
  check_layout<long4_16a>(32, 16);
  check_layout<long4_32a>(32, 32);
  check_layout<ulonglong4_16a>(32, 16);
  check_layout<ulonglong4_32a>(32, 32);
  CHECK(make_double4_32a(1, 2, 3, 4).w == 4);
}
#endif

TEST_CASE("makers fill the members in order") {
  const float4 f = make_float4(1, 2, 3, 4);
  CHECK(f.x == 1);
  CHECK(f.y == 2);
  CHECK(f.z == 3);
  CHECK(f.w == 4);
  CHECK(make_uchar3(1, 2, 255).z == 255);
  CHECK(make_char1(-1).x == -1); // signed, whatever plain char is
  CHECK(make_longlong2(1, -5).y == -5);
  CHECK(make_double3(1, 2, 0.5).z == 0.5);
}

TEST_CASE("dim3 fills with ones and converts to and from uint3") {
  constexpr dim3 plane(4, 5);
  static_assert(plane.x == 4 && plane.y == 5 && plane.z == 1);
  const dim3 line = 7;
  CHECK(line.x == 7);
  CHECK(line.y == 1);
  const uint3 u = plane;
  CHECK(u.y == 5);
  const dim3 back = u;
  CHECK(back.z == 1);
  CHECK(sizeof(dim3) == 12);
}

TEST_CASE("complex numbers are pairs") {
  const cuDoubleComplex a = make_cuDoubleComplex(3, 4), b = make_cuDoubleComplex(1, -2);
  const cuDoubleComplex product = cuCmul(a, b), quotient = cuCdiv(product, b);
  CHECK(cuCreal(product) == 11);
  CHECK(cuCimag(product) == -2);
  CHECK(cuCreal(quotient) == doctest::Approx(3));
  CHECK(cuCimag(quotient) == doctest::Approx(4));
  CHECK(cuCabsf(make_cuFloatComplex(3, 4)) == 5);
}

} // namespace
