// Checks four_in_flight.cu: every leaf at every step, coalesced loads, how many come before a round's first store, and who
// begins when one is down.
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

__global__ void drift(const int *wind, const int *leaves, int n, int *trail);

namespace {

constexpr int poison = static_cast<int>(0xCDCDCDCD), down = -1;

int most_steps(const std::vector<int> &wind, const std::vector<int> &leaves) {
  int most = 0;
  for (const int leaf : leaves) {
    int steps = 0;
    for (int place = wind[leaf]; place >= 0; place = wind[place])
      ++steps;
    most = std::max(most, steps);
  }
  return most;
}

std::vector<int> trail_of(const std::vector<int> &wind, const std::vector<int> &leaves, int steps) {
  const int n = static_cast<int>(leaves.size());
  std::vector<int> trail(n * steps, poison);
  for (int i = 0; i < n; ++i) {
    int place = wind[leaves[i]];
    for (int s = 0; place >= 0; ++s, place = wind[place])
      trail[s * n + i] = place;
  }
  return trail;
}

std::vector<int> in_a_row(int n, int first = 0) {
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), first);
  return places;
}

std::optional<emu::Observation> check(const std::vector<int> &wind,
                                      const std::vector<int> &h_leaves,
                                      int blocks,
                                      int threads,
                                      int offset = 0) {
  const int n = static_cast<int>(h_leaves.size()), steps = most_steps(wind, h_leaves);
  const int room = 3 * steps * n; // steps that go on from leaf to leaf are seen, too
  auto expected = trail_of(wind, h_leaves, steps);
  expected.resize(room, poison);
  std::vector<int> further(offset, -1); // leaves that nobody may look at
  further.insert(further.end(), h_leaves.begin(), h_leaves.end());
  const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(further);
  const auto d_trail = checker::poisoned<int>(room + offset);
  const std::string what = (n == 1 ? "1 leaf" : std::to_string(n) + " leaves") + ", " +
                           checker::counted(blocks, "block") + " of " + std::to_string(threads);
  auto seen = checker::launch(what, [&] {
    drift<<<blocks, threads>>>(d_wind.data(), d_leaves.data() + offset, n, d_trail.data() + offset);
  });
  auto got = d_trail.download();
  got.erase(got.begin(), got.begin() + offset);
  int missing = 0, wrong = 0, negative = 0;
  for (int i = 0; i < room; ++i) {
    missing += got[i] == poison && expected[i] != poison;
    wrong += got[i] != poison && got[i] != expected[i];
    negative += got[i] == down;
  }
  checker::diagnose("leaves_left_out",
                    missing > 0 && wrong == 0,
                    what + ": what is there is right, but " + std::to_string(missing) + " of " +
                        std::to_string(room - std::ranges::count(expected, poison)) +
                        " steps were left out. Is a thread done when all of its leaves are down?");
  checker::diagnose("down_written",
                    negative > 0 && negative == wrong,
                    what + ": there are " + std::to_string(down) +
                        " in the trail. Who is down has made no step");
  for (int i = 0; missing + wrong > 0 && i < n; ++i) {
    int late = 0; // the row in which the leaf's trail begins, where it begins in none before
    while (late < 3 * steps && got[late * n + i] == poison)
      ++late;
    checker::diagnose(
        "steps_go_on",
        late > 0 && late < 3 * steps && expected[i] != poison && got[late * n + i] == expected[i],
        what + ": where leaf " + std::to_string(i) + " is after its first step stands in row " +
            std::to_string(late) +
            " of the trail, and belongs in row 0. With which number of steps does a thread's next "
            "leaf begin?");
  }
  checker::diagnose("a_step_behind",
                    n > 1 && steps > 0 && std::equal(h_leaves.begin(), h_leaves.end(), got.begin()),
                    what + ": the trail begins with the leaves' own places. Its first row is where "
                           "they are after a step");
  checker::expect_same("trail of " + what, got, expected, {}, std::max(n, 1));
  return seen;
}

/// How many threads follow how many leaves: drawn, so that nobody knows them by their number.
struct Few {
  int blocks, threads, n;
  explicit Few(int least) // leaves for each thread
      : blocks(checker::random_values<int>(1, 2, 4)[0]),
        threads(32 * checker::random_values<int>(1, 1, 3)[0]),
        n(all() * least + checker::random_values<int>(1, 0, 8)[0] * 16) {}
  int all() const { return blocks * threads; }
};

// Four leaves and more for each thread, and the trail lies on the wind at the places of its own next leaves, in one of two steps: each
// thread overwrites what only it will read. So the trail tells how many loads of this step came before its first store.
int loads_before_the_first_store(int step) {
  const Few few(4);
  const int all = few.all();
  // After a step the first leaves are at 20 and behind, the others at 40 and behind, and then, again in a row, from 60, where they
  // come down. All in rows of a place for each thread. Further leaves are down at once.
  const int first[] = {20 * all, 40 * all, 41 * all, 42 * all};
  std::vector<int> wind(80 * all, down), leaves = in_a_row(4 * all);
  for (int k = 0; k < 4; ++k)
    for (int thread = 0; thread < all; ++thread) {
      wind[all * k + thread] = first[k] + thread;
      wind[first[k] + thread] = 60 * all + all * k + thread;
    }
  leaves.resize(few.n, 70 * all);
  const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(leaves);
  const int begin =
      step == 0 ? all : first[1] - few.n; // of the trail, so that row `step` lies there
  checker::launch(std::to_string(few.n) + " leaves, whose trail lies on the wind of the next", [&] {
    drift<<<few.blocks, few.threads>>>(
        d_wind.data(), d_leaves.data(), few.n, d_wind.data() + begin);
  });
  const auto after = d_wind.download();
  const auto expected = trail_of(wind, leaves, 2);
  int loads = 0;
  for (bool right = true; right && loads < 4; loads += right)
    for (int thread = 0; thread < all; ++thread) {
      const int i = step * few.n + all * loads + thread;
      right = right && after[begin + i] == expected[i];
    }
  return loads;
}

// Five leaves and more for each thread, of whose first four `early` is down at once, and the others after eight steps. What one
// of these writes at its sixth lies on the fifth's first place: does the fifth begin before? From the last to the first of the
// five, if they are turned over: nobody has to begin in front. Further leaves are down at once.
bool begins_at_once(int early, bool turned_over) {
  const int all = Few(5).all(), leaves_each = 5 + checker::random_values<int>(1, 0, 3)[0];
  const int late = early == 3 ? 2 : 3;
  const int fifth =
      50 + 5 * leaves_each +
      (turned_over ? 4 - late
                   : late); // places come in rows, one for each thread; the trail begins at row 50
  std::vector<int> wind(all * 130, down), leaves;
  for (int k = 0; k < 5; ++k)
    for (int thread = 0; thread < all; ++thread) {
      leaves.push_back(all * (k == 4 ? fifth : 10 * k) + thread);
      for (int step = 0; k < 4 && k != early && step < 8; ++step)
        wind[all * (10 * k + step) + thread] = all * (10 * k + step + 1) + thread;
      wind[all * fifth + thread] = all * 49 + thread;
    }
  for (int i = 0; i < 2 * all && turned_over; ++i)
    std::swap(leaves[i], leaves[all * (4 - i / all) + i % all]);
  const int n = leaves_each * all;
  leaves.resize(n, all * 120);
  const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(leaves);
  checker::launch(
      std::to_string(n) + " leaves, whose trail lies on the wind of the last ones", [&] {
        drift<<<all / 32, 32>>>(d_wind.data(), d_leaves.data(), n, d_wind.data() + all * 50);
      });
  return d_wind.download()[all * (50 + (turned_over ? 0 : 4))] == all * 49;
}

} // namespace

TEST_CASE("every size, in any grid, from any address on") {
  std::vector<int> wind = checker::random_values<int>(997, 60, 400);
  for (int place = 0; place < 997; ++place) // down after 16 steps at the latest
    wind[place] = std::max(down, place - wind[place]);
  checker::every_size(128, {32, 47, 96, 256, 1024}, [&](int n, int threads) {
    check(wind, checker::random_values<int>(n, 0, 996), (n + 6 * threads) / (6 * threads), threads);
  });
  check(wind, checker::random_values<int>(1000, 0, 996), 2, 64, 1);
  checker::at_large_size([] { check(in_a_row(150, down), in_a_row(10, 140), 1, 2); });
}

TEST_CASE("four loads before the first store, coalesced ones") {
  checker::record("bytes_of_a_warp_of_doubles", 32.0 * 3 * sizeof(double));
  const Few few(8);
  const int n = few.n - few.n % few.all();
  auto wind = in_a_row(2 * n, n); // two steps, each to the same place of the next n
  wind.resize(3 * n, down);
  const auto seen = check(wind, in_a_row(n), few.blocks, few.threads);
  if (seen) {
    checker::expect_cost_at_most(
        *seen,
        emu::Access::global_load,
        4,
        "uncoalesced",
        "each load of a warp should need 4 sectors here, where leaves lie in a row: in each of a "
        "thread's four loads, neighbouring threads have to take neighbouring leaves",
        false);
    checker::expect_lanes(*seen, emu::Access::global_load, 30.0, {}, 0.8);
  }
  for (const int step : {0, 1})
    checker::expect_at_least(
        step == 0 ? "in_flight_at_first" : "in_flight_then",
        loads_before_the_first_store(step),
        4,
        "one_at_a_time",
        std::string("the trail is right, but at ") + (step == 0 ? "the first" : "the second") +
            " step a leaf's load comes behind the store of another one. `trail` could be where it "
            "loads from, so the load cannot begin before the store has");
  for (const int early : {0, 1, 2, 3})
    checker::expect(begins_at_once(early, false) && begins_at_once(early, true),
                    "waits_for_the_last",
                    "the trail is right, but when leaf " + std::to_string(early + 1) +
                        " of a thread's first four is down, its place stays empty: the fifth leaf "
                        "begins six steps later or more. Who is down makes room at once");
  if (seen)
    for (const emu::KernelReport &kernel : seen->kernels)
      checker::expect(kernel.restricted_parameters == 0,
                      "false_promise",
                      "__restrict__ promises that `trail` overlaps nothing. It may, and then the "
                      "compiler is free to do anything: write the loads before the stores instead");
}

TEST_CASE("a storm") {
  constexpr int rows = 35, cols = 74;
  std::vector<int> wind;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const double y = row - rows / 2, x = 0.5 * (col - cols / 2); // about the eye
      const double to_y = 0.955 * y + 0.15 * x, to_x = 0.955 * x - 0.15 * y;
      const int to_row = std::clamp<int>(std::lround(to_y) + rows / 2, 0, rows - 1);
      const int to_col = std::clamp<int>(std::lround(2 * to_x) + cols / 2, 0, cols - 1);
      wind.push_back(x * x + y * y < 16 ? down : to_row * cols + to_col); // calm in the eye
    }
  const std::vector<int> leaves = {
      17 * cols + 1, cols + 18, cols + 56, 17 * cols + 72, 33 * cols + 55, 33 * cols + 17};
  checker::unobserved([&] {
    check(wind, leaves, 1, 1);
    const int n = static_cast<int>(leaves.size()), steps = most_steps(wind, leaves);
    const auto d_wind = checker::on_device(wind), d_leaves = checker::on_device(leaves);
    const auto d_trail = checker::poisoned<int>(n * steps);
    drift<<<1, 1>>>(d_wind.data(), d_leaves.data(), n, d_trail.data());
    const auto trail = d_trail.download();
    std::vector<bool> cells(rows * cols);
    constexpr int parts = 8; // of the line from place to place
    for (int i = 0; i < n; ++i)
      for (int s = 0, from = leaves[i]; s < steps && trail[s * n + i] != poison; ++s) {
        const int to = trail[s * n + i];
        for (int part = 0; part <= parts; ++part) {
          const double along = 1.0 * part / parts;
          const auto row = std::lround(from / cols + along * (to / cols - from / cols)),
                     col = std::lround(from % cols + along * (to % cols - from % cols));
          cells.at(row * cols + col) = true;
        }
        from = to;
      }
    checker::note(
        "A storm, and the trails of six leaves, which a thread of yours has followed until "
        "they came down in its eye:" +
        checker::picture(cells, cols));
  });
}
