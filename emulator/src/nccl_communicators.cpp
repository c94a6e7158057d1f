// NCCL's communicators.
#include <cstdio>
#include <cstring>

#include "api.hpp"
#include "nccl_ranks.hpp"

using namespace emu;

namespace {

/// Under the lock.
ncclComm_t add_rank(NcclState &s, const std::shared_ptr<Clique> &clique, int rank, int device) {
  const auto comm = new ncclComm{clique, rank, device, {}};
  clique->comms[static_cast<size_t>(rank)] = comm;
  s.alive.insert(comm);
  return comm;
}

ncclResult_t remove(ncclComm_t comm, bool abort) {
  if (comm == nullptr)
    return ncclSuccess;
  if (!nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "this communicator was destroyed already");
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  Clique &clique = *comm->clique;
  clique.comms[static_cast<size_t>(comm->rank)] = nullptr;
  if (abort)
    for (ncclComm_t other : clique.comms)
      for (; other && !other->parts.empty(); other->parts.pop_front()) {
        other->parts.front()->over = true;
        other->parts.front()->result = ncclInternalError;
      }
  s.alive.erase(comm);
  delete comm;
  s.changed.notify_all();
  return ncclSuccess;
}

template <class T> ncclResult_t tell(ncclComm_t comm, T *place, T ncclComm::*member) {
  if (place == nullptr || !nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument, "this communicator is null, or was destroyed");
  *place = comm->*member;
  return ncclSuccess;
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
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal,
                sizeof id->internal,
                "emulator %llu",
                static_cast<unsigned long long>(s.next_id++));
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank) {
  if (comm == nullptr || ranks < 1 || rank < 0 || rank >= ranks)
    return nccl_fail(ncclInvalidArgument,
                     "ncclCommInitRank: there is no rank " + std::to_string(rank) + " of " +
                         std::to_string(ranks));
  NcclState &s = nccl_state();
  std::shared_ptr<Clique> clique;
  std::string trouble;
  {
    const std::lock_guard lock(s.mutex);
    std::shared_ptr<Clique> &found = s.by_id[{id.internal, sizeof id.internal}];
    if (!found) {
      found = std::make_shared<Clique>();
      found->comms.resize(static_cast<size_t>(ranks));
    }
    clique = found;
    if (clique->ranks() != ranks)
      trouble = "others say that there are " + std::to_string(clique->ranks()) + " ranks";
    else if (clique->comms[static_cast<size_t>(rank)] != nullptr)
      trouble = "rank " + std::to_string(rank) + " is there already";
    for (ncclComm_t other : clique->comms)
      if (other != nullptr && other->device == current_device && trouble.empty())
        trouble = "ranks " + std::to_string(other->rank) + " and " + std::to_string(rank) +
                  " both have device " + std::to_string(current_device) + ": cudaSetDevice first";
    if (trouble.empty()) {
      *comm = add_rank(s, clique, rank, current_device);
      s.changed.notify_all();
    }
  }
  if (!trouble.empty())
    return nccl_fail(ncclInvalidUsage, "ncclCommInitRank: " + trouble);
  if (nccl_group.depth == 0)
    return nccl_wait_for_members(clique);
  nccl_group.joined.push_back(clique);
  return ncclSuccess;
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
  const auto clique = std::make_shared<Clique>();
  clique->comms.resize(static_cast<size_t>(count));
  for (int rank = 0; rank < count; ++rank)
    comms[rank] = add_rank(s, clique, rank, devices ? devices[rank] : rank);
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
  *error = sticky_error(comm->device) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
  return ncclSuccess;
}
