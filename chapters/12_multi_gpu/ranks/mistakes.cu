// What goes wrong between processes: one rank fails for good, and mistakes that the emulator names.
#include "ranks/demos.hpp"
#include "ranks/measure.hpp"
#include "ranks/sums.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// Whether the stream has come to its end, in time and without an error. What another rank leaves undone never
// ends by itself.
bool done_in_time(cudaStream_t stream, ncclComm_t comm, std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    ncclResult_t error = ncclSuccess;
    NCCL_CHECK(ncclCommGetAsyncError(comm, &error));
    if (error != ncclSuccess)
      return false;
    const cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) {
      LAB_CHECK(state);
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::string last_error() { return lab::on_emulator() ? ncclGetLastError(nullptr) : std::string(); }

// One number of each rank.
struct Number {
  Number() : data(1) {
    const float one = 1;
    data.upload(&one, 1);
  }
  float get() const { return data.download()[0]; }
  lab::DeviceBuffer<float> data;
};

ncclResult_t add_up(const Number &number, ncclComm_t comm) {
  return ncclAllReduce(
      number.data.data(), number.data.data(), 1, ncclFloat, ncclSum, comm, nullptr);
}

// ---------------------------------------------------------------------------------- mistakes

// Each begins with a communicator of its own, and says what NCCL answers.
ncclResult_t all_send_first(ncclComm_t comm) {
  const Number own, other;
  const int ranks = world().size(), next = (world().rank() + 1) % ranks;
  const ncclResult_t sent = ncclSend(own.data.data(), 1, ncclFloat, next, comm, nullptr);
  if (sent != ncclSuccess)
    return sent;
  return ncclRecv(
      other.data.data(), 1, ncclFloat, (world().rank() + ranks - 1) % ranks, comm, nullptr);
}

ncclResult_t another_order(ncclComm_t comm) {
  const Number number;
  if (world().rank() == 0)
    return add_up(number, comm);
  return ncclBroadcast(number.data.data(), number.data.data(), 1, ncclFloat, 0, comm, nullptr);
}

ncclResult_t one_does_not_come(ncclComm_t comm) {
  const Number number;
  if (world().rank() + 1 == world().size()) {
    world().meet(); // the others are in a sum, and never come here before it is done
    return ncclSuccess;
  }
  const ncclResult_t result = add_up(number, comm);
  world().meet();
  return result;
}

ncclResult_t same_device(ncclComm_t) {
  LAB_CHECK(cudaSetDevice(0));
  ncclUniqueId id = {};
  if (world().rank() == 0)
    NCCL_CHECK(ncclGetUniqueId(&id));
  world().broadcast(&id, sizeof id, 0);
  ncclComm_t made = nullptr;
  const ncclResult_t result = ncclCommInitRank(&made, world().size(), id, world().rank());
  LAB_CHECK(cudaSetDevice(own_device()));
  return result;
}

ncclResult_t everybody_makes_an_id(ncclComm_t) {
  ncclUniqueId id = {};
  NCCL_CHECK(ncclGetUniqueId(&id));
  ncclComm_t made = nullptr;
  return ncclCommInitRank(&made, world().size(), id, world().rank());
}

size_t times(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

struct Mistake {
  const char *what;
  ncclResult_t (*make)(ncclComm_t);
  const char *named; // a part of what the emulator says to rank 0, or to another one
  size_t lines = 2; // that it names under the instruments: of both ranks
};
constexpr Mistake mistakes[] = {
    {"all send first, and receive then", all_send_first, "waits for an ncclRecv of rank 1"},
    {"collectives in another order", another_order, "ranks disagree"},
    {"one rank does not come", one_does_not_come, "does not come"},
    {"two ranks with one device", same_device, "both have device 0"},
    {"everybody makes an id", everybody_makes_an_id, "with the same id", 1},
};

} // namespace

void show_abort(lab::Demo &demo) {
  if (world().size() == 1) {
    demo.say("there is one rank: nobody to go on without it\n");
    return;
  }
  const bool fails = world().rank() + 1 == world().size();
  const ncclComm_t comm = make_communicator(0);
  const Number number, first;
  // The first operation connects the ranks, which the call itself waits for. That one still succeeds.
  NCCL_CHECK(add_up(first, comm));
  LAB_CHECK(cudaStreamSynchronize(nullptr));
  bool done = false;
  if (!fails) // on a GPU the call returns at once; on the emulator it says what is wrong
    done =
        add_up(number, comm) == ncclSuccess && done_in_time(nullptr, comm, std::chrono::seconds(2));
  NCCL_CHECK(ncclCommAbort(comm)); // ends kernels that wait, too
  const ncclComm_t others = make_communicator(fails ? 1 : 0);
  const Number again;
  NCCL_CHECK(add_up(again, others));
  LAB_CHECK(cudaStreamSynchronize(nullptr));
  const float expected = fails ? 1.0f : static_cast<float>(world().size() - 1);
  expect_of_all(demo,
                done ? lab::Verdict::wrong("a sum that lacks a rank was done")
                     : lab::compare_value("the sum", again.get(), expected),
                "going on without a rank");
  NCCL_CHECK(ncclCommDestroy(others));
  demo.say("rank %d has failed; the others have aborted, and their new sum of ones is %d\n",
           world().size() - 1,
           world().size() - 1);
}

void show_mistakes(lab::Demo &demo) {
  bool for_ever = !lab::on_emulator(); // no constant: nvcc warns of code that it never reaches
  if (for_ever || world().size() == 1) {
    demo.say("on GPUs they wait for ever: this is for the emulator, and two ranks or more\n");
    return;
  }
  const bool observed = std::getenv("EMU_OBSERVE") != nullptr;
  for (const Mistake &mistake : mistakes) {
    const ncclComm_t comm = make_communicator(0);
    const ncclResult_t result = mistake.make(comm);
    const std::string said = result == ncclSuccess ? "" : last_error();
    const bool named = said.find(mistake.named) != std::string::npos &&
                       (!observed || times(said, "mistakes.cu:") >= mistake.lines);
    demo.say("%s\n  %s\n", mistake.what, said.c_str());
    const double here = named ? 1 : 0;
    demo.expect(world().most(here) == 1, mistake.what);
    ncclCommAbort(comm);
    world().meet();
  }
  Number number;
  std::string said;
  try {
    world().exchange(number.data.data(), World::nobody, number.data.data(), World::nobody, 4);
  } catch (const lab::Error &error) {
    said = error.what();
  }
  demo.say("memory of the device for MPI\n  %s\n", said.c_str());
  demo.expect(World::takes_device_memory() || !said.empty(), "memory of the device for MPI");
}

void show_stuck(lab::Demo &demo) {
  if (!lab::on_emulator() || world().size() == 1 || std::getenv("RANKS_PATIENCE") == nullptr) {
    demo.say("on the emulator, RANKS_PATIENCE=2 in front: it ends all ranks after two seconds\n");
    return;
  }
  float sent = 0, received = 0;
  if (world().rank() == 0) // waits for what rank 1 does not send
    world().exchange(&sent, World::nobody, &received, 1, sizeof received);
  world().meet();
}
