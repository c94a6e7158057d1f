#pragma once

#include "steps/team.hpp"

#include <thread>

namespace demo_threads {

__global__ void add_one(unsigned *count) {
  if (threadIdx.x == 0)
    *count += 1; // kernels of one stream, one after the other
}

struct Work {
  Team team;
  std::vector<lab::DeviceBuffer<unsigned>> counts; // [rank]

  Work() {
    for (int rank = 0; rank < team.size(); ++rank) {
      counts.push_back(on_device<unsigned>(team.device(rank), 1));
      const OnDevice current(team.device(rank));
      LAB_CHECK(cudaMemset(counts.back().data(), 0, sizeof(unsigned)));
    }
    synchronize_all();
  }
  void launch(int rank) {
    add_one<<<1, 32, 0, team.stream(rank)>>>(counts[rank].data());
    LAB_CHECK_LAUNCH();
  }
};

// One thread serves all devices: it makes one after the other current.
inline void by_one_thread(Work &work, int launches) {
  for (int i = 0; i < launches; ++i)
    for (int rank = 0; rank < work.team.size(); ++rank) {
      const OnDevice current(work.team.device(rank));
      work.launch(rank);
    }
}

// A thread for each device: it makes its device current once, and keeps to it.
inline void by_a_thread_each(Work &work, int launches) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < work.team.size(); ++rank)
    threads.emplace_back([&work, rank, launches] {
      LAB_CHECK(cudaSetDevice(work.team.device(rank)));
      for (int i = 0; i < launches; ++i)
        work.launch(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
}

struct Row {
  const char *what, *key;
  void (*ask)(Work &, int launches);
};
constexpr Row rows[] = {{"one thread for all devices", "one", by_one_thread},
                        {"a thread for each device", "each", by_a_thread_each}};

inline void run(lab::Demo &demo) {
  const int launches = demo.timed() ? 2000 : 20;
  Work work;
  demo.say("                              launches   %s\n",
           demo.timed() ? "µs each, until all are done" : "(times on a GPU)");
  unsigned expected = 0;
  for (const Row &row : rows) {
    const auto us = [&] {
      expected += static_cast<unsigned>(launches);
      const double ms = lab::host_ms([&] {
        row.ask(work, launches);
        synchronize_all();
      });
      return 1e3 * ms / (launches * work.team.size());
    };
    us(); // warms up
    demo.say("%-28s %6d x %d", row.what, work.team.size(), launches);
    demo.say_timed(
        std::string(row.key) + "_us", " %14.2f\n", [&] { return lab::median_of(5, 0, us); }, "\n");
    for (int rank = 0; rank < work.team.size(); ++rank) {
      const OnDevice current(work.team.device(rank));
      demo.expect(work.counts[rank].at(0) == expected, row.what);
    }
  }
}

} // namespace demo_threads
