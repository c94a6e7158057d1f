#include "problem.hpp"

namespace {

std::vector<Byte> random_bytes(size_t n, std::uint64_t seed) {
  std::vector<Byte> bytes(n);
  for (size_t i = 0; i < n; i += 8) {
    std::uint64_t word = lab::random_u64(seed, i / 8);
    for (size_t k = i; k < n && k < i + 8; ++k, word >>= 8)
      bytes[k] = static_cast<Byte>(word);
  }
  return bytes;
}

} // namespace

Histogram::Histogram(const lab::Case &c)
    : n(c.n), block(c.block), h_in(random_bytes(c.n, c.seed)), expected(count_bytes(h_in)),
      host_result(bins), d_in(c.n), d_bins(bins) {
  d_in.upload(h_in);
}

void Histogram::prepare() {
  lab::poison(d_bins);
  host_result.assign(bins, 0xCDCDCDCDu);
}

lab::Verdict Histogram::check() { return lab::compare(d_bins.download(), expected); }

std::vector<unsigned> count_bytes(const std::vector<Byte> &bytes) {
  std::vector<unsigned> counts(bins, 0);
  for (Byte byte : bytes)
    ++counts[byte];
  return counts;
}

void make_all_equal(Histogram &p) {
  p.h_in.assign(p.n, 42);
  p.expected = count_bytes(p.h_in);
  p.d_in.upload(p.h_in);
}
