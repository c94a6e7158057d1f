// Checks stream_for_each.cu: the squares, when the last of four streams is done, and that no stream is left behind.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>

void square_rows(int *d_table, const int *begins, int rows);

namespace {

std::string numbers(double count) { return std::to_string(std::lround(count)); }

/// What becomes of the rows, by a model in which a number takes as long as any other and nothing else takes time.
struct Tills {
  std::vector<std::string> lanes; // the streams, in the order of their first kernels
  std::vector<double> busy; // of each, in numbers
  std::vector<std::string> rows; // of each, a letter for so many numbers
  double end = 0, best = 0, numbers_per_letter = 0;
  std::string longer_queue; // who was the first to join another than the shortest
  bool apart = false; // no two kernels run at the same time
  bool host_waits = false; // between two launches

  explicit Tills(const std::vector<int> &lengths) {
    emu::TimelineModel model = checker::plain_model(0);
    model.memory_gb_per_s = 1;
    const emu::Timeline times = *checker::timeline(model);
    double unit_us = 0, sum = 0, longest = 0;
    for (const emu::TimelineBar &bar : times.bars)
      if (bar.kind == "kernel" && bar.bytes > 0)
        unit_us = (bar.end_us - bar.begin_us) / static_cast<double>(bar.bytes / (2 * sizeof(int)));
    for (int length : lengths) {
      sum += length;
      longest = std::max<double>(longest, length);
    }
    best = std::max(longest, std::ceil(sum / 4));
    numbers_per_letter = best / 48;
    apart = checker::most_at_once(times) < 2;
    std::vector<double> free_us; // since when each stream has had nothing to do
    char letter = 'a';
    for (const emu::TimelineBar &bar : times.bars) {
      if (bar.kind != "kernel")
        continue;
      const auto lane = std::find(lanes.begin(), lanes.end(), bar.lane) - lanes.begin();
      if (lane == static_cast<long>(lanes.size())) {
        lanes.push_back(bar.lane);
        busy.push_back(0);
        free_us.push_back(0);
        rows.emplace_back();
      }
      host_waits = host_waits || bar.begin_us > free_us[lane] + unit_us;
      const double shortest = lanes.size() < 4 ? 0 : *std::min_element(busy.begin(), busy.end());
      if (longer_queue.empty() && busy[lane] > shortest + 0.5)
        longer_queue = "the first to join a longer queue than it has to is a row of " +
                       numbers((bar.end_us - bar.begin_us) / unit_us) + ": it comes behind " +
                       numbers(busy[lane]) + ", where another stream has " +
                       (shortest > 0.5 ? numbers(shortest) : "nothing yet");
      free_us[lane] = bar.end_us;
      busy[lane] += (bar.end_us - bar.begin_us) / unit_us;
      end = std::max(end, bar.end_us / unit_us);
      const double letters = bar.end_us / unit_us / numbers_per_letter;
      rows[lane].resize(std::max<std::size_t>(rows[lane].size(), std::lround(letters)), letter);
      letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
    }
  }

  std::string shares() const {
    std::string text;
    for (std::size_t i = 0; i < busy.size(); ++i)
      text += (i == 0                ? ""
               : i + 1 < busy.size() ? ", "
                                     : " and ") +
              std::to_string(std::lround(busy[i]));
    return text;
  }

  std::string chart() const {
    std::string text = "\n";
    for (const std::string &row : rows)
      text += "  " + row.substr(0, 70) + "\n";
    return text + "  " + std::string(47, ' ') + "^ the least";
  }
};

/// @return what became of the rows, where that can be told
std::optional<Tills>
check(const std::vector<int> &lengths, const std::string &rows, int calls = 1) {
  std::vector<int> begins{0};
  for (int length : lengths)
    begins.push_back(begins.back() + length);
  const auto h_in = checker::random_values<int>(begins.back(), -3, 3);
  const auto d_table = checker::on_device(h_in);
  std::vector<int> expected = h_in;
  for (int call = 0; call < calls; ++call)
    for (int &value : expected)
      value *= value;
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = rows + (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  std::vector<int> got(expected.size());
  checker::perhaps(
      "Wait for every stream that has rows, not for one of them or the default stream, before it "
      "returns. To destroy a stream is not to wait for it",
      "stream_race");
  checker::perhaps("Two kernels square the same numbers, and nobody waits. Row r begins at d_table "
                   "+ begins[r], and each is squared once. And when square_rows() returns all have "
                   "to be squared: has every stream been waited for?",
                   "stream_race",
                   " writes what kernel square");
  checker::perhaps("A kernel gets a row's length, begins[r + 1] - begins[r], and not where it ends",
                   "out_of_bounds");
  checker::perhaps("A row is squared by one block: a second one would square it again",
                   "global_race");
  const auto seen = checker::observe(what, [&] {
    for (int call = 0; call < calls; ++call)
      square_rows(d_table.data(), begins.data(), static_cast<int>(lengths.size()));
    LAB_CHECK_LAUNCH();
    const checker::Streams reader(1); // which waits for nobody
    if (!got.empty())
      LAB_CHECK(cudaMemcpyAsync(got.data(),
                                d_table.data(),
                                got.size() * sizeof(int),
                                cudaMemcpyDeviceToHost,
                                reader.streams[0]));
    LAB_CHECK(cudaDeviceSynchronize());
  });
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    const auto first = begins[row], end = begins[row + 1];
    checker::diagnose(
        "row_left_out",
        std::equal(got.begin() + first, got.begin() + end, h_in.begin() + first) &&
            !std::equal(got.begin() + first, got.begin() + end, expected.begin() + first),
        what + ": row " + std::to_string(row) + " is as it was: no kernel has squared it");
  }
  checker::expect_same("squares of " + what, got, expected);
  if (!seen)
    return std::nullopt;
  checker::expect_by_kernels(
      *seen, emu::Access::global_store, got.size() * calls * sizeof(int), what);
  std::uint64_t launches = 0;
  for (const emu::KernelReport &kernel : seen->kernels)
    launches += kernel.launches;
  const auto filled = static_cast<std::uint64_t>(lengths.size() - std::ranges::count(lengths, 0));
  checker::expect(launches >= filled * calls && launches <= lengths.size() * calls,
                  "not_a_kernel_each",
                  what + ": the squares are right, by " +
                      (launches == 1 ? "1 launch" : std::to_string(launches) + " launches") +
                      ". Each row has a kernel of its own");
  const emu::Hazard *const leak = seen->find("leak");
  checker::expect(!leak,
                  "left_behind",
                  what + ": the squares are right, but a stream is left behind" +
                      (leak && leak->here.where.line > 0
                           ? ": nobody has destroyed what line " +
                                 std::to_string(leak->here.where.line) +
                                 " makes when the function returns"
                           : ""));
  return begins.back() > 0 ? std::optional<Tills>(lengths) : std::nullopt;
}

/// The same, and the four streams have to be done together.
std::optional<Tills> in_time(const std::vector<int> &lengths, const std::string &what) {
  const auto tills = check(lengths, what);
  if (!tills)
    return tills;
  const std::string right = what + ": the squares are right, but ";
  checker::expect(!tills->apart,
                  "one_after_the_other",
                  right + "no row is squared while another one is: " +
                      (tills->lanes.size() == 1 ? "all of them are in one stream"
                                                : "the host waits between two launches"));
  checker::expect(tills->lanes.size() <= 4,
                  "too_many_streams",
                  right + std::to_string(tills->lanes.size()) +
                      " streams have rows, and there are four tills");
  checker::expect_at_most(
      "percent_of_best",
      std::round(100 * tills->end / tills->best),
      120,
      "uneven_queues",
      right + "the last stream is done after " + numbers(tills->end) + " numbers' time, where " +
          numbers(tills->best) + " would do" +
          (tills->host_waits ? ". The host waits between two launches, and meanwhile there are "
                               "streams without a row"
                             : ". One after another the streams have " + tills->shares() +
                                   " numbers to square; " + tills->longer_queue));
  return tills;
}

} // namespace

TEST_CASE("every size") {
  for (int n : checker::sizes())
    check({n, n, n}, "3 rows of " + checker::elements(n, "number"));
}

TEST_CASE("no row, one, and rows without numbers") {
  check({}, "no row");
  check({100}, "1 row");
  check({100, 1, 0, 0, 0, 0}, "2 rows and 4 without a number");
}

TEST_CASE("call after call") { check({900, 500, 300, 200, 100, 100}, "6 rows", 3); }

TEST_CASE("rows alike") {
  checker::unless_failed_before();
  in_time(std::vector<int>(40, 100), "40 rows of 100 numbers");
}

TEST_CASE("six rows") {
  checker::unless_failed_before();
  in_time({700, 500, 400, 300, 300, 200}, "rows of 700, 500, 400, 300, 300 and 200");
  checker::record("hundreds", 4 + 3); // of the rows that the card asks about
}

TEST_CASE("a full trolley, some baskets, and many who have forgotten one thing") {
  checker::unless_failed_before();
  std::vector<int> lengths = checker::random_values<int>(18, 30, 180);
  for (int length : {900, 450, 400})
    lengths.push_back(length);
  std::sort(lengths.rbegin(), lengths.rend());
  const auto tills = in_time(lengths, "21 rows of 900 to 30 numbers");
  if (tills)
    checker::note("Your four tills, a letter for each row. The last is done after " +
                  numbers(tills->end) + " numbers' time; " + numbers(tills->best) +
                  " are the least that four could take:" + tills->chart());
}
