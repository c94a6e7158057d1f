#include "checker/rank_threads.hpp"

#include <observation/observe.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <latch>
#include <map>
#include <mutex>
#include <thread>

namespace checker {
namespace {

/// What one rank sends another one, until that one has it.
struct Message {
  const void *data = nullptr;
  std::size_t bytes = 0;
  int rounds = 0; ///< of the sender; then of both
  bool taken = false;
};

/// What the ranks of one run have in common.
struct Group {
  int ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::pair<int, int>, Message> messages = {}; ///< {from, to}
  bool given_up = false;
};

/// A rank, in its own thread.
struct Member {
  Group *group = nullptr;
  int rank = 0;
  int stuck = 0, rounds = 0;
  bool has_received = false;
  int first_target = -1, sent_first = 0; ///< the rank that it sent to first; as in AfterRanks
  Heard heard = {};
};
thread_local Member member;

/// What has come for this rank.
void take(void *to, const void *from, std::size_t bytes) {
  emu::host_touches(to, bytes, true);
  if (bytes > 0)
    std::memcpy(to, from, bytes);
}

/// Waits until `ready` holds, for this rank's message to another one (or from it: then `other` is negative).
template <class Ready>
bool wait_for_message(std::unique_lock<std::mutex> &lock, int other, Ready &&ready) {
  Group &group = *member.group;
  if (member.stuck != 0)
    return false; // who has given up takes no more messages: their senders are stuck as well
  group.changed.notify_all();
  group.changed.wait_for(
      lock, std::chrono::milliseconds(500), [&] { return group.given_up || ready(); });
  if (ready())
    return true;
  member.stuck = member.stuck == 0 ? other : member.stuck;
  group.given_up = true;
  group.changed.notify_all();
  return false;
}

} // namespace

std::vector<RankEnd> run_ranks(const std::vector<int> &devices,
                               const std::function<void(int rank)> &work) {
  Group group{static_cast<int>(devices.size()), {}, {}};
  std::vector<RankEnd> ends(devices.size(), RankEnd{nullptr, cudaSuccess, -1, 0, 0, 0, {}});
  std::latch all_there(group.ranks); // a device's start may take longer than anybody waits
  std::vector<std::thread> threads;
  for (int rank = 0; rank < group.ranks; ++rank)
    threads.emplace_back([&, rank] {
      RankEnd &end = ends[static_cast<std::size_t>(rank)];
      member = {&group, rank};
      emu::play_rank(rank);
      const cudaError_t error = cudaSetDevice(devices[static_cast<std::size_t>(rank)]);
      all_there.arrive_and_wait();
      try {
        if (error == cudaSuccess)
          work(rank);
      } catch (...) {
        end.thrown = std::current_exception();
      }
      end.error = cudaGetLastError();
      static_cast<void>(cudaGetDevice(&end.current));
      end.stuck = member.stuck;
      end.rounds = member.rounds;
      end.sent_first = member.sent_first;
      end.heard = member.heard;
    });
  for (std::thread &thread : threads)
    thread.join();
  return ends;
}

} // namespace checker

void send_to(const void *data, size_t bytes, int rank) {
  checker::Member &own = checker::member;
  if (own.group == nullptr)
    return;
  std::unique_lock lock(own.group->mutex);
  checker::Message &message = own.group->messages[{own.rank, rank}];
  message = {data, bytes, own.rounds};
  own.first_target = own.first_target < 0 ? rank : own.first_target;
  if (checker::wait_for_message(lock, std::max(rank, -1) + 2, [&] { return message.taken; }))
    own.rounds = message.rounds;
  message = {};
}

void receive_from(void *data, size_t bytes, int rank) {
  checker::Member &own = checker::member;
  if (own.group == nullptr)
    return;
  std::unique_lock lock(own.group->mutex);
  checker::Message &message = own.group->messages[{rank, own.rank}];
  if (!checker::wait_for_message(
          lock, -std::max(rank, -1) - 2, [&] { return message.data != nullptr && !message.taken; }))
    return;
  if (own.sent_first == 0 && !own.has_received)
    own.sent_first = own.first_target + 1;
  own.has_received = true;
  if (message.bytes <= bytes)
    checker::take(data, message.data, message.bytes);
  else { // MPI_ERR_TRUNCATE: nobody may go by what has come
    const std::vector<unsigned char> nothing(bytes, 0xff);
    checker::take(data, nothing.data(), bytes);
  }
  own.rounds = message.rounds = std::max(own.rounds, message.rounds) + 1;
  if (own.heard.size() < 32)
    own.heard.emplace_back(own.rounds, rank);
  message.taken = true;
  own.group->changed.notify_all();
}
