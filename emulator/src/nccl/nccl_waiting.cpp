// What happens while parts of NCCL's operations wait for others, and when these do not come.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include <observation/words.hpp>

#include "context/devices.hpp"
#include "emu/processes.hpp"
#include "engine/surroundings.hpp"
#include "engine/watcher.hpp"
#include "nccl/nccl_ranks.hpp"

namespace emu {

using Clock = std::chrono::steady_clock;

bool Activity::any() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  const double used = static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
  const auto now = Clock::now();
  const double share = (used - used_) / std::chrono::duration<double>(now - looked_).count();
  used_ = used;
  looked_ = now;
  return share > 0.05;
}

namespace {

std::chrono::milliseconds patience() {
  // Processes that are started together may come one after the other.
  static const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE") ||
                               std::getenv("PMIX_RANK") || std::getenv("SLURM_NTASKS");
  static const std::chrono::milliseconds given(
      number_from_environment("EMU_NCCL_PATIENCE_MS", 100, 3'600'000, launched ? 10'000 : 2'000));
  return given;
}

} // namespace

bool Silence::lasts(const NcclState &s) {
  if (activity_.any())
    since_ = Clock::now();
  return Clock::now() - std::max(since_, s.heard) > patience();
}

namespace {

constexpr const char *advice = "; a thread that works for several ranks calls between "
                               "ncclGroupStart() and ncclGroupEnd()";

/// What a rank waits for itself; empty if that is not known.
std::string state_of(const NcclState &s, const Clique &clique, int rank) {
  const std::string who = "; rank " + std::to_string(rank);
  const ncclComm_t comm = clique.comms[static_cast<size_t>(rank)];
  if (comm == nullptr)
    return clique.complete ? who + " has left the communicator" : std::string();
  if (!comm->parts.empty()) {
    const Part &part = *comm->parts.front();
    return who + " waits in " + part.name + nccl_line(part.place);
  }
  for (const auto *lines : {&clique.sent, &clique.awaited})
    for (const auto &[ends, line] : *lines)
      for (const PartPointer &part : line)
        if (part->rank == rank)
          return who + " waits in " + part->name +
                 (part->kind == Collective::send ? " to rank " : " from rank ") +
                 std::to_string(part->other) + nccl_line(part->place);
  const std::string &doing = comm->peer ? comm->peer->doing : s.doing;
  return doing.empty() ? std::string() : who + " waits in " + doing;
}

std::string missing_words(const NcclState &s, const Part &part) {
  const Clique &clique = *part.comm->clique;
  const std::string mine = nccl_words(part);
  if (part.kind == Collective::send || part.kind == Collective::receive) {
    const bool sends = part.kind == Collective::send;
    return mine + (sends ? " waits for an ncclRecv of rank " : " waits for an ncclSend of rank ") +
           std::to_string(part.other) + ", which does not come" +
           (part.other == part.rank ? "" : state_of(s, clique, part.other));
  }
  std::vector<int> missing;
  std::string states;
  for (int rank = 0; rank < clique.ranks(); ++rank) {
    const ncclComm_t comm = clique.comms[static_cast<size_t>(rank)];
    if (comm == nullptr || comm->parts.empty()) {
      missing.push_back(rank);
      states += state_of(s, clique, rank);
    }
  }
  return mine + " waits for " + numbered("rank", missing) + ", which " +
         (missing.size() == 1 ? "does" : "do") + " not come" + states;
}

std::string absent_words(const Clique &clique) {
  std::vector<int> missing;
  std::string mine;
  for (int rank = 0; rank < clique.ranks(); ++rank) {
    const ncclComm_t comm = clique.comms[static_cast<size_t>(rank)];
    if (comm == nullptr)
      missing.push_back(rank);
    else if (mine.empty())
      mine = " of rank " + std::to_string(rank) + nccl_line(comm->place);
  }
  return "ncclCommInitRank" + mine + " waits for " + numbered("rank", missing) +
         " with the same id. One rank calls ncclGetUniqueId, and all others get that id from it";
}

/// What waits in a clique, and for whom; empty: nothing does.
std::string waiting_words(const NcclState &s, const Clique &clique) {
  if (!clique.complete)
    return absent_words(clique);
  const Part *first = nullptr;
  const auto look = [&](const PartPointer &part) {
    if (first == nullptr || part->rank < first->rank)
      first = part.get();
  };
  for (const ncclComm_t comm : clique.comms)
    if (comm && !comm->parts.empty())
      look(comm->parts.front());
  for (const auto *lines : {&clique.sent, &clique.awaited})
    for (const auto &[ends, line] : *lines)
      if (!line.empty())
        look(line.front());
  return first ? missing_words(s, *first) : std::string();
}

std::vector<PartPointer> take_waiting(Clique &clique) {
  std::vector<PartPointer> waiting;
  for (const ncclComm_t comm : clique.comms)
    if (comm) {
      waiting.insert(waiting.end(), comm->parts.begin(), comm->parts.end());
      comm->parts.clear();
    }
  for (auto *lines : {&clique.sent, &clique.awaited}) {
    for (auto &[ends, line] : *lines)
      waiting.insert(waiting.end(), line.begin(), line.end());
    lines->clear();
  }
  return waiting;
}

/// Returns when `over()`, or after everybody has fallen silent. Where operations are matched elsewhere,
/// that is where silence is noticed.
void wait_until(std::unique_lock<std::mutex> &lock, bool elsewhere, auto over) {
  NcclState &s = nccl_state();
  Silence silence;
  while (!over())
    if (s.changed.wait_for(lock, patience() / 5) == std::cv_status::timeout && !elsewhere &&
        !over() && silence.lasts(s))
      nccl_give_up(s);
}

/// The first call that ends with a complaint tells of it.
void tell(NcclState &s, const Part &part) {
  if (!part.complaint)
    return;
  s.last_error = part.complaint->hazard == "deadlock" ? "deadlock: " : "";
  s.last_error += part.complaint->text;
  if (runtime_watcher && !part.complaint->hazard.empty() &&
      !std::exchange(part.complaint->told, true))
    runtime_watcher->host_complained(part.complaint->hazard.c_str(), part.complaint->text.c_str());
}

bool has_peers(const Clique &clique) {
  return std::any_of(clique.comms.begin(), clique.comms.end(), [](const ncclComm_t comm) {
    return comm && comm->peer;
  });
}

} // namespace

void nccl_abandon(NcclState &s, Clique &clique, const std::string &why) {
  clique.aborted = true;
  clique.gone = why;
  const wire::Answer refused = wire::answer_of(clique.refusal, clique.hazard, why);
  for (const ncclComm_t comm : clique.comms)
    if (comm && comm->peer)
      comm->peer->socket.send(wire::Kind::joined, 0, refused);
  s.changed.notify_all();
}

void nccl_give_up(NcclState &s) {
  std::map<uint64_t, Clique *> cliques;
  for (ncclComm_t comm : s.alive)
    if (!comm->uplink)
      cliques[comm->clique->number] = comm->clique.get();
  std::shared_ptr<NcclComplaint> why;
  for (const auto &[number, clique] : cliques) {
    const std::string words = waiting_words(s, *clique);
    if (words.empty() || clique->aborted)
      continue;
    if (!why) {
      why = std::make_shared<NcclComplaint>(NcclComplaint{"deadlock", words});
      s.last_error = "deadlock: " + words;
      std::fprintf(stderr,
                   "emulator: NCCL: %s%s\n",
                   s.last_error.c_str(),
                   clique->complete && !has_peers(*clique) ? advice : "");
    }
    if (!clique->complete)
      nccl_abandon(s, *clique, words);
    for (const PartPointer &part : take_waiting(*clique))
      nccl_settle(part, ncclInternalError, why);
  }
  s.changed.notify_all();
}

void nccl_leave(NcclState &s, ncclComm_t comm, const std::string &gone) {
  Clique &clique = *comm->clique;
  std::vector<PartPointer> own(comm->parts.begin(), comm->parts.end());
  for (auto *lines : {&clique.sent, &clique.awaited})
    for (auto &[ends, line] : *lines) {
      std::copy_if(line.begin(), line.end(), std::back_inserter(own), [&](const PartPointer &part) {
        return part->comm == comm;
      });
      std::erase_if(line, [&](const PartPointer &part) { return part->comm == comm; });
    }
  if (!gone.empty() && clique.gone.empty()) {
    clique.gone = gone;
    for (const PartPointer &part : take_waiting(clique))
      if (part->comm != comm)
        nccl_refuse(part, gone);
  }
  for (const PartPointer &part : own) // of other threads that work for this rank
    if (!comm->peer && !part->over)
      nccl_settle(part, ncclInternalError);
  clique.comms[static_cast<size_t>(comm->rank)] = nullptr;
  s.alive.erase(comm);
  delete comm;
  s.changed.notify_all();
}

ncclResult_t nccl_perform(const std::vector<PartPointer> &parts) {
  NcclState &s = nccl_state();
  for (const PartPointer &part : parts)
    if (part->comm->uplink) {
      if (nccl_reach(*part) != cudaSuccess)
        return ncclUnhandledCudaError;
      part->comm->uplink->post(part);
    }
  std::unique_lock lock(s.mutex);
  for (const PartPointer &part : parts)
    if (!part->comm->uplink)
      nccl_post(s, part);
  for (const PartPointer &part : parts)
    if (!part->comm->uplink)
      nccl_match(s, *part->comm->clique);
  ncclResult_t result = ncclSuccess;
  for (const PartPointer &part : parts) {
    const bool elsewhere = part->comm->uplink != nullptr;
    wait_until(lock, elsewhere, [&] { return part->over; });
    if (elsewhere && part->result == ncclSuccess && nccl_deposit(part) != cudaSuccess)
      part->result = ncclUnhandledCudaError;
    if (result == ncclSuccess && part->result != ncclSuccess) {
      result = part->result;
      tell(s, *part);
    }
  }
  return result;
}

ncclResult_t nccl_wait_for_members(const std::shared_ptr<Clique> &clique) {
  NcclState &s = nccl_state();
  std::unique_lock lock(s.mutex);
  bool elsewhere = false;
  for (const ncclComm_t comm : clique->comms)
    elsewhere = elsewhere || (comm && comm->uplink);
  wait_until(lock, elsewhere, [&] { return clique->complete || clique->aborted; });
  if (!clique->aborted)
    return ncclSuccess;
  s.last_error =
      (clique->hazard == "deadlock" ? "deadlock: " : "ncclCommInitRank: ") + clique->gone;
  if (clique->hazard != "deadlock")
    std::fprintf(stderr, "emulator: NCCL: %s\n", s.last_error.c_str());
  if (runtime_watcher && !clique->hazard.empty())
    runtime_watcher->host_complained(clique->hazard.c_str(), clique->gone.c_str());
  return clique->refusal;
}

void host_waits_for(const std::string &what) {
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  s.doing = what;
}

} // namespace emu
