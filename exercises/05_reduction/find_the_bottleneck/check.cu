// Checks find_the_bottleneck.cu: half of the tree's work for each product, any tail, neighbours beside neighbours.
#include "checker/nasty.hpp"

__global__ void block_dot(const unsigned *a, const unsigned *b, int n, unsigned *out);
int blocks_for(int n, int threads);

namespace {

constexpr int most_per_thread = 8;
constexpr double most_requests = 100.0; // to shared memory, for 1024 products

/// The products of one run, and which of them the mistakes leave out.
struct Products {
  int n, block;
  std::vector<unsigned> a, b;

  unsigned product(int i) const { return a[i] * b[i]; }
  int second(int i) const { return i + block; }
  bool is_first(int i) const { return i % (2 * block) < block; }

  template <class Counts> unsigned sum_where(Counts counts) const {
    unsigned sum = 0;
    for (int i = 0; i < n; ++i)
      sum += counts(i) ? product(i) : 0;
    return sum;
  }
  static unsigned sum_of(const lab::DeviceBuffer<unsigned> &d_parts) {
    unsigned sum = 0;
    for (unsigned part : d_parts.download())
      sum += part;
    return sum;
  }
  unsigned sum_of_products_of_sums() const {
    unsigned sum = 0;
    for (int i = 0; i < n; ++i)
      if (is_first(i)) {
        const int other = second(i);
        sum += (a[i] + (other < n ? a[other] : 0)) * (b[i] + (other < n ? b[other] : 0));
      }
    return sum;
  }
};

void explain(const Products &p, int blocks, unsigned got, const std::string &what) {
  const unsigned all = p.sum_where([](int) { return true; });
  const unsigned firsts = p.sum_where([&](int i) { return p.is_first(i); });
  const auto is_instead = [&](unsigned sum) { return got != all && got == sum; };
  const auto has_partner = [&](int i) { return (p.is_first(i) ? i + p.block : i - p.block) < p.n; };
  checker::diagnose("last_block_missing",
                    blocks == p.n / (2 * p.block) && blocks * 2 * p.block < p.n &&
                        is_instead(p.sum_where([&](int i) { return i < blocks * 2 * p.block; })),
                    what + ": what is left over behind the last full block is missing. " +
                        checker::counted(blocks, "block") + " have no room for it");
  checker::diagnose("second_half_missing",
                    is_instead(firsts) ||
                        is_instead(p.sum_where([&](int i) { return i < blocks * p.block; })),
                    what + ": each thread has added one product, and for that " +
                        checker::counted(blocks, "block") + " are too few");
  checker::diagnose("tail_dropped",
                    is_instead(p.sum_where(has_partner)),
                    what + ": where a thread has a first product and no second one, its first is "
                           "missing");
  const unsigned twice = all + p.sum_where([&](int i) { return i >= p.block; });
  checker::diagnose("counted_twice",
                    is_instead(twice),
                    what + ": what lies behind the first block is counted twice. Two blocks have "
                           "added it");
  checker::diagnose("sums_multiplied",
                    is_instead(p.sum_of_products_of_sums()),
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
  const int fewest = p.n / (most_per_thread * p.block), most = p.n / p.block + 1;
  checker::expect(fewest <= blocks && blocks <= most,
                  "blocks_untrue",
                  what + " threads: blocks_for() says " + std::to_string(blocks) +
                      ". With one to " + std::to_string(most_per_thread) +
                      " products for each thread it is " + std::to_string(fewest) + " to " +
                      std::to_string(most));
  const auto d_a = checker::on_device(p.a), d_b = checker::on_device(p.b);
  const auto d_out = checker::poisoned<unsigned>(static_cast<std::size_t>(blocks));
  Run run{blocks, {}};
  if (blocks > 0)
    run.seen = checker::launch(what, [&] {
      block_dot<<<static_cast<unsigned>(blocks), p.block>>>(
          d_a.data(), d_b.data(), p.n, d_out.data());
    });
  const unsigned got = p.sum_of(d_out);
  explain(p, blocks, got, what);
  checker::expect_same("the sum of " + what, got, p.sum_where([](int) { return true; }));
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
  return p.sum_of(d_out) == p.sum_where([](int) { return true; });
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 64, 256, 512, 1024}, check_size);
}

TEST_CASE("a tail of every kind") {
  for (int n : {128, 129, 255, 256, 257, 383, 384, 385})
    check_size(n, 128);
}

TEST_CASE("half of the tree's work for each product") {
  const Products p = draw(2048, 256);
  const Run run = check(p);
  if (!run.seen)
    return;
  checker::expect_lanes(*run.seen, emu::Access::global_load, 30.0);
  checker::expect(run.blocks <= 4 || requests(*run.seen) / 2 <= most_requests ||
                      !half_would_do(p, run.blocks),
                  "too_many_blocks",
                  "half of the " + checker::counted(run.blocks, "block") + " of " +
                      checker::counted(p.n, "product") +
                      " have no product at all, and make a tree all the same");
  checker::expect_at_most("shared_requests_per_1024_products",
                          requests(*run.seen) / 2,
                          most_requests,
                          "as_many_requests",
                          "the sums are right. Counted here are a warp's loads from shared memory "
                          "and its stores there. Look in the report which unit is the busiest, and "
                          "what one request costs it: which of the three changes what it is asked "
                          "for?");
  checker::expect_at_most("barriers_per_1024_products",
                          checker::barriers_per_block(*run.seen) * run.blocks / 2,
                          20.0,
                          "too_many_barriers",
                          "nine barriers of a block serve half of its products as before, if each "
                          "tree serves twice as many");
  checker::expect_cost_at_most(*run.seen,
                               emu::Access::global_load,
                               4.0,
                               "uncoalesced",
                               "a warp's load should touch 4 sectors. Elements 2 * i and 2 * i + 1 "
                               "put neighbouring lanes two elements apart");
}

TEST_CASE("a block of 64 threads") {
  const Run run = check(draw(1024, 64));
  if (run.seen)
    checker::record("shared_requests_of_64_threads", requests(*run.seen) / run.blocks);
}
