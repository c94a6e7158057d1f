// Checks reach.cu: who is allowed to reach whom, and in which round each device of several machines hears of a rumour.
#include "checker/devices.hpp"
#include "checker/nasty.hpp"

#include <algorithm>
#include <cstdlib>

bool reach(int device, int other);
void spread(int first, int devices, unsigned *const *d_room, int n, int *heard);

namespace {

[[maybe_unused]] const bool sixteen_devices = setenv("EMU_DEVICES", "16", 1) == 0;

int count_of_devices() {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  return count;
}

// Whatever was allowed before is no longer.
void forget() {
  const int count = count_of_devices();
  for (int device = 0; device < count; ++device) {
    const checker::OnDevice current(device);
    for (int other = 0; other < count; ++other)
      if (device != other)
        static_cast<void>(cudaDeviceDisablePeerAccess(other));
    static_cast<void>(cudaGetLastError());
  }
}

// What EMU_PEERS says while it lives: 0: no device can reach another one; 2: only one of a greater number; "1:0,2:1": 1
// reaches 0, and 2 reaches 1.
struct Peers : checker::detail::Variable {
  explicit Peers(const std::string &which) : Variable("EMU_PEERS", which) {}
};

void expect_no_error(const std::string &what) {
  const cudaError_t left = cudaGetLastError();
  checker::expect(
      left == cudaSuccess,
      "error_left_behind",
      what + ": an error stays behind (" + cudaGetErrorName(left) +
          "): whoever asks for errors next takes it for their own. " +
          (left == cudaErrorPeerAccessAlreadyEnabled
               ? "Allowing it twice is one, and a harmless one: cudaGetLastError() takes it away"
               : "cudaDeviceEnablePeerAccess(other, 0) wants the device whose memory is to be "
                 "reached, "
                 "and only where cudaDeviceCanAccessPeer() has said yes"));
}

bool can_reach(int device, int other) {
  int can = device == other;
  if (!can)
    LAB_CHECK(cudaDeviceCanAccessPeer(&can, device, other));
  return can != 0;
}

// Whether kernels of the device may follow pointers into the memory of the other; they may afterwards.
bool was_allowed(int device, int other) {
  const checker::OnDevice current(device);
  const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
  static_cast<void>(cudaGetLastError());
  return error == cudaErrorPeerAccessAlreadyEnabled;
}

std::string call(int device, int other) {
  return "reach(" + std::to_string(device) + ", " + std::to_string(other) + ")";
}

/// 0 of the first one, 1 of those who can hear of it, -1 of others.
std::vector<int> who_hears(int first, const std::vector<std::vector<int>> &reaches) {
  const int devices = static_cast<int>(reaches.size());
  std::vector<int> heard(devices, -1), know = {first};
  heard[first] = 0;
  for (std::size_t k = 0; k < know.size(); ++k)
    for (int d = 0; d < devices; ++d)
      if (heard[d] < 0 && reaches[d][know[k]]) {
        heard[d] = 1;
        know.push_back(d);
      }
  return heard;
}

/// In each round one is told by each who knew it before, and nobody goes without it who need not.
/// @param told_by  of each device
void expect_whispered(const std::string &are,
                      const std::vector<int> &heard,
                      const std::vector<int> &told_by,
                      const std::vector<std::vector<int>> &reaches) {
  const int devices = static_cast<int>(heard.size());
  const auto name = [](int device) { return "device " + std::to_string(device); };
  const auto in_round = [](int round) { return " in round " + std::to_string(round); };
  for (int d = 0; d < devices; ++d)
    checker::expect(told_by[d] < 0 || heard[told_by[d]] < heard[d],
                    "in_the_same_round",
                    are + ". Who hears of it in a round tells it from the next one on, and " +
                        name(d) + " has it from " + name(told_by[d]) +
                        ", which did not know it before the round");
  const auto told = [&](int by, int round, int but) { // by it, in the round; -1: nobody
    for (int d = 0; d < devices; ++d)
      if (told_by[d] == by && heard[d] == round && d != but)
        return d;
    return -1;
  };
  for (int d = 0; d < devices; ++d) {
    const int other = told_by[d] < 0 ? -1 : told(told_by[d], heard[d], d);
    checker::expect(other < 0,
                    "told_two",
                    are + ". In a round each device tells one, and " + name(told_by[d]) +
                        " has told both " + name(d) + " and " + name(other) + in_round(heard[d]));
  }
  for (int round = 1; round <= devices; ++round)
    for (int d = 0; d < devices; ++d)
      for (int other = 0; other < devices && heard[d] > round; ++other)
        checker::expect(!reaches[d][other] || heard[other] < 0 || heard[other] >= round ||
                            told(other, round, -1) >= 0,
                        "could_have_heard",
                        are + ". In round " + std::to_string(round) + ' ' + name(d) +
                            " could have heard of it: it reaches " + name(other) +
                            ", which knew it before and has told nobody in that round");
}

/// @return the rounds in which the devices have heard of it
std::vector<int> check(const std::string &machine, int first, int n) {
  const int devices = count_of_devices();
  first %= devices;
  forget();
  const auto rumour = checker::extreme_values<unsigned>(n);
  std::vector<lab::DeviceBuffer<unsigned>> d_room;
  std::vector<unsigned *> room;
  for (int d = 0; d < devices; ++d) {
    d_room.push_back(d == first ? checker::on_device(d, rumour)
                                : checker::poisoned_on<unsigned>(d, n));
    room.push_back(d_room.back().data());
  }
  const std::vector<unsigned> nothing = checker::poisoned<unsigned>(n).download();
  std::vector<std::vector<int>> reaches(devices);
  for (int d = 0; d < devices; ++d)
    for (int other = 0; other < devices; ++other)
      reaches[d].push_back(can_reach(d, other) ? 1 : 0);
  const std::vector<int> expected = who_hears(first, reaches);
  std::vector<int> heard(devices, -9);
  const std::string what = machine + ", " + checker::counted(n, "number") + " that device " +
                           std::to_string(first) + " knows first";
  const int before = (first + 1) % devices;
  const checker::OnDevice current(before);
  checker::perhaps(
      "Who is asked has to have the numbers: it has heard of them in a round before this one, "
      "and at the end of that round its kernel was waited for",
      "stream_race");
  checker::perhaps(
      "Who fetches has to be allowed to reach whom it fetches from: reach(who fetches, who "
      "knows), and the launch on the device that fetches",
      "peer_pointer");
  const auto seen = checker::observe(what, [&] {
    spread(first, devices, room.data(), n, heard.data());
    checker::expect_current(before);
  });
  expect_no_error(what);
  const std::string are = what + ": heard is " + checker::listed(heard);
  checker::diagnose("zero_for_others",
                    std::ranges::count(heard, 0) > 1,
                    are + ". 0 is that of the first one alone: who has not heard of it has -1");
  checker::diagnose(
      "rounds_too_few",
      std::ranges::count(heard, -1) > std::ranges::count(expected, -1),
      are + ". Not all have heard of it who could: as long as a round has brought news, "
            "there is another one");
  std::vector<int> hears = heard; // at all, and not in which round
  for (int &round : hears)
    round = std::min(round, 1);
  checker::expect_same("who has heard of it (1 for any round), " + what, hears, expected);
  double most = 0;
  std::vector<int> told_by(devices, -1);
  for (int d = 0; d < devices; ++d) {
    checker::expect_same("what device " + std::to_string(d) + " knows, " + what,
                         d_room[d].download(),
                         expected[d] < 0 ? nothing : rumour);
    double fetched = 0;
    for (int other = 0; seen && other < devices; ++other)
      if (const auto bytes = seen->total_link(other, d).bytes(); other != d && bytes > 0) {
        fetched += static_cast<double>(bytes);
        told_by[d] = other;
      }
    most = std::max(most, fetched);
  }
  if (seen && most > 0) {
    checker::expect(most <= 4.0 * n,
                    "fetched_twice",
                    what + ": all is right, but a device has fetched " +
                        std::to_string(static_cast<int>(most)) + " bytes, and the numbers are " +
                        std::to_string(4 * n) + ". Who knows them need not ask again");
    expect_whispered(are, heard, told_by, reaches);
    checker::expect_lanes(*seen, emu::Access::global_load, n >= 1024 ? 30.0 : 1.0, {}, 0.1);
  }
  return heard;
}

// Streets from crossing to crossing of a town, one way each: in rows and columns by turns to the one side and to the other.
constexpr int wide = 4;
bool to_the_right(int row) { return row % 2 == 0; }
bool downwards(int col) { return col % 2 == 1; }

// Who reaches whom there, as EMU_PEERS has it: where a street ends, one can fetch what is known where it begins.
std::string streets() {
  std::string all;
  const auto street = [&](int one, int other, bool there) {
    all += (all.empty() ? "" : ",") + std::to_string(there ? other : one) + ":" +
           std::to_string(there ? one : other);
  };
  for (int d = 0; d < wide * wide; ++d) {
    if (d % wide + 1 < wide)
      street(d, d + 1, to_the_right(d / wide));
    if (d + wide < wide * wide)
      street(d, d + wide, downwards(d % wide));
  }
  return all;
}

std::string map_of(const std::vector<int> &numbers) {
  std::string map;
  for (int d = 0; d < wide * wide; ++d) {
    const std::string number = std::to_string(numbers[d]);
    map += d % wide == 0 ? "\n  " : to_the_right(d / wide) ? " -->" : " <--";
    map += std::string(3 - number.size(), ' ') + number;
    if (d % wide + 1 == wide && d + wide < wide * wide) {
      map += "\n  ";
      for (int col = 0; col < wide; ++col)
        map += std::string(col > 0 ? "    " : "") + (downwards(col) ? "  v" : "  ^");
    }
  }
  return map;
}

} // namespace

TEST_CASE("whichever device is current") {
  const auto devices = checker::devices_of(3);
  forget();
  const int device = devices[0], first = devices[1], second = devices[2];
  const checker::OnDevice current(second);
  const bool may = reach(device, first);
  checker::expect_current(second);
  checker::expect(may == can_reach(device, first),
                  may ? "never_asked" : "refused",
                  call(device, first) + " says that it " + (may ? "can" : "cannot") +
                      ", and that is not so");
  expect_no_error(call(device, first));
  if (!may || device == first)
    return;
  const bool other_way = was_allowed(first, device);
  const bool allowed = was_allowed(device, first);
  checker::expect(allowed || !other_way,
                  "other_way_round",
                  call(device, first) + ": device " + std::to_string(first) +
                      " may now reach the memory of device " + std::to_string(device) +
                      ", and not the other way round");
  checker::expect(allowed,
                  "another_device_allowed",
                  call(device, first) + " while device " + std::to_string(second) +
                      " is current: it says that it can, and device " + std::to_string(device) +
                      " still may not reach the memory of device " + std::to_string(first) +
                      ". cudaDeviceEnablePeerAccess() allows it to the device that is current");
}

TEST_CASE("each pair for itself, and again") {
  const auto devices = checker::devices_of(3);
  const int device = devices[0];
  if (device == devices[2] || devices[1] == devices[2] || !can_reach(device, devices[1]) ||
      !can_reach(device, devices[2]))
    return;
  forget();
  for (const int other : {devices[1], devices[2], devices[1]}) {
    const bool may = reach(device, other);
    checker::expect(
        may,
        "refused",
        call(device, other) +
            " says that it cannot. What is allowed already, CUDA answers with an error of its own, "
            "cudaErrorPeerAccessAlreadyEnabled, and that is no failure");
    expect_no_error(call(device, other));
  }
  checker::expect(was_allowed(device, devices[2]),
                  "another_pair",
                  call(device, devices[1]) + ", then " + call(device, devices[2]) +
                      ": both say that they can, and device " + std::to_string(device) +
                      " still may not reach the memory of device " + std::to_string(devices[2]) +
                      ". An earlier pair was allowed, and each pair needs a call of "
                      "cudaDeviceEnablePeerAccess() of its own");
}

TEST_CASE("one way alone") {
  if (!lab::on_emulator())
    return;
  const Peers one_way("2");
  forget();
  const bool there = reach(1, 2), back = reach(2, 1);
  static_cast<void>(cudaGetLastError());
  checker::expect(there && !back,
                  there ? "never_asked" : "asked_the_other_way",
                  "here device 1 can reach the memory of device 2, and not the other way round. " +
                      call(1, 2) + " says that it " + (there ? "can" : "cannot") + ", " +
                      call(2, 1) + " that it " + (back ? "can" : "cannot") +
                      ". cudaDeviceCanAccessPeer(&can, a, b) says whether kernels of a can reach "
                      "the memory of b");
}

TEST_CASE("everybody reaches everybody") {
  const auto heard = check("any device reaches any other", 1, 2048);
  checker::record("last_to_hear", *std::ranges::max_element(heard));
}

TEST_CASE("nobody reaches anybody") {
  if (!lab::on_emulator())
    return;
  const Peers none("0");
  check("no device reaches another", 2, 100);
}

TEST_CASE("those with smaller numbers reach those with greater ones") {
  if (!lab::on_emulator())
    return;
  const Peers one_way("2");
  check("a device reaches those of greater numbers", 3, 100);
}

TEST_CASE("a chain") {
  if (!lab::on_emulator())
    return;
  std::string neighbours = "0:1,1:0";
  for (int d = 2; d < count_of_devices(); ++d)
    neighbours += "," + std::to_string(d) + ":" + std::to_string(d - 1) + "," +
                  std::to_string(d - 1) + ":" + std::to_string(d);
  const Peers chain(neighbours);
  check("a device reaches its neighbours", 5, 100);
}

TEST_CASE("a town") {
  if (!lab::on_emulator())
    return;
  const Peers town(streets());
  check("a town of one-way streets", 14, 100);
  const auto heard = check("a town of one-way streets", 5, 1025);
  const int rounds = *std::ranges::max_element(heard), fewest = 6;
  checker::note(
      "A rumour that device 5 of the town knows, and in which round each device has heard of it "
      "by your spread():" +
      map_of(heard) + "\n" +
      (rounds > fewest ? "After " + std::to_string(rounds) + " rounds all know it. Whoever tells " +
                             "the right ones first needs " + std::to_string(fewest)
                       : "After " + std::to_string(rounds) + " rounds all know it, and fewer " +
                             "will not do"));
}
