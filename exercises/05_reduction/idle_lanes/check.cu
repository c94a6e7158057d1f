// Checks idle_lanes.cu: the same trees of checksums, by lanes that lie side by side.
#include "checker/nasty.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

__global__ void checksum_tree(const unsigned *in, int n, unsigned *out);

namespace {

using Words = std::vector<unsigned>;

/// The checksum of words [first, first + count), of which those behind the end count as 0.
unsigned checksum(const Words &words, std::size_t first, std::size_t count) {
  unsigned sum = 0;
  for (std::size_t i = first; i < std::min(first + count, words.size()); ++i)
    sum ^= words[i];
  return sum;
}

/// How many words the checksum number k of a block stands for: the largest power of two that divides k.
std::size_t words_of(std::size_t k) { return k & (~k + 1); }

struct Run {
  std::optional<emu::Observation> seen;
  Words tree;
};

Run check(const Words &h_in, int block) {
  const int n = static_cast<int>(h_in.size());
  const std::size_t width = block;
  const std::string what = checker::counted(n, "word") + " in blocks of " + std::to_string(block);
  Words expected(n), from_the_front(n);
  for (std::size_t i = 0; i < h_in.size(); ++i) {
    const std::size_t at = i % width, count = words_of(at + 1);
    expected[i] = checksum(h_in, i + 1 - count, count);
    from_the_front[i] = checksum(h_in, i, at == 0 ? width : words_of(at));
  }
  Words each_by_its_first = h_in; // s[index + stride] ^= s[index]
  each_by_its_first.resize((h_in.size() + width - 1) / width * width);
  for (std::size_t stride = 1; stride < width; stride *= 2)
    for (std::size_t first = 0; first < each_by_its_first.size(); first += 2 * stride)
      each_by_its_first[first + stride] ^= each_by_its_first[first];
  each_by_its_first.resize(h_in.size());
  Words next_word = h_in; // s[last] ^= s[last - 1]
  for (std::size_t stride = 1; stride < width; stride *= 2)
    for (std::size_t last = 2 * stride - 1; last < next_word.size(); last += 2 * stride)
      next_word[last] ^= next_word[last - 1];
  const auto d_in = checker::on_device(h_in);
  const auto d_out = checker::poisoned<unsigned>(n);
  checker::perhaps(
      "The block has blockDim.x words, and this pair lies past them: where it ends, not its "
      "number, has to be less than blockDim.x (chapter 05)",
      "uninitialised");
  checker::perhaps("Two threads take the same pair. Thread k of a round takes pair k, and no other",
                   "shared_race",
                   "two threads write");
  checker::perhaps(
      "Both are in the same round, in which a word is of one pair, and one thread takes "
      "it: a pair's words are `stride` apart, and from one pair's end to the next it is "
      "2 * stride",
      "shared_race",
      "in the same round");
  Run run;
  run.seen = checker::launch(what, [&] {
    checksum_tree<<<checker::enough_blocks(n, block), block>>>(d_in.data(), n, d_out.data());
  });
  run.tree = d_out.download();
  checker::diagnose("other_end",
                    run.tree == from_the_front,
                    what +
                        ": each pair's checksum stands in its first word, and belongs into its "
                        "last one. The block's own would be word " +
                        std::to_string(block - 1) + "'s");
  checker::diagnose("first_words",
                    run.tree == each_by_its_first,
                    what + ": in round 2 word 2 took word 0. Word 3 should have taken word 1: a "
                           "pair's checksum stands in its last word, and goes into the last word "
                           "of two pairs");
  checker::diagnose("next_word",
                    n > 3 && run.tree != expected && run.tree == next_word,
                    what + ": in round 2 word 3 took word 2, the one beside it. The checksum of "
                           "words 0 and 1 stands in word 1: `stride` words before, in each round");
  for (const std::size_t word : {std::size_t{0}, width - 1})
    checker::diagnose("other_pairs",
                      n > 1 && word < run.tree.size() && run.tree[1] != expected[1] &&
                          run.tree[word] == checksum(h_in, 0, width),
                      what + ": word " + std::to_string(word) +
                          " of the tree is the checksum of its whole block, and word 1 is not that "
                          "of words 0 and 1, so these are other pairs. In the first round words 0 "
                          "and 1 are a pair, and 2 and 3, and so on: only who takes a pair may "
                          "change");
  checker::diagnose("other_pairs",
                    n > 1 && run.tree[1] == h_in[1] && h_in[0] != 0,
                    what + ": word 1 is what it was. In the first round words 0 and 1 are a pair, "
                           "which ends at word 1, and 2 and 3 one that ends at word 3: only who "
                           "takes a pair may change");
  bool half = n > 1;
  for (std::size_t i = 0; i < h_in.size(); ++i)
    half = half && (i % width >= width / 2 || run.tree[i] == expected[i]);
  checker::diagnose("half_missing",
                    half,
                    what + ": in each block the first half of the tree is right, and the second is "
                           "not. Which thread takes the last pair of a round?");
  checker::expect_same("tree of " + what, run.tree, expected);
  return run;
}

} // namespace

TEST_CASE("every size, in any blocks") {
  checker::every_size(128, {32, 64, 256, 512, 1024}, [](int n, int block) {
    check(checker::extreme_values<unsigned>(n), block);
  });
}

TEST_CASE("whole warps work") {
  auto words = checker::extreme_values<unsigned>(1024);
  const auto [seen, tree] = check(words, 1024);
  if (seen) {
    using enum emu::Access;
    const bool shared = checker::total(*seen, shared_load).requests > 0;
    for (const emu::Access access : {shared ? shared_load : global_load, // else the tree stands
                                     shared ? shared_store : global_store}) // where it ends up
      checker::expect_lanes_or_shuffles(
          *seen,
          access,
          20.0,
          0.03, // one of 32 warps may take all pairs: it has as many turns as all together
          "in round one half of a block's threads have work, 128 of 256, say: all lanes of 4 warps "
          "can do it, while the other 4 warps have none");
  }
  words[0] ^= 1;
  const Words damaged = check(words, 1024).tree;
  checker::record(
      "words_that_show_it",
      1024.0 - std::transform_reduce(
                   tree.begin(), tree.end(), damaged.begin(), 0, std::plus{}, std::equal_to{}));
}

TEST_CASE("which word was damaged") {
  constexpr std::size_t words = 64;
  checker::unless_failed_before();
  const auto sent = checker::random_values<unsigned>(words, 0u, ~0u);
  auto received = sent;
  received[checker::random_values<int>(1, 0, words - 1)[0]] ^= 0x100;
  const auto tree_of = [](const Words &h_in) {
    const auto d_in = checker::on_device(h_in);
    const auto d_out = checker::poisoned<unsigned>(words);
    checksum_tree<<<1, words>>>(d_in.data(), words, d_out.data());
    return d_out.download();
  };
  checker::unobserved([&] {
    const Words tree = tree_of(sent), other = tree_of(received);
    std::size_t first = 0; // of the words among which the damaged one is
    std::string text = "64 words were sent, and one was damaged on its way. Two trees of your "
                       "kernel differ in the whole; then one look per round, at the front half of "
                       "what is left, finds it in six:\n" +
                       std::string(words, '#');
    for (std::size_t left = words / 2; left > 0; left /= 2) {
      if (tree[first + left - 1] == other[first + left - 1])
        first += left;
      text += '\n' + std::string(first, '.') + std::string(left, '#') +
              std::string(words - first - left, '.');
    }
    checker::note(text + "\nIt is word " + std::to_string(first));
  });
}
