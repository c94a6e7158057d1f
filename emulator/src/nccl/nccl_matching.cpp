// How the parts of NCCL's operations find each other.
#include <cstdio>

#include "nccl/nccl_ranks.hpp"

namespace emu {

namespace {

std::string shape_of(const Part &part) {
  std::string text = part.name;
  text += " of " + std::to_string(part.count) + " " + nccl_type_name(part.type);
  if (part.kind == Collective::broadcast || part.kind == Collective::reduce)
    text += " with root " + std::to_string(part.other);
  return text + nccl_line(part.place);
}

bool agree(const Part &a, const Part &b) {
  const bool message = a.kind == Collective::send;
  return (message || a.kind == b.kind) && a.count == b.count && a.type == b.type &&
         a.operation == b.operation && (message || a.other == b.other);
}

/// Under the lock: does the operation whose parts these are.
void finish(NcclState &s, const std::vector<PartPointer> &parts) {
  ncclResult_t result = ncclSuccess;
  std::shared_ptr<NcclComplaint> why;
  for (const PartPointer &part : parts)
    if (!agree(*parts[0], *part)) {
      result = ncclInvalidUsage;
      s.last_error = "ranks disagree: rank " + std::to_string(parts[0]->rank) + " calls " +
                     shape_of(*parts[0]) + ", rank " + std::to_string(part->rank) + " calls " +
                     shape_of(*part);
      if (parts[0]->operation != part->operation)
        s.last_error += ", with another ncclRedOp_t";
      std::fprintf(stderr, "emulator: NCCL: %s\n", s.last_error.c_str());
      why = std::make_shared<NcclComplaint>(NcclComplaint{"nccl_mismatch", s.last_error});
      break;
    }
  if (result == ncclSuccess && nccl_submit(parts) != cudaSuccess)
    result = ncclUnhandledCudaError;
  for (const PartPointer &part : parts)
    nccl_settle(part, result, why);
  s.changed.notify_all();
}

} // namespace

void nccl_match(NcclState &s, Clique &clique) {
  const auto everybody_is_there = [&] {
    for (ncclComm_t comm : clique.comms)
      if (comm == nullptr || comm->parts.empty())
        return false;
    return true;
  };
  while (everybody_is_there()) {
    std::vector<PartPointer> parts;
    for (ncclComm_t comm : clique.comms) {
      parts.push_back(comm->parts.front());
      comm->parts.pop_front();
    }
    finish(s, parts);
  }
  for (auto &[ends, senders] : clique.sent) {
    Clique::Line &receivers = clique.awaited[ends];
    while (!senders.empty() && !receivers.empty()) {
      const std::vector<PartPointer> parts = {senders.front(), receivers.front()};
      senders.pop_front();
      receivers.pop_front();
      finish(s, parts);
    }
  }
}

void nccl_post(NcclState &, const PartPointer &part) {
  Clique &clique = *part->comm->clique;
  if (!clique.gone.empty())
    nccl_refuse(part, clique.gone);
  else if (part->kind == Collective::send)
    clique.sent[{part->rank, part->other}].push_back(part);
  else if (part->kind == Collective::receive)
    clique.awaited[{part->other, part->rank}].push_back(part);
  else
    part->comm->parts.push_back(part);
}

void nccl_refuse(const PartPointer &part, const std::string &why) {
  nccl_settle(part,
              ncclRemoteError,
              std::make_shared<NcclComplaint>(
                  NcclComplaint{"", nccl_words(*part) + " cannot be done: " + why}));
}

void nccl_settle(const PartPointer &part,
                 ncclResult_t result,
                 const std::shared_ptr<NcclComplaint> &why) {
  part->over = true;
  part->result = result;
  part->complaint = why;
  if (part->queue)
    return;
  const wire::Answer answer =
      why ? wire::answer_of(result, why->hazard, why->text) : wire::answer_of(result, {}, {});
  const bool right = result == ncclSuccess;
  if (const ncclComm_t comm = part->comm; comm->peer)
    comm->peer->socket.send(wire::Kind::done,
                            part->tag,
                            answer,
                            right ? std::string_view(part->received.data(), part->received.size())
                                  : std::string_view());
}

} // namespace emu
