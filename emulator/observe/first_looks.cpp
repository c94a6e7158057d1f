#include "first_looks.hpp"

#include <algorithm>
#include <cstring>

namespace emu {

namespace {

constexpr const char *harmless = "the first look is an ordinary read, and others exchange the word "
                                 "meanwhile: right as long as atomicCAS compares with what "
                                 "this very read has found, kept in one variable";

} // namespace

void FirstLooks::suspect(const FoundHazard &race, uint32_t pc, uint64_t thread, const char *place) {
  std::vector<FoundHazard> &races = looks_[pc].races;
  const auto is_same = [&](const FoundHazard &other) {
    return other.here.pc == race.here.pc && other.other.pc == race.other.pc &&
           other.race.in_one_warp == race.race.in_one_warp;
  };
  if (std::none_of(races.begin(), races.end(), is_same))
    races.push_back(race);
  std::vector<Suspect> &words = suspected_[thread];
  if (std::any_of(words.begin(), words.end(), [&](const Suspect &s) { return s.place == place; }))
    return;
  words.push_back({place, pc, {}, false});
  std::memcpy(words.back().read, place, sizeof words.back().read);
}

void FirstLooks::look_at(uint64_t thread, const ThreadAccess &access) {
  const auto found = suspected_.find(thread);
  if (found == suspected_.end())
    return;
  const auto is_over = [&](Suspect &word) {
    if (word.place + sizeof word.read <= access.address ||
        access.address + access.bytes <= word.place) {
      word.went_on = true;
      return false;
    }
    if (access.sort == AtomicSort::compare && access.operation == Operation::atomic)
      judge(word.pc, access, word.place, word.read);
    else if (!(access.operation == Operation::load && access.pc == word.pc && word.went_on))
      looks_[word.pc].otherwise = true;
    return true;
  };
  std::erase_if(found->second, is_over);
  if (found->second.empty())
    suspected_.erase(found);
}

// Whether the exchange expects in the word, or in the half of one, what was read there.
void FirstLooks::judge(uint32_t pc,
                       const ThreadAccess &exchange,
                       const char *place,
                       const char *read) {
  char expected[sizeof exchange.expected];
  std::memcpy(expected, &exchange.expected, sizeof expected);
  Look &look = looks_[pc];
  (std::memcmp(expected + (place - exchange.address), read, 4) == 0 ? look.again : look.otherwise) =
      true;
  judged_ = true;
}

void FirstLooks::settle() {
  for (auto &[pc, look] : looks_) {
    if (look.again && !look.otherwise && !look.races.empty()) {
      look.races.resize(1);
      look.races[0].kind = "first_look";
      look.races[0].warning = true;
      look.races[0].message = harmless;
    }
    for (const FoundHazard &race : look.races)
      sink_.found(race);
  }
  looks_.clear();
  suspected_.clear();
}

} // namespace emu
