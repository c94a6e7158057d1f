// Checks find_the_bottleneck.cu: a quarter of the tree's work for each product, any tail, neighbours beside neighbours.
#include "checker/nasty.hpp"

#include <algorithm>

__global__ void block_dot(const unsigned *a, const unsigned *b, int n, unsigned *out);
int blocks_for(int n, int threads);

namespace {

// By the report, 73 % of the time in shared memory and 19 % in DRAM: the least m with 73 / m < 19.
constexpr int per_thread = 4;
// To shared memory, for 1024 products: a tree of 256 threads makes 45.
constexpr double requests_of_stub = 4 * 45.0, most_requests = 50.0;

/// The products of one run, and which of them the mistakes leave out.
struct Products {
  int n, block;
  std::vector<unsigned> a, b;

  unsigned product(int i) const { return a[i] * b[i]; }
  /// Which of the m products of its thread.
  int which(int i, int m) const { return i / block % m; }

  /// @param counts  how often a product is added
  template <class Counts> unsigned sum_where(Counts counts) const {
    unsigned sum = 0;
    for (int i = 0; i < n; ++i)
      sum += static_cast<unsigned>(counts(i)) * product(i);
    return sum;
  }
  static unsigned sum_of(const lab::DeviceBuffer<unsigned> &d_parts) {
    unsigned sum = 0;
    for (unsigned part : d_parts.download())
      sum += part;
    return sum;
  }
  unsigned sum_of_products_of_sums(int m) const {
    unsigned sum = 0;
    for (int i = 0; i < n; ++i)
      if (which(i, m) == 0) {
        unsigned of_a = 0, of_b = 0;
        for (int k = i; k < n && k < i + m * block; k += block) {
          of_a += a[k];
          of_b += b[k];
        }
        sum += of_a * of_b;
      }
    return sum;
  }
};

/// Mistakes with m products for each thread.
void explain(const Products &p, int blocks, int m, unsigned got, const std::string &what) {
  const unsigned all = p.sum_where([](int) { return 1; });
  const auto is_instead = [&](unsigned sum) { return got != all && got == sum; };
  const auto has_partners = [&](int i) { return i + (m - 1 - p.which(i, m)) * p.block < p.n; };
  const int in_full_blocks = blocks * m * p.block;
  checker::diagnose(
      "last_block_missing",
      blocks == p.n / (m * p.block) && in_full_blocks < p.n &&
          is_instead(p.sum_where([&](int i) { return i < in_full_blocks; })),
      what +
          ": what is left over behind the last full block is missing. There is no room for it in " +
          checker::counted(blocks, "block"));
  const bool some_have_all = (m - 1) * p.block < p.n;
  checker::diagnose("first_of_the_tail",
                    some_have_all && is_instead(p.sum_where([&](int i) {
                      return p.which(i, m) == 0 || has_partners(i);
                    })),
                    what + ": where a thread has fewer than " + std::to_string(m) +
                        " products left, it adds only the first of them");
  checker::diagnose("products_missing",
                    is_instead(p.sum_where([&](int i) { return p.which(i, m) == 0; })) ||
                        is_instead(p.sum_where([&](int i) { return i < blocks * p.block; })),
                    what + ": each thread has added one product only, and in " +
                        checker::counted(blocks, "block") + " some have more");
  checker::diagnose("tail_dropped",
                    is_instead(p.sum_where(has_partners)),
                    what + ": where a thread has some of its products and not all, those that it "
                           "has are missing");
  checker::diagnose(
      "counted_twice",
      is_instead(p.sum_where([&](int i) { return std::min(i / p.block + 1, m); })),
      what + ": what lies behind the first block is counted twice or more. Several blocks have "
             "added it");
  checker::diagnose("sums_multiplied",
                    is_instead(p.sum_of_products_of_sums(m)),
                    what + ": the elements of each vector are added before they are multiplied. "
                           "A product of sums is not the sum of the products");
}

Products draw(int n, int block) {
  return {
      n, block, checker::extreme_values<unsigned>(n), checker::random_values<unsigned>(n, 1, ~0u)};
}

struct Run {
  int blocks;
  std::optional<emu::Observation> seen;
};

Run check(const Products &p) {
  const std::string what =
      checker::counted(p.n, "product") + " in blocks of " + std::to_string(p.block);
  const int blocks = blocks_for(p.n, p.block);
  const int fewest = p.n / (per_thread * p.block), most = p.n / p.block + 1;
  const std::string says = what + " threads: blocks_for() says " + std::to_string(blocks) + ". ";
  checker::expect(blocks >= fewest,
                  "more_than_needed",
                  says + "Each thread has more products than it takes until DRAM has more to do "
                         "than shared memory");
  checker::expect(blocks <= most,
                  "blocks_untrue",
                  says + "With one product for each thread it is " + std::to_string(most) +
                      " at the most");
  const auto d_a = checker::on_device(p.a), d_b = checker::on_device(p.b);
  const auto d_out = checker::poisoned<unsigned>(static_cast<std::size_t>(blocks));
  Run run{blocks, {}};
  if (blocks > 0)
    run.seen = checker::launch(what, [&] {
      block_dot<<<static_cast<unsigned>(blocks), p.block>>>(
          d_a.data(), d_b.data(), p.n, d_out.data());
    });
  const unsigned got = p.sum_of(d_out);
  for (int m = 2; m <= per_thread; ++m)
    explain(p, blocks, m, got, what);
  checker::expect_same("the sum of " + what, got, p.sum_where([](int) { return 1; }));
  return run;
}

void check_size(int n, int block) { check(draw(n, block)); }

double requests(const emu::Observation &seen) {
  double sum = 0;
  for (const emu::Access access : {emu::Access::shared_load, emu::Access::shared_store})
    sum += static_cast<double>(checker::total(seen, access).requests);
  return sum;
}

/// Whether half as many blocks as there are find all products: then the others make trees of nothing.
bool half_would_do(const Products &p, int blocks) {
  const auto d_a = checker::on_device(p.a), d_b = checker::on_device(p.b);
  const lab::DeviceBuffer<unsigned> d_out(std::vector<unsigned>(static_cast<std::size_t>(blocks)));
  block_dot<<<static_cast<unsigned>(blocks / 2), p.block>>>(
      d_a.data(), d_b.data(), p.n, d_out.data());
  return p.sum_of(d_out) == p.sum_where([](int) { return 1; });
}

} // namespace

TEST_CASE("a full block, and a tail") { check_size(900, 128); }

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 64, 256, 512, 1024}, check_size);
}

TEST_CASE("a tail of every kind") {
  for (int n : {128, 129, 255, 256, 257, 383, 384, 385, 511, 512, 513})
    check_size(n, 128);
}

TEST_CASE("less work for shared memory than for DRAM") {
  const Products p = draw(2048, 256);
  const Run run = check(p);
  if (!run.seen)
    return;
  const double per_1024 = requests(*run.seen) / 2;
  checker::expect(run.blocks <= 2048 / (256 * per_thread) || per_1024 <= most_requests ||
                      !half_would_do(p, run.blocks),
                  "too_many_blocks",
                  "half of the " + checker::counted(run.blocks, "block") + " of " +
                      checker::counted(p.n, "product") +
                      " have no product at all, and make a tree all the same");
  checker::expect_lanes(*run.seen, emu::Access::global_load, 30.0);
  checker::expect(
      per_1024 <= most_requests || per_1024 > 0.9 * requests_of_stub,
      "still_the_busiest",
      "the sums are right, and this is the cure. But with " +
          std::to_string(static_cast<int>(per_1024)) +
          " requests for 1024 products, where there "
          "were " +
          std::to_string(static_cast<int>(requests_of_stub)) +
          ", shared memory still has more to do than DRAM. DRAM's 19 % are for one vector, and a "
          "vector with itself is read once");
  checker::expect_at_most("shared_requests_per_1024_products",
                          per_1024,
                          most_requests,
                          "as_many_requests",
                          "the sums are right. Counted here are a warp's loads from shared memory "
                          "and its stores there. Look in the report which unit is the busiest, and "
                          "what one request costs it: which of the three changes what it is asked "
                          "for?");
  checker::expect_at_most("barriers_per_1024_products",
                          checker::barriers_per_block(*run.seen) * run.blocks / 2,
                          10.0,
                          "too_many_barriers",
                          "nine barriers of a block serve four times as many products as before, "
                          "if each tree does");
  checker::expect_cost_at_most(*run.seen,
                               emu::Access::global_load,
                               4.0,
                               "uncoalesced",
                               "a warp's load should touch 4 sectors. If a thread has neighbours, "
                               "lanes do not");
}

TEST_CASE("a block of 64 threads") {
  const Run run = check(draw(1024, 64));
  if (run.seen)
    checker::record("shared_requests_of_64_threads", requests(*run.seen) / run.blocks);
}
