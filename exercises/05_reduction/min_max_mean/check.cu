// Checks min_max_mean.cu: prices that wander, rise, fall and lie below 0, and threads without a day.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

struct Summary {
  float low;
  float high;
  float gain;
};

__global__ void best_trade(const float *price, int n, Summary *out);

namespace {

struct Trade {
  float gain = 0.0f;
  std::size_t bought = 0, sold = 0;
};

Trade best_of(const std::vector<float> &price) {
  Trade best;
  std::size_t lowest = 0;
  for (std::size_t day = 0; day < price.size(); ++day) {
    if (price[day] < price[lowest])
      lowest = day;
    if (price[day] - price[lowest] > best.gain)
      best = {price[day] - price[lowest], lowest, day};
  }
  return best;
}

/// The days as a tree with halved strides puts them: 0, 128, 64, 192, 32 …
std::vector<float> halved(const std::vector<float> &price) {
  std::vector<float> order;
  for (unsigned place = 0; place < 256; ++place) {
    unsigned day = 0;
    for (unsigned bit = 0; bit < 8; ++bit)
      day |= (place >> bit & 1u) << (7 - bit);
    if (day < price.size())
      order.push_back(price[day]);
  }
  return order;
}

/// What buying in the first half of a block brings, and selling in the second.
float across_halves(const std::vector<float> &price) {
  if (price.size() <= 128)
    return 0.0f;
  const auto half = price.begin() + 128;
  const float gain = *std::max_element(half, price.end()) - *std::min_element(price.begin(), half);
  return std::max(gain, 0.0f);
}

/// What may be wrong with a block's summary, `got`, of these days, one at least.
void explain(const std::string &what, const Summary &got, const std::vector<float> &price) {
  const float low = *std::min_element(price.begin(), price.end());
  const float high = *std::max_element(price.begin(), price.end());
  const float gain = best_of(price).gain;
  checker::diagnose(
      "zero_is_no_identity",
      (low > 0.0f && got.low == 0.0f) || (high < 0.0f && got.high == 0.0f),
      what + ": 0 is no price here, and yet it came out. Some thread has no day: what does it "
             "bring to a minimum or a maximum?");
  checker::diagnose("low_for_high",
                    low < high && (got.low == high || got.high == low),
                    what + (got.low == high ? ": of two lows the larger is taken"
                                            : ": of two highs the smaller is taken"));
  checker::diagnose("one_of_two",
                    price.size() == 256 && got.low > low && got.low == price.front(),
                    what + ": the low is that of day 0, as if merge() took a's, whatever b's is");
  checker::diagnose(
      "small_is_not_low",
      high < 0.0f && got.high > 0.0f && got.high < 1e-30f,
      what + ": the high is above all prices. FLT_MIN is the smallest positive number, not "
             "the lowest one");
  const auto half = price.begin() + std::min<std::ptrdiff_t>(128, price.end() - price.begin());
  checker::diagnose("half_left_out",
                    price.size() > 128 && (low != got.low || high != got.high) &&
                        got.low == *std::min_element(price.begin(), half) &&
                        got.high == *std::max_element(price.begin(), half),
                    what + ": these are the low and the high of the first 128 days. The round in "
                           "which both halves of the block become one is missing");
  const bool below = got.low == -INFINITY;
  checker::diagnose(
      "infinity_came_out",
      below || got.high == INFINITY,
      what + (below ? ": the low" : ": the high") +
          " is infinite, and no price is. A thread without a day brings infinity as its low, "
          "and minus infinity as its high: one has got into the other's place");
  checker::diagnose(
      "not_beyond_all",
      got.low < low || got.high > high,
      what + ": the " + (got.low < low ? "low" : "high") +
          " is no price, but what a thread brings that has no day. A float can be larger, and "
          "lower, than that");
  checker::diagnose("infinity_came_out",
                    got.gain == INFINITY,
                    what +
                        ": the gain is infinite. Whoever merges takes the larger one: what does a "
                        "thread without a day gain?");
  if (got.low != low || got.high != high || got.gain == gain)
    return;
  checker::diagnose("fall_is_no_gain",
                    gain == 0.0f && got.gain > 0.0f && got.gain < INFINITY,
                    what + ": low and high are right, and nobody can gain anything, as prices only "
                           "fall. You do: is the sign of a difference lost?");
  checker::diagnose(
      "parts_apart",
      got.gain == 0.0f,
      what + ": low and high are right, but nothing is gained. A day alone gains nothing: a "
             "gain begins where one buys in a's days and sells in b's");
  checker::diagnose(
      "order_forgotten",
      got.gain == high - low,
      what + ": the gain is the high less the low. Here the lowest price comes after the highest: "
             "nobody could have sold before he bought");
  checker::diagnose(
      "out_of_order",
      got.gain == best_of(halved(price)).gain,
      what + ": low and high are right, and the gain is right for other days: 0, 128, 64, 192, "
             "32 … So they come in a tree that merges thread 0 with thread 128 first, and then "
             "with 64. merge(a, b) wants all days of a before those of b");
  checker::diagnose(
      "sold_before_bought",
      got.gain == best_of({price.rbegin(), price.rend()}).gain ||
          got.gain == best_of(halved({price.rbegin(), price.rend()})).gain,
      what + ": low and high are right, but the gain is that of the days backwards, from last to "
             "first: somebody sells before he has bought. Which high is it, and less which low?");
  checker::diagnose(
      "parts_forgotten",
      got.gain == across_halves(price),
      what + ": low and high are right, but the gain is that of buying in the block's first half "
             "and selling in its second. What was gained within a, or within b, is "
             "forgotten");
  checker::diagnose(
      "gains_added",
      got.gain > high - low,
      what +
          ": nobody can gain more than the highest price less the lowest, and you do. There is one "
          "trade: are the gains of two parts added?");
}

std::optional<emu::Observation> check(const std::vector<float> &h_price, const std::string &which) {
  checker::unless_failed_before(); // prices that only fall make one slip look like another
  const std::size_t n = h_price.size();
  const auto d_price = checker::on_device(h_price);
  const unsigned grid = checker::enough_blocks(static_cast<int>(n), 256);
  lab::DeviceBuffer<Summary> d_out(grid);
  LAB_CHECK(cudaMemset(d_out.data(), 0xFF, d_out.bytes()));
  const std::string days = checker::counted(n, "day") + which;
  checker::perhaps("In one round some threads merge, each with one that does not merge in this "
                   "round: the first of twice as many numbers as they are apart",
                   "shared_race",
                   "in the same round");
  checker::perhaps("There are 256 summaries, and the last round merges those that are 128 apart",
                   "out_of_bounds",
                   "variable of the block");
  checker::perhaps("There may be no day at all, and then there is no price to be read",
                   "out_of_bounds",
                   "null pointer");
  auto seen = checker::launch(
      days, [&] { best_trade<<<grid, 256>>>(d_price.data(), static_cast<int>(n), d_out.data()); });
  const auto out = d_out.download();
  for (unsigned block = 0; block < grid; ++block) {
    const Summary got = out[block];
    const std::string what = days + (grid > 1 ? ", block " + std::to_string(block) : "");
    if (n == 0) { // the largest float is as good as infinity
      checker::expect(got.low >= FLT_MAX && got.high <= -FLT_MAX && got.gain <= 0.0f,
                      "something_of_nothing",
                      std::string("no days at all: ") +
                          (!(got.low >= FLT_MAX)     ? "the low is one that prices may lie above"
                           : !(got.high <= -FLT_MAX) ? "the high is one that prices may lie below"
                                                     : "the gain is larger than 0") +
                          ", so that this summary can change another one");
      return seen;
    }
    const auto first = h_price.begin() + 256 * block;
    const std::vector<float> price(first,
                                   first + std::min<std::ptrdiff_t>(256, h_price.end() - first));
    const std::tuple<const char *, float, float> parts[] = {
        {"the low of ", got.low, *std::min_element(price.begin(), price.end())},
        {"the high of ", got.high, *std::max_element(price.begin(), price.end())},
        {"the gain of ", got.gain, best_of(price).gain}};
    for (const auto &[name, is, expected] : parts) {
      explain(what, got, price);
      checker::expect_same(name + what, is, expected);
    }
  }
  return seen;
}

/// From `begin` on, each day another price: steps of eighths, so that differences are exact.
std::vector<float> wander(int n, float begin, int least, int most) {
  std::vector<float> price;
  for (int step : checker::random_values<int>(n, least, most))
    price.push_back(begin += static_cast<float>(step) / 8.0f);
  return price;
}

/// The prices of 256 days as lines of text, four days a column, with the days of a trade in it.
std::string chart(const std::vector<float> &price, const Trade &trade) {
  constexpr int rows = 10, cols = 64;
  const float low = *std::min_element(price.begin(), price.end());
  const float high = *std::max_element(price.begin(), price.end());
  std::vector<std::string> lines(rows, std::string(cols, ' '));
  const auto mark = [&](std::size_t day, char with) {
    const float height = (price[day] - low) / (high - low);
    lines[rows - 1 - static_cast<int>(height * (rows - 1) + 0.5f)][day / 4] = with;
  };
  for (std::size_t day = 0; day < price.size(); ++day)
    mark(day, '.');
  mark(trade.bought, 'B');
  mark(trade.sold, 'S');
  std::string text;
  for (const std::string &line : lines)
    text += "\n" + line.substr(0, line.find_last_not_of(' ') + 1);
  return text;
}

} // namespace

TEST_CASE("a block of days, each with its thread") {
  std::vector<float> price; // the lowest first: who only subtracts is right, who has no order isn't
  do {
    price = wander(256, 100.0f, -24, 24);
    if (std::min_element(price.begin(), price.end()) > std::max_element(price.begin(), price.end()))
      for (float &day : price)
        day = 200.0f - day;
  } while (best_of(price).gain == best_of(halved(price)).gain ||
           best_of(price).gain == across_halves(price));
  check(price, "");
  for (float &day : price) // the highest first
    day = 200.0f - day;
  check(price, "");
}

TEST_CASE("prices that rise, and such that fall") {
  check(wander(256, 10.0f, 1, 8), ", each dearer than the one before");
  check(wander(256, 1000.0f, -8, -1), ", each cheaper than the one before");
}

TEST_CASE("fewer days than threads") {
  for (int n : {2, 1, 31, 33, 255})
    check(wander(n, 1000.0f, -24, 24), "");
  for (int n : checker::own_sizes(1, 1500, 2500))
    check(wander(n, 1000.0f, -24, 24), "");
}

TEST_CASE("prices below 0") {
  for (int n : {255, 256, 1})
    check(wander(n, -1000.0f, -24, 24), " with prices below 0");
  check({0.0f, -0.0f}, " with zeros of either sign");
}

TEST_CASE("many blocks") {
  for (int n : {1025, 1023})
    if (const auto seen = check(wander(n, 1000.0f, -24, 24), ""); seen && n == 1023)
      checker::expect_lanes(*seen, emu::Access::global_load, 20.0);
}

TEST_CASE("prices beyond every other") {
  check({FLT_MAX}, " at the largest float");
  check({-FLT_MAX}, " at the lowest float");
}

TEST_CASE("no days at all") { check({}, ""); }

TEST_CASE("every thread takes its share, and what comes of it") {
  std::vector<float> price = wander(256, 100.0f, -16, 16);
  if (const auto seen = check(price, ", a year of trading")) {
    std::vector<float> falling;
    for (int day = 0; day < 256; ++day)
      falling.push_back(static_cast<float>(-day));
    checker::record("gain_of_halving_strides", best_of(halved(falling)).gain);
    checker::expect_lanes(*seen, emu::Access::global_load, 25.0);
    checker::expect_lanes_or_shuffles(
        *seen, emu::Access::shared_load, 3.0, 0.1, "one thread merges what all have loaded");
    checker::expect_at_most("shared_load.requests_per_warp",
                            checker::requests_per_warp(*seen, emu::Access::shared_load),
                            96,
                            "all_by_each",
                            "the summaries are right, but each warp goes through all days. In a "
                            "tree a thread merges two summaries in each of 8 rounds");
  }
  const Trade best = best_of(price);
  const auto number = [](float value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", static_cast<double>(value));
    return std::string(text);
  };
  checker::note("The gain that your kernel found in a year of 256 days: bought (B) on day " +
                std::to_string(best.bought) + " for " + number(price[best.bought]) +
                ", sold (S) on day " + std::to_string(best.sold) + " for " +
                number(price[best.sold]) + chart(price, best));
}
