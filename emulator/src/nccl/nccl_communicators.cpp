// NCCL's communicators.
#include <algorithm>
#include <cstring>

#include "context/api.hpp"
#include "engine/surroundings.hpp"
#include "engine/watcher.hpp"
#include "nccl/nccl_ranks.hpp"

using namespace emu;

namespace {

ncclResult_t remove(ncclComm_t comm, bool abort) {
  if (comm == nullptr)
    return ncclSuccess;
  if (!nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "this communicator was destroyed already");
  std::shared_ptr<Uplink> uplink = comm->uplink; // ends without the lock, which its thread needs
  const std::string gone =
      "rank " + std::to_string(comm->rank) + " has called ncclCommAbort" + nccl_line(nccl_place());
  if (uplink)
    uplink->leave(abort);
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  nccl_leave(s, comm, abort ? gone : std::string());
  return ncclSuccess;
}

template <class T> ncclResult_t tell(ncclComm_t comm, T *place, T ncclComm::*member) {
  if (place == nullptr || !nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "this communicator is null, or was destroyed");
  *place = comm->*member;
  return ncclSuccess;
}

constexpr unsigned config_magic = ncclConfig_t NCCL_CONFIG_INITIALIZER.magic;

/// Of ranks that come together while nobody waits for them.
ncclResult_t progress_of(const Clique &clique) {
  const std::lock_guard lock(nccl_state().mutex);
  return clique.complete ? ncclSuccess : clique.aborted ? clique.refusal : ncclInProgress;
}

} // namespace

ncclResult_t ncclGetVersion(int *version) {
  if (version == nullptr)
    return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (id == nullptr)
    return ncclInvalidArgument;
  if (runtime_watcher)
    runtime_watcher->handed_over("ncclGetUniqueId", id, sizeof *id, true, false);
  wire::Address address = nccl_hub_address();
  {
    NcclState &s = nccl_state();
    const std::lock_guard lock(s.mutex);
    address.clique = s.next_clique++;
  }
  std::memset(id, 0, sizeof *id);
  address.text().copy(id->internal, sizeof id->internal - 1);
  return ncclSuccess;
}

namespace {

/// Joins ranks of this process, which has made the id.
ncclResult_t join_here(const ncclComm &wanted,
                       uint64_t number,
                       int ranks,
                       ncclComm_t *comm,
                       std::shared_ptr<Clique> &clique) {
  NcclState &s = nccl_state();
  std::string trouble;
  {
    const std::lock_guard lock(s.mutex);
    clique = nccl_clique(s, number, ranks);
    *comm = nccl_enter(s, clique, ranks, wanted, trouble);
  }
  if (trouble.empty())
    return ncclSuccess;
  if (runtime_watcher)
    runtime_watcher->host_complained("rank_conflict", trouble.c_str());
  return nccl_fail(ncclInvalidUsage, "ncclCommInitRank: " + trouble);
}

/// Joins a rank of this process; another one has made the id.
ncclResult_t join_there(ncclComm wanted,
                        const wire::Address &address,
                        int ranks,
                        ncclComm_t *comm,
                        std::shared_ptr<Clique> &clique) {
  const int connection = address.port == 0 ? -1 : wire::connect_to(address);
  if (connection < 0)
    return nccl_fail(ncclSystemError,
                     "ncclCommInitRank: the process that made the id is not there any more, or "
                     "cannot be reached at " +
                         address.ip + ":" + std::to_string(address.port));
  clique = std::make_shared<Clique>();
  clique->comms.resize(static_cast<size_t>(ranks));
  wanted.clique = clique;
  wanted.uplink = std::make_shared<Uplink>(connection);
  {
    NcclState &s = nccl_state();
    const std::lock_guard lock(s.mutex);
    *comm = new ncclComm(wanted);
    clique->comms[static_cast<size_t>(wanted.rank)] = *comm;
    s.alive.insert(*comm);
  }
  wire::Join join = {};
  join.secret = address.secret;
  join.clique = address.clique;
  join.ranks = ranks;
  join.rank = wanted.rank;
  join.device = wanted.device;
  join.host = wanted.host;
  join.place = wanted.place;
  wanted.uplink->join(clique, join);
  return ncclSuccess;
}

} // namespace

std::shared_ptr<Clique> emu::nccl_clique(NcclState &s, uint64_t number, int ranks) {
  std::shared_ptr<Clique> &found = s.by_id[number];
  if (!found) {
    found = std::make_shared<Clique>();
    found->number = number;
    found->comms.resize(static_cast<size_t>(ranks));
  }
  return found;
}

ncclComm_t emu::nccl_enter(NcclState &s,
                           const std::shared_ptr<Clique> &clique,
                           int ranks,
                           const ncclComm &rank,
                           std::string &trouble) {
  const auto line = [](const ncclComm &comm) { return nccl_line(comm.place); };
  if (clique->ranks() != ranks)
    trouble = "rank " + std::to_string(rank.rank) + line(rank) + " says that there are " +
              std::to_string(ranks) + " ranks, and others say " + std::to_string(clique->ranks());
  else if (clique->comms[static_cast<size_t>(rank.rank)] != nullptr || clique->complete)
    trouble = "rank " + std::to_string(rank.rank) + line(rank) + " is there already";
  for (const ncclComm_t other : clique->comms)
    if (trouble.empty() && other && other->device == rank.device && other->host == rank.host) {
      const bool after = other->rank > rank.rank;
      const ncclComm &low = after ? rank : *other, &high = after ? *other : rank;
      trouble = "ranks " + std::to_string(low.rank) + line(low) + " and " +
                std::to_string(high.rank) + line(high) + " both have device " +
                std::to_string(rank.device) + (rank.peer || other->peer ? " of one machine" : "") +
                ": cudaSetDevice first";
    }
  if (!trouble.empty()) { // those who are there wait in vain
    if (!clique->complete) {
      clique->refusal = ncclInvalidUsage;
      clique->hazard = "rank_conflict";
      nccl_abandon(s, *clique, trouble);
    }
    return nullptr;
  }
  const auto comm = new ncclComm(rank);
  comm->clique = clique;
  clique->comms[static_cast<size_t>(rank.rank)] = comm;
  clique->complete =
      std::find(clique->comms.begin(), clique->comms.end(), nullptr) == clique->comms.end();
  s.alive.insert(comm);
  if (clique->complete)
    for (const ncclComm_t one : clique->comms)
      if (one->peer)
        one->peer->socket.send(wire::Kind::joined, 0, wire::Answer{});
  s.changed.notify_all();
  return comm;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank) {
  return ncclCommInitRankConfig(comm, ranks, id, rank, nullptr);
}

ncclResult_t ncclCommInitRankConfig(
    ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config) {
  if (config != nullptr && (config->size != sizeof *config || config->magic != config_magic))
    return nccl_fail(ncclInvalidArgument,
                     "ncclCommInitRankConfig: begin with ncclConfig_t config = "
                     "NCCL_CONFIG_INITIALIZER, then change what you want");
  if (comm == nullptr || ranks < 1 || rank < 0 || rank >= ranks)
    return nccl_fail(ncclInvalidArgument,
                     "ncclCommInitRank: there is no rank " + std::to_string(rank) + " of " +
                         std::to_string(ranks));
  const auto address = wire::Address::from(id.internal, sizeof id.internal);
  if (!address)
    return nccl_fail(ncclInvalidArgument,
                     "ncclCommInitRank: what rank " + std::to_string(rank) +
                         " has is no id that ncclGetUniqueId made: has it been sent to this rank?");
  ncclComm wanted = {};
  wanted.rank = rank;
  wanted.device = current_device;
  wanted.host = this_host();
  wanted.place = nccl_place();
  const wire::Address own = nccl_hub_address();
  std::shared_ptr<Clique> clique;
  const bool here = address->secret == own.secret;
  if (const ncclResult_t result = here ? join_here(wanted, address->clique, ranks, comm, clique)
                                       : join_there(wanted, *address, ranks, comm, clique))
    return result;
  if (nccl_group.depth > 0) {
    nccl_group.joined.push_back(clique);
    return ncclSuccess;
  }
  if (config != nullptr && config->blocking == 0)
    return progress_of(*clique);
  const ncclResult_t result = nccl_wait_for_members(clique);
  if (result != ncclSuccess)
    remove(std::exchange(*comm, nullptr), false);
  return result;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices) {
  if (comms == nullptr || count < 1)
    return nccl_fail(ncclInvalidArgument, "ncclCommInitAll: no devices");
  unsigned used = 0;
  for (int rank = 0; rank < count; ++rank) {
    const int device = devices ? devices[rank] : rank;
    if (!valid_device(device))
      return nccl_fail(ncclUnhandledCudaError,
                       "ncclCommInitAll: there is no device " + std::to_string(device));
    if ((used & 1u << device) != 0)
      return nccl_fail(ncclInvalidUsage,
                       "ncclCommInitAll: two ranks have device " + std::to_string(device));
    used |= 1u << device;
  }
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  const std::shared_ptr<Clique> clique = nccl_clique(s, s.next_clique++, count);
  for (int rank = 0; rank < count; ++rank) {
    ncclComm wanted = {};
    wanted.rank = rank;
    wanted.device = devices ? devices[rank] : rank;
    std::string trouble; // none: the devices are different ones
    comms[rank] = nccl_enter(s, clique, count, wanted, trouble);
  }
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  return nccl_alive(comm) ? ncclSuccess
                          : nccl_fail(ncclInvalidArgument, "there is no such communicator");
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return remove(comm, false); }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return remove(comm, true); }

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) {
  if (count == nullptr || !nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "ncclCommCount: there is no such communicator");
  *count = comm->clique->ranks();
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) {
  return tell(comm, device, &ncclComm::device);
}
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) {
  return tell(comm, rank, &ncclComm::rank);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error) {
  if (error == nullptr || !nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "ncclCommGetAsyncError: there is no such communicator");
  *error = sticky_error(comm->device) == cudaSuccess ? progress_of(*comm->clique)
                                                     : ncclUnhandledCudaError;
  return ncclSuccess;
}
