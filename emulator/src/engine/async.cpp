#include "engine/async.hpp"

#include <algorithm>
#include <cstring>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/drawn_order.hpp"

namespace emu {

namespace {

// Where nobody looks on, blocks run on several host threads, and their order is no drawn one.
bool is_drawn() { return this_block->watcher() && drawn_order().drawn(); }

void carry_out(const AsyncCopy &copy) {
  std::memcpy(copy.to, copy.from, copy.read);
  std::memset(copy.to + copy.read, 0, copy.bytes - size_t{copy.read});
}

void end(const AsyncCopy &copy, bool by_its_thread) {
  if (copy.read == 4 && copy.bytes == 4 && !copy.done) // by far the most
    std::memcpy(copy.to, copy.from, 4);
  else if (!copy.done)
    carry_out(copy);
  if (BlockWatcher *watcher = this_block->watcher())
    watcher->copy_ends(copy, by_its_thread);
}

// Of these copies, each as a coin falls.
void carry_out_some(std::vector<AsyncCopy> &copies, size_t first) {
  for (size_t i = first; i < copies.size(); ++i)
    if (!copies[i].done && drawn_order().one_in(2)) {
      carry_out(copies[i]);
      copies[i].done = true;
    }
}

} // namespace

void AsyncOperations::forget() {
  if (!any_)
    return;
  any_ = false;
  for (Queue &queue : queues_) {
    queue.copies.clear();
    queue.first = 0;
    queue.groups = 0;
  }
  phases_.clear();
}

void AsyncOperations::begin(AsyncCopy copy) {
  any_ = true;
  Queue &queue = of(copy.thread);
  copy.group = queue.groups;
  std::memset(copy.to, 0xff, copy.bytes);
  if (is_drawn() && drawn_order().one_in(2)) {
    carry_out(copy);
    copy.done = true;
  }
  queue.copies.push_back(copy);
}

void AsyncOperations::commit(int thread) {
  any_ = true;
  ++of(thread).groups;
}

void AsyncOperations::wait(int thread, size_t but) {
  Queue &queue = of(thread);
  size_t &i = queue.first;
  for (; i < queue.copies.size() && queue.copies[i].group + but < queue.groups; ++i)
    end(queue.copies[i], true);
  if (2 * i >= queue.copies.size()) {
    queue.copies.erase(queue.copies.begin(), queue.copies.begin() + static_cast<long>(i));
    i = 0;
  }
}

void AsyncOperations::end_with_phase(int thread, const void *barrier, uint64_t phase) {
  Queue &queue = of(thread);
  auto found = std::find_if(phases_.begin(), phases_.end(), [&](const Phase &each) {
    return each.barrier == barrier && each.number == phase;
  });
  if (found == phases_.end())
    found = phases_.insert(found, {barrier, phase, {}});
  found->copies.insert(found->copies.end(),
                       queue.copies.begin() + static_cast<long>(queue.first),
                       queue.copies.end());
  queue.copies.clear();
  queue.first = 0;
}

void AsyncOperations::found_in_phase(const void *barrier, uint64_t phase) {
  const auto ended = [&](const Phase &each) {
    return each.barrier == barrier && each.number < phase;
  };
  for (const Phase &each : phases_)
    if (ended(each))
      for (const AsyncCopy &copy : each.copies)
        end(copy, false);
  std::erase_if(phases_, ended);
}

void AsyncOperations::some_come() {
  if (!any_)
    return;
  Queue &queue = queues_[drawn_order().below(queues_.size())];
  carry_out_some(queue.copies, queue.first);
  if (!phases_.empty())
    carry_out_some(phases_[drawn_order().below(phases_.size())].copies, 0);
}

AsyncOperations::Queue &AsyncOperations::of(int thread) {
  const auto index = static_cast<size_t>(thread);
  if (index >= queues_.size())
    queues_.resize(index + 1);
  return queues_[index];
}

// ------------------------------------------------------------- what device code calls by name

bool begin_copy(void *to, const void *from, size_t bytes, size_t zeros) {
  const bool is_piece = bytes == 4 || bytes == 8 || bytes == 16;
  if (!is_piece || !is_shared_here(to) || is_shared_here(from) ||
      this_block->owns(static_cast<const char *>(from)))
    return false;
  AsyncCopy copy{static_cast<char *>(to),
                 static_cast<const char *>(from),
                 0,
                 static_cast<uint16_t>(this_block->current()),
                 static_cast<uint8_t>(bytes),
                 static_cast<uint8_t>(bytes - zeros),
                 false};
  if (BlockWatcher *watcher = this_block->watcher())
    watcher->copy_begins(copy, __builtin_return_address(0));
  if (((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) & (bytes - 1)) != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "an asynchronous copy from or to an address that is no multiple of its bytes",
                {});
  this_block->async().begin(copy);
  return true;
}

void commit_copies() { this_block->async().commit(this_block->current()); }

void wait_for_groups(size_t but) { this_block->async().wait(this_block->current(), but); }

void end_with_phase(const void *barrier, uint64_t phase) {
  this_block->async().end_with_phase(this_block->current(), barrier, phase);
}

void found_in_phase(const void *barrier, uint64_t phase) {
  if (this_block)
    this_block->async().found_in_phase(barrier, phase);
}

} // namespace emu
