// What the operations of NCCL's interface do to memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "emu/math/float16_rounding.hpp"
#include "memory/copies.hpp"
#include "memory/device_variables.hpp"
#include "nccl/nccl_ranks.hpp"

namespace emu {

namespace {

/// A number of 16 bits, worked with as a float and rounded once in the end.
template <class Format> struct Short {
  uint16_t bits;
  explicit operator float() const { return widen<Format>(bits); }
};

template <class T> struct Work {
  using Type = T;
  static T from(T value) { return value; }
  static T round(T value) { return value; }
};
template <class Format> struct Work<Short<Format>> {
  using Type = float;
  static float from(Short<Format> value) { return static_cast<float>(value); }
  static Short<Format> round(float value) {
    return {round_to<Format>(value, Rounding::nearest_even)};
  }
};

/// Where sums and products are made: whole numbers wrap around.
template <class W> auto wrapping(W value) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<uint64_t>(value);
  else
    return value;
}

template <class W> W combine(W a, W b, ncclRedOp_t operation) {
  switch (operation) {
  case ncclProd:
    return static_cast<W>(wrapping(a) * wrapping(b));
  case ncclMax:
    return std::max(a, b);
  case ncclMin:
    return std::min(a, b);
  default:
    return static_cast<W>(wrapping(a) + wrapping(b));
  }
}

/// result[i] of the values from[rank][i].
template <class T>
void reduce(const std::vector<const char *> &from,
            char *result,
            size_t count,
            ncclRedOp_t operation) {
  using W = Work<T>;
  const auto value = [&](size_t rank, size_t i) {
    T read;
    std::memcpy(&read, from[rank] + i * sizeof(T), sizeof(T));
    return W::from(read);
  };
  for (size_t i = 0; i < count; ++i) {
    typename W::Type sum = value(0, i);
    for (size_t rank = 1; rank < from.size(); ++rank)
      sum = combine(sum, value(rank, i), operation);
    if (operation == ncclAvg)
      sum = static_cast<typename W::Type>(sum / static_cast<typename W::Type>(from.size()));
    const T rounded = W::round(sum);
    std::memcpy(result + i * sizeof(T), &rounded, sizeof(T));
  }
}

struct DataType {
  const char *name;
  size_t size; // bytes
  decltype(&reduce<int>) reduce;
};
template <class T> constexpr DataType data_type(const char *name) {
  return {name, sizeof(T), &reduce<T>};
}
constexpr DataType types[ncclNumTypes] = {data_type<int8_t>("int8"),
                                          data_type<uint8_t>("uint8"),
                                          data_type<int32_t>("int32"),
                                          data_type<uint32_t>("uint32"),
                                          data_type<int64_t>("int64"),
                                          data_type<uint64_t>("uint64"),
                                          data_type<Short<HalfFormat>>("float16"),
                                          data_type<float>("float32"),
                                          data_type<double>("float64"),
                                          data_type<Short<BfloatFormat>>("bfloat16")};

void move(char *to, const char *from, size_t bytes) {
  if (bytes > 0 && to != from)
    std::memmove(to, from, bytes);
}

/// Whose variables it means; another process sends no variables but bytes.
int device_of(const Part &part) { return part.queue ? part.queue->device : 0; }

/// Results are made aside first: a buffer that receives may be one that sends.
void run_parts(const std::vector<PartPointer> &parts) {
  const Part &first = *parts[0];
  const size_t size = nccl_size(first.type), ranks = parts.size(), bytes = first.count * size;
  std::vector<const char *> from;
  std::vector<char *> to;
  std::vector<const char *> all;
  for (const PartPointer &part : parts)
    all.insert(all.end(), {part->send, part->receive});
  const VariablesInUse variables(all);
  for (const PartPointer &part : parts) {
    from.push_back(variables.place(part->send, device_of(*part)));
    to.push_back(variables.place(part->receive, device_of(*part)));
  }
  std::vector<char> made;
  switch (first.kind) {
  case Collective::all_reduce:
  case Collective::reduce:
    made.resize(bytes);
    types[first.type].reduce(from, made.data(), first.count, first.operation);
    for (size_t rank = 0; rank < ranks; ++rank)
      if (first.kind == Collective::all_reduce || rank == static_cast<size_t>(first.other))
        move(to[rank], made.data(), bytes);
    break;
  case Collective::reduce_scatter:
    made.resize(bytes * ranks);
    types[first.type].reduce(from, made.data(), first.count * ranks, first.operation);
    for (size_t rank = 0; rank < ranks; ++rank)
      move(to[rank], made.data() + rank * bytes, bytes);
    break;
  case Collective::all_gather:
    for (const char *one : from)
      made.insert(made.end(), one, one + bytes);
    for (char *one : to)
      move(one, made.data(), made.size());
    break;
  case Collective::broadcast:
    for (char *one : to)
      move(one, from[static_cast<size_t>(first.other)], bytes);
    break;
  case Collective::send:
  case Collective::receive:
    move(to[1], from[0], bytes);
    break;
  }
  for (const PartPointer &part : parts)
    if (const size_t written = nccl_received_bytes(*part); written > 0 && part->queue)
      note_written(part->receive, written);
}

} // namespace

size_t nccl_size(ncclDataType_t type) { return type < ncclNumTypes ? types[type].size : 0; }

const char *nccl_type_name(ncclDataType_t type) {
  return type < ncclNumTypes ? types[type].name : "?";
}

const char *nccl_name(Collective kind) {
  static constexpr const char *names[] = {"ncclAllReduce",
                                          "ncclReduce",
                                          "ncclBroadcast",
                                          "ncclAllGather",
                                          "ncclReduceScatter",
                                          "ncclSend",
                                          "ncclRecv"};
  return names[static_cast<size_t>(kind)];
}

size_t nccl_sent_bytes(const Part &part) {
  const size_t bytes = part.count * nccl_size(part.type);
  switch (part.kind) {
  case Collective::broadcast:
    return part.rank == part.other ? bytes : 0;
  case Collective::reduce_scatter:
    return bytes * static_cast<size_t>(part.ranks);
  case Collective::receive:
    return 0;
  default:
    return bytes;
  }
}

size_t nccl_received_bytes(const Part &part) {
  const size_t bytes = part.count * nccl_size(part.type);
  switch (part.kind) {
  case Collective::reduce:
    return part.rank == part.other ? bytes : 0;
  case Collective::all_gather:
    return bytes * static_cast<size_t>(part.ranks);
  case Collective::send:
    return 0;
  default:
    return bytes;
  }
}

namespace {

// Bytes that each rank sends on, in a ring; of a broadcast or a reduction all but the last one do.
size_t link_bytes(const Part &part) {
  const size_t bytes = part.count * nccl_size(part.type);
  const auto n = static_cast<size_t>(part.ranks);
  if (n == 1)
    return 0;
  switch (part.kind) {
  case Collective::all_reduce:
    return 2 * (n - 1) * bytes / n;
  case Collective::all_gather:
  case Collective::reduce_scatter:
    return (n - 1) * bytes;
  default:
    return bytes;
  }
}

// Whom it sends on to; -1: nobody.
int next_of(const Part &part) {
  const int rank = part.rank, ranks = part.ranks;
  const int next = (rank + 1) % ranks;
  switch (part.kind) {
  case Collective::broadcast:
    return next == part.other ? -1 : next;
  case Collective::reduce:
    return rank == part.other ? -1 : next;
  case Collective::send:
    return part.other;
  case Collective::receive:
    return -1;
  default:
    return ranks > 1 ? next : -1;
  }
}

// The part's stream is busy with the operation, which comes after `work`.
cudaError_t be_busy(const Part &part, const TaskPointer &work) {
  const auto busy = std::make_shared<Task>(TaskKind::collective, part.name);
  busy->bytes = link_bytes(part);
  const int next = next_of(part);
  const ncclComm_t other = next < 0 ? nullptr : part.comm->clique->comms[static_cast<size_t>(next)];
  if (other && !other->peer) { // links to other processes' devices are not counted
    busy->route = Route::between_devices;
    busy->from_device = part.comm->device;
    busy->to_device = other->device;
  }
  return submit_after(part.queue, busy, {work});
}

void touch(Task &work, const Part &part) {
  if (const size_t bytes = nccl_sent_bytes(part))
    work.reads.push_back({address_on(device_of(part), part.send), bytes});
  if (const size_t bytes = nccl_received_bytes(part))
    work.writes.push_back({address_on(device_of(part), part.receive), bytes});
}

} // namespace

cudaError_t nccl_reach(const Part &part) {
  if (!tasks_are_tracked() || runtime_watcher) // there everything is done at once
    return cudaSuccess;
  const auto arrival = std::make_shared<Task>(TaskKind::join, part.name);
  const cudaError_t error = submit_after(part.queue, arrival);
  return error != cudaSuccess ? error : wait_for(arrival);
}

cudaError_t nccl_deposit(const PartPointer &part) {
  const auto store = [part] {
    const VariablesInUse variables(std::array<const char *, 1>{part->receive});
    move(variables.place(part->receive, device_of(*part)),
         part->received.data(),
         part->received.size());
    if (!part->received.empty())
      note_written(part->receive, part->received.size());
  };
  if (!tasks_are_tracked()) {
    store();
    return cudaSuccess;
  }
  const auto work = std::make_shared<Task>(TaskKind::collective_work, part->name);
  touch(*work, *part);
  work->run = store;
  const cudaError_t error = submit_after(part->queue, work);
  return error != cudaSuccess ? error : be_busy(*part, work);
}

// Each stream comes to the operation (an arrival), the operation happens, and each stream is busy
// with its part of it.
cudaError_t nccl_submit(const std::vector<PartPointer> &parts) {
  std::vector<PartPointer> own; // of this process
  for (const PartPointer &part : parts)
    if (part->queue)
      own.push_back(part);
  if (!tasks_are_tracked() || own.empty()) {
    run_parts(parts);
    return cudaSuccess;
  }
  std::vector<TaskPointer> arrivals;
  for (const PartPointer &part : own) {
    arrivals.push_back(std::make_shared<Task>(TaskKind::join, part->name));
    if (const cudaError_t error = submit_after(part->queue, arrivals.back()))
      return error;
  }
  const auto work = std::make_shared<Task>(
      TaskKind::collective_work, own[0]->name + (" of " + std::to_string(parts.size())) + " ranks");
  for (const PartPointer &part : own)
    touch(*work, *part);
  work->run = [parts] { run_parts(parts); };
  if (const cudaError_t error = submit_after(own[0]->queue, work, arrivals))
    return error;
  for (const PartPointer &part : own)
    if (const cudaError_t error = be_busy(*part, work))
      return error;
  if (own.size() == parts.size() || runtime_watcher)
    return cudaSuccess;
  return wait_for(work);
}

} // namespace emu
