/// \file
/// NCCL's communicators behind their handles, and how the parts of an operation find each other.
///
/// Ranks may be threads of this process or live in others. The process that made the id is the one where
/// parts are matched and operations done (nccl_hub.cpp); every other one sends its parts there and gets
/// its results back (nccl_uplink.cpp). Where all ranks are in one process, nothing of that happens.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "nccl/nccl.hpp"
#include "nccl/nccl_wire.hpp"

namespace emu {

/// A process that has joined a rank here.
struct Peer {
  explicit Peer(int descriptor) : socket(descriptor) {}
  wire::Socket socket;
  bool is_known = false; // it has said the secret
  ncclComm_t comm = nullptr; // its rank, once it is there
  std::string doing; // what its host waits for; empty: nothing that is known
};

class Uplink;

/// The ranks that belong together.
struct Clique {
  uint64_t number = 0; // in the order of their making
  std::vector<ncclComm_t>
      comms; // by rank; null: not there yet, not any more, or in other processes
  bool complete = false; // all have come; later some may go
  bool aborted = false;
  std::string gone; // why nothing can be done any more, or never could; empty: it can
  ncclResult_t refusal = ncclInternalError; // what who joins gets if it was aborted,
  std::string hazard = "deadlock"; // and what the instruments call it
  using Line = std::deque<PartPointer>;
  std::map<std::pair<int, int>, Line> sent, awaited; // messages by sender and receiver

  int ranks() const { return static_cast<int>(comms.size()); }
};

} // namespace emu

struct ncclComm {
  std::shared_ptr<emu::Clique> clique;
  int rank;
  int device;
  std::string host, place; // where it was made: on which machine, by which line
  std::shared_ptr<emu::Peer> peer; // here are the operations, but the rank is another process's
  std::shared_ptr<emu::Uplink> uplink; // the rank is here, but the operations are another process's
  std::deque<emu::PartPointer> parts; // of operations of all ranks, which wait for the others
};

namespace emu {

/// What all threads share.
struct NcclState {
  std::mutex mutex;
  std::condition_variable changed;
  std::unordered_set<ncclComm_t> alive;
  std::map<uint64_t, std::shared_ptr<Clique>> by_id; // those that ranks join one by one
  uint64_t next_clique = 1;
  std::string last_error = "no error";
  std::string doing; // what the host waits for outside of NCCL
  std::chrono::steady_clock::time_point heard; // of another process, last
};
NcclState &nccl_state();

bool nccl_alive(ncclComm_t comm);

/// The line of the program that has called NCCL; empty where no instruments look on.
std::string nccl_place();
/// " (sum.cu:17)", or nothing.
inline std::string nccl_line(const std::string &place) {
  return place.empty() ? std::string() : " (" + place + ")";
}

/// "ncclAllReduce of rank 1 (sum.cu:17)"
inline std::string nccl_words(const Part &part) {
  return part.name + (" of rank " + std::to_string(part.rank)) + nccl_line(part.place);
}

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

/// Whether this process works: what only looks from time to time whether something has come does not.
class Activity {
public:
  /// Since it was asked last.
  bool any();

private:
  double used_ = 0; // seconds of the processor
  std::chrono::steady_clock::time_point looked_;
};

/// Whether nobody has done anything for a while: no thread of this process, and no other process that has
/// ranks here.
class Silence {
public:
  bool lasts(const NcclState &s);

private:
  Activity activity_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// \name Under the lock
/// @{
/// Gives a part its place; match() does what is complete then.
void nccl_post(NcclState &s, const PartPointer &part);
void nccl_match(NcclState &s, Clique &clique);
/// The part is over, wherever its call waits.
void nccl_settle(const PartPointer &part,
                 ncclResult_t result,
                 const std::shared_ptr<NcclComplaint> &why = nullptr);
/// The same for a part that cannot be done any more.
void nccl_refuse(const PartPointer &part, const std::string &why);
/// The ranks that belong to an id of this process; made when the first one asks.
std::shared_ptr<Clique> nccl_clique(NcclState &s, uint64_t number, int ranks);
/// A rank comes. \return null with `trouble` set if it may not
ncclComm_t nccl_enter(NcclState &s,
                      const std::shared_ptr<Clique> &clique,
                      int ranks,
                      const ncclComm &rank,
                      std::string &trouble);
/// A rank goes. \param gone  not empty: all that wait or come later fail, and this is why
void nccl_leave(NcclState &s, ncclComm_t comm, const std::string &gone);
/// Those who wait for the ranks that are missing are told that these won't come, or may not.
void nccl_abandon(NcclState &s, Clique &clique, const std::string &why);
/// Everything that waits fails, if anything does; the text says who waits for whom.
void nccl_give_up(NcclState &s);
/// @}

/// What others must know to come to this process; port 0 where the system allows no connections.
wire::Address nccl_hub_address();

/// In the process of a rank: the way to the one that made the id.
class Uplink {
public:
  explicit Uplink(int descriptor);
  ~Uplink();
  /// Introduces the rank; the clique learns of the answer.
  void join(const std::shared_ptr<Clique> &clique, const wire::Join &join);
  /// Sends a part away, which is settled when the answer comes. Not under the lock.
  void post(const PartPointer &part);
  void leave(bool abort);

private:
  struct Way;
  std::shared_ptr<Way> way_;
};

} // namespace emu
