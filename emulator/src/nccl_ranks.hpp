/// \file
/// NCCL's communicators behind their handles, and how the parts of an operation find each other.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "nccl.hpp"

namespace emu {

/// The ranks that belong together.
struct Clique {
  std::vector<ncclComm_t> comms; // by rank; null: not there yet, or not any more
  bool aborted = false;
  using Line = std::deque<PartPointer>;
  std::map<std::pair<int, int>, Line> sent, awaited; // messages by sender and receiver

  int ranks() const { return static_cast<int>(comms.size()); }
  bool complete() const {
    for (ncclComm_t comm : comms)
      if (comm == nullptr)
        return false;
    return true;
  }
};

} // namespace emu

struct ncclComm {
  std::shared_ptr<emu::Clique> clique;
  int rank;
  int device;
  std::deque<emu::PartPointer> parts; // of operations of all ranks, which wait for the others
};

namespace emu {

/// What all threads share.
struct NcclState {
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_set<ncclComm_t> alive;
  std::map<std::string, std::shared_ptr<Clique>> by_id; // those that ranks join one by one
  uint64_t next_id = 1;
  std::string last_error = "no error";
};
NcclState &nccl_state();

bool nccl_alive(ncclComm_t comm);

/// What a thread has begun with ncclGroupStart().
struct NcclGroup {
  int depth = 0;
  ncclResult_t error = ncclSuccess; // the first one within it
  std::vector<PartPointer> parts;
  std::vector<std::shared_ptr<Clique>> joined; // which must become complete
};
extern thread_local NcclGroup nccl_group;

/// Says what is wrong, remembers it for ncclGetLastError(), and returns `result`.
ncclResult_t nccl_fail(ncclResult_t result, const std::string &text);

/// Gives parts to their operations, and returns when all of these have found their other parts and
/// were submitted; or when that cannot happen any more.
ncclResult_t nccl_perform(const std::vector<PartPointer> &parts);

/// Returns when all ranks are there, or when that cannot happen any more.
ncclResult_t nccl_wait_for_members(const std::shared_ptr<Clique> &clique);

} // namespace emu
