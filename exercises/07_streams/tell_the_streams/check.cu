// Checks tell_the_streams.cu: the brightest of all photos, whichever comes late, in rounds, and that the host goes on.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

void star_trails(const int *h_photos,
                 int n,
                 int photos,
                 int *d_photos,
                 int *h_trails,
                 const cudaStream_t *streams,
                 cudaEvent_t mark);

namespace {

/// Of each pixel the brightest of the first `photos`.
std::vector<int> brightest(const std::vector<int> &all, int n, int photos) {
  std::vector<int> trails(all.begin(), all.begin() + n);
  for (int i = n; i < n * photos; ++i)
    trails[i % n] = std::max(trails[i % n], all[i]);
  return trails;
}

/// A night's sky, and what a learner's streams make of it.
struct Night {
  int n, photos;
  checker::Streams own{static_cast<std::size_t>(photos), 1};
  lab::PinnedBuffer<int> h_photos{static_cast<std::size_t>(n) * photos},
      h_trails{static_cast<std::size_t>(n)};
  lab::DeviceBuffer<int> d_photos = checker::poisoned<int>(static_cast<std::size_t>(n) * photos);

  Night(const std::vector<int> &all, int photo_count)
      : n(static_cast<int>(all.size()) / photo_count), photos(photo_count) {
    checker::name_streams(own.streams, "streams[#]");
    std::ranges::copy(checker::goes_in(all), h_photos.begin());
    std::fill(h_trails.begin(), h_trails.end(), -1'000'000);
    LAB_CHECK(cudaDeviceSynchronize());
  }
  void submit() {
    star_trails(h_photos.data(),
                n,
                photos,
                d_photos.data(),
                h_trails.data(),
                own.streams.data(),
                own.events[0]);
    LAB_CHECK_LAUNCH();
  }
  std::vector<int> trails() { return {h_trails.begin(), h_trails.end()}; }
};

/// @param late  which photo comes late
void check(int n, int photos, int late = 0) {
  const auto all = checker::extreme_values<int>(static_cast<std::size_t>(n) * photos);
  Night night(all, photos);
  const checker::HostMark returned;
  const std::string what =
      checker::counted(photos, "photo") + " of " + checker::elements(n, "pixel") +
      (late > 0 ? ", of which number " + std::to_string(late) + " comes late" : "");
  checker::perhaps("A photo that another one has taken in is done with: no photo is in two kernels "
                   "at a time, and none in a later one once it has been put onto another",
                   "stream_race",
                   " writes what kernel keep_brighter");
  bool free_to_go = true;
  const auto seen = checker::observe(what, [&] {
    checker::LateStreams held({{night.own.streams[late], 200}});
    night.submit();
    returned.here();
    free_to_go = held.let_go();
  });
  const auto got = night.trails(), expected = brightest(all, n, photos);
  const int met = static_cast<int>(std::bit_floor(static_cast<unsigned>(photos)));
  checker::diagnose("photo_left_out",
                    met < photos && got == brightest(all, n, met),
                    what + ": these are the trails of the first " + std::to_string(met) +
                        ". Who has no partner in a round meets somebody in a later one");
  checker::diagnose("photo_0_as_it_was",
                    photos > 1 && got != expected && got == brightest(all, n, 1),
                    what +
                        ": these are photo 0's pixels, as they came. keep_brighter() changes its "
                        "first photo, and at last all has to be in photo 0");
  checker::expect_same("the trails of " + what, got, expected);
  if (seen) // two photos for each that is taken in
    checker::expect_by_kernels(
        *seen, emu::Access::global_load, 2ull * (photos - 1) * n * sizeof(int), what);
  constexpr double kernel_us = 100;
  const auto times = checker::timeline(checker::plain_model(kernel_us));
  if (seen)
    free_to_go = returned.us(*times) <= 0;
  checker::expect(free_to_go,
                  "host_waits",
                  what +
                      ": the trails are right, but the host stands still until the device is done "
                      "with something. One stream can wait for the other without it");
  if (!seen)
    return;
  double end_us = 0;
  int launches = 0;
  for (const emu::TimelineBar &bar : times->bars)
    if (bar.kind == "kernel") {
      end_us = std::max(end_us, bar.end_us);
      ++launches;
    }
  checker::expect(launches == photos - 1,
                  "other_kernels",
                  what + ": the trails are right, by " +
                      (launches == 1 ? "one launch" : std::to_string(launches) + " launches") +
                      ", where two photos that meet need one: after " + std::to_string(photos - 1) +
                      " of these there is one photo left");
  const int rounds = std::bit_width(static_cast<unsigned>(photos - 1));
  checker::expect_at_most(
      "kernel_lengths",
      std::floor(end_us / kernel_us),
      rounds,
      "one_after_the_other",
      what +
          ": the trails are right, and made one after another where photos could meet at the same "
          "time. As long as " +
          checker::counted(rounds, "kernel") + " is enough: who has to wait for whom?");
  if (n >= 1000)
    checker::expect_lanes(*seen, emu::Access::global_load, 24.0);
}

} // namespace

TEST_CASE("two photos") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, 2);
}

TEST_CASE("any number of photos") {
  checker::unless_failed_before();
  for (int photos : {3, 1, 4, 5, 7, 8})
    check(60, photos);
}

TEST_CASE("a photo comes late") {
  check(100, 6, 3);
  check(100, 5, 4);
}

TEST_CASE("more photos than a byte counts") {
  checker::unless_failed_before();
  check(20, 130);
}

TEST_CASE("night after night") {
  checker::unless_failed_before();
  constexpr int n = 100, photos = 5;
  const auto all = checker::extreme_values<int>(n * photos);
  Night night(all, photos);
  checker::perhaps("It is the next night's photo that comes into the place of one which a kernel, "
                   "in another stream, has not put onto its partner yet",
                   "stream_race",
                   "cudaMemcpyAsync to the device");
  checker::observe("two nights of 5 photos", [&] {
    night.submit();
    night.submit();
    LAB_CHECK(cudaDeviceSynchronize());
  });
  checker::expect_same(
      "the trails of two nights of 5 photos", night.trails(), brightest(all, n, photos));
}

TEST_CASE("a night") {
  checker::unless_failed_before();
  constexpr int rows = 40, cols = 64, photos = 8;
  std::vector<int> all(photos * rows * cols);
  const auto places = checker::random_values<int>(2 * 60, 0, 359);
  for (int star = 0; star < 60; ++star)
    for (int moment = 0; moment < 3 * photos; ++moment) {
      const double radius = 2.5 + places[2 * star] / 359.0 * 38,
                   angle = (places[2 * star + 1] + 1.5 * moment) * std::acos(-1.0) / 180;
      const auto row = std::lround(rows / 2 + radius * std::sin(angle)),
                 col = std::lround(cols / 2 + radius * std::cos(angle));
      if (0 <= row && row < rows && 0 <= col && col < cols)
        all[moment / 3 * rows * cols + row * cols + col] = 1;
    }
  Night night(all, photos);
  checker::unobserved([&] {
    night.submit();
    LAB_CHECK(cudaStreamSynchronize(night.own.streams[0]));
  });
  std::vector<bool> cells;
  for (const int pixel : night.trails())
    cells.push_back(pixel > 0);
  checker::note(
      "Eight photos of a night, met two by two in your streams: the sky turns around its pole." +
      checker::picture(cells, cols));
}
