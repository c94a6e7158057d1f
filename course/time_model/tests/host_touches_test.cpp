// Pages that a program's own code touches.
#include "host_touches.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

using model::HostTouches;

TEST_CASE("what the host touches is noted in pieces of 2 MiB, once each, and can be touched all "
          "the same") {
  constexpr size_t mib = 1 << 20, bytes = 8 * mib;
  void *const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto *const memory = static_cast<volatile char *>(mapped);
  auto *const first = static_cast<char *>(mapped);
  memory[0] = 1;
  {
    HostTouches touches;
    touches.watch({{first, first + bytes}});
    CHECK(memory[0] == 1);
    memory[1] = 2;
    memory[5 * mib] = 3;
    const auto pieces = touches.stop();
    REQUIRE(pieces.size() == 2);
    CHECK((pieces[0].first <= first && first < pieces[0].second));
    CHECK((pieces[1].first <= first + 5 * mib && first + 5 * mib < pieces[1].second));
    CHECK(pieces[1].second - pieces[1].first <= static_cast<long>(2 * mib));
    memory[3 * mib] = 4; // nobody watches
    CHECK(touches.stop().empty());
  }
  CHECK(memory[1] + memory[5 * mib] + memory[3 * mib] == 9);
  munmap(mapped, bytes);
}
