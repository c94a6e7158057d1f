#include "ranks/demos.hpp"

#include "ranks/measure.hpp"
#include "ranks/rank_plate.hpp"
#include "ranks/sums.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>

namespace {

// The machine of each rank for a sum in two steps. A single machine with four ranks or more plays two.
int machine_of_rank() {
  const int ranks = world().size();
  if (world().machines() > 1 || ranks < 4 || ranks % 2 != 0)
    return world().machine();
  return world().rank() / (ranks / 2);
}

std::string percent(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * part / whole);
  return text;
}

/// Communicators of those that share a machine, and of those with the same number on theirs.
struct Levels {
  Levels() {
    machine = make_communicator(machine_of_rank());
    int local = 0;
    NCCL_CHECK(ncclCommUserRank(machine, &local));
    across = make_communicator(local);
  }
  ~Levels() {
    ncclCommDestroy(across);
    ncclCommDestroy(machine);
  }
  Levels(const Levels &) = delete;
  Levels &operator=(const Levels &) = delete;
  ncclComm_t machine = nullptr, across = nullptr;
};

double bus_gbps(size_t bytes, double ms) {
  return bus_bytes(static_cast<double>(bytes), world().size()) / ms * 1e-6;
}

void check_sums(lab::Demo &demo, size_t n, const Levels &levels) {
  RankSum p(n, demo.seed());
  const auto check = [&](const char *what) {
    expect_of_all(demo, p.check(), std::string(what) + ", n = " + std::to_string(n));
    lab::poison(p.out);
    LAB_CHECK(cudaDeviceSynchronize());
  };
  sums::through_the_host(p);
  check("through the host");
  if (World::takes_device_memory()) {
    sums::by_cuda_aware_mpi(p);
    check("CUDA-aware MPI");
  }
  if (world().size() > 1 && world().machines() == 1) {
    Neighbours neighbours(p);
    sums::ring_by_ipc(p, neighbours);
    check("ring by IPC");
  }
  sums::by_nccl(p, everybody());
  check("NCCL");
  sums::in_two_steps(p, levels.machine, levels.across);
  check("in two steps");
}

// One process with all devices beside a process for each, in one run.
void time_sums(lab::Demo &demo, const Levels &levels) {
  const size_t n = demo.n_or(size_t{1} << 26);
  RankSum p(n, demo.seed());
  const auto tell = [&](const char *what, const char *key, double ms) {
    demo.say("  %-28s %9.3f ms %8.1f GB/s\n", what, ms, bus_gbps(p.bytes(), ms));
    demo.value(std::string(key) + "_ms", ms);
    demo.value(std::string(key) + "_gbps", bus_gbps(p.bytes(), ms));
    return ms;
  };
  demo.say("\n%.0f MiB on each rank, bus bandwidth\n", static_cast<double>(p.bytes()) / 1048576);
  tell("through the host, by MPI",
       "through_the_host",
       ms_of_all(
           p.stream, 1, [&] { sums::through_the_host(p); }, 3));
  if (World::takes_device_memory())
    tell("CUDA-aware MPI", "cuda_aware", ms_of_all(p.stream, 1, [&] {
           sums::by_cuda_aware_mpi(p);
         }));
  else
    demo.say("  %-28s this MPI does not take device memory\n", "CUDA-aware MPI");
  double ring = 0;
  if (world().machines() == 1) {
    Neighbours neighbours(p);
    ring = tell("ring by CUDA's IPC", "ring", ms_of_all(p.stream, 10, [&] {
                  sums::ring_by_ipc(p, neighbours);
                }));
  }
  const double nccl =
      tell("NCCL", "nccl", ms_of_all(p.stream, 10, [&] { sums::by_nccl(p, everybody()); }));
  tell("NCCL, in two steps", "two_steps", ms_of_all(p.stream, 10, [&] {
         sums::in_two_steps(p, levels.machine, levels.across);
       }));
  if (world().machines() > 1 || !nccl_all_reduce())
    return;
  std::unique_ptr<Vectors> all;
  if (world().rank() == 0)
    all = std::make_unique<Vectors>(lab::Case{.n = n, .seed = demo.seed()});
  const double ring_alone = tell("ring, one process", "one_process_ring", ms_of_one(10, [&] {
                                   sums::ring_of_one_process(*all);
                                 }));
  const double nccl_alone = tell(
      "NCCL, one process", "one_process_nccl", ms_of_one(10, [&] { nccl_all_reduce()(*all); }));
  demo.say("of one process's bandwidth: ring %s, NCCL %s\n",
           percent(ring_alone, ring).c_str(),
           percent(nccl_alone, nccl).c_str());
  demo.value("ring_percent", 100 * ring_alone / ring);
  demo.value("nccl_percent", 100 * nccl_alone / nccl);
}

lab::Verdict check_plate(const RankPlate &plate,
                         const std::vector<float> &rows,
                         size_t all_rows,
                         size_t cols,
                         unsigned long long seed,
                         int steps) {
  const std::vector<float> all = plate_on_host(all_rows, cols, seed, steps);
  const auto begin = all.begin() + static_cast<long>(plate.first_row() * cols);
  return lab::compare(rows, std::vector<float>(begin, begin + static_cast<long>(rows.size())));
}

struct PlateRow {
  const char *what, *key;
  Order order;
  Tell tell;
};
enum { nothing, mpi_all, mpi_edges, nccl_all, nccl_edges };
constexpr PlateRow plate_rows[] = {
    {"nothing told (wrong)", "nothing", Order::all_then_tell, Tell::nothing},
    {"all rows, then MPI", "mpi_all", Order::all_then_tell, Tell::through_the_host},
    {"edges first, MPI", "mpi_edges", Order::edges_first, Tell::through_the_host},
    {"all rows, then NCCL", "nccl_all", Order::all_then_tell, Tell::nccl},
    {"edges first, NCCL", "nccl_edges", Order::edges_first, Tell::nccl},
};

double step_ms(RankPlate &plate, const PlateRow &row) {
  constexpr int steps = 100;
  return ms_of_all(plate.stream(), 1, [&] { plate.go(steps, row.order, row.tell); }) / steps;
}

void time_plate(lab::Demo &demo, size_t edge) {
  demo.say("\n%zu x %zu points, µs per step\n", edge, edge);
  const std::string size = "_" + std::to_string(edge) + "_";
  double us[std::size(plate_rows)] = {};
  RankPlate plate(edge, edge, demo.seed(), everybody());
  for (size_t i = 0; i < std::size(plate_rows); ++i) {
    us[i] = 1e3 * step_ms(plate, plate_rows[i]);
    demo.say("  %-24s %8.1f\n", plate_rows[i].what, us[i]);
    demo.value(plate_rows[i].key + size + "us", us[i]);
  }
  for (const auto &[edges, all] :
       {std::pair{mpi_edges, mpi_all}, std::pair{nccl_edges, nccl_all}}) {
    const double telling = us[all] - us[nothing], hidden = 100 * (us[all] - us[edges]) / telling;
    demo.say("  %s: hides %.0f %% of %.1f µs\n", plate_rows[edges].what, hidden, telling);
    demo.value(plate_rows[edges].key + size + "hidden_percent", hidden);
  }
}

} // namespace

void expect_of_all(lab::Demo &demo, const lab::Verdict &own, const std::string &what) {
  if (!own.ok)
    std::fprintf(stderr, "rank %d: %s: %s\n", world().rank(), what.c_str(), own.message.c_str());
  const bool all = world().most(own.ok ? 0 : 1) == 0;
  demo.expect(all ? lab::Verdict::right()
                  : lab::Verdict::wrong(what + " is not right on all ranks"));
}

int own_device() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    return 0; // who chooses a device says what is wrong
  return world().local_rank() % count;
}

ncclComm_t everybody() {
  static const ncclComm_t all = make_communicator(0);
  return all;
}

void show_ranks(lab::Demo &demo) {
  struct Note {
    int local, machine, device;
    char host[64], bus[32];
  } note = {world().local_rank(), world().machine(), own_device(), "", ""};
  gethostname(note.host, sizeof note.host - 1);
  LAB_CHECK(cudaDeviceGetPCIBusId(note.bus, sizeof note.bus, note.device));
  demo.say("rank  machine  local rank  device  at\n");
  for (int rank = 0; rank < world().size(); ++rank) {
    Note its = note;
    world().broadcast(&its, sizeof its, rank);
    demo.say("%4d  %7d  %10d  %6d  %s\n", rank, its.machine, its.local, its.device, its.bus);
  }
  demo.value("ranks", world().size());
  demo.value("machines", world().machines());
  demo.value("devices", world().size());
}

void show_sums(lab::Demo &demo) {
  const Levels levels;
  for (const size_t n : {0, 1, 3, 33, 127, 1025, 100003})
    check_sums(demo, n, levels);
  demo.say("%d ranks have the sum of their vectors, for n = 0 to 100003: through the host, %sby a "
           "ring, by NCCL, in two steps\n",
           world().size(),
           World::takes_device_memory() ? "by CUDA-aware MPI, " : "");
  if (demo.timed() && world().size() > 1)
    time_sums(demo, levels);
}

void show_plate(lab::Demo &demo) {
  constexpr int steps = 5;
  for (const PlateRow &row : plate_rows)
    for (const size_t band : {size_t{1}, size_t{2}, size_t{7}}) {
      const size_t rows = band * static_cast<size_t>(world().size());
      if (row.tell == Tell::nothing)
        continue;
      RankPlate plate(rows, 70, demo.seed(), everybody());
      plate.go(steps, row.order, row.tell);
      expect_of_all(demo,
                    check_plate(plate, plate.download(), rows, 70, demo.seed(), steps),
                    std::string(row.what) + ", bands of " + std::to_string(band));
    }
  demo.say("%d bands of 1, 2 and 7 rows, %d steps: as on the host, by MPI and by NCCL, all rows or "
           "edges first\n",
           world().size(),
           steps);
  if (!demo.timed() || world().size() == 1)
    return;
  for (const size_t edge : {size_t{1024}, size_t{4096}, size_t{16384}})
    time_plate(demo, edge);
}
