#include "checker/rank_threads.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace checker {
namespace {

/// What the ranks of one run have in common.
struct Group {
  int ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<char> sent;
  int arrived = 0, turn = 0;
};

/// A rank, in its own thread.
struct Member {
  Group *group = nullptr;
  int rank = 0;
  bool left_alone = false;
};
thread_local Member member;

} // namespace

std::vector<RankEnd> run_ranks(const std::vector<int> &devices,
                               const std::function<void(int rank)> &work) {
  Group group{static_cast<int>(devices.size()), {}, {}, {}};
  std::vector<RankEnd> ends(devices.size(), RankEnd{nullptr, cudaSuccess, -1, false});
  std::vector<std::thread> threads;
  for (int rank = 0; rank < group.ranks; ++rank)
    threads.emplace_back([&, rank] {
      RankEnd &end = ends[static_cast<std::size_t>(rank)];
      member = {&group, rank};
      try {
        if (cudaSetDevice(devices[static_cast<std::size_t>(rank)]) == cudaSuccess)
          work(rank);
      } catch (...) {
        end.thrown = std::current_exception();
      }
      end.error = cudaGetLastError();
      static_cast<void>(cudaGetDevice(&end.current));
      end.left_alone = member.left_alone;
    });
  for (std::thread &thread : threads)
    thread.join();
  return ends;
}

} // namespace checker

void broadcast(void *data, size_t bytes, int root) {
  checker::Member &own = checker::member;
  if (own.group == nullptr)
    return; // called from elsewhere
  checker::Group &group = *own.group;
  std::unique_lock lock(group.mutex);
  if (own.rank == root)
    group.sent.assign(static_cast<char *>(data), static_cast<char *>(data) + bytes);
  const int turn = group.turn;
  if (++group.arrived == group.ranks) {
    group.arrived = 0;
    ++group.turn;
    group.changed.notify_all();
  } else if (!group.changed.wait_for(
                 lock, std::chrono::milliseconds(500), [&] { return group.turn != turn; })) {
    own.left_alone = true;
    return;
  }
  if (own.rank != root && !group.sent.empty())
    std::memcpy(data, group.sent.data(), std::min(bytes, group.sent.size()));
}
