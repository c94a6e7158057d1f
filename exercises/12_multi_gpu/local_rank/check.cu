// Checks local_rank.cu: ranks of a machine share a device only where they must, evenly, and with the next rank.
#include "checker/ranks.hpp"
#include "common/random.hpp"

#include <algorithm>
#include <string>

struct Name {
  char text[16];
};

void take_device(int rank, int ranks, const Name *machines);

namespace {

constexpr int most_devices = 8;
[[maybe_unused]] const bool can_be_told =
    setenv("EMU_DEVICES", std::to_string(most_devices).c_str(), 1) == 0;

int device_of_one_alone = 0;

int device_count() {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  return count;
}

// More ranks than devices share these. of_local: the device of each of a machine's ranks.
void check_shared(const std::vector<int> &of_local, const std::string &machine) {
  std::vector<int> ranks_of(device_count(), 0);
  for (int device : of_local)
    ++ranks_of[device];
  const auto [fewest, most] = std::ranges::minmax_element(ranks_of);
  const int count = static_cast<int>(of_local.size()), devices = device_count();
  const int rounded_up = (count + devices - 1) / devices;
  bool is_rounded_up = true;
  for (int local = 0; local < count; ++local)
    is_rounded_up = is_rounded_up && of_local[local] == local / rounded_up;
  checker::expect(*most - *fewest < 2 || !is_rounded_up,
                  "uneven",
                  machine + ": each device gets " + checker::counted(rounded_up, "rank") + ", " +
                      std::to_string(count) + " / " + std::to_string(devices) +
                      " rounded up, as long as there are any: device " +
                      std::to_string(fewest - ranks_of.begin()) + " has " +
                      checker::counted(*fewest, "rank") + ", and device " +
                      std::to_string(most - ranks_of.begin()) + " has " +
                      checker::counted(*most, "rank"));
  bool so_far = true; // each by the ranks up to itself alone
  for (int local = 0; local < count; ++local)
    so_far = so_far && of_local[local] == (local < devices ? local : local * devices / (local + 1));
  checker::expect(
      !so_far || *most - *fewest < 2,
      "uneven",
      machine + ": each rank sits as if those behind it were not there. How many of this machine "
                "there are in all is to be counted over all ranks");
  checker::expect(*most - *fewest < 2,
                  "uneven",
                  machine + ": device " + std::to_string(most - ranks_of.begin()) + " has " +
                      checker::counted(*most, "rank") + ", and device " +
                      std::to_string(fewest - ranks_of.begin()) + " has " +
                      checker::counted(*fewest, "rank"));
  for (size_t local = 1; local < of_local.size(); ++local) {
    const auto before = of_local.begin() + static_cast<std::ptrdiff_t>(local);
    const auto same = std::find(of_local.begin(), before, *before);
    checker::expect(same == before || before[-1] == *before,
                    "in_turn",
                    machine + ": its ranks number " + std::to_string(same - of_local.begin()) +
                        " and " + std::to_string(local) + " share device " +
                        std::to_string(*before) +
                        ", and ranks between them have other devices. Neighbours are to share one: "
                        "what they tell each other need not cross a link then");
  }
}

std::string plain(char machine) { return std::string("machine-") + machine; }

// The name of one machine is the beginning of the other's.
std::string numbered(char machine) { return machine == 'a' ? "node1" : "node10"; }

// 15 letters, of which only the last one tells them apart.
std::string longest(char machine) { return std::string("gpu-rack-03-no") + machine; }

// 15 letters, of which only this one tells them apart.
int letter_apart = 0;
std::string apart(char machine) {
  std::string name = "gpu-rack-03-no4";
  name[letter_apart] = machine;
  return name;
}

// names: a letter for each rank's machine. behind: what stands behind the 0 of a name is another byte for each rank.
// Returns the device of each rank.
std::vector<int>
check(const std::string &names, std::string (*name_of)(char) = plain, bool behind = false) {
  const int ranks = static_cast<int>(names.size());
  std::vector<Name> machines(names.size());
  for (size_t rank = 0; rank < names.size(); ++rank) {
    char(&text)[sizeof(Name::text)] = machines[rank].text;
    std::fill(text, std::end(text), static_cast<char>(behind ? '1' + rank : 0));
    std::snprintf(text, sizeof text, "%s", name_of(names[rank]).c_str());
  }
  std::string what = checker::counted(ranks, "rank");
  if (ranks > 2 && names.find_first_not_of(names[0]) == std::string::npos)
    what += ", all on " + std::string(machines[0].text);
  else
    for (int rank = 0; rank < ranks; ++rank)
      what += (rank == 0 ? ", on " : ", ") + std::string(machines[rank].text);
  const int devices = device_count();
  std::string machines_of = names;
  std::ranges::sort(machines_of);
  machines_of.erase(std::unique(machines_of.begin(), machines_of.end()), machines_of.end());
  const bool shared = std::ranges::any_of(
      machines_of, [&](char machine) { return std::ranges::count(names, machine) > devices; });
  if (shared)
    checker::perhaps("A machine has " + checker::counted(devices, "device") +
                         " here, from 0 on, and more ranks than that on one of them: which is the "
                         "last device that your answer takes?",
                     "cuda_error");
  else if (machines_of.size() > 1)
    checker::perhaps("A machine has a device for each of its ranks, and that number is not among "
                     "them. Which ranks are counted: only those of this machine? Two machines are "
                     "one if their names are the same to the last letter",
                     "cuda_error");
  if (device_of_one_alone > 0)
    checker::perhaps(
        "A rank that was alone on its machine has taken device " +
            std::to_string(device_of_one_alone) +
            ". The devices of a machine have the numbers from 0 on, so the last of its "
            "ranks gets a number that is not there. Does a rank count itself?",
        "cuda_error");
  std::vector<int> device;
  checker::observe(what, [&] {
    device = checker::on_ranks(std::vector<int>(names.size(), 0), [&](int rank) {
               take_device(rank, ranks, machines.data());
             }).current;
  });
  if (ranks == 1)
    device_of_one_alone = device[0];
  const bool all_first = std::ranges::count(device, 0) == ranks;
  bool among_all = machines_of.size() > 1; // devices are shared among the ranks of all machines
  for (int rank = 0; rank < ranks; ++rank) {
    const auto local = std::count(names.begin(), names.begin() + rank, names[rank]);
    among_all = among_all && device[rank] == local * devices / ranks;
  }
  for (char machine : machines_of) {
    std::vector<int> of_local, rank_of;
    for (int rank = 0; rank < ranks; ++rank)
      if (names[rank] == machine) {
        of_local.push_back(device[rank]);
        rank_of.push_back(rank);
      }
    const std::string whose = what + ": " + name_of(machine);
    if (static_cast<int>(of_local.size()) > devices) {
      check_shared(of_local,
                   (machines_of.size() == 1 ? what : whose) + ", with " +
                       checker::counted(devices, "device"));
      continue;
    }
    for (size_t local = 0; local < of_local.size(); ++local)
      for (size_t other = 0; other < local; ++other)
        checker::expect(
            of_local[local] != of_local[other],
            behind             ? "behind_a_name"
            : name_of == plain ? "device_shared"
                               : "beginning_of_a_name",
            whose + " has a device for each of its ranks, and ranks " +
                std::to_string(rank_of[other]) + " and " + std::to_string(rank_of[local]) +
                " both have device " + std::to_string(of_local[local]) +
                (behind ? ". What stands behind the 0 that ends a name may be anything, and here "
                          "it is something else for each rank. A name is compared up to its 0"
                 : name_of == longest
                     ? ". These names have 15 letters, and differ in the last one. Are they "
                       "compared up to the 0 that ends each of them?"
                 : name_of != plain
                     ? ". With other names these ranks were right: here all of one machine's "
                       "name is the beginning of the other's. Are two names compared up to the 0 "
                       "that ends each of them?"
                 : all_first
                     ? ", like all ranks: as if each were alone on its machine. Are "
                       "names compared letter by letter, and not by their addresses? "
                       "strcmp() is 0 where two are the same. And is the device made current?"
                 : among_all ? ": as if the " + std::to_string(ranks) +
                                   " ranks of all machines shared the devices of this one"
                             : ""));
  }
  return device;
}

// A machine's ranks in a row, those of a device in brackets.
std::string seats(const std::vector<int> &device) {
  std::string text;
  for (std::size_t rank = 0; rank < device.size(); ++rank)
    text += (rank == 0                          ? "["
             : device[rank] == device[rank - 1] ? " "
                                                : "] [") +
            std::to_string(rank);
  return text + "]";
}

// What the last of them hears when each whispers to the next what it has heard. From device to device every sixteenth letter or so
// is misheard.
std::string whispered(std::string text, const std::vector<int> &device) {
  for (std::size_t rank = 1; rank < device.size(); ++rank)
    for (std::size_t i = 0; i < text.size() && device[rank] != device[rank - 1]; ++i)
      if (text[i] != ' ' && lab::random_int(checker::seed() + rank, i, 0, 15) == 0)
        text[i] = static_cast<char>(lab::random_int(checker::seed() - rank, i, 'a', 'z'));
  return text;
}

/// How many devices each machine has in most cases.
struct Four {
  const checker::FewerDevices seen{4};
};

bool has_devices(int wanted) { return device_count() >= wanted; }

} // namespace

TEST_CASE_FIXTURE(Four, "a rank alone") { check("a"); }

TEST_CASE_FIXTURE(Four, "two on one machine") { check("aa"); }

TEST_CASE_FIXTURE(Four, "in turn") { check(has_devices(4) ? "abababab" : "abab"); }

TEST_CASE_FIXTURE(Four, "in any order") { check(has_devices(4) ? "abbab" : "baab"); }

TEST_CASE_FIXTURE(Four, "one machine after the other") {
  check(has_devices(4) ? "aaaabb" : "aabb");
}

TEST_CASE_FIXTURE(Four, "a name that begins another one") {
  for (const char *names : {"aaaabb", "bbbbaa"}) {
    const std::string of_ranks = has_devices(4) ? names : std::string(names).substr(2, 4);
    check(of_ranks);
    check(of_ranks, numbered);
    check(of_ranks, longest);
  }
  for (const int letter : checker::own_sizes(0, 14, 60)) {
    letter_apart = letter;
    check("abab", apart);
  }
}

TEST_CASE_FIXTURE(Four, "behind the 0 of a name") { check("aa", plain, true); }

TEST_CASE_FIXTURE(Four, "more ranks than devices") {
  check(std::string(device_count() + 2, 'a')); // 6 on 4
  std::string in_turn;
  for (int rank = 0; rank < device_count() + 1; ++rank)
    in_turn += "ba";
  check(in_turn + "b");
  const auto device = check(std::string(2 * device_count() + 2, 'a')); // 10 on 4
  std::vector<int> dealt(device.size());
  for (std::size_t rank = 0; rank < dealt.size(); ++rank)
    dealt[rank] = static_cast<int>(rank) % device_count();
  const std::string said = "whoever shares a music stand has to turn the pages for two";
  const std::string last = std::to_string(device.size() - 1);
  checker::note(
      "Your seats, a device in each pair of brackets: " + seats(device) +
      "\nEach rank whispers to the next, and from device to device letters are misheard:" +
      "\n  rank 0 says          " + said + "\n  rank " + last + " hears         " +
      whispered(said, device) + "\n  with rank % devices  " + whispered(said, dealt) +
      "\nAnother seed mishears others: ./tutor check 12.8 --seed 7");
}

TEST_CASE("machines with fewer devices, and with more") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  for (const int devices : {3, lab::random_int(checker::seed(), 0, 5, most_devices)}) {
    const checker::FewerDevices seen(devices);
    check(std::string(2 * devices + 1, 'a'));
    check("b" + std::string(devices + 1, 'a') + "b");
  }
}

TEST_CASE("23 ranks on five devices") {
  if (!lab::on_emulator())
    return;
  checker::unless_failed_before();
  const checker::FewerDevices seen(5);
  std::vector<int> ranks_of(5, 0);
  for (const int device : check(std::string(23, 'a')))
    ++ranks_of[device];
  checker::record("devices_with_the_most",
                  static_cast<double>(std::ranges::count(ranks_of, std::ranges::max(ranks_of))));
}
