// What a live block tells of barriers with phases and of bulk copies.
#include <algorithm>

#include "../src/engine/async.hpp"
#include "../src/engine/block.hpp"
#include "../src/engine/cluster.hpp"
#include "block_observer.hpp"
#include "look.hpp"
#include "recorder.hpp"

extern "C" char __executable_start[];

namespace emu {

void BlockObserver::phases_begin(const void *barrier) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::phases_begin, block_, turn.fiber->thread, barrier);
}

void BlockObserver::arrives(const void *barrier, Scope scope, bool releases) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::arrived, block_, turn.fiber->thread, barrier, scope, releases);
}

void BlockObserver::phase_ends(const void *barrier) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::phase_ended, block_, barrier);
}

void BlockObserver::phase_passed(const void *barrier, unsigned others) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::phase_passed, block_, turn.fiber->thread, barrier, others);
}

// Who watches a block that takes part in a bulk copy of this one.
BlockObserver &BlockObserver::of_copy(const Block *block) {
  return block ? static_cast<BlockObserver &>(*block->watcher()) : *this;
}

// At once it counts as its thread's accesses.
void BlockObserver::bulk_begins(const BulkCopy &copy, const void *at) {
  if (!observed_)
    return;
  const auto pc = static_cast<uint32_t>(static_cast<const char *>(at) - __executable_start);
  const auto tell_of = [&](const char *address, size_t bytes, Operation operation) {
    access(const_cast<char *>(address),
           pc,
           {bytes, static_cast<uint32_t>(std::min<size_t>(16, bytes & -bytes)), operation});
  };
  const auto thread = static_cast<size_t>(copy.thread);
  copying_bulk_.set(thread);
  if (copy.filled < copy.bytes && !copy.again && !copy.of_value)
    tell_of(copy.from, copy.bytes - copy.filled, Operation::load);
  tell_of(copy.to, copy.bytes, copy.combine ? Operation::atomic : Operation::store);
  copying_bulk_.reset(thread);
  const Look look;
  const InFlight::Bulk bulk{copy.to,
                            copy.from,
                            copy.bytes,
                            copy.thread,
                            block_.number,
                            pc,
                            copy.combine != nullptr,
                            !copy.of_value};
  in_flight_.begins(bulk);
  const Block *const receiver = copy.until ? block_of_shared(copy.to) : nullptr;
  if (!receiver || receiver->life() != Block::Life::alive)
    return;
  if (receiver != this_block)
    of_copy(receiver).in_flight_.begins(bulk);
  else if (const KnownBarrier *const known = receiver->known(*copy.until); known && !copy.of_value)
    recorder_.tell(&Observer::bulk_tells, block_, copy.thread, copy.until, pc, known->site);
}

ThreadAccess BlockObserver::access_of(const char *address,
                                      size_t bytes,
                                      Operation operation,
                                      const InFlight::Bulk &bulk,
                                      BlockObserver &by) {
  const bool of_other = by.block_.shared.region().holds(address) && &by != this;
  Region &shared = of_other ? by.block_.shared.region() : block_.shared.region();
  const bool of_block = shared.holds(address);
  return {const_cast<char *>(address),
          static_cast<uint32_t>(bytes),
          16,
          bulk.pc,
          operation,
          of_block ? Space::shared : Space::global,
          Scope::device,
          false,
          bulk.thread,
          of_block ? &shared : recorder_.shadow().find(address),
          false,
          AtomicSort::alone,
          true,
          of_other ? &by.block_ : nullptr};
}

// What comes from here on is ordered after it for its thread.
void BlockObserver::tell_over(const ThreadAccess &access) {
  for (Observer *observer : launch_.of_accesses)
    if (access.region)
      observer->access_over(block_, access);
}

void BlockObserver::bulk_read(const BulkCopy &copy) {
  if (!observed_)
    return;
  const Look look;
  const InFlight::Bulk bulk = in_flight_.bulk_read(copy.to, copy.from, copy.thread);
  if (bulk.reads)
    tell_over(access_of(copy.from, copy.bytes - copy.filled, Operation::load, bulk, *this));
}

void BlockObserver::bulk_ends(const BulkCopy &copy) {
  if (!observed_)
    return;
  const Look look;
  BlockObserver &by = of_copy(copy.by);
  if (&by != this)
    by.in_flight_.bulk_ends(copy.to, copy.from, copy.thread, by.block_.number);
  const std::optional<InFlight::Bulk> found =
      in_flight_.bulk_ends(copy.to, copy.from, copy.thread, by.block_.number);
  if (!found) // its block was not looked at
    return;
  const InFlight::Bulk &bulk = *found;
  const ThreadAccess from =
                         access_of(copy.from, copy.bytes - copy.filled, Operation::load, bulk, by),
                     to = access_of(copy.to,
                                    copy.bytes,
                                    copy.combine ? Operation::atomic : Operation::store,
                                    bulk,
                                    by);
  if (copy.until) {
    recorder_.tell(&Observer::bulk_arrived, block_, bulk.block, from, to, copy.until);
    return;
  }
  if (bulk.reads)
    tell_over(from);
  tell_over(to);
}

void BlockObserver::proxy_fence(bool barriers_only) {
  if (!observed_)
    return;
  const Look look;
  recorder_.tell(&Observer::proxy_fence, block_, turn.fiber->thread, barriers_only);
}

} // namespace emu
