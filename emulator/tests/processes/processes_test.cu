// NCCL and CUDA's IPC between processes: each is this program, started again for one of the bodies in
// ranks_test.cu.
#include "board.hpp"

#include <doctest/doctest.h>

#include <string>
#include <sys/wait.h>
#include <vector>

using namespace processes_tests;

namespace {

/// Runs a body in so many processes at a time. \return how many of them failed
int failures(int ranks, const std::string &body, const char *schedule = nullptr) {
  const int board = memfd_create("board", 0);
  REQUIRE(ftruncate(board, sizeof(Board)) == 0);
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("TEST_RANK", std::to_string(rank).c_str(), 1);
      setenv("TEST_RANKS", std::to_string(ranks).c_str(), 1);
      setenv("TEST_BOARD", std::to_string(board).c_str(), 1);
      if (schedule)
        setenv("EMU_SCHEDULE", schedule, 1);
      const std::string wanted = "--test-case=body: " + body;
      execl("/proc/self/exe", "processes", "--no-skip", "--no-intro", wanted.c_str(), nullptr);
      _exit(127);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  close(board);
  return failed;
}

TEST_CASE("every operation of NCCL's, in two and three processes") {
  CHECK(failures(2, "every operation") == 0);
  CHECK(failures(3, "every operation") == 0);
  CHECK(failures(2, "every operation", "3") == 0);
}

TEST_CASE("a stranger who connects, with garbage or with half a message, disturbs nobody") {
  CHECK(failures(2, "a stranger knocks") == 0);
}

TEST_CASE("memory and events of other processes") {
  CHECK(failures(2, "memory of the next rank") == 0);
  CHECK(failures(3, "memory of the next rank", "5") == 0);
}

TEST_CASE("what never comes is named, with what its rank waits for") {
  CHECK(failures(2, "a rank that never comes") == 0);
  CHECK(failures(3, "a rank that never comes") == 0);
  CHECK(failures(2, "all send first") == 0);
}

TEST_CASE("ranks that disagree, share a device or have no id in common") {
  CHECK(failures(2, "another order") == 0);
  CHECK(failures(2, "one device for two") == 0);
  CHECK(failures(2, "everybody makes an id") == 0);
  CHECK(failures(1, "nobody sends the id") == 0);
}

TEST_CASE("a rank that leaves takes the others out of their waiting") {
  CHECK(failures(2, "one aborts") == 0);
  CHECK(failures(2, "one ends") == 0);
}

} // namespace
