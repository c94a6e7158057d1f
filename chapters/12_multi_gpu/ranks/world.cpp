#include "ranks/world.hpp"

#include "common/check.hpp"
#include "common/device.hpp"

#define OMPI_SKIP_MPICXX 1 // the C interface will do
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#ifdef BUILD_FIRST_EMULATOR
#include <emu/processes.hpp>
#endif

namespace {

World *this_world = nullptr;

std::string place_of(const World::Where &where) {
  const std::string file = where.file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line);
}

// What other ranks are told while this one waits.
void say_what([[maybe_unused]] const std::string &what) {
#ifdef BUILD_FIRST_EMULATOR
  emu::host_waits_for(what);
#endif
}

// In one call, on the emulator. Another rank may be at work for long.
std::chrono::seconds patience() {
  const char *given = std::getenv("RANKS_PATIENCE");
  return std::chrono::seconds(given && std::atoi(given) > 0 ? std::atoi(given) : 60);
}

} // namespace

World &world() { return *this_world; }

World::World(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm machine = MPI_COMM_NULL, firsts = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &local_rank_);
  MPI_Comm_split(MPI_COMM_WORLD, local_rank_ == 0 ? 0 : MPI_UNDEFINED, rank_, &firsts);
  int numbers[2] = {0, 1};
  if (local_rank_ == 0) {
    MPI_Comm_rank(firsts, &numbers[0]);
    MPI_Comm_size(firsts, &numbers[1]);
    MPI_Comm_free(&firsts);
  }
  MPI_Bcast(numbers, 2, MPI_INT, 0, machine);
  MPI_Comm_free(&machine);
  machine_ = numbers[0];
  machines_ = numbers[1];
  this_world = this;
}

// MPI's own waiting keeps a core busy, and where ranks share cores, as on the emulator, it keeps them from
// those that work. Here it looks from time to time, more and more seldom (who looks often seems to work, and
// is not taken for one who waits in vain), and says after a while what it waits for.
template <class Begin> void World::wait(const char *what, const Where &where, Begin begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin(&request);
  if (!lab::on_emulator()) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  std::string doing = what;
  doing.append(" (").append(place_of(where)).append(")");
  say_what(doing);
  const auto begun = std::chrono::steady_clock::now();
  int done = 0;
  std::chrono::microseconds pause(100);
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
       MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(10'000));
    if (std::chrono::steady_clock::now() - begun > patience()) {
      std::fprintf(stderr,
                   "rank %d has waited in vain for %d s: %s\n",
                   rank_,
                   static_cast<int>(patience().count()),
                   doing.c_str());
      std::this_thread::sleep_for(std::chrono::seconds(2)); // others say the same
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  say_what("");
}

void World::refuse_device_memory(const void *memory, const Where &where) const {
  cudaPointerAttributes found = {};
  if (memory == nullptr || takes_device_memory())
    return;
  if (cudaPointerGetAttributes(&found, memory) != cudaSuccess)
    static_cast<void>(cudaGetLastError());
  else if (found.type == cudaMemoryTypeDevice)
    throw lab::Error(
        1,
        "rank " + std::to_string(rank_) + " gives MPI a pointer to memory of device " +
            std::to_string(found.device) + " (" + place_of(where) +
            "), and this MPI is not CUDA-aware\n  try: cudaMemcpy to host memory first");
}

void World::broadcast(void *data, std::size_t bytes, int root, Where where) {
  refuse_device_memory(data, where);
  wait("a broadcast", where, [&](MPI_Request *request) {
    MPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, root, MPI_COMM_WORLD, request);
  });
}

void World::exchange(
    const void *send, int to, void *receive, int from, std::size_t bytes, Where where) {
  refuse_device_memory(send, where);
  refuse_device_memory(receive, where);
  const auto peer = [](int rank) { return rank == nobody ? MPI_PROC_NULL : rank; };
  const int count = static_cast<int>(bytes);
  MPI_Request sent = MPI_REQUEST_NULL;
  MPI_Isend(send, count, MPI_BYTE, peer(to), 0, MPI_COMM_WORLD, &sent);
  const std::string what = "a message of rank " + std::to_string(from);
  wait(what.c_str(), where, [&](MPI_Request *request) {
    MPI_Irecv(receive, count, MPI_BYTE, peer(from), 0, MPI_COMM_WORLD, request);
  });
  wait("an exchange of messages", where, [&](MPI_Request *request) { *request = sent; });
}

void World::sum(const float *in, float *out, std::size_t n, Where where) {
  refuse_device_memory(in, where);
  refuse_device_memory(out, where);
  wait("a sum", where, [&](MPI_Request *request) {
    MPI_Iallreduce(in, out, static_cast<int>(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, request);
  });
}

double World::most(double value, Where where) {
  double result = value;
  wait("the largest value", where, [&](MPI_Request *request) {
    MPI_Iallreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, request);
  });
  return result;
}

void World::meet(Where where) {
  wait("a barrier", where, [](MPI_Request *request) { MPI_Ibarrier(MPI_COMM_WORLD, request); });
}

// A rank that has failed leaves its calls undone, and the others would wait for them for ever.
int World::finish(int exit_code) {
  int worst = exit_code, done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&exit_code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  for (int turn = 0; turn < 3000 && !done; ++turn) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done)
      std::this_thread::sleep_for(std::chrono::milliseconds(exit_code == 0 ? 2 : 1));
    turn -= exit_code == 0 && turn > 0; // who has not failed waits as long as it takes
  }
  std::fflush(nullptr);
  if (!done)
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  // When one rank ends with an error, mpirun ends the others; what they have to report comes after main().
  std::signal(SIGTERM, SIG_IGN);
  MPI_Finalize();
  return worst;
}

bool World::takes_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}
