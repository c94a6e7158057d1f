#include "ranks/sums.hpp"

#include "steps/ring.cuh"

#include <algorithm>
#include <cmath>
#include <string>

RankSum::RankSum(size_t count, unsigned long long seed)
    : n(count), in(n + 1), out(n + 1), h_in(n + 1), h_sum(n + 1), expected_(n) {
  LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::vector<float> vector(n);
  for (int rank = 0; rank < world().size(); ++rank) {
    lab::fill_random(vector.data(), n, seed + static_cast<unsigned>(rank), -1.0f, 1.0f);
    for (size_t i = 0; i < n; ++i)
      expected_[i] += static_cast<double>(vector[i]);
    if (rank == world().rank())
      in.upload(vector.data(), n);
  }
  lab::poison(out);
  LAB_CHECK(cudaDeviceSynchronize());
}

RankSum::~RankSum() { cudaStreamDestroy(stream); }

lab::Verdict RankSum::check() const {
  LAB_CHECK(cudaStreamSynchronize(stream));
  const auto ranks = static_cast<size_t>(world().size());
  const std::vector<float> expected(expected_.begin(), expected_.end()), all = out.download();
  const std::vector<float> sum(all.begin(), all.begin() + static_cast<long>(n));
  return lab::compare(
      sum, expected, lab::tolerance_for_sum<float>(ranks + 1, static_cast<double>(ranks)));
}

namespace {

int neighbour(int distance) {
  return (world().rank() + distance + world().size()) % world().size();
}

// Everybody's note for the rank `distance` places before it.
template <class Note> Note note_of(int distance, const Note &own) {
  Note note;
  world().exchange(&own, neighbour(-distance), &note, neighbour(distance), sizeof note);
  return note;
}

float *open(const cudaIpcMemHandle_t &handle) {
  void *memory = nullptr;
  LAB_CHECK(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
  return static_cast<float *>(memory);
}

} // namespace

// Handles are plain bytes: MPI carries them.
Neighbours::Neighbours(const RankSum &own) : before_is_after_(neighbour(1) == neighbour(-1)) {
  cudaIpcMemHandle_t handle;
  LAB_CHECK(cudaIpcGetMemHandle(&handle, own.in.data()));
  in = open(note_of(-1, handle));
  LAB_CHECK(cudaIpcGetMemHandle(&handle, own.out.data()));
  out = open(note_of(-1, handle));
  for (int turn = 0; turn < 2; ++turn) {
    LAB_CHECK(
        cudaEventCreateWithFlags(&own_[turn], cudaEventInterprocess | cudaEventDisableTiming));
    cudaIpcEventHandle_t event;
    LAB_CHECK(cudaIpcGetEventHandle(&event, own_[turn]));
    LAB_CHECK(cudaIpcOpenEventHandle(&before_[turn], note_of(-1, event)));
    const cudaIpcEventHandle_t of_after = note_of(1, event);
    if (!before_is_after_)
      LAB_CHECK(cudaIpcOpenEventHandle(&after_[turn], of_after));
  }
}

Neighbours::~Neighbours() {
  world().meet(); // nobody uses it any more
  cudaIpcCloseMemHandle(const_cast<float *>(in));
  cudaIpcCloseMemHandle(const_cast<float *>(out));
  for (auto *events : {own_, before_, after_})
    for (int turn = 0; turn < 2; ++turn)
      if (events[turn] != nullptr)
        cudaEventDestroy(events[turn]);
  world().meet(); // memory is freed only now
}

// Who waits for an event means its last record, so all must have recorded before anybody waits. The hosts
// meet; the streams go on meanwhile.
void Neighbours::meet(cudaStream_t stream) {
  LAB_CHECK(cudaEventRecord(own_[turn_], stream));
  world().meet();
  LAB_CHECK(cudaStreamWaitEvent(stream, before_[turn_]));
  if (!before_is_after_)
    LAB_CHECK(cudaStreamWaitEvent(stream, after_[turn_]));
  turn_ = 1 - turn_;
}

void sums::through_the_host(RankSum &p) {
  LAB_CHECK(
      cudaMemcpyAsync(p.h_in.data(), p.in.data(), p.bytes(), cudaMemcpyDeviceToHost, p.stream));
  LAB_CHECK(cudaStreamSynchronize(p.stream));
  world().sum(p.h_in.data(), p.h_sum.data(), p.n);
  LAB_CHECK(
      cudaMemcpyAsync(p.out.data(), p.h_sum.data(), p.bytes(), cudaMemcpyHostToDevice, p.stream));
}

void sums::by_cuda_aware_mpi(RankSum &p) {
  LAB_CHECK(cudaStreamSynchronize(p.stream)); // MPI knows nothing of streams
  world().sum(p.in.data(), p.out.data(), p.n);
}

// The chapter's ring, each rank its own part of it.
void sums::ring_by_ipc(RankSum &p, Neighbours &before) {
  const int ranks = world().size();
  for (int round = 0; round < 2 * (ranks - 1); ++round) {
    if (round > 0)
      before.meet(p.stream);
    const int owner = (world().rank() - round - 1 + 2 * ranks) % ranks;
    const Share share = share_of(p.n, ranks, owner);
    const float *const from = (round == 0 ? before.in : before.out) + share.first;
    const float *const own = round < ranks - 1 ? p.in.data() + share.first : nullptr;
    ring::pass_on<<<blocks_for(share.length / 4), block, 0, p.stream>>>(
        from, own, p.out.data() + share.first, share.length);
    LAB_CHECK_LAUNCH();
  }
  if (ranks == 1)
    LAB_CHECK(
        cudaMemcpyAsync(p.out.data(), p.in.data(), p.bytes(), cudaMemcpyDeviceToDevice, p.stream));
  before.meet(p.stream); // who begins anew may write what the next rank still reads
}

void sums::by_nccl(RankSum &p, ncclComm_t all) {
  NCCL_CHECK(ncclAllReduce(p.in.data(), p.out.data(), p.n, ncclFloat, ncclSum, all, p.stream));
}

void sums::ring_of_one_process(Vectors &p) { ring::run(p); }

// Each rank of a machine has a share of the machine's sum; shares go between machines, each by one rank of
// each; then the machine's ranks tell each other their shares. What does not fill shares goes alone.
void sums::in_two_steps(RankSum &p, ncclComm_t machine, ncclComm_t across) {
  int local_ranks = 0, local = 0;
  NCCL_CHECK(ncclCommCount(machine, &local_ranks));
  NCCL_CHECK(ncclCommUserRank(machine, &local));
  const size_t share = p.n / static_cast<size_t>(local_ranks);
  const size_t even = share * static_cast<size_t>(local_ranks);
  float *const own = p.out.data() + share * static_cast<size_t>(local);
  NCCL_CHECK(ncclReduceScatter(p.in.data(), own, share, ncclFloat, ncclSum, machine, p.stream));
  NCCL_CHECK(ncclAllReduce(own, own, share, ncclFloat, ncclSum, across, p.stream));
  NCCL_CHECK(ncclAllGather(own, p.out.data(), share, ncclFloat, machine, p.stream));
  float *const rest = p.out.data() + even;
  NCCL_CHECK(
      ncclAllReduce(p.in.data() + even, rest, p.n - even, ncclFloat, ncclSum, machine, p.stream));
  NCCL_CHECK(ncclAllReduce(rest, rest, p.n - even, ncclFloat, ncclSum, across, p.stream));
}

// The first rank of a colour makes the id, and everybody gets all ids: MPI carries them, too.
ncclComm_t make_communicator(int colour) {
  std::vector<int> colours(static_cast<size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank) {
    int &place = colours[rank];
    place = colour;
    world().broadcast(&place, sizeof place, rank);
  }
  const auto first = std::find(colours.begin(), colours.end(), colour);
  const auto own = colours.begin() + world().rank();
  ncclUniqueId id = {};
  for (int root = 0; root < world().size(); ++root) {
    const auto its = colours.begin() + root;
    if (std::find(colours.begin(), its, *its) != its)
      continue; // not the first of its colour
    ncclUniqueId made = {};
    if (root == world().rank())
      NCCL_CHECK(ncclGetUniqueId(&made));
    world().broadcast(&made, sizeof made, root);
    if (*its == colour)
      id = made;
  }
  ncclComm_t made = nullptr;
  NCCL_CHECK(ncclCommInitRank(&made,
                              static_cast<int>(std::count(colours.begin(), colours.end(), colour)),
                              id,
                              static_cast<int>(std::count(first, own, colour))));
  return made;
}
