// Checks local_rank.cu: no two ranks of a machine share a device, however the ranks are dealt out.
#include "checker/ranks.hpp"

#include <algorithm>
#include <set>
#include <string>

struct Name {
  char text[16];
};

void take_device(int rank, const Name *machines);

namespace {

int device_of_one_alone = 0;

// names: a letter for each rank's machine.
void check(const std::string &names) {
  const int ranks = static_cast<int>(names.size());
  std::vector<Name> machines(names.size());
  for (size_t rank = 0; rank < names.size(); ++rank)
    std::snprintf(machines[rank].text, sizeof machines[rank].text, "machine-%c", names[rank]);
  std::string what = checker::counted(ranks, "rank");
  for (int rank = 0; rank < ranks; ++rank)
    what += (rank == 0 ? ", on " : ", ") + std::string(machines[rank].text);
  if (names.find_first_not_of(names[0]) != std::string::npos)
    checker::perhaps("A machine has a device for each of its ranks, and that number is not among "
                     "them. Which ranks are counted: "
                     "only those before, and only of this machine? Two machines are one if their "
                     "names are the same to the last "
                     "letter",
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
               take_device(rank, machines.data());
             }).current;
  });
  if (ranks == 1)
    device_of_one_alone = device[0];
  const bool all_first = std::ranges::count(device, 0) == ranks;
  for (int rank = 0; rank < ranks; ++rank)
    for (int other = 0; other < rank; ++other)
      checker::expect(
          names[rank] != names[other] || device[rank] != device[other],
          "device_shared",
          what + ": ranks " + std::to_string(other) + " and " + std::to_string(rank) +
              " are on one machine, and both have device " + std::to_string(device[rank]) +
              (all_first ? ", like all ranks: as if each were alone on its machine. Are "
                           "names compared letter by letter, and not by their "
                           "addresses? And is the device made current?"
                         : ""));
  if (names != "abbab")
    return;
  std::set<int> used;
  for (int rank = 0; rank < ranks; ++rank)
    if (names[rank] == 'b')
      used.insert(device[rank]);
  checker::record("devices_of_b", static_cast<double>(used.size()));
}

bool has_devices(int wanted) {
  int count = 0;
  LAB_CHECK(cudaGetDeviceCount(&count));
  return count >= wanted;
}

} // namespace

TEST_CASE("a rank alone") { check("a"); }

TEST_CASE("two on one machine") { check("aa"); }

TEST_CASE("in turn") { check(has_devices(4) ? "abababab" : "abab"); }

TEST_CASE("in any order") { check(has_devices(4) ? "abbab" : "baab"); }

TEST_CASE("one machine after the other") { check(has_devices(4) ? "aaaabb" : "aabb"); }
