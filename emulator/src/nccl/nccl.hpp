/// \file
/// What NCCL's calls become: parts of operations, one for each rank, that are matched and then done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nccl.h"
#include "streams/streams.hpp"

namespace emu {

enum class Collective : unsigned char {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  send,
  receive
};
/// Of the call, "ncclAllReduce".
const char *nccl_name(Collective kind);

/// A mistake that several calls end with; the first of them tells the instruments.
struct NcclComplaint {
  std::string hazard, text;
  bool told = false;
};

/// What one rank gives to an operation.
struct Part {
  Collective kind;
  const char *send;
  char *receive;
  size_t count; // elements
  ncclDataType_t type;
  ncclRedOp_t operation;
  int other; // the root, or whom it sends to or receives from
  ncclComm_t comm;
  const char *name = nccl_name(kind);
  int rank = 0, ranks = 1; // of the communicator, which may be gone before the operation is done
  std::string place = {}; // of the call, "sum.cu:17"; empty where no instruments look on
  QueuePointer queue = nullptr; // null: another process has it, and memory of its own
  bool over = false;
  ncclResult_t result = ncclSuccess;
  std::shared_ptr<NcclComplaint> complaint = nullptr; // why it failed
  std::vector<char> sent = {}, received = {}; // between processes: what travels
  uint32_t tag = 0; // by which its process knows it
};
using PartPointer = std::shared_ptr<Part>;

/// Bytes of an element; 0: there is no such type.
size_t nccl_size(ncclDataType_t type);
/// "float32", …
const char *nccl_type_name(ncclDataType_t type);

/// Bytes that a part reads, and writes.
size_t nccl_sent_bytes(const Part &part);
size_t nccl_received_bytes(const Part &part);

/// Does an operation whose parts are all there, in the order of ranks, when their streams have come
/// to it. A message has two parts: the sender's and the receiver's. If some belong to other processes,
/// it is done when this returns.
cudaError_t nccl_submit(const std::vector<PartPointer> &parts);

/// Waits until the part's stream has come to it, so that what it sends can go to another process.
cudaError_t nccl_reach(const Part &part);
/// Gives the part's stream what another process has sent as its result.
cudaError_t nccl_deposit(const PartPointer &part);

} // namespace emu
