// NCCL's groups and operations, as far as they are calls.
#include <cstdio>
#include <utility>

#include "context/api.hpp"
#include "emu/runtime/runtime_streams.hpp"
#include "engine/watcher.hpp"
#include "memory/copies.hpp"
#include "nccl/nccl_ranks.hpp"
#include "streams/capture.hpp"

using namespace emu;

NcclState &emu::nccl_state() {
  static NcclState &made = *new NcclState;
  return made;
}

thread_local NcclGroup emu::nccl_group;

ncclResult_t emu::nccl_fail(ncclResult_t result, const std::string &text) {
  std::fprintf(stderr, "emulator: NCCL: %s\n", text.c_str());
  {
    NcclState &s = nccl_state();
    const std::lock_guard lock(s.mutex);
    s.last_error = text;
  }
  if (nccl_group.depth > 0 && nccl_group.error == ncclSuccess)
    nccl_group.error = result;
  return result;
}

std::string emu::nccl_place() {
  return runtime_watcher ? runtime_watcher->place_of_caller() : std::string();
}

bool emu::nccl_alive(ncclComm_t comm) {
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  return s.alive.count(comm) > 0;
}

namespace {

/// Whether the memory can be reached by the device.
bool usable(const void *memory, size_t bytes, int device) {
  if (bytes == 0)
    return true;
  const Whereabouts where = whereabouts(memory);
  return where.side != MemorySide::pageable && accessible(memory, bytes, true) &&
         (where.side != MemorySide::device || where.device == device);
}

ncclResult_t check(const Part &part, cudaStream_t stream) {
  const std::string name = part.name;
  const int ranks = part.ranks, device = part.comm->device;
  if (part.type >= ncclNumTypes)
    return nccl_fail(ncclInvalidArgument, name + ": there is no such ncclDataType_t");
  if (part.operation >= ncclNumOps)
    return nccl_fail(ncclInvalidArgument, name + ": there is no such ncclRedOp_t");
  if (part.other < 0 || part.other >= ranks)
    return nccl_fail(ncclInvalidArgument,
                     name + ": rank " + std::to_string(part.other) + " is not one of the " +
                         std::to_string(ranks) + " of the communicator");
  if (sticky_error() != cudaSuccess)
    return nccl_fail(ncclUnhandledCudaError,
                     name + ": an earlier kernel has failed on this device");
  if (validate_stream(stream) != cudaSuccess || queue_of(stream)->device != device)
    return nccl_fail(ncclUnhandledCudaError,
                     name + ": the stream does not belong to device " + std::to_string(device) +
                         ", which this rank has");
  if (is_captured(*queue_of(stream)))
    return nccl_fail(ncclInvalidUsage, name + ": the emulator cannot capture it in a graph");
  if (!usable(part.send, nccl_sent_bytes(part), device))
    return nccl_fail(ncclInvalidArgument,
                     name + ": what rank " + std::to_string(part.comm->rank) +
                         " sends does not lie (as a whole) in memory of its device");
  if (!usable(part.receive, nccl_received_bytes(part), device))
    return nccl_fail(ncclInvalidArgument,
                     name + ": rank " + std::to_string(part.comm->rank) +
                         " has no room in memory of its device for what it receives");
  return ncclSuccess;
}

ncclResult_t perform(Collective kind,
                     const void *send,
                     void *receive,
                     size_t count,
                     ncclDataType_t type,
                     ncclRedOp_t operation,
                     int other,
                     ncclComm_t comm,
                     cudaStream_t stream) {
  Part part = {kind,
               static_cast<const char *>(send),
               static_cast<char *>(receive),
               count,
               type,
               operation,
               other,
               comm};
  if (!nccl_alive(comm))
    return nccl_fail(ncclInvalidArgument,
                     std::string(part.name) + ": this communicator is null, or was destroyed");
  part.rank = comm->rank;
  part.ranks = comm->clique->ranks();
  part.place = nccl_place();
  const int chosen = std::exchange(current_device, comm->device);
  const ncclResult_t result = check(part, stream);
  if (result == ncclSuccess)
    part.queue = queue_of(stream);
  current_device = chosen;
  const bool message = kind == Collective::send || kind == Collective::receive;
  if (result != ncclSuccess || (count == 0 && !message))
    return result; // nothing to do is done without the others
  const auto shared = std::make_shared<Part>(std::move(part));
  if (nccl_group.depth == 0)
    return nccl_perform({shared});
  nccl_group.parts.push_back(shared);
  return ncclSuccess;
}

} // namespace

const char *ncclGetErrorString(ncclResult_t result) {
  static constexpr const char *texts[] = {"no error",
                                          "unhandled cuda error",
                                          "unhandled system error",
                                          "internal error",
                                          "invalid argument",
                                          "invalid usage",
                                          "remote process exited or there was a network error",
                                          "operation in progress"};
  return result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t) {
  thread_local std::string text;
  NcclState &s = nccl_state();
  const std::lock_guard lock(s.mutex);
  text = s.last_error;
  return text.c_str();
}

ncclResult_t ncclGroupStart() {
  ++nccl_group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (nccl_group.depth == 0)
    return nccl_fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--nccl_group.depth > 0)
    return ncclSuccess;
  const NcclGroup ended = std::exchange(nccl_group, {});
  if (ended.error != ncclSuccess)
    return ended.error;
  for (const std::shared_ptr<Clique> &clique : ended.joined)
    if (const ncclResult_t result = nccl_wait_for_members(clique))
      return result;
  return nccl_perform(ended.parts);
}

ncclResult_t ncclAllReduce(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t operation,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return perform(Collective::all_reduce, send, receive, count, type, operation, 0, comm, stream);
}

ncclResult_t ncclReduce(const void *send,
                        void *receive,
                        size_t count,
                        ncclDataType_t type,
                        ncclRedOp_t operation,
                        int root,
                        ncclComm_t comm,
                        cudaStream_t stream) {
  return perform(Collective::reduce, send, receive, count, type, operation, root, comm, stream);
}

ncclResult_t ncclBroadcast(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return perform(Collective::broadcast, send, receive, count, type, ncclSum, root, comm, stream);
}

ncclResult_t ncclBcast(void *buffer,
                       size_t count,
                       ncclDataType_t type,
                       int root,
                       ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *send,
                           void *receive,
                           size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  return perform(Collective::all_gather, send, receive, count, type, ncclSum, 0, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *send,
                               void *receive,
                               size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t operation,
                               ncclComm_t comm,
                               cudaStream_t stream) {
  return perform(
      Collective::reduce_scatter, send, receive, count, type, operation, 0, comm, stream);
}

ncclResult_t ncclSend(const void *send,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
  return perform(Collective::send, send, nullptr, count, type, ncclSum, peer, comm, stream);
}

ncclResult_t ncclRecv(void *receive,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
  return perform(Collective::receive, nullptr, receive, count, type, ncclSum, peer, comm, stream);
}
