// A communicator for each rank, made by one thread in turn, without ncclGroupStart and ncclGroupEnd.
#pragma once

#include "problem.hpp"
#include "rivals/nccl_ranks.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace trap_nccl_in_turn {

inline const char *why = "a call of NCCL's may wait until all ranks have made it. A thread that "
                         "makes it for rank after rank "
                         "never gets to the second one: here another thread helped out after a "
                         "while. ncclGroupStart and "
                         "ncclGroupEnd around the loop, or a thread for each rank.";

inline bool came_back; // before the second rank's call was made

#ifdef HAVE_NCCL
// For two ranks.
inline void run(Vectors &p) {
  ncclUniqueId id;
  NCCL_CHECK(ncclGetUniqueId(&id));
  ncclComm_t both[2];
  std::atomic<bool> done = false;
  const auto make = [&](int rank) {
    const OnDevice current(p.team.device(rank));
    NCCL_CHECK(ncclCommInitRank(&both[rank], 2, id, rank));
  };
  std::thread in_turn([&] {
    make(0);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(lab::on_emulator() ? 100 : 3000));
  came_back = done;
  make(1);
  in_turn.join();
  for (ncclComm_t communicator : both)
    NCCL_CHECK(ncclCommDestroy(communicator));
}
#else
inline void run(Vectors &) {}
#endif

inline lab::Verdict check(Vectors &) {
  return lab::compare_value("calls for rank 0 that came back on their own", came_back ? 1 : 0, 1);
}

} // namespace trap_nccl_in_turn
