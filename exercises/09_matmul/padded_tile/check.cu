// Checks padded_tile.cu: a place for each element, in no more words than there are elements, so that a warp's store meets
// each bank once; and the product.
#include "products.hpp"

__global__ void multiply(const float *A, const float *B, float *C, int N, int K);
__global__ void list_places(int *words);

namespace {

constexpr int tile = 32, depth = 8, elements = tile * depth;

std::string element(int at) {
  return "row " + std::to_string(at % tile) + " at k = " + std::to_string(at / tile);
}

/// Which element each word has, if each has one, and four rows at a time stay together.
std::vector<int> elements_of(const std::vector<int> &words) {
  std::vector<int> of_word(elements, -1);
  const int apart = words[tile] - words[0]; // one k and the next
  bool in_rows = apart > tile;
  for (int at = 0; at < elements; ++at)
    in_rows = in_rows && words[at] == at / tile * apart + at % tile;
  for (int at = 0; at < elements; ++at) {
    const int word = words[at];
    checker::expect(0 <= word && word < elements,
                    "no_room",
                    "the tile has words 0 to 255, and " + element(at) + " is to be kept in word " +
                        std::to_string(word) +
                        (in_rows ? ". From one k to the next it is " + std::to_string(apart) +
                                       " words, where a k has 32: that is padding, and there is no "
                                       "word to spare. Each k has to get along with its own 32"
                                 : ". There is none to spare"));
    checker::expect(of_word[word] < 0,
                    "two_in_one_word",
                    "word " + std::to_string(word) + " is to keep two elements: " +
                        element(std::max(of_word[word], 0)) + ", and " + element(at) +
                        ". There are as many words as elements: each k has to get along with its "
                        "own 32, in another order");
    of_word[word] = at;
  }
  for (int at = 0; at < elements; ++at)
    checker::expect(
        words[at] == words[at / 4 * 4] + at % 4 && words[at / 4 * 4] % 4 == 0,
        "torn_apart",
        "rows " + std::to_string(at % tile / 4 * 4) + " to " +
            std::to_string(at % tile / 4 * 4 + 3) + " at k = " + std::to_string(at / tile) +
            " are loaded at once: four words side by side, in order, the first one a "
            "multiple of four. They are in words " +
            std::to_string(words[at / 4 * 4]) + ", " + std::to_string(words[at / 4 * 4 + 1]) +
            ", " + std::to_string(words[at / 4 * 4 + 2]) + " and " +
            std::to_string(words[at / 4 * 4 + 3]));
  return of_word;
}

/// The greatest number of words that one warp stores in one bank, and which.
std::pair<int, std::string> most_in_a_bank(const std::vector<int> &words) {
  std::pair<int, std::string> most;
  for (int warp = 0; warp < 8; ++warp)
    for (int bank = 0; bank < 32; ++bank) {
      std::vector<int> here;
      for (int at = 0; at < elements; ++at)
        if (at % tile / 4 == warp && words[at] % 32 == bank)
          here.push_back(at);
      if (static_cast<int>(here.size()) > most.first)
        most = {static_cast<int>(here.size()),
                "of what warp " + std::to_string(warp) + " stores, " +
                    checker::counted(here.size(), "word") + " lie in bank " + std::to_string(bank) +
                    ", among them " + element(here.front()) +
                    (here.size() > 1 ? " and " + element(here[1]) : "")};
    }
  return most;
}

std::vector<int> listed_places() {
  const auto d_words = checker::poisoned<int>(elements);
  checker::launch("256 places", [&] { list_places<<<1, elements>>>(d_words.data()); });
  return d_words.download();
}

std::optional<emu::Observation> check(int M, int N, int K) {
  const auto A = whole_numbers(M * K), B = whole_numbers(K * N);
  const auto d_A = checker::on_device(A), d_B = checker::on_device(B);
  const auto d_C = checker::poisoned<float>(static_cast<std::size_t>(M) * N);
  const auto expected = product(A, B, M, N, K, K);
  checker::detail::note_shape(static_cast<std::size_t>(M), static_cast<std::size_t>(N));
  const std::string what = std::to_string(M) + " x " + std::to_string(K) + " times " +
                           std::to_string(K) + " x " + std::to_string(N);
  auto seen = checker::launch(what, [&] {
    multiply<<<dim3(N / tile, M / tile), elements>>>(d_A.data(), d_B.data(), d_C.data(), N, K);
  });
  const auto got = d_C.download();
  if (got != expected)
    diagnose_index_slips(what, got, A, B, M, N, K, tile, FirstMatrix::as_it_is, depth);
  checker::diagnose("places_unused",
                    got != expected,
                    what + ": place() is right, and the product is wrong: is each element stored "
                           "where place() says, and loaded from there?");
  checker::expect_same(what, got, expected, {}, N);
  return seen;
}

} // namespace

TEST_CASE("a place for each element, and a bank for each lane") {
  std::vector<int> by_one;
  for (int at = 0; at < elements; ++at)
    by_one.push_back(at / tile * tile + (at % tile + at / tile) % tile);
  checker::record("wavefronts_if_by_one", most_in_a_bank(by_one).first);
  const auto words = listed_places();
  elements_of(words);
  const auto [most, which] = most_in_a_bank(words);
  checker::expect_at_most(
      "words_in_a_bank",
      most,
      1,
      "bank_conflicts",
      which + ". 32 lanes could have a bank each: word w is in bank w % 32. What has to differ "
              "between one k and the next?");
}

TEST_CASE("the product is right") {
  checker::unless_failed_before();
  check(32, 32, 8);
  check(64, 32, 96);
  check(32, 64, 0);
  for (int n : checker::own_sizes(1, 256, 300))
    check(32, 32, (n + 7) / 8 * 8); // a multiple of DEPTH
}

TEST_CASE("no two lanes meet in a bank") {
  checker::unless_failed_before();
  const auto seen = check(64, 160, 16);
  if (!seen)
    return;
  expect_tiles(*seen, 64, 160, 16, tile);
  checker::expect_cost_at_most(
      *seen,
      emu::Access::shared_store,
      1,
      "places_unused",
      "by the places listed a warp's store would take one round, and it takes more: is each "
      "element stored where place() says?");
}

TEST_CASE("a letter for each warp") {
  checker::unless_failed_before();
  std::string text = "Your tile, a row for every 32 words and a column for each bank. Letters are "
                     "the warps that store there, and none stands twice in a column:";
  const auto of_word = elements_of(listed_places());
  for (int word = 0; word < elements; ++word) {
    text += word % 32 == 0 ? "\n" : "";
    text += static_cast<char>('a' + of_word[word] % tile / 4);
  }
  checker::note(text);
}
