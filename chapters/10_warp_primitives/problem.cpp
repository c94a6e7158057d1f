#include "problem.hpp"

namespace {

// Sums of all levels when a tile is as small as it gets: 32 elements.
size_t sums_of_all_levels(size_t n) {
  size_t all = 0;
  do {
    n = blocks_for(n, 32);
    all += n;
  } while (n > 1);
  return all;
}

} // namespace

Scan::Scan(const lab::Case &c)
    : n(c.n), block(c.block), h_in(c.n), expected(c.n), d_in(c.n), d_out(c.n),
      d_sums(sums_of_all_levels(c.n)), d_words(1 + blocks_for(c.n, 32)) {
  lab::fill_random(h_in.data(), n, c.seed);
  scan_loop(h_in, expected);
  d_in.upload(h_in);
}

void Scan::prepare() {
  lab::poison(d_out);
  lab::poison(d_sums);
  lab::poison(d_words);
  host_result.assign(n, 0xCDCDCDCDu);
}

lab::Verdict Scan::check() { return lab::compare(d_out.download(), expected); }

void scan_loop(const std::vector<Value> &in, std::vector<Value> &out) {
  Value sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    out[i] = sum;
  }
}
