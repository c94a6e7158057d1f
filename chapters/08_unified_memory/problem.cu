#include "problem.hpp"

#include <cmath>
#include <cstring>

VectorSum::VectorSum(const lab::Case &c)
    : n(c.n), block(c.block > 0 ? c.block : 256), h_a(n), h_b(n), h_c(n), expected(n), pinned_a(n),
      pinned_b(n), pinned_c(n), d_a(n), d_b(n), d_c(n), m_a(n), m_b(n), m_c(n) {
  for (size_t i = 0; i < n; ++i) {
    const std::uint64_t word = lab::random_u64(c.seed, i);
    h_a[i] = static_cast<double>(word >> 32);
    h_b[i] = static_cast<double>(word & 0xFFFFFFFFu) * 0x1p-32;
    expected[i] = h_a[i] + h_b[i];
  }
  if (n == 0)
    return;
  std::memcpy(pinned_a.data(), h_a.data(), bytes());
  std::memcpy(pinned_b.data(), h_b.data(), bytes());
  std::memcpy(m_a.data(), h_a.data(), bytes());
  std::memcpy(m_b.data(), h_b.data(), bytes());
}

void VectorSum::prepare() {
  LAB_CHECK(cudaDeviceSynchronize());
  for (size_t i = 0; i < n; ++i)
    h_c[i] = pinned_c[i] = m_c.data()[i] = NAN;
  lab::poison(d_a); // a step that copies nothing must not find what another copied
  lab::poison(d_b);
  lab::poison(d_c);
  LAB_CHECK(cudaDeviceSynchronize());
  result = nullptr;
}

lab::Verdict VectorSum::check() {
  if (n > 0 && result == nullptr)
    return lab::Verdict::wrong("the step left no result");
  return lab::compare(result, expected.data(), n); // one rounded addition: not a bit of difference
}

void touch_pages(const double *memory, size_t n) {
  const volatile double *const words = memory;
  double sum = 0.0;
  for (size_t i = 0; i < n; i += 4096 / sizeof(double))
    sum += words[i];
  static_cast<void>(sum);
}

void bring_home(VectorSum &p) {
  for (double *vector : {p.m_a.data(), p.m_b.data(), p.m_c.data()}) {
    advise(vector, p.bytes(), cudaMemAdviseUnsetPreferredLocation, Place::host);
    advise(vector, p.bytes(), cudaMemAdviseUnsetAccessedBy, Place::device);
  }
  // By way of the device: what advice has mapped there stays mapped when the advice is taken back.
  for (Place place : {Place::device, Place::host}) {
    for (double *vector : {p.m_a.data(), p.m_b.data(), p.m_c.data()})
      prefetch(vector, p.bytes(), place);
    LAB_CHECK(cudaDeviceSynchronize());
  }
}
