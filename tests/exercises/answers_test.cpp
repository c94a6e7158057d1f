// What a stranger's bytes are read with: answers to the judge, and object files.
#include "base/files.hpp"
#include "exercises/check_build.hpp"
#include "exercises/elf_object.hpp"
#include "exercises/support.hpp"
#include "judge/messages.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <elf.h>

TEST_CASE("answers that are none cost the judge neither its memory nor its head") {
  emu::Observation seen;
  seen.kernels.resize(3);
  seen.kernels[0].name = "block_sum";
  seen.kernels[0].lines.resize(2);
  seen.hazards.push_back({"shared_race", false, "block_sum", "part", {}, {}, "text"});
  judge::Writer written;
  judge::put(written, seen);
  const std::string whole = written.bytes();
  judge::Reader reader(whole);
  CHECK(judge::get_observation(reader).hazards.at(0).message == "text");
  CHECK(reader.at_end());
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    judge::Reader cut(std::string_view(whole).substr(0, length));
    CHECK_THROWS_AS(judge::get_observation(cut), judge::Malformed);
  }
  judge::Writer many;
  many.put(std::uint64_t{1} << 62); // kernels
  judge::Reader of_many(many.bytes());
  CHECK_THROWS_AS(judge::get_observation(of_many), judge::Malformed);
  judge::Writer overflow;
  overflow.put<std::uint64_t>(1);
  overflow.put(~std::uint64_t{0}); // bytes of its name
  judge::Reader of_overflow(overflow.bytes());
  CHECK_THROWS_AS(judge::get_observation(of_overflow), judge::Malformed);
}

TEST_CASE("names are found in an object of any number of sections, and none without them") {
  const BlockSum here;
  const std::string object =
      tutor::read_file(tutor::CheckTools(here.course.root(), tutor::Backend::cpu)
                           .checker(here.exercise)
                           .calls.at(0));
  const auto names = [](const std::string &bytes) {
    const auto read = tutor::read_elf_object(bytes);
    return read ? read->symbols.size() : 0;
  };
  const std::size_t all = names(object);
  CHECK(all > 10);
  // From 65,280 sections on their number is in section 0, and so is the number of the names' section.
  std::string large = object;
  Elf64_Ehdr header;
  std::memcpy(&header, large.data(), sizeof header);
  Elf64_Shdr first;
  std::memcpy(&first, large.data() + header.e_shoff, sizeof first);
  first.sh_size = header.e_shnum;
  first.sh_link = header.e_shstrndx;
  header.e_shnum = 0;
  header.e_shstrndx = SHN_XINDEX;
  std::memcpy(large.data(), &header, sizeof header);
  std::memcpy(large.data() + header.e_shoff, &first, sizeof first);
  CHECK(names(large) == all);
  header.e_shoff = 0; // no sections at all
  std::memcpy(large.data(), &header, sizeof header);
  CHECK(names(large) == 0);
  CHECK(names(object.substr(0, object.size() / 2)) == 0);
}
