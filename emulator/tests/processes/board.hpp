// What the processes of a test share: a page of memory, in place of MPI.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace processes_tests {

constexpr int most = 4;

struct Board {
  std::atomic<int> arrived;
  char notes[most][256];
};

/// One process of several, in its body.
class Rank {
public:
  Rank()
      : rank(std::atoi(std::getenv("TEST_RANK"))), ranks(std::atoi(std::getenv("TEST_RANKS"))),
        board_(static_cast<Board *>(mmap(nullptr,
                                         sizeof(Board),
                                         PROT_READ | PROT_WRITE,
                                         MAP_SHARED,
                                         std::atoi(std::getenv("TEST_BOARD")),
                                         0))) {}
  /// All have come.
  void meet() {
    const int wanted = ranks * ++meetings_;
    ++board_->arrived;
    while (board_->arrived.load() < wanted)
      usleep(1000);
  }
  /// Everybody's note is there for all.
  template <class T> void tell(const T &note) {
    std::memcpy(board_->notes[rank], &note, sizeof note);
    meet();
  }
  template <class T> T told_by(int other) const {
    T note;
    std::memcpy(&note, board_->notes[other], sizeof note);
    return note;
  }

  const int rank, ranks;

private:
  Board *board_;
  int meetings_ = 0;
};

} // namespace processes_tests
