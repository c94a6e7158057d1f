// cuRAND's generators for device code: the numbers that an H200 gives.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <doctest/doctest.h>

#include <vector>

#include "conformance.cuh"

namespace {

struct Numbers {
  unsigned bits[10];
  float uniform[3], normal[3], log_normal[2];
  double uniform_double[3], normal_double[3];
};

template <class State>
__global__ void draw(unsigned long long seed,
                     unsigned long long sequence,
                     unsigned long long offset,
                     Numbers *out) {
  State state;
  curand_init(seed, sequence, offset, &state);
  for (int i = 0; i < 5; ++i)
    out->bits[i] = curand(&state);
  for (float &x : out->uniform)
    x = curand_uniform(&state);
  for (double &x : out->uniform_double)
    x = curand_uniform_double(&state);
  skipahead(1000003, &state);
  out->bits[5] = curand(&state);
  skipahead_sequence(77, &state);
  out->bits[6] = curand(&state);
  for (float &x : out->normal)
    x = curand_normal(&state);
  for (double &x : out->normal_double)
    x = curand_normal_double(&state);
  for (float &x : out->log_normal)
    x = curand_log_normal(&state, 0.5f, 0.25f);
  out->bits[7] = curand_poisson(&state, 7.5);
  out->bits[8] = curand_poisson(&state, 5000.0);
  out->bits[9] = curand(&state);
}

template <class State>
void check_numbers(unsigned long long seed,
                   unsigned long long sequence,
                   unsigned long long offset,
                   const Numbers &expected) {
  const conformance::DeviceArray<Numbers> out(1);
  draw<State><<<1, 1>>>(seed, sequence, offset, out.data());
  const Numbers got = out.to_host()[0];
  for (int i = 0; i < 10; ++i)
    CHECK(got.bits[i] == expected.bits[i]);
  for (int i = 0; i < 3; ++i) {
    CHECK(got.uniform[i] == expected.uniform[i]);
    CHECK(got.uniform_double[i] == expected.uniform_double[i]);
    // These go through a logarithm and an approximate sine.
    CHECK(got.normal[i] == doctest::Approx(expected.normal[i]).epsilon(1e-5));
    CHECK(got.normal_double[i] == doctest::Approx(expected.normal_double[i]).epsilon(1e-12));
  }
  for (int i = 0; i < 2; ++i)
    CHECK(got.log_normal[i] == doctest::Approx(expected.log_normal[i]).epsilon(1e-5));
}

__global__ void draw_four(uint4 *bits, float4 *uniform, double2 *uniform_double) {
  curandStatePhilox4_32_10_t state;
  curand_init(42, 3, 6, &state);
  *bits = curand4(&state);
  *uniform = curand_uniform4(&state);
  curand_normal4(&state);
  *uniform_double = curand_uniform2_double(&state);
}

TEST_CASE("XORWOW gives a GPU's numbers") {
  CHECK(sizeof(curandState) == 48);
  check_numbers<curandStateXORWOW>(
      1234,
      0,
      0,
      {{0x253d5e15,
        0x6f558604,
        0xdee6daf2,
        0x7485b394,
        0xdb6a6a85,
        0x4e5614c3,
        0x35e3a638,
        0x00000006,
        0x0000136a,
        0x34c5157f},
       {0.582418203f, 0.201403871f, 0.786745369f},
       {-0.190633819f, 0.487644166f, 0.422785133f},
       {1.524459f, 1.06484032f},
       {0.36678716167372255, 0.68847665479592846, 0.72452668187328606},
       {0.18178880381095053, 0.03277989349052178, 0.96492889088414124}});
  check_numbers<curandStateXORWOW>(
      0x123456789abcdef,
      1000,
      12345678901,
      {{0x98c30e79,
        0xcf34d1f4,
        0x573f8fcd,
        0x39da1ae3,
        0x72f9af34,
        0xc716f205,
        0x98d2b689,
        0x0000000a,
        0x0000136b,
        0xfcd34747},
       {0.73124522f, 0.0128020868f, 0.485676974f},
       {-0.796838105f, -0.00788940024f, -0.608805895f},
       {1.45122349f, 1.57774985f},
       {0.75083338681037959, 0.60560190168309069, 0.51420795252631213},
       {2.0836662512020871, -2.0032179660213099, 0.16286891145679103}});
}

TEST_CASE("Philox gives a GPU's numbers, one or four at a time") {
  CHECK(sizeof(curandStatePhilox4_32_10) == 64);
  check_numbers<curandStatePhilox4_32_10>(
      1234,
      0,
      0,
      {{0x2090b348,
        0xda7cf0ab,
        0x4401906f,
        0xcbca470e,
        0x9eeede35,
        0x5bafde10,
        0x23afdb66,
        0x00000009,
        0x00001333,
        0x0dfd5eba},
       {0.112275332f, 0.977164328f, 0.0800607949f},
       {-0.0974869505f, -1.14479518f, -1.1529038f},
       {3.21811676f, 1.21125972f},
       {0.24917273805476725, 0.98448146716691554, 0.79722661711275578},
       {1.0525499189145548, 0.60787339293547404, 0.83776420710670541}});
  check_numbers<curandStatePhilox4_32_10>(
      0x123456789abcdef,
      1000,
      12345678901,
      {{0x560e4993,
        0xbf0a8677,
        0x1da86e71,
        0x9cafbe21,
        0x6fcdb887,
        0x3c4b878c,
        0x2d23282f,
        0x00000001,
        0x00001385,
        0xd39abc71},
       {0.737148404f, 0.770368934f, 0.938418865f},
       {1.6027298f, -0.0187414531f, 0.350791514f},
       {1.71009111f, 1.56706274f},
       {0.3631533442530781, 0.86967929312959313, 0.28847685875371099},
       {1.6243228448307803, 1.010216962317243, -0.3157726860843445}});
  const conformance::DeviceArray<uint4> bits(1);
  const conformance::DeviceArray<float4> uniform(1);
  const conformance::DeviceArray<double2> uniform_double(1);
  draw_four<<<1, 1>>>(bits.data(), uniform.data(), uniform_double.data());
  const uint4 b = bits.to_host()[0];
  CHECK(b.x == 0xa9b1302cu);
  CHECK(b.w == 0xe58a6d8cu);
  CHECK(uniform.to_host()[0].x == 0.508286297f);
  CHECK(uniform.to_host()[0].w == 0.719704986f);
  CHECK(uniform_double.to_host()[0].x == 0.7041584878752607);
  CHECK(uniform_double.to_host()[0].y == 0.18618479829388251);
}

} // namespace
