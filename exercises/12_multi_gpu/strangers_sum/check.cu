// Checks strangers_sum.cu: the sums, that all devices have the same one, who adds, and who is waited for.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

void sum_on_all(const int *devices,
                int ranks,
                size_t n,
                const float *const *d_in,
                float *const *d_room,
                float *const *d_sum);

namespace {

using Vectors = std::vector<std::vector<float>>; // [rank]

// Each rank's are of another size: rounding then tells any two orders apart.
Vectors random_vectors(size_t n, int ranks) {
  Vectors h_in;
  for (int rank = 0; rank < ranks; ++rank) {
    h_in.push_back(checker::random_values<float>(n, -1.0f, 1.0f));
    for (float &value : h_in.back())
      value *= 1.0f + 0.3f * static_cast<float>(rank);
  }
  return h_in;
}

std::vector<double> sums_of(const Vectors &h_in) {
  std::vector<double> sums(h_in[0].size());
  for (const auto &vector : h_in)
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<double>(vector[i]);
  return sums;
}

// Every rank's device has run a kernel, and no other device has.
void expect_each_adds(const std::string &what, const std::vector<int> &devices) {
  std::vector<int> kernels(8, 0); // [device]
  const emu::Timeline times = *checker::timeline(checker::plain_model(10));
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "kernel" && bar.device >= 0)
      ++kernels[static_cast<size_t>(bar.device)];
  const bool any = std::any_of(kernels.begin(), kernels.end(), [](int count) { return count > 0; });
  checker::expect(any, "no_kernel", what + ": the sums are right, but no device has added them up");
  for (size_t rank = 0; rank < devices.size(); ++rank)
    checker::expect(kernels[static_cast<size_t>(devices[rank])] > 0,
                    "other_device",
                    what + ": the sums are right, but device " + std::to_string(devices[rank]) +
                        ", that of rank " + std::to_string(rank) +
                        ", has run no kernel: another device has added up its sum, over the links. "
                        "Rank r's device is devices[r]");
}

std::string text(float value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", static_cast<double>(value));
  return digits;
}

// cancelling: what is left of such sums is 0 or 1.
/// @return the sum of the last rank
std::vector<float> check(const Vectors &h_in, std::vector<int> devices, bool cancelling = false) {
  const int ranks = static_cast<int>(devices.size());
  const size_t n = h_in[0].size();
  checker::let_reach_each_other(checker::devices_of(4)); // those that take no part, too
  if (!checker::let_reach_each_other(devices)) // then the values are checked on one of them
    devices.assign(devices.size(), devices[0]);
  std::vector<lab::DeviceBuffer<float>> d_in, d_room, d_sum;
  std::vector<const float *> in;
  std::vector<float *> room, sum;
  for (int rank = 0; rank < ranks; ++rank) {
    d_in.push_back(checker::on_device(devices[rank], h_in[rank]));
    d_room.push_back(checker::poisoned_on<float>(devices[rank], n * ranks));
    d_sum.push_back(checker::poisoned_on<float>(devices[rank], n));
    in.push_back(d_in.back().data());
    room.push_back(d_room.back().data());
    sum.push_back(d_sum.back().data());
  }
  const std::string what =
      (cancelling ? "1e20, 1 and -1e20: " : "") + checker::elements(static_cast<int>(n), "number") +
      (ranks == 1 ? " on one device" : " on each of " + checker::counted(ranks, "device"));
  int before = 0, after = 0;
  LAB_CHECK(cudaGetDevice(&before));
  lab::PinnedBuffer<float> told(n * ranks); // what the sums are once the call has returned
  const checker::RankStreams look(devices);
  checker::name_streams(look.streams, "the caller's stream #");
  checker::perhaps("When the function returns, this is still under way. cudaDeviceSynchronize() "
                   "waits for the device that is current, and for no other: each stream, or each "
                   "device, has to be waited for",
                   "stream_race",
                   "before the function returns");
  checker::perhaps("Two vectors are sent to one place. Rank r's begins at r * n, in each room",
                   "stream_race",
                   "writes what ");
  checker::perhaps(
      "Who adds up needs the vectors of all: each that is sent has an event behind it, and its "
      "stream has to wait for all of these",
      "stream_race",
      "is recorded already");
  const auto seen = checker::observe(what, [&] {
    sum_on_all(devices.data(), ranks, n, in.data(), room.data(), sum.data());
    LAB_CHECK_LAUNCH();
    LAB_CHECK(cudaGetDevice(&after));
    for (int rank = 0; rank < ranks; ++rank) {
      const checker::OnDevice current(devices[rank]);
      LAB_CHECK(cudaMemcpyAsync(told.data() + rank * n,
                                sum[rank],
                                n * sizeof(float),
                                cudaMemcpyDeviceToHost,
                                look.streams[rank]));
    }
    checker::wait_for(devices);
  });
  const std::vector<double> right = sums_of(h_in);
  const lab::Tolerance tolerance =
      cancelling ? lab::Tolerance{1.0, 0.0} : lab::tolerance_for_sum<float>(ranks + 1, 2.0 * ranks);
  const std::vector<float> expected(right.begin(), right.end());
  const std::vector<float> first(told.data(), told.data() + n), last(told.end() - n, told.end());
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> got(told.data() + rank * n, told.data() + (rank + 1) * n);
    const std::string whose = "the sum of rank " + std::to_string(rank) + ", " + what;
    checker::expect_same(whose, got, expected, tolerance);
    const auto [one, other] = std::mismatch(first.begin(), first.end(), got.begin());
    checker::diagnose(
        "sums_differ",
        one != first.end(),
        whose + ": element " + std::to_string(one - first.begin()) + " is " +
            (one != first.end() ? text(*other) + " here and " + text(*one) : "") +
            " on rank 0. This rank adds the vectors up in another order, and each addition "
            "rounds" +
            (cancelling ? ", those of doubles, too" : ""));
    checker::expect_same(whose, got, first);
    checker::expect_same("vector of rank " + std::to_string(rank) + ", which stays as it was",
                         d_in[rank].download(),
                         h_in[rank]);
  }
  if (seen)
    expect_each_adds(what, devices);
  LAB_CHECK(cudaSetDevice(after));
  checker::expect_current(before);
  if (!seen)
    return last;
  if (n >= 8192)
    for (const emu::KernelReport &kernel : seen->kernels)
      checker::expect(kernel.blocks() > kernel.launches,
                      "one_block",
                      what +
                          ": the sums are right, and on each device one block adds up all of them. "
                          "All its multiprocessors but one have nothing to do");
  if (n >= 1024)
    checker::expect_lanes(*seen, emu::Access::global_store, 30, what + ": the sums are right");
  double most = 0;
  for (int device : devices) {
    constexpr std::uint64_t few = 64; // a number or two, or a pointer
    checker::expect(seen->total_link(-1, device).copied <= few,
                    "worked_on_the_host",
                    what + ": the sums are right, but numbers have come from the host. The vectors "
                           "are on the devices, and each adds up its own sum from them");
    double arrived = 0;
    for (int other : devices)
      if (other != device)
        arrived += static_cast<double>(seen->total_link(other, device).bytes());
    most = std::max(most, arrived);
  }
  checker::record("kib_to_each", most / 1024.0);
  return last;
}

} // namespace

TEST_CASE("three devices") { check(random_vectors(2048, 3), checker::devices_of(3)); }

TEST_CASE("many numbers") {
  const size_t n = lab::on_emulator() ? 8192 : size_t{1} << 22;
  check(random_vectors(n, 3), checker::devices_of(3));
}

TEST_CASE("any number of devices") {
  for (int ranks : {1, 2, 4})
    check(random_vectors(1024, ranks), checker::devices_of(ranks));
}

TEST_CASE("every size") {
  for (int n : checker::sizes())
    if (n > 0)
      check(random_vectors(n, 3), checker::devices_of(3));
}

TEST_CASE("numbers that cancel out") {
  checker::unless_failed_before();
  const size_t n = 33;
  check({std::vector<float>(n, 1e20f), std::vector<float>(n, 1.0f), std::vector<float>(n, -1e20f)},
        checker::devices_of(3),
        true);
}

TEST_CASE("whichever device is current") {
  const auto devices = checker::devices_of(3);
  const checker::OnDevice current(devices[1]);
  check(random_vectors(1024, 3), devices);
}

TEST_CASE("a galaxy") {
  constexpr int width = 35, height = 26, between = 4;
  checker::unless_failed_before();
  Vectors arms(4, std::vector<float>(width * height, 0.0f));
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    for (int step = 0; step < 2000; ++step) {
      const double angle = 0.0035 * step, away = 1.1 * std::exp(0.37 * angle);
      const double turned = angle + 1.5708 * static_cast<double>(arm);
      const long x = width / 2 + std::lround(1.1 * away * std::cos(turned)),
                 y = height / 2 + std::lround(away * std::sin(turned));
      if (x >= 0 && x < width && y >= 0 && y < height)
        arms[arm][y * width + x] = 1.0f;
    }
  const auto sum = check(arms, checker::devices_of(4));
  std::vector<bool> cells;
  for (int row = 0; row < height; ++row) {
    for (int col = 0; col < width; ++col)
      cells.push_back(arms.back()[row * width + col] > 0.5f);
    cells.resize(cells.size() + between);
    for (int col = 0; col < width; ++col)
      cells.push_back(sum[row * width + col] > 0.5f);
  }
  checker::note(
      "Each of four devices has seen one arm of a galaxy. What the last one has seen, and the "
      "sum that it has:" +
      checker::picture(cells, 2 * width + between));
}

TEST_CASE("3072 numbers on each of four devices") {
  check(random_vectors(3072, 4), checker::devices_of(4));
}
