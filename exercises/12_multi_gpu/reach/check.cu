// Checks reach.cu: who is allowed to reach whom, again and again, and that nothing is left behind.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <cstdlib>

bool reach(int device, int other);
bool sum_of_others(int device, int other, const unsigned *d_numbers, int n, unsigned *d_sum);

namespace {

// Whatever was allowed before is no longer.
void forget(const std::vector<int> &devices) {
  for (int device : devices)
    for (int other : devices)
      if (device != other) {
        const checker::OnDevice current(device);
        static_cast<void>(cudaDeviceDisablePeerAccess(other));
        static_cast<void>(cudaGetLastError());
      }
}

// What EMU_PEERS says while it lives: 0: no device can reach another one; 2: only one of a greater number.
class Peers {
public:
  explicit Peers(const char *which) { setenv("EMU_PEERS", which, 1); }
  ~Peers() { unsetenv("EMU_PEERS"); }
  Peers(const Peers &) = delete;
  Peers &operator=(const Peers &) = delete;
};

void expect_no_error(const std::string &what) {
  const cudaError_t left = cudaGetLastError();
  checker::expect(
      left == cudaSuccess,
      "error_left_behind",
      what + ": all is right, but an error stays behind (" + cudaGetErrorName(left) +
          "): whoever asks for errors next takes it for their own. Allowing it twice is "
          "one, and a harmless one: cudaGetLastError() takes it away");
}

bool can_reach(int device, int other) {
  int can = device == other;
  if (!can)
    LAB_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
  return can != 0;
}

std::optional<emu::Observation> check(int device, int other, int n, int calls) {
  const auto h_numbers = checker::extreme_values<unsigned>(n);
  const auto d_numbers = checker::on_device(other, h_numbers);
  const auto d_sum = checker::on_device(device, std::vector<unsigned>{0});
  unsigned expected = 0;
  for (unsigned number : h_numbers)
    expected += calls * number;
  const std::string what = "device " + std::to_string(device) + " and " +
                           checker::counted(n, "number") + " on device " + std::to_string(other) +
                           (calls > 1 ? ", " + std::to_string(calls) + " times" : "");
  const checker::OnDevice current(device);
  bool done = true;
  int call = 0;
  auto seen = checker::observe(what, [&] {
    for (; call < calls && done; ++call)
      done = sum_of_others(device, other, d_numbers.data(), n, d_sum.data());
    checker::expect_current(device);
  });
  if (!can_reach(device, other)) {
    checker::expect(!done,
                    "never_asked",
                    what + ": reach() says that it can, and these devices cannot reach each other");
    expect_no_error(what);
    return seen;
  }
  checker::expect(
      done || call == 1,
      "refused",
      what + ": reach() says that it can, and at call number " + std::to_string(call) +
          " that it cannot. What is allowed already, CUDA answers with an error of its own "
          "(cudaErrorPeerAccessAlreadyEnabled): the device can, all the same");
  checker::expect(done, "refused", what + ": reach() says that it cannot, but these devices can");
  checker::expect_same("sum of " + what, d_sum.at(0), expected);
  expect_no_error(what);
  return seen;
}

// Whether kernels of the device may follow pointers into the memory of the other; they may afterwards.
bool was_allowed(int device, int other) {
  const checker::OnDevice current(device);
  const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
  static_cast<void>(cudaGetLastError());
  return error == cudaErrorPeerAccessAlreadyEnabled;
}

} // namespace

TEST_CASE("each pair for itself") {
  const auto devices = checker::devices_of(3);
  const int device = devices[0], first = devices[1], second = devices[2];
  if (device == second || first == second || !can_reach(device, first) ||
      !can_reach(device, second))
    return;
  forget(devices);
  const checker::OnDevice current(device);
  const bool both = reach(device, first) && reach(device, second);
  static_cast<void>(cudaGetLastError());
  const bool first_alone = was_allowed(device, first) && !was_allowed(device, second);
  const auto call = [&](int other) {
    return "reach(" + std::to_string(device) + ", " + std::to_string(other) + ")";
  };
  checker::expect(!(both && first_alone),
                  "another_pair",
                  call(first) + ", then " + call(second) + ": both say that they can, and device " +
                      std::to_string(device) + " still may not reach the memory of device " +
                      std::to_string(second) +
                      ". An earlier pair was allowed, and each pair needs a call of "
                      "cudaDeviceEnablePeerAccess() of its own");
}

TEST_CASE("this way, not the other") {
  const auto devices = checker::devices_of(2);
  const int device = devices[0], other = devices[1];
  if (device == other || !can_reach(device, other))
    return;
  forget(devices);
  const checker::OnDevice current(device);
  static_cast<void>(reach(device, other));
  static_cast<void>(cudaGetLastError());
  const bool other_way_round = !was_allowed(device, other) && was_allowed(other, device);
  checker::expect(!other_way_round,
                  "other_way_round",
                  "reach(" + std::to_string(device) + ", " + std::to_string(other) + "): device " +
                      std::to_string(other) + " may now reach the memory of device " +
                      std::to_string(device) + ", and not the other way round");
}

TEST_CASE("one device reaches another") {
  const auto devices = checker::devices_of(2);
  forget(devices);
  check(devices[0], devices[1], 4097, 1);
}

TEST_CASE("and the other way, and again") {
  const auto devices = checker::devices_of(2);
  forget(devices);
  check(devices[0], devices[1], 1000, 3);
  check(devices[1], devices[0], 1000, 2);
}

TEST_CASE("itself") {
  const auto devices = checker::devices_of(1);
  check(devices[0], devices[0], 1000, 2);
}

TEST_CASE("whichever device is current") {
  const auto devices = checker::devices_of(3);
  forget(devices);
  const checker::OnDevice current(devices[2]);
  const bool may = reach(devices[0], devices[1]);
  checker::expect_current(devices[2]);
  checker::expect(
      may == can_reach(devices[0], devices[1]), "refused", "reach() does not say what is so");
  const std::string one = std::to_string(devices[0]), other = std::to_string(devices[1]);
  checker::expect(!may || devices[0] == devices[1] || was_allowed(devices[0], devices[1]),
                  "another_device_allowed",
                  "reach(" + one + ", " + other + ") while device " + std::to_string(devices[2]) +
                      " is current: it says that it can, and device " + one +
                      " still may not reach the memory of device " + other +
                      ". cudaDeviceEnablePeerAccess() allows it to the device that is current");
  check(devices[0], devices[1], 100, 1);
}

TEST_CASE("devices that cannot") {
  if (!lab::on_emulator())
    return; // where there is such a pair, the cases above have it
  const Peers none("0");
  const auto devices = checker::devices_of(2);
  check(devices[0], devices[1], 100, 1);
}

TEST_CASE("one way alone") {
  if (!lab::on_emulator())
    return;
  const auto devices = checker::devices_of(2); // the first one can reach the second
  const std::string one = std::to_string(devices[0]), other = std::to_string(devices[1]);
  forget(devices);
  const Peers one_way("2");
  const bool there = reach(devices[0], devices[1]), back = reach(devices[1], devices[0]);
  static_cast<void>(cudaGetLastError());
  checker::expect(there && !back,
                  "one_way",
                  "here device " + one + " can reach the memory of device " + other +
                      ", and not the other way round. reach(" + one + ", " + other +
                      ") says that it " + (there ? "can" : "cannot") + ", reach(" + other + ", " +
                      one + ") that it " + (back ? "can" : "cannot") +
                      ". cudaDeviceCanAccessPeer(&can, a, b) says whether kernels of a can reach "
                      "the memory of b");
}

TEST_CASE("a map") {
  if (!lab::on_emulator())
    return;
  const Peers one_way("2");
  forget({0, 1, 2, 3});
  std::string map, expected;
  for (int device = 0; device < 4; ++device) {
    map += "\n" + std::to_string(device);
    expected += "\n" + std::to_string(device);
    for (int other = 0; other < 4; ++other) {
      map += reach(device, other) ? " x" : " .";
      expected += can_reach(device, other) ? " x" : " .";
    }
  }
  static_cast<void>(cudaGetLastError());
  checker::expect(map == expected,
                  "one_way",
                  "four devices, each of which can reach those of greater numbers: reach() says" +
                      map);
  checker::note("The map of a machine whose links lead one way, as your reach() has drawn it "
                "(a row: who reaches; x: this one's memory):\n  0 1 2 3" +
                map);
}

TEST_CASE("over the link") {
  const auto devices = checker::devices_of(2);
  forget(devices);
  const auto seen = check(devices[0], devices[1], 4096, 1);
  if (!seen)
    return;
  checker::record("kib_over_link",
                  static_cast<double>(seen->total_link(devices[1], devices[0]).bytes()) / 1024);
  checker::expect_lanes(*seen, emu::Access::global_load, 30.0);
}
