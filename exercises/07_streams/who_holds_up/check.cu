// Checks who_holds_up.cu: the photo, and that strips overlap on either side of one wall.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

void brighten_photo(int *h_photo,
                    int n,
                    int strips,
                    int *d_photo,
                    int *d_brightest,
                    int *h_brightest,
                    const cudaStream_t *streams);

namespace {

/// Of `calls` calls, one behind the other.
/// @param photo  becomes what was made of it
std::optional<emu::Observation>
check(std::vector<int> &photo, int strips, const checker::HostMark &returned, int calls = 1) {
  const int n = static_cast<int>(photo.size()) / strips;
  lab::PinnedBuffer<int> h_photo(photo.size()), h_brightest(1);
  std::ranges::copy(checker::goes_in(photo), h_photo.begin());
  h_brightest.begin()[0] = -1;
  const auto d_photo = checker::poisoned<int>(photo.size()),
             d_brightest = checker::poisoned<int>(1);
  std::vector<cudaStream_t> streams(strips);
  for (cudaStream_t &stream : streams)
    LAB_CHECK(cudaStreamCreate(&stream));
  checker::name_streams(streams, "streams[#]");
  LAB_CHECK(cudaDeviceSynchronize());
  const std::string what = checker::counted(strips, "strip") + " of " +
                           checker::elements(n, "pixel") + (calls > 1 ? ", call after call" : "");
  checker::perhaps("When a strip is made brighter, every strip has to have been looked at. Streams "
                   "do not keep the order of your calls among each other: what makes all of them "
                   "wait there?",
                   "stream_race");
  checker::perhaps("Each strip has a place of its own in the photo, on the host as on the device: "
                   "strip k begins at k * n",
                   "stream_race",
                   "writes what cudaMemcpyAsync to the host");
  checker::perhaps("A strip comes, is made brighter and goes home in its own stream, streams[k]: "
                   "then its copy home waits for its kernel",
                   "stream_race",
                   "reads what kernel brighten");
  checker::perhaps("*d_brightest is set to 0 once, before all strips: what is asked of a strip's "
                   "stream holds up no other one",
                   "stream_race",
                   " what cudaMemsetAsync");
  checker::perhaps("*brightest is still 0: no pixel has been looked at before. Do both loops come "
                   "to every strip, the last one, too, and the only one?",
                   "division_by_zero");
  bool free_to_go = true;
  auto seen = checker::observe(what, [&] {
    checker::LateStreams late({{streams[0], 200}});
    for (int call = 0; call < calls; ++call)
      brighten_photo(h_photo.data(),
                     n,
                     strips,
                     d_photo.data(),
                     d_brightest.data(),
                     h_brightest.data(),
                     streams.data());
    LAB_CHECK_LAUNCH();
    returned.here();
    free_to_go = late.let_go();
  });
  LAB_CHECK(cudaDeviceSynchronize());
  for (cudaStream_t stream : streams)
    LAB_CHECK(cudaStreamDestroy(stream));
  const int brightest = std::ranges::max(photo);
  const std::vector<int> before = photo;
  std::vector<int> expected = photo;
  for (int &pixel : expected)
    pixel = 255 * pixel / brightest;
  photo.assign(h_photo.begin(), h_photo.end());
  int most = 1;
  std::vector<int> so_far; // if a strip knows those before it, and itself
  for (std::size_t i = 0, known = 0; i < before.size(); ++i) {
    for (; known < (i / n + 1) * n; ++known)
      most = std::max(most, before[known]);
    so_far.push_back(255 * before[i] / most);
  }
  checker::diagnose("brightest_so_far",
                    calls == 1 && photo != expected && photo == so_far,
                    what + ": each strip is as bright as if those behind it did not count. When it "
                           "was made brighter, nobody had looked at these");
  int of_quarters = 0; // the brightest pixel of those that n bytes hold
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (static_cast<int>(i) % n < n / 4)
      of_quarters = std::max(of_quarters, before[i]);
  checker::diagnose("a_quarter_came",
                    of_quarters > 0 && of_quarters < brightest && calls == 1 &&
                        photo[0] == 255 * before[0] / of_quarters,
                    what + ": so it is if only a quarter of each strip has been looked at: " +
                        std::to_string(n) + " bytes of it came, and a pixel has 4");
  checker::expect_same("the photo of " + what, photo, expected, {}, n);
  checker::expect_same(
      "the brightest pixel of " + what, h_brightest.begin()[0], calls > 1 ? 255 : brightest);
  if (seen) // looked at, and made brighter
    checker::expect_by_kernels(
        *seen, emu::Access::global_load, 2 * expected.size() * calls * sizeof(int), what);
  checker::expect(
      free_to_go,
      "host_waits",
      what + ": the photo is right, but the host waits until strips are done. What is asked of the "
             "default stream waits for all streams by itself, on the device");
  return seen;
}

std::vector<int> dark_photo(int n, int strips) {
  auto photo = checker::random_values<int>(static_cast<std::size_t>(n) * strips, 0, 90);
  for (int k = 0; k < strips; ++k)
    photo[k * n + n / 2] = 91 + k; // each strip has a brighter one than all before
  return photo;
}

std::optional<emu::Observation>
check(int n, int strips, const checker::HostMark &returned, int calls = 1) {
  auto photo = dark_photo(n, strips);
  return check(photo, strips, returned, calls);
}

} // namespace

TEST_CASE("every size") {
  const checker::HostMark returned;
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 3, returned);
}

TEST_CASE("one strip, and many") {
  const checker::HostMark returned;
  check(300, 1, returned);
  check(300, 6, returned);
}

TEST_CASE("call after call") {
  checker::unless_failed_before();
  const checker::HostMark returned;
  check(300, 3, returned, 2);
}

TEST_CASE("strips overlap") {
  checker::unless_failed_before();
  constexpr int n = 1 << 13, strips = 4;
  constexpr double strip_us =
      n * sizeof(int) / 1e3; // to copy one, to look at it, and to make it brighter
  const checker::HostMark returned;
  const auto seen = check(n, strips, returned);
  if (!seen)
    return;
  const auto times = *checker::timeline(checker::plain_model(strip_us));
  double begin_us = times.total_us; // of the first copy: setting the brightest to 0 comes before
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "copy")
      begin_us = std::min(begin_us, bar.begin_us);
  checker::expect(returned.us(times) <= 0,
                  "host_waits",
                  "the photo is right, but the host waits on the way. What is asked of the default "
                  "stream waits for all streams by itself, on the device");
  checker::record("times_of_six", 6 + 1 + 1 + 6);
  std::set<std::string> lanes;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel")
      lanes.insert(bar.lane);
  checker::expect(lanes.size() > 1,
                  "one_stream",
                  "the photo is right, but all strips are in one stream, and go one after another. "
                  "Strip k is to be in streams[k]");
  std::map<std::string, int> calls; // in the default stream, behind the first strip's copy
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.begin_us > begin_us && !bar.lane.starts_with("stream"))
      if (bar.kind == "kernel" || bar.kind == "copy")
        ++calls[bar.kind == "kernel"        ? "kernel " + bar.name
                : bar.engine == "to_device" ? "copy to the device"
                                            : "copy to the host"];
  std::string walls;
  for (const auto &[call, count] : calls)
    walls += (walls.empty() ? ". In the default stream: " : ", ") + call + " (" +
             checker::counted(count, "time") + ")";
  checker::expect_at_most(
      "strip_times",
      std::round((times.total_us - begin_us) / strip_us),
      11,
      "one_after_the_other",
      "the photo is right, but strips stand back for each other where they "
      "need not. Which calls wait for all streams, and hold all of them up, and "
      "which strips have to wait for which, and when? 4 strips can be home in "
      "11 times what a copy takes" +
          walls);
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0, "the photo is right");
  checker::note(
      "Your streams, with four strips (> comes, ? is looked at, * is made brighter, < goes "
      "home):" +
      checker::rows_of(times,
                       strip_us / 4,
                       {"strip 0", "strip 1", "strip 2", "strip 3"},
                       [kernel = 0](const emu::TimelineBar &bar) mutable {
                         return !bar.lane.starts_with("stream") ? '\0'
                                : bar.kind == "kernel"          ? kernel++ < strips ? '?' : '*'
                                : bar.kind != "copy"            ? '\0'
                                : bar.engine == "to_device"     ? '>'
                                                                : '<';
                       }));
}

TEST_CASE("what there was to see") {
  checker::unless_failed_before();
  constexpr int rows = 28, cols = 72;
  std::vector<int> photo = checker::random_values<int>(rows * cols, 0, 25);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const double x = (std::abs(col - 35.5) - 18) / 15, y = (row - 13.5) / 10;
      if (std::abs(y) < 1 - x * x && std::abs(x) > 0.2 * (1 - y * y))
        photo[row * cols + col] = 60;
    }
  photo[10 * cols + 20] = photo[10 * cols + 56] = 100;
  checker::unobserved([&] {
    const checker::HostMark returned;
    check(photo, 4, returned);
  });
  std::vector<bool> cells;
  for (const int pixel : photo)
    cells.push_back(pixel > 127);
  checker::note("In the photo that was too dark, by your strips. Something looks at you:" +
                checker::picture(cells, cols));
}
