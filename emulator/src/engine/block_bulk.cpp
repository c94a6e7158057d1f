// Bulk copies: when they are carried out, and what is wrong with their use.
#include "emu/engine/bulk.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/cluster.hpp"
#include "engine/drawn_order.hpp"
#include "engine/message.hpp"

namespace emu {

namespace {
constexpr const char *value_store = "an asynchronous store";
}

void BulkCopy::read() {
  if (is != Is::begun)
    return;
  held.reset(new char[bytes - filled]);
  std::memcpy(held.get(), from, bytes - filled);
  is = Is::read;
}

void BulkCopy::carry_out() {
  if (is == Is::done)
    return;
  const char *const source = is == Is::read ? held.get() : from;
  if (combine)
    combine(to, source, bytes);
  else if (filled < bytes)
    std::memcpy(to, source, bytes - filled);
  std::memset(to + bytes - filled, fill, filled);
  held.reset();
  is = Is::done;
}

void AsyncOperations::begin(BulkCopy copy, const void *at) {
  copy.thread = this_block->current();
  copy.by = this_block;
  if (BlockWatcher *const watcher = this_block->watcher())
    watcher->bulk_begins(copy, at);
  if (!bulk_groups_)
    bulk_groups_.reset(new uint32_t[max_threads]());
  copy.group = bulk_groups_[static_cast<size_t>(copy.thread)];
  if (!copy.until) {
    bulk_.push_back(std::move(copy));
    return;
  }
  Block &receiver = *block_of_shared(copy.to);
  if (receiver.life() != Block::Life::alive) {
    const bool ended = receiver.life() == Block::Life::ended;
    Message message;
    message.add("%s to shared memory of a block of its cluster that has %s",
                copy.of_value ? value_store : "a bulk copy",
                ended ? "ended" : "not begun");
    fail_launch(cudaErrorLaunchFailure,
                ended ? "peer_exited" : "peer_not_started",
                message.text,
                copy.site);
  }
  if (!copy.combine)
    std::memset(copy.to, 0xff, copy.bytes);
  sends_ |= &receiver != this_block && is_shared_here(copy.from);
  receiver.async().bulk_.push_back(std::move(copy));
}

void AsyncOperations::commit_bulk(int thread) {
  if (bulk_groups_)
    ++bulk_groups_[static_cast<size_t>(thread)];
}

void AsyncOperations::wait_for_bulk(int thread, size_t but, bool read) {
  BlockWatcher *const watcher = this_block->watcher();
  const auto waited_for = [&](const BulkCopy &copy) {
    return !copy.until && copy.thread == thread &&
           copy.group + but < bulk_groups_[static_cast<size_t>(thread)];
  };
  for (BulkCopy &copy : bulk_) {
    if (!waited_for(copy))
      continue;
    copy.waited = true;
    read ? copy.read() : copy.carry_out();
    if (watcher)
      read ? watcher->bulk_read(copy) : watcher->bulk_ends(copy);
  }
  if (!read)
    std::erase_if(bulk_, waited_for);
}

bool AsyncOperations::can_bring(const PhaseBarrier &barrier) const {
  return barrier.state().pending() == 0 &&
         std::any_of(bulk_.begin(), bulk_.end(), [&](const BulkCopy &copy) {
           return copy.until == &barrier;
         });
}

bool AsyncOperations::bring(PhaseBarrier &barrier) {
  if (bulk_.empty() || barrier.state().pending() != 0)
    return false;
  const auto its = std::stable_partition(
      bulk_.begin(), bulk_.end(), [&](const BulkCopy &copy) { return copy.until != &barrier; });
  std::vector<BulkCopy> come(std::make_move_iterator(its), std::make_move_iterator(bulk_.end()));
  bulk_.erase(its, bulk_.end());
  int64_t bytes = 0;
  for (BulkCopy &copy : come) {
    copy.carry_out();
    if (BlockWatcher *const watcher = this_block->watcher())
      watcher->bulk_ends(copy);
    bytes += static_cast<int64_t>(copy.bytes);
    if (!copy.more)
      expect_bytes(barrier, -std::exchange(bytes, 0), copy.site);
  }
  return !come.empty();
}

void AsyncOperations::finish_bulk() {
  constexpr const char *unread =
      "the block ends before this bulk copy from its shared memory has read it";
  for (BulkCopy &copy : bulk_) {
    if (copy.until || !copy.waited)
      complain("unfinished_copy",
               copy.of_value
                   ? "the block ends before this asynchronous store to its shared memory has come"
               : copy.until ? "the block ends before this bulk copy to its shared memory has come"
                            : unread,
               copy.site);
    else
      copy.carry_out();
  }
  bulk_.clear();
  if (!sends_)
    return;
  for (const Cluster::Member &peer : this_block->cluster()->members())
    for (BulkCopy &copy : peer.block->async().bulk_)
      if (copy.is == BulkCopy::Is::begun && is_shared_here(copy.from)) {
        complain("unfinished_copy", unread, copy.site);
        copy.read();
      }
}

// ------------------------------------------------------------- what device code calls by name

namespace {

[[noreturn]] void refuse(const char *text, Site site) {
  fail_launch(cudaErrorIllegalAddress, "out_of_bounds", text, site);
}

void expect_aligned(const void *to, const void *from, size_t bytes, Site site) {
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes) % 16 != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "a bulk copy whose addresses and bytes are not all multiples of 16",
                site);
}

bool is_global(const void *address) {
  return !block_of_shared(address) && !this_block->stacks().holds(address);
}

} // namespace

int check_receivers(
    const void *to, const PhaseBarrier &until, int blocks, Site site, const char *what) {
  const Block *const receiver = block_of_shared(to);
  if (!receiver || receiver != block_of_shared(&until)) {
    Message message;
    message.add("%s %s",
                what,
                receiver ? "whose barrier is not in shared memory of the block that gets the bytes"
                         : "to other memory than shared memory of the cluster");
    refuse(message.text, site);
  }
  if (blocks == to_one_block)
    return 1 << rank_of_shared(to);
  const unsigned there = cluster_blocks(), none = static_cast<unsigned>(blocks) >> there;
  if (blocks == 0 || none != 0) {
    Message message;
    message.add("a bulk copy whose mask names %s", blocks == 0 ? "no block" : "block ");
    if (none != 0)
      message.add("%u of a cluster that has %u: ranks begin at 0",
                  there + static_cast<unsigned>(__builtin_ctz(none)),
                  there);
    fail_launch(cudaErrorLaunchFailure, "invalid_rank", message.text, site);
  }
  return blocks;
}

void begin_bulk_load(
    void *to, const void *from, size_t bytes, PhaseBarrier &until, int blocks, Site site) {
  expect_aligned(to, from, bytes, site);
  if (!is_global(from) && !(is_shared_here(from) && blocks == to_one_block))
    refuse("a bulk copy to shared memory from other memory than global and the block's own shared "
           "memory",
           site);
  this_block->async().open();
  const int receivers = check_receivers(to, until, blocks, site);
  bool again = false;
  for_each_receiver(receivers, to, until, site, [&](void *there, PhaseBarrier &its) {
    BulkCopy copy{static_cast<char *>(there), static_cast<const char *>(from), bytes, &its, site};
    copy.again = std::exchange(again, true);
    this_block->async().begin(std::move(copy), __builtin_return_address(0));
  });
}

void begin_bulk_store(void *to, const void *from, size_t bytes, Combine combine, Site site) {
  expect_aligned(to, from, bytes, site);
  if (!is_shared_here(from) || !is_global(to))
    refuse("a bulk copy between other memory than global and the block's shared memory", site);
  this_block->async().open();
  BulkCopy copy{static_cast<char *>(to), static_cast<const char *>(from), bytes, nullptr, site};
  copy.combine = combine;
  this_block->async().begin(std::move(copy), __builtin_return_address(0));
}

void begin_async_store(
    void *to, const void *value, size_t bytes, Combine combine, PhaseBarrier &until, Site site) {
  if (reinterpret_cast<uintptr_t>(to) % bytes != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "an asynchronous store to an address that is no multiple of its bytes",
                site);
  this_block->async().open();
  check_receivers(to, until, to_one_block, site, value_store);
  BulkCopy copy{static_cast<char *>(to), static_cast<const char *>(value), bytes, &until, site};
  copy.combine = combine;
  copy.read();
  copy.from = nullptr;
  copy.of_value = true;
  this_block->async().begin(std::move(copy), __builtin_return_address(0));
}

void commit_bulk() { this_block->async().commit_bulk(this_block->current()); }
void wait_for_bulk(size_t but, bool read) {
  this_block->async().wait_for_bulk(this_block->current(), but, read);
}
void proxy_fence(bool barriers_only) {
  if (BlockWatcher *const watcher = this_block ? this_block->watcher() : nullptr)
    watcher->proxy_fence(barriers_only);
}

} // namespace emu
