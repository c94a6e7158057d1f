// Checks send_ahead.cu: the values, where pages were sent, and that nobody had to wait for one.
#include "checker/nasty.hpp"
#include "checker/streams.hpp"
#include "managed.hpp"

#include <algorithm>
#include <cmath>

cudaError_t next_exposure(const float *sky, float *plate, int first, int count, int before);

namespace {

// Numbers of a page; on a GPU of what moves at once, so that each is known to be sent or not.
const int page = lab::on_emulator() ? 1024 : 1 << 19;

const char *const sky_went_home = ": the sky was sent to the host, which does not read it again";

int pages_of(int begin, int end) { return (end - 1) / page - begin / page + 1; }

/// A sky, the plate, and the exposures so far.
class Sweep {
public:
  explicit Sweep(int n)
      : Sweep(checker::extreme_values<float>(n), checker::random_values<float>(n, -1.0f, 1.0f)) {}
  Sweep(const std::vector<float> &sky, const std::vector<float> &plate)
      : h_sky_(sky), expected_(plate), sky_(sky), plate_(plate) {}

  void expose(int first, int count) {
    const std::string what = (before_ < 0 ? "an exposure of " : "the view moves on, to ") +
                             checker::elements(count, "number") + " from sky[" +
                             std::to_string(first) + "] on";
    for (int i = first; i < first + count; ++i)
      expected_[i] += h_sky_[i] - 0.5f * (h_sky_[i - 1] + h_sky_[i + 1]);
    const int kept = first / page * page, left = before_ < 0 ? kept : before_ / page * page;
    std::vector<float> got(kept > left ? kept - left : 0);
    cudaError_t error = cudaSuccess;
    const auto seen = checker::observe(what, [&] {
      error = next_exposure(sky_.data(), plate_.data(), first, count, before_);
      for (std::size_t i = 0; i < got.size(); ++i)
        got[i] = plate_.data()[left + i];
    });
    const auto times = checker::timeline(checker::plain_model(1));
    const cudaError_t behind = cudaGetLastError();
    error = error != cudaSuccess ? error : behind;
    checker::expect(
        error == cudaSuccess,
        "cuda_error",
        what + ": " + cudaGetErrorName(error) +
            (error != cudaErrorInvalidValue ? ""
             : count == 0 || got.empty()
                 ? ". CUDA refuses to prefetch no bytes at all, and what lies outside of a vector"
                 : ". Do all of these bytes lie in one vector? A float has 4, sizeof of a pointer "
                   "is 8, and a pointer to float moves by floats"));
    checker::expect_same(
        "pages of the plate that " + what + " has left",
        got,
        std::vector<float>(expected_.begin() + left, expected_.begin() + left + got.size()));
    std::uint64_t copied = 0; // whoever sends pages copies nothing
    for (const char *engine : {"to_device", "to_host", "memory"})
      copied += times ? checker::bytes_copied(*times, engine) : 0;
    checker::expect(copied <= 64,
                    "copied",
                    what + ": all is right, by copies of all that is in view, there and back each "
                           "time. Pages are to be sent, by send(), and stay as long as they are in "
                           "view");
    if (seen && count > 0)
      expect_pages(what, seen->total_pages(), first, count, (kept - left) / page);
    if (!seen && count >= page && pages_move())
      expect_places(what, first, count);
    sent_until_ = std::max(sent_until_, first + count);
    before_ = first;
  }

  void expect_plate() {
    checker::expect_same("the plate", plate_.values(), expected_);
    checker::expect_same("the sky, which nobody should change", sky_.values(), h_sky_);
  }

  /// Pages, by the last exposure.
  int sent_to_device() const { return sent_; }

  /// Pages, by all exposures, to the device and home.
  int moved() const { return moved_; }

  std::vector<float> plate() const { return plate_.values(); }

private:
  // Where whole pages in view were sent last, on a GPU.
  void expect_places(const std::string &what, int first, int count) {
    const int whole = (first + page - 1) / page * page;
    const int whole_end = (first + count) / page * page;
    if (whole_end > whole) {
      const int sky_went = sky_.last_prefetch(whole, whole_end - whole);
      checker::expect(sky_went != cudaCpuDeviceId, "sent_for_nothing", what + sky_went_home);
      const int plate_went = plate_.last_prefetch(whole, whole_end - whole);
      checker::expect(plate_went != cudaCpuDeviceId,
                      "sent_home_too_early",
                      what + ": the plate was sent home where it is still in view");
      // Of later ones a driver may keep no note, where the range begins with what was sent before.
      checker::expect(before_ >= 0 || (sky_went == 0 && plate_went == 0),
                      sky_went == 0 ? "plate_not_sent" : "kernel_waits",
                      what + ": " + (sky_went == 0 ? "the plate" : "the sky") +
                          ", or a part of what is in view, was not sent to the device");
    }
  }

  /// What the view has left.
  std::string pages_left(int begin, int end, int first) const {
    return ". It has left plate[" + std::to_string(begin * page) + "] to plate[" +
           std::to_string(end * page - 1) + "] by a step of " + std::to_string(first - before_) +
           (begin * page < before_
                ? ": the view before began within the first of these pages, at " +
                      std::to_string(before_) + ", and has touched it"
                : "");
  }

  void expect_pages(
      const std::string &what, const emu::PageCounts &pages, int first, int count, int left) {
    const int end = first + count;
    const bool begins = before_ < 0;
    const int new_plate =
        begins ? pages_of(first, end) : (end - 1) / page - (sent_until_ - 1) / page;
    const int new_sky = begins ? pages_of(first - 1, end + 1) : end / page - sent_until_ / page;
    const int faults = static_cast<int>(pages.kernel_faults);
    const int home = static_cast<int>(pages.sent_to_host);
    checker::expect(!begins || faults == 0 || sky_.last_prefetch(first, count) != cudaCpuDeviceId,
                    "sent_to_the_host",
                    what + ": what the kernel reads was sent to the host, where it was. The kernel "
                           "works on the device: Place::device");
    checker::expect(home <= left || sky_.last_prefetch(first, count) != cudaCpuDeviceId,
                    "sent_for_nothing",
                    what + sky_went_home);
    checker::expect(home <= left + 1,
                    "sent_home_too_early",
                    what + ": " + std::to_string(home) +
                        " pages went home, and the view has left " + std::to_string(left) +
                        ". What is still in view will be needed again, by the next exposure");
    checker::expect(home <= left,
                    "torn_page",
                    what +
                        ": a page went home that is still needed: of its numbers some are behind "
                        "the view, and others in it. A page moves as a whole");
    if (count >= page) { // smaller views tell less
      checker::expect(faults != new_plate || faults == 0 ||
                          static_cast<int>(pages.sent_to_device) != new_sky,
                      "plate_not_sent",
                      what + ": the kernel waited for " + std::to_string(faults) +
                          " pages of the plate: what a kernel writes has to be there, too");
      checker::expect(faults == 0 || faults > 2 || faults == new_plate + new_sky,
                      "neighbours_left_behind",
                      what + ": the kernel waited for " + checker::counted(faults, "page") +
                          ". At the ends of the view it reads sky[first - 1] and sky[first + "
                          "count], and here " +
                          (faults == 1 ? "one of them lies in a page that was not sent"
                                       : "each lies in a page of its own"));
    }
    checker::expect_at_most(
        "pages.kernel_faults",
        faults,
        0.0,
        "kernel_waits",
        what + (pages.sent_to_device > 0
                    ? (static_cast<int>(pages.sent_to_device) ==
                               pages_of(first, first + count / 4) +
                                   pages_of(first - 1, first - 1 + (count + 2) / 4)
                           ? ": as many pages were sent ahead as hold a quarter of the view, its " +
                                 std::to_string(count) +
                                 " numbers counted as so many bytes. A float has 4"
                           : ": some pages were sent ahead, and for others the kernel had to wait. "
                             "A size is counted in bytes, and the view begins at `first`")
                    : ": the kernel waited for pages that were not there when it began: whatever "
                      "it reads or writes is sent ahead of the launch, in each exposure"));
    checker::expect_at_most("pages.host_faults",
                            static_cast<double>(pages.host_faults),
                            0.0,
                            "not_sent_home",
                            what + ": the host waited for " +
                                checker::counted(pages.host_faults, "page") +
                                " of the plate that the view has left" +
                                pages_left(first / page - left, first / page, first));
    checker::expect_at_most(begins ? "pages.sent_to_device" : "pages.sent_later",
                            static_cast<double>(pages.sent_to_device),
                            new_plate + new_sky,
                            "sent_for_nothing",
                            what + ": more pages went to the device than have come into view: " +
                                std::to_string(new_plate) + " of the plate, and " +
                                std::to_string(new_sky) + " of the sky with its neighbours" +
                                (static_cast<int>(pages.sent_to_device) == 2 * new_sky
                                     ? ". You sent as many of the plate as of the sky, and of the "
                                       "plate nobody touches a neighbour"
                                     : ""));
    sent_ = static_cast<int>(pages.sent_to_device);
    moved_ += sent_ + home;
  }

  std::vector<float> h_sky_, expected_;
  Managed<float> sky_, plate_;
  int before_ = -1; // the begin of the exposure before
  int sent_until_ = 0; // the end of what has been in view
  int sent_ = 0, moved_ = 0; // pages
};

/// A comet among stars.
std::vector<bool> comet(int rows, int cols) {
  std::vector<bool> cells(rows * cols);
  const auto place = checker::random_values<float>(4, 0.0f, 1.0f);
  const auto chance = checker::random_values<float>(rows * cols, 0.0f, 1.0f);
  const float slope = 0.1f + 0.25f * place[2], side = place[3] < 0.5f ? 1.0f : -1.0f;
  const float x = 9.0f + 8.0f * place[0], y = 14.0f + side * (5.0f + 4.0f * place[1]);
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const int cell = row * cols + col;
      const float dx = static_cast<float>(col) - x, dy = static_cast<float>(row) - y;
      const float off =
          std::abs(dy + side * slope * dx) / (3.0f + 0.1f * dx); // the tail's middle: 0
      const bool tail = dx > 0.0f && off < 1.0f && chance[cell] > off * off + dx / 70.0f;
      cells[cell] = dx * dx + dy * dy < 12.0f || tail || chance[cell] > 0.985f;
    }
  return cells;
}

} // namespace

TEST_CASE("one exposure of five pages") {
  Sweep sweep(10 * page);
  sweep.expose(3 * page, 5 * page);
  sweep.expect_plate();
  if (lab::can_observe())
    checker::record("pages_of_first_exposure", sweep.sent_to_device());
}

TEST_CASE("one exposure of every size") {
  checker::unless_failed_before();
  for (int count : checker::sizes()) {
    Sweep sweep(count + 500);
    sweep.expose(400, count);
    sweep.expect_plate();
  }
}

TEST_CASE("from page to page") {
  checker::unless_failed_before();
  Sweep sweep(12 * page);
  for (int first : {2, 3, 5, 5, 6})
    sweep.expose(first * page, 4 * page);
  sweep.expect_plate();
}

TEST_CASE("the view glides") {
  checker::unless_failed_before();
  constexpr int pages = 14, cols = 74, rows = 28;
  const int begin = 3 * page / 4 + 100, apart = 12 * page / (rows * cols);
  const auto cells = comet(rows, cols);
  std::vector<float> sky(pages * page); // moonlight, which rises evenly, and stars
  for (int i = 0; i < pages * page; ++i)
    sky[i] = 8.0f + static_cast<float>(i) / static_cast<float>(page);
  for (int cell = 0; cell < rows * cols; ++cell)
    sky[begin + 1 + cell * apart] += cells[cell] ? 1.0f : 0.0f;
  Sweep sweep(sky, std::vector<float>(sky.size()));
  int and_back = pages_of(begin - 1, begin + 9 * page + 4 * page + 1); // the sky once
  for (int first = begin; first <= begin + 9 * page; first += 3 * page / 4) {
    sweep.expose(first, 4 * page);
    and_back += 2 * pages_of(first, first + 4 * page);
  }
  sweep.expect_plate();
  const auto plate = sweep.plate();
  std::vector<bool> seen(rows * cols);
  for (int cell = 0; cell < rows * cols; ++cell)
    seen[cell] = plate[begin + 1 + cell * apart] > 0.5f;
  if (lab::can_observe())
    checker::note("Your plate, out of a sky bright with moonlight. Another seed, another comet: "
                  "./tutor check 08.2 --seed 7" +
                  checker::picture(seen, cols) + "\nYou have moved " +
                  std::to_string(sweep.moved()) +
                  " pages. To send all that is in view there and back, each time: " +
                  std::to_string(and_back));
}
