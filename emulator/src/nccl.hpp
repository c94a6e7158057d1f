/// \file
/// What NCCL's calls become: parts of operations, one for each rank, that are matched and then done.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nccl.h"
#include "streams.hpp"

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

/// What one rank gives to an operation.
struct Part {
  Collective kind;
  const char *name; // of the call
  const char *send;
  char *receive;
  size_t count; // elements
  ncclDataType_t type;
  ncclRedOp_t operation;
  int other; // the root, or whom it sends to or receives from
  ncclComm_t comm;
  QueuePointer queue = nullptr;
  bool over = false;
  ncclResult_t result = ncclSuccess;
};
using PartPointer = std::shared_ptr<Part>;

/// Bytes of an element; 0: there is no such type.
size_t nccl_size(ncclDataType_t type);
/// "float32", …
const char *nccl_type_name(ncclDataType_t type);

/// Bytes that a part reads and writes where ranks are so many.
size_t nccl_sent_bytes(const Part &part, int rank, int ranks);
size_t nccl_received_bytes(const Part &part, int rank, int ranks);

/// Bytes that each rank sends on, in a ring; of a broadcast or a reduction all but the last one do.
size_t nccl_link_bytes(const Part &part, int ranks);

/// Does an operation whose parts are all there, in the order of ranks, when their streams have come
/// to it. A message has two parts: the sender's and the receiver's.
cudaError_t nccl_submit(const std::vector<PartPointer> &parts);

} // namespace emu
