#include "engine/async.hpp"

#include <algorithm>
#include <cstring>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/drawn_order.hpp"

namespace emu {

constinit thread_local AsyncBlock async_block{};

namespace {

// Where nobody looks on, blocks run on several host threads, and their order is no drawn one.
bool is_drawn() { return this_block->watcher() && drawn_order().drawn(); }

inline void carry_out(const AsyncCopy &copy) {
  if (copy.bytes == 4 && copy.read == 4) { // by far the most
    std::memcpy(copy.to, copy.from, 4);
  } else if (copy.bytes == 16 && copy.read == 16) {
    std::memcpy(copy.to, copy.from, 16);
  } else {
    std::memcpy(copy.to, copy.from, copy.read);
    std::memset(copy.to + copy.read, 0, copy.bytes - size_t{copy.read});
  }
}

inline void end(const AsyncCopy &copy, BlockWatcher *watcher, bool by_its_thread) {
  if (!copy.done)
    carry_out(copy);
  if (watcher) [[unlikely]]
    watcher->copy_ends(copy, by_its_thread);
}

// Of these copies, each as a coin falls.
void carry_out_some(AsyncCopy *first, AsyncCopy *end) {
  for (AsyncCopy *copy = first; copy != end; ++copy)
    if (!copy->done && drawn_order().one_in(2)) {
      carry_out(*copy);
      copy->done = true;
    }
}

void free_room(AsyncQueue &queue) {
  if (queue.begin != &queue.one)
    delete[] queue.begin;
}

void make_room(AsyncQueue &queue) {
  const auto room = static_cast<size_t>(queue.end - queue.begin),
             there = static_cast<size_t>(queue.next - queue.first);
  AsyncCopy *begin = queue.begin;
  if (2 * there > room) {
    const size_t more = std::max<size_t>(2 * room, 16);
    begin = new AsyncCopy[more];
    std::copy(queue.first, queue.next, begin);
    free_room(queue);
    queue.begin = begin;
    queue.end = begin + more;
  } else {
    std::copy(queue.first, queue.next, begin);
  }
  queue.first = begin;
  queue.next = begin + there;
}

} // namespace

AsyncOperations::~AsyncOperations() {
  for (int thread = 0; queues_ && thread < max_threads; ++thread)
    free_room(queues_[static_cast<size_t>(thread)]);
}

void AsyncOperations::forget() {
  async_block.queues = nullptr;
  for (; threads_ > 0; --threads_) {
    AsyncQueue &queue = queues_[static_cast<size_t>(threads_ - 1)];
    queue.first = queue.next = queue.begin;
    queue.groups = 0;
  }
  phases_.clear();
  bulk_.clear();
  sends_ = false;
  bulk_groups_.reset();
}

void AsyncOperations::open() {
  if (!queues_)
    queues_ = std::make_unique<AsyncQueue[]>(max_threads);
  threads_ = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  enter();
}

void AsyncOperations::enter() {
  const StackPool &stacks = this_block->stacks();
  async_block = {threads_ > 0 ? queues_.get() : nullptr, stacks.memory(), stacks.memory_bytes()};
}

void AsyncOperations::wait(size_t but) {
  AsyncQueue &queue = async_block.mine();
  BlockWatcher *const watcher = this_block->watcher();
  for (; queue.first != queue.next && queue.first->group + but < queue.groups; ++queue.first)
    end(*queue.first, watcher, true);
  if (queue.first == queue.next)
    queue.first = queue.next = queue.begin;
}

void AsyncOperations::end_with_phase(const void *barrier) {
  AsyncQueue &queue = async_block.mine();
  auto found = std::find_if(phases_.begin(), phases_.end(), [&](const Phase &each) {
    return each.barrier == barrier && !each.ended;
  });
  if (found == phases_.end())
    found = phases_.insert(found, {barrier, false, {}});
  found->copies.insert(found->copies.end(), queue.first, queue.next);
  queue.first = queue.next = queue.begin;
}

void AsyncOperations::phase_ended(const void *barrier) {
  for (Phase &each : phases_)
    each.ended |= each.barrier == barrier;
}

void AsyncOperations::found_ended(const void *barrier) {
  const auto ended = [&](const Phase &each) { return each.barrier == barrier && each.ended; };
  for (const Phase &each : phases_)
    if (ended(each))
      for (const AsyncCopy &copy : each.copies)
        end(copy, this_block->watcher(), false);
  std::erase_if(phases_, ended);
}

void AsyncOperations::some_come() {
  for (BulkCopy &copy : bulk_)
    if (copy.is != BulkCopy::Is::done && drawn_order().one_in(4))
      copy.carry_out();
  if (threads_ == 0)
    return;
  const AsyncQueue &queue = queues_[drawn_order().below(static_cast<uint64_t>(threads_))];
  carry_out_some(queue.first, queue.next);
  if (phases_.empty())
    return;
  std::vector<AsyncCopy> &copies = phases_[drawn_order().below(phases_.size())].copies;
  carry_out_some(copies.data(), copies.data() + copies.size());
}

// ------------------------------------------------------------- what device code calls by name

bool begin_copy_slow(void *to, const void *from, size_t bytes, size_t zeros) {
  AsyncCopy copy{static_cast<char *>(to),
                 static_cast<const char *>(from),
                 0,
                 static_cast<uint8_t>(bytes),
                 static_cast<uint8_t>(bytes - zeros),
                 false};
  if (!is_shared_here(to) || is_shared_here(from) || this_block->stacks().holds(from))
    return false;
  if (BlockWatcher *watcher = this_block->watcher())
    watcher->copy_begins(copy, __builtin_return_address(0));
  if (((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) & (bytes - 1)) != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "an asynchronous copy from or to an address that is no multiple of its bytes",
                {});
  this_block->async().open();
  AsyncQueue &queue = async_block.mine();
  if (queue.next == queue.end)
    make_room(queue);
  std::memset(to, 0xff, bytes);
  copy.group = queue.groups;
  if (is_drawn() && drawn_order().one_in(2)) {
    carry_out(copy);
    copy.done = true;
  }
  *queue.next++ = copy;
  return true;
}

void commit_copies_slow() {
  this_block->async().open();
  ++async_block.mine().groups;
}

void wait_for_groups(size_t but) {
  if (async_block.queues)
    this_block->async().wait(but);
}

void end_with_phase(const void *barrier) {
  if (async_block.queues)
    this_block->async().end_with_phase(barrier);
}

} // namespace emu
