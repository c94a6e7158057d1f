// The instruments' counts against theory, case by case. With --report FILE nothing is tested: the
// counts of all cases are written down, to be compared with those of a GPU.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../../observe/picture.hpp"
#include "golden.hpp"
#include <observation/observe.hpp>

namespace {

using emu::Access;
using golden::Expected;

// The enumerations list the same things in the same order.
Access access(golden::What what) { return static_cast<Access>(what); }

// clang copies any structure with memcpy, whose calls do not tell how it is aligned.
bool is_gap([[maybe_unused]] const std::string &name) {
#ifdef __clang__
  return name == "copy_pair" || name == "copy_quad";
#else
  return false;
#endif
}

void check_counts(const emu::KernelReport &kernel, const Expected &expected) {
  const emu::AccessCounts counts = kernel.total(access(expected.what));
  CAPTURE(std::string(emu::access_name(access(expected.what))));
  CHECK(counts.requests == expected.requests);
  CHECK(counts.lanes == expected.lanes);
  const bool shared = emu::is_shared(access(expected.what));
  CHECK((shared ? counts.wavefronts : counts.sectors) == expected.cost);
  const bool atomic =
      expected.what == golden::What::global_atomic || expected.what == golden::What::shared_atomic;
  if (atomic)
    CHECK(counts.max_same_address == expected.worst);
  else if (shared)
    CHECK(counts.max_conflict == expected.worst);
}

void check_nothing_else(const emu::KernelReport &kernel, const std::vector<Expected> &expected) {
  for (const emu::LineReport &line : kernel.lines) {
    bool listed = false;
    for (const Expected &e : expected)
      listed = listed || access(e.what) == line.access;
    CAPTURE(std::string(emu::access_name(line.access)));
    CHECK(listed);
    CHECK(line.where.line > 0);
    if (line.counts.sectors > 0) {
      CHECK(line.counts.sectors_used_percent() > 0);
      CHECK(line.counts.sectors_used_percent() <= 100);
    }
  }
}

// A row of a picture is a wavefront.
void check_pictures(const emu::KernelReport &kernel) {
  for (const emu::LineReport &line : kernel.lines) {
    if (!emu::is_shared(line.access) || emu::is_atomic(line.access))
      continue;
    size_t rows = 0;
    for (const emu::BankRound &round : emu::bank_rounds(line))
      rows += round.rows.size();
    CAPTURE(std::string(emu::access_name(line.access)));
    CHECK(rows == line.worst.cost);
  }
}

} // namespace

TEST_CASE("every golden kernel gets the report that theory expects") {
  REQUIRE(golden::cases().size() >= 60);
  for (const auto &one : golden::cases()) { // no structured binding: clang 14 captures none
    const std::string &name = one.first;
    const golden::Case &c = one.second;
    if (is_gap(name))
      continue;
    CAPTURE(name);
    const golden::Memory memory = golden::fresh_memory();
    emu::start_observing();
    golden::run(name, c, memory);
    const emu::Observation seen = emu::stop_observing();
    golden::release(memory);
    CHECK_MESSAGE(seen.hazards.empty(), emu::text_report(seen));
    REQUIRE(seen.kernels.size() == 1);
    const emu::KernelReport &kernel = seen.kernels[0];
    CHECK(kernel.blocks_traced == kernel.blocks());
    for (const Expected &expected : c.expected)
      check_counts(kernel, expected);
    check_nothing_else(kernel, c.expected);
    check_pictures(kernel);
    CHECK(kernel.barriers == c.barriers);
  }
}

namespace {

int write_report(const char *path) {
  const golden::Memory memory = golden::fresh_memory();
  emu::start_observing();
  for (const auto &[name, c] : golden::cases()) {
    emu::begin_part(name);
    golden::run(name, c, memory);
  }
  const std::string report = emu::json_report(emu::stop_observing());
  golden::release(memory);
  FILE *file = std::fopen(path, "w");
  if (!file || std::fputs(report.c_str(), file) < 0 || std::fclose(file) != 0) {
    std::fprintf(stderr, "golden: cannot write %s: does its folder exist, is there room?\n", path);
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  setenv("EMU_OBSERVE_BLOCKS", "1000000", 1); // theory speaks of all blocks
  if (argc == 3 && std::strcmp(argv[1], "--report") == 0)
    return write_report(argv[2]);
  return doctest::Context(argc, argv).run();
}
