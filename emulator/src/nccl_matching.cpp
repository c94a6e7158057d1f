// How the parts of NCCL's operations find each other, and what happens when they do not.
#include <chrono>
#include <cstdio>
#include <ctime>

#include "nccl_ranks.hpp"
#include "watcher.hpp"

namespace emu {

namespace {

std::string list_of(const std::vector<int> &ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

// -------------------------------------------------------------------------------------- matching

std::string shape_of(const Part &part) {
  std::string text = part.name;
  text += " of " + std::to_string(part.count) + " " + nccl_type_name(part.type);
  if (part.kind == Collective::broadcast || part.kind == Collective::reduce)
    text += " with root " + std::to_string(part.other);
  return text;
}

bool agree(const Part &a, const Part &b) {
  const bool message = a.kind == Collective::send;
  return (message || a.kind == b.kind) && a.count == b.count && a.type == b.type &&
         a.operation == b.operation && (message || a.other == b.other);
}

/// Under the lock: does the operation whose parts these are.
void finish(NcclState &s, const std::vector<PartPointer> &parts) {
  ncclResult_t result = ncclSuccess;
  for (const PartPointer &part : parts)
    if (!agree(*parts[0], *part)) {
      result = ncclInvalidUsage;
      s.last_error = "ranks disagree: rank " + std::to_string(parts[0]->comm->rank) + " calls " +
                     shape_of(*parts[0]) + ", rank " + std::to_string(part->comm->rank) +
                     " calls " + shape_of(*part);
      if (parts[0]->operation != part->operation)
        s.last_error += ", with another ncclRedOp_t";
      std::fprintf(stderr, "emulator: NCCL: %s\n", s.last_error.c_str());
      if (watcher)
        watcher->host_complained("nccl_mismatch", s.last_error.c_str());
      break;
    }
  if (result == ncclSuccess && nccl_submit(parts) != cudaSuccess)
    result = ncclUnhandledCudaError;
  for (const PartPointer &part : parts) {
    part->over = true;
    part->result = result;
  }
  s.changed.notify_all();
}

/// Under the lock: does what is complete.
void match(NcclState &s, Clique &clique) {
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

void post(const PartPointer &part) {
  Clique &clique = *part->comm->clique;
  const int rank = part->comm->rank;
  if (part->kind == Collective::send)
    clique.sent[{rank, part->other}].push_back(part);
  else if (part->kind == Collective::receive)
    clique.awaited[{part->other, rank}].push_back(part);
  else
    part->comm->parts.push_back(part);
}

// --------------------------------------------------------------------------------------- waiting

/// Whether nobody in this process does anything any more. Threads that wait for each other in
/// NCCL, or for such threads, use no processor.
class Silence {
public:
  bool lasts() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const double seconds =
        static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    const auto now = std::chrono::steady_clock::now();
    if (seconds - used_ > 0.01) {
      used_ = seconds;
      since_ = now;
    }
    return now - since_ > std::chrono::seconds(2);
  }

private:
  double used_ = -1;
  std::chrono::steady_clock::time_point since_;
};

constexpr const char *advice = "; a thread that works for several ranks calls between "
                               "ncclGroupStart() and ncclGroupEnd()";

std::string missing_words(const Part &part) {
  const Clique &clique = *part.comm->clique;
  const std::string mine = std::string(part.name) + " of rank " + std::to_string(part.comm->rank);
  if (part.kind == Collective::send || part.kind == Collective::receive) {
    const bool sends = part.kind == Collective::send;
    return mine + (sends ? " waits for an ncclRecv of rank " : " waits for an ncclSend of rank ") +
           std::to_string(part.other) + ", which does not come";
  }
  std::vector<int> missing;
  for (int rank = 0; rank < clique.ranks(); ++rank) {
    const ncclComm_t comm = clique.comms[static_cast<size_t>(rank)];
    if (comm == nullptr || comm->parts.empty())
      missing.push_back(rank);
  }
  return mine + " waits for " + list_of(missing) + ", which " +
         (missing.size() == 1 ? "does" : "do") + " not come";
}

/// Under the lock: everything that waits fails.
void give_up(NcclState &s, const std::string &text) {
  s.last_error = "deadlock: " + text;
  std::fprintf(stderr, "emulator: NCCL: %s%s\n", s.last_error.c_str(), advice);
  if (watcher)
    watcher->host_complained("deadlock", text.c_str());
  for (ncclComm_t comm : s.alive) {
    Clique &clique = *comm->clique;
    clique.aborted = clique.aborted || !clique.complete();
    std::deque<PartPointer> failed;
    failed.swap(comm->parts);
    for (auto *lines : {&clique.sent, &clique.awaited}) {
      for (auto &[ends, line] : *lines)
        failed.insert(failed.end(), line.begin(), line.end());
      lines->clear();
    }
    for (const PartPointer &part : failed) {
      part->over = true;
      part->result = ncclInternalError;
    }
  }
  s.changed.notify_all();
}

/// Returns when `over()`, or after everybody has fallen silent.
template <class Over, class Words>
void wait_until(std::unique_lock<std::mutex> &lock, Over over, Words words) {
  NcclState &s = nccl_state();
  Silence silence;
  while (!over())
    if (s.changed.wait_for(lock, std::chrono::milliseconds(200)) == std::cv_status::timeout &&
        !over() && silence.lasts())
      give_up(s, words());
}

} // namespace

ncclResult_t nccl_perform(const std::vector<PartPointer> &parts) {
  NcclState &s = nccl_state();
  std::unique_lock lock(s.mutex);
  for (const PartPointer &part : parts)
    post(part);
  for (const PartPointer &part : parts)
    match(s, *part->comm->clique);
  for (const PartPointer &part : parts)
    wait_until(
        lock, [&] { return part->over; }, [&] { return missing_words(*part); });
  for (const PartPointer &part : parts)
    if (part->result != ncclSuccess)
      return part->result;
  return ncclSuccess;
}

ncclResult_t nccl_wait_for_members(const std::shared_ptr<Clique> &clique) {
  std::unique_lock lock(nccl_state().mutex);
  const auto over = [&] { return clique->complete() || clique->aborted; };
  wait_until(lock, over, [&] {
    std::vector<int> missing;
    for (int rank = 0; rank < clique->ranks(); ++rank)
      if (clique->comms[static_cast<size_t>(rank)] == nullptr)
        missing.push_back(rank);
    return "ncclCommInitRank waits for " + list_of(missing) +
           " of this process (there is no other process here)";
  });
  return clique->aborted ? ncclInternalError : ncclSuccess;
}

} // namespace emu
