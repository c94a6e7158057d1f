#include "problem.hpp"

#include "rivals/nccl_ranks.hpp"

#include <string>

#ifdef HAVE_NCCL
namespace {

// An operation of NCCL's on `count` floats of each rank (of each pair of ranks, where every rank sends to
// all or gets from all), and what a rank must have then.
struct Operation {
  const char *what, *key;
  bool sends_all, gets_all; // whether it sends, or gets, a block of `count` for every rank
  double bus; // bytes over the bus per byte of the whole vector; see bus_bytes(). 2: all-reduce's
  ncclResult_t (*go)(const float *in, float *out, size_t count, int rank, cudaStream_t stream);
  float (*expected)(int ranks, int rank, int block, size_t i); // block: of what it gets
};

ncclComm_t communicator(int rank) { return nccl_ranks()[rank]; }

float value_of(int rank, int block, size_t i) {
  return static_cast<float>(100 * (rank + 1) + 10 * block + static_cast<int>(i % 7));
}

float sum_of(int ranks, int block, size_t i) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank)
    sum += value_of(rank, block, i);
  return sum;
}

ncclResult_t to_next(const float *in, float *out, size_t count, int rank, cudaStream_t stream) {
  const int ranks = static_cast<int>(nccl_ranks().size());
  const ncclComm_t comm = communicator(rank);
  NCCL_CHECK(ncclSend(in, count, ncclFloat, (rank + 1) % ranks, comm, stream));
  return ncclRecv(out, count, ncclFloat, (rank + ranks - 1) % ranks, comm, stream);
}

constexpr Operation operations[] = {
    {"all-reduce",
     "all_reduce",
     false,
     false,
     2,
     [](const float *in, float *out, size_t count, int rank, cudaStream_t s) {
       return ncclAllReduce(in, out, count, ncclFloat, ncclSum, communicator(rank), s);
     },
     [](int ranks, int, int block, size_t i) { return sum_of(ranks, block, i); }},
    {"broadcast from rank 1",
     "broadcast",
     false,
     false,
     1,
     [](const float *in, float *out, size_t count, int rank, cudaStream_t s) {
       return ncclBroadcast(in, out, count, ncclFloat, 1, communicator(rank), s);
     },
     [](int, int, int block, size_t i) { return value_of(1, block, i); }},
    {"reduce to rank 0",
     "reduce",
     false,
     false,
     1,
     [](const float *in, float *out, size_t count, int rank, cudaStream_t s) {
       return ncclReduce(in, out, count, ncclFloat, ncclSum, 0, communicator(rank), s);
     },
     [](int ranks, int rank, int block, size_t i) {
       return rank == 0 ? sum_of(ranks, block, i) : -1.0f; // the others' stay as they were
     }},
    {"all-gather",
     "all_gather",
     false,
     true,
     0,
     [](const float *in, float *out, size_t count, int rank, cudaStream_t s) {
       return ncclAllGather(in, out, count, ncclFloat, communicator(rank), s);
     },
     [](int, int, int block, size_t i) { return value_of(block, 0, i); }},
    {"reduce-scatter",
     "reduce_scatter",
     true,
     false,
     0,
     [](const float *in, float *out, size_t count, int rank, cudaStream_t s) {
       return ncclReduceScatter(in, out, count, ncclFloat, ncclSum, communicator(rank), s);
     },
     [](int ranks, int rank, int, size_t i) { return sum_of(ranks, rank, i); }},
    {"send to the next rank",
     "send",
     false,
     false,
     1,
     to_next,
     [](int ranks, int rank, int block, size_t i) {
       return value_of((rank + ranks - 1) % ranks, block, i);
     }},
};

class Buffers {
public:
  Buffers(const Operation &operation, size_t count, bool filled) : op_(operation), count_(count) {
    for (int rank = 0; rank < team.size(); ++rank) {
      in_.push_back(on_device<float>(team.device(rank), count * blocks(op_.sends_all)));
      out_.push_back(on_device<float>(team.device(rank), count * blocks(op_.gets_all)));
      if (!filled)
        continue;
      std::vector<float> values;
      for (size_t b = 0; b < blocks(op_.sends_all); ++b)
        for (size_t i = 0; i < count; ++i)
          values.push_back(value_of(rank, static_cast<int>(b), i));
      const OnDevice current(team.device(rank));
      in_[rank].upload(values);
      out_[rank].upload(std::vector<float>(out_[rank].size(), -1.0f));
    }
    synchronize_all();
  }
  void go() {
    static_cast<void>(nccl_ranks()); // made before a group begins
    team.fork();
    NCCL_CHECK(ncclGroupStart());
    for (int rank = 0; rank < team.size(); ++rank) {
      NCCL_CHECK(op_.go(in_[rank].data(), out_[rank].data(), count_, rank, team.stream(rank)));
    }
    NCCL_CHECK(ncclGroupEnd());
    team.join();
  }
  lab::Verdict check() {
    synchronize_all();
    for (int rank = 0; rank < team.size(); ++rank) {
      std::vector<float> expected;
      for (size_t b = 0; b < blocks(op_.gets_all); ++b)
        for (size_t i = 0; i < count_; ++i)
          expected.push_back(op_.expected(team.size(), rank, static_cast<int>(b), i));
      if (lab::Verdict verdict = lab::compare(result(rank), expected); !verdict.ok)
        return lab::Verdict::wrong(std::string(op_.what) + ", rank " + std::to_string(rank) + ": " +
                                   verdict.message);
    }
    return lab::Verdict::right();
  }
  std::vector<float> result(int rank) {
    const OnDevice current(team.device(rank));
    return out_[rank].download();
  }

  Team team;

private:
  size_t blocks(bool all) const { return all ? static_cast<size_t>(team.size()) : 1; }

  Operation op_;
  size_t count_;
  std::vector<lab::DeviceBuffer<float>> in_, out_;
};

// Two numbers of each block: what each rank has afterwards.
void show_results(lab::Demo &demo, Buffers &buffers, const Operation &op) {
  demo.say("%s\n", op.what);
  for (int rank = 0; rank < buffers.team.size(); ++rank) {
    demo.say("  rank %d:", rank);
    for (float value : buffers.result(rank))
      demo.say(" %4.0f", static_cast<double>(value));
    demo.say("\n");
  }
}

// GB/s over the bus, 256 MiB in all.
void show_rate(lab::Demo &demo, const Operation &op) {
  const size_t bytes = size_t{1} << 28, floats = bytes / sizeof(float);
  const int ranks = static_cast<int>(nccl_ranks().size());
  const bool in_blocks = op.sends_all || op.gets_all;
  Buffers buffers(op, in_blocks ? floats / static_cast<size_t>(ranks) : floats, false);
  const double ms = lab::measure([&] { buffers.go(); }, {.reps = 11}).median_ms;
  const double share = static_cast<double>(ranks - 1) / ranks;
  const double factor = in_blocks ? share : op.bus == 2 ? 2 * share : op.bus;
  const double gbps = factor * static_cast<double>(bytes) / ms * 1e-6;
  demo.say("%-24s %8.3f ms %8.1f GB/s\n", op.what, ms, gbps);
  demo.value(std::string(op.key) + "_gbps", gbps);
}

} // namespace

void show_nccl_ops(lab::Demo &demo) {
  if (no_nccl()) {
    demo.say("%s\n", no_nccl());
    return;
  }
  int version = 0;
  NCCL_CHECK(ncclGetVersion(&version));
  if (!lab::on_emulator())
    demo.say("NCCL %d.%d.%d\n\n", version / 10000, version / 100 % 100, version % 100);
  demo.value("version", version);
  demo.say(
      "Rank r begins with %.0f, %.0f … of its own (r = 0), %.0f, %.0f … (r = 1), and so on.\n\n",
      static_cast<double>(value_of(0, 0, 0)),
      static_cast<double>(value_of(0, 0, 1)),
      static_cast<double>(value_of(1, 0, 0)),
      static_cast<double>(value_of(1, 0, 1)));
  for (const Operation &op : operations) {
    Buffers small(op, 2, true);
    small.go();
    demo.expect(small.check());
    show_results(demo, small, op);
    Buffers ragged(op, 1025, true);
    ragged.go();
    demo.expect(ragged.check());
  }
  if (!demo.timed())
    return;
  demo.say("\n256 MiB, bus bandwidth:\n");
  for (const Operation &op : operations)
    show_rate(demo, op);
}
#else
void show_nccl_ops(lab::Demo &demo) { demo.say("%s\n", no_nccl()); }
#endif
