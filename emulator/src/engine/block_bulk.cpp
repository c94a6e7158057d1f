// Bulk copies: when they are carried out, and what is wrong with their use.
#include "emu/engine/bulk.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emu/runtime/errors.hpp"
#include "engine/block.hpp"
#include "engine/drawn_order.hpp"

namespace emu {

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
  if (BlockWatcher *const watcher = this_block->watcher())
    watcher->bulk_begins(copy, at);
  if (!bulk_groups_)
    bulk_groups_.reset(new uint32_t[max_threads]());
  copy.group = bulk_groups_[static_cast<size_t>(copy.thread)];
  if (copy.until)
    std::memset(copy.to, 0xff, copy.bytes);
  bulk_.push_back(std::move(copy));
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
  for (BulkCopy &copy : bulk_) {
    if (copy.until || !copy.waited)
      complain("unfinished_copy",
               copy.until
                   ? "the block ends before this bulk copy to its shared memory has come"
                   : "the block ends before this bulk copy from its shared memory has read it",
               copy.site);
    else
      copy.carry_out();
  }
  bulk_.clear();
}

// ------------------------------------------------------------- what device code calls by name

namespace {

void begin(BulkCopy copy, const void *shared, const void *global, const void *at) {
  const auto bits =
      reinterpret_cast<uintptr_t>(shared) | reinterpret_cast<uintptr_t>(global) | copy.bytes;
  if (bits % 16 != 0)
    fail_launch(cudaErrorMisalignedAddress,
                "misaligned",
                "a bulk copy whose addresses and bytes are not all multiples of 16",
                copy.site);
  if (!is_shared_here(shared) || is_shared_here(global) || this_block->stacks().holds(global))
    fail_launch(cudaErrorIllegalAddress,
                "out_of_bounds",
                "a bulk copy between other memory than global and the block's shared memory",
                copy.site);
  copy.thread = this_block->current();
  this_block->async().open();
  this_block->async().begin(std::move(copy), at);
}

} // namespace

void begin_bulk_load(void *to, const void *from, size_t bytes, PhaseBarrier &until, Site site) {
  begin({static_cast<char *>(to),
         static_cast<const char *>(from),
         bytes,
         &until,
         nullptr,
         0,
         0,
         site},
        to,
        from,
        __builtin_return_address(0));
}

void begin_bulk_store(void *to, const void *from, size_t bytes, Combine combine, Site site) {
  begin({static_cast<char *>(to),
         static_cast<const char *>(from),
         bytes,
         nullptr,
         combine,
         0,
         0,
         site},
        from,
        to,
        __builtin_return_address(0));
}

void commit_bulk() { this_block->async().commit_bulk(this_block->current()); }
void wait_for_bulk(size_t but, bool read) {
  this_block->async().wait_for_bulk(this_block->current(), but, read);
}
void proxy_fence() {
  if (BlockWatcher *const watcher = this_block ? this_block->watcher() : nullptr)
    watcher->proxy_fence();
}

} // namespace emu
