// Checks a_part_each.cu: the values, where they lie, who has computed them, and who is waited for.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

void scale_parts(
    const float *h_in, int n, float factor, const int *devices, int ranks, float **d_part);

namespace {

struct Parts {
  std::vector<float *> d_part;
  explicit Parts(int ranks) : d_part(ranks, nullptr) {}
  ~Parts() {
    for (float *part : d_part)
      cudaFree(part);
  }
};

int device_of(const void *pointer) {
  cudaPointerAttributes attributes = {};
  LAB_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

// Whether some kernel begins before one of another device has ended, where kernels take much longer than copies. Of
// several threads of the host, of which each waits for its own device, nobody knows.
bool may_work_at_the_same_time() {
  const emu::Timeline times = *checker::timeline(checker::plain_model(10'000));
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.lane.starts_with("host thread"))
      return true;
  for (const emu::TimelineBar &one : times.bars)
    for (const emu::TimelineBar &other : times.bars)
      if (one.kind == "kernel" && other.kind == "kernel" && one.device != other.device &&
          one.begin_us < other.end_us && other.begin_us < one.end_us)
        return true;
  return false;
}

void check(int n, const std::vector<int> &devices) {
  const int ranks = static_cast<int>(devices.size());
  const float factor = 2.5f;
  const auto h_in = checker::extreme_values<float>(static_cast<size_t>(n) * ranks);
  Parts parts(ranks);
  const std::string what =
      checker::elements(n, "number") +
      (ranks == 1 ? " for one device" : " for each of " + checker::counted(ranks, "device"));
  int before = 0, after = 0;
  LAB_CHECK(cudaGetDevice(&before));
  lab::PinnedBuffer<float> told(h_in.size()); // what the parts hold once the call has returned
  const checker::RankStreams look(devices);
  checker::perhaps("The function has returned, and what it has launched may still be running. "
                   "cudaStreamDestroy() waits for nothing, and cudaDeviceSynchronize() "
                   "waits for the device that is current, and for no other: "
                   "one call for each device, with that device current (chapter 12)",
                   "stream_race");
  checker::perhaps("A part has n numbers: to cudaMalloc() and cudaMemcpy(), which count bytes, n * "
                   "sizeof(float); and a thread behind them has none",
                   "out_of_bounds");
  const auto seen = checker::observe(what, [&] {
    scale_parts(
        checker::goes_in(h_in).data(), n, factor, devices.data(), ranks, parts.d_part.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaGetDevice(&after));
    for (int rank = 0; rank < ranks; ++rank) {
      const checker::OnDevice current(devices[rank]);
      checker::expect(parts.d_part[rank] != nullptr,
                      "no_memory",
                      what + ": d_part[" + std::to_string(rank) + "] is still null");
      LAB_CHECK(cudaMemcpyAsync(told.data() + rank * n,
                                parts.d_part[rank],
                                n * sizeof(float),
                                cudaMemcpyDeviceToHost,
                                look.streams[rank]));
    }
    checker::wait_for(devices);
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> part(h_in.begin() + rank * n, h_in.begin() + (rank + 1) * n);
    std::vector<float> expected(part);
    for (float &value : expected)
      value *= factor;
    const std::vector<float> got(told.begin() + rank * n, told.begin() + (rank + 1) * n);
    std::vector<float> first(h_in.begin(), h_in.begin() + n);
    for (float &value : first)
      value *= factor;
    checker::diagnose("first_part_again",
                      rank > 0 && n > 0 && lab::compare(got, first).ok,
                      what + ": rank " + std::to_string(rank) + " has the part of rank 0");
    checker::diagnose("not_scaled",
                      got == part,
                      what + ": rank " + std::to_string(rank) +
                          " has its part, and nobody has scaled it: has its kernel been launched?");
    checker::expect_same("part of rank " + std::to_string(rank) + ", " + what, got, expected);
  }
  if (seen)
    checker::expect_launches(what, *seen, devices.size());
  bool on_one = ranks > 1;
  for (float *part : parts.d_part)
    on_one = on_one && device_of(part) == device_of(parts.d_part[0]);
  for (int rank = 0; rank < ranks; ++rank) {
    const int device = device_of(parts.d_part[rank]);
    const std::string whose = "rank " + std::to_string(rank);
    checker::expect(device == devices[rank],
                    on_one ? "all_on_one" : "other_device",
                    what + ": all values are right, but " +
                        (on_one ? "every part" : "the part of " + whose) + " lies on device " +
                        std::to_string(device) + (on_one ? ". That of " + whose : ", and") +
                        " belongs on devices[" + std::to_string(rank) + "], which is device " +
                        std::to_string(devices[rank]));
  }
  checker::expect(!seen || ranks == 1 || may_work_at_the_same_time(),
                  "one_after_the_other",
                  what + ": all is right, but no two devices work at the same time: the host waits "
                         "for each of them before it asks the next one for anything. Ask all of "
                         "them first, and wait at the end");
  LAB_CHECK(cudaSetDevice(after));
  checker::expect_current(before);
  if (seen)
    checker::record("kib_to_each",
                    static_cast<double>(seen->total_link(-1, devices[0]).copied) / 1024.0);
}

} // namespace

TEST_CASE("a device for each rank") { check(4096, checker::devices_of(3)); }

TEST_CASE("one") { check(33, checker::devices_of(1)); }

TEST_CASE("two, and any number") {
  for (int n : checker::sizes())
    if (n > 0)
      check(n, checker::devices_of(2));
}

TEST_CASE("in another order") {
  const auto devices = checker::devices_of(3);
  check(1000, {devices[2], devices[0], devices[1]});
}

TEST_CASE("whichever device is current") {
  const auto devices = checker::devices_of(3);
  const checker::OnDevice current(devices[1]);
  check(1025, devices);
}

TEST_CASE("4096 numbers for each") { check(4096, checker::devices_of(3)); }
