// Host threads that play ranks: each is to be a process of its own.
#include <atomic>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <thread>

#include "hazards.hpp"
#include <observation/observe.hpp>

namespace {

template <class Work> void as_rank(int rank, Work work) {
  std::thread([&] {
    emu::play_rank(rank);
    work();
  }).join();
}

int next_device;
std::atomic<int> tickets;
std::map<std::string, int> on_machine;
int message[4];

void take_next() { cudaSetDevice(next_device++ % 1); } // here other
HAZARD(rank_counts_the_others, other_rank) {
  next_device = 0;
  as_rank(0, take_next);
  as_rank(1, take_next);
}

void draw() { cudaSetDevice(tickets++ % 1); } // here other
HAZARD(rank_draws_a_ticket, other_rank) {
  tickets = 0;
  as_rank(0, draw);
  as_rank(1, draw);
}

void count_on_machine() { cudaSetDevice(on_machine["a"]++ % 1); } // here other
HAZARD(rank_counts_in_a_map, other_rank) {
  on_machine.clear();
  as_rank(0, count_on_machine);
  as_rank(1, count_on_machine);
}

HAZARD(rank_reads_what_another_wrote, other_rank) {
  as_rank(0, [] { message[2] = 5; }); // other
  as_rank(1, [] { message[0] = message[2]; }); // here
}

CORRECT(ranks_have_variables_of_their_own) {
  as_rank(0, [] { message[0] = 1; });
  as_rank(1, [] {
    message[1] = 2;
    message[2] = message[1];
    static const int made_once = message[1] * 2;
    message[3] = made_once;
  });
  as_rank(0, [] { message[0] += 1; });
}

CORRECT(ranks_get_messages) {
  as_rank(0, [] { message[0] = 1; });
  as_rank(1, [] {
    emu::host_touches(message, sizeof message, true);
    message[1] = message[0];
  });
}

CORRECT(threads_of_one_process) {
  std::thread([] { next_device = 1; }).join();
  std::thread([] { next_device += 1; }).join();
}

} // namespace
