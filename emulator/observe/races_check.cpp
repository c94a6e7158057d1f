// The history of each word, and what a new access means for it.
#include "races.hpp"

#include "../src/engine/block.hpp"
#include "../src/engine/cluster.hpp"
#include "array_names.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace emu {

namespace {

uint3 index_of(unsigned thread) {
  thread %= 1024; // of a bulk copy's, the thread that has begun it
  const unsigned row = thread / blockDim.x;
  return {thread % blockDim.x, row % blockDim.y, row / blockDim.y};
}

// More would take gigabytes, and a mark has no more bits for them.
constexpr size_t most_contexts = size_t{1} << 24, most_of_lanes = size_t{1} << 20;

// Two writes that nothing orders do no harm if the second one changes nothing.
constexpr const char *same_value = "two threads write the same value, and nothing orders them";

} // namespace

// Lanes of a warp mostly have the same behind them.
void Races::make_context(int warp) {
  const auto index = static_cast<size_t>(warp), first = index * 32;
  const size_t lanes = std::min<size_t>(32, mine_->threads.size() - first);
  Context made{mine_->number,
               mine_->barriers,
               static_cast<uint32_t>(warp),
               mine_->lanes[index].clock(0),
               mine_->threads[first].fences,
               -1};
  if (mine_->any_thread_knows || !mine_->lanes[index].alike()) {
    LaneClocks clocks;
    bool all_alike = true;
    for (size_t lane = 0; lane < lanes; ++lane) {
      clocks.clock[lane] = mine_->lanes[index].clock(static_cast<int>(lane));
      clocks.fences[lane] = mine_->threads[first + lane].fences;
      all_alike =
          all_alike && clocks.clock[lane] == made.clock && clocks.fences[lane] == made.fences;
    }
    if (!all_alike) {
      made.of_lanes = static_cast<int32_t>(of_lanes_.size());
      of_lanes_.push_back(clocks);
    }
  }
  mine_->context[index] = static_cast<uint32_t>(contexts_.size());
  contexts_.push_back(made);
  full_ = contexts_.size() > most_contexts || of_lanes_.size() > most_of_lanes;
}

Stamp Races::stamp(const Mark &mark) const {
  const Context &context = contexts_[mark.context() / 32];
  const size_t lane = mark.context() % 32;
  Stamp s{context.block,
          context.warp * 32u + static_cast<unsigned>(lane),
          context.barriers,
          mark.pc(),
          context.clock,
          context.fences};
  if (context.of_lanes >= 0) {
    const LaneClocks &clocks = of_lanes_[static_cast<size_t>(context.of_lanes)];
    s.clock = clocks.clock[lane];
    s.fences = clocks.fences[lane];
  }
  return s;
}

void Races::access(ObservedBlock &block, const ThreadAccess &access) {
  if (!doubts_.empty())
    settle();
  Region *region = access.region;
  if (access.space == Space::constant || !region)
    return;
  enter(block);
  const bool shared = access.space == Space::shared;
  Notes &owner = owner_of_shared(access);
  const uint32_t number = shared ? owner.shared_number : launch_;
  histories_ = shared ? &owner.shared : &global_;
  if (access.is_volatile && !shared && access.operation == Operation::store)
    note_volatile_store(access);
  now_ = mark(access);
  if (const Stamp &before = racing_[static_cast<size_t>(access.thread) % racing_.size()];
      now_.pc() == before.pc) [[unlikely]]
    look_for_round(before);
  if (access.owner) [[unlikely]]
    look_at_peer(owner, access);
  first_looks_.access(mine_->number * 1024 + static_cast<uint64_t>(access.thread), access);
  const auto first = static_cast<size_t>(access.address - region->base);
  const size_t end = first + access.bytes;
  for (size_t i = first; i < end;) {
    const size_t count = std::min(4 - i % 4, end - i);
    Cell &cell = region->cells[i / 4];
    if (cell.number != number) {
      cell = {};
      cell.number = number;
      if (count == 4 && access.operation != Operation::atomic) { // nobody to meet
        (access.operation == Operation::load ? cell.last_read : cell.write) = now_;
        i += count;
        continue;
      }
    }
    if (count == 4 && !cell.is_split()) {
      check(cell, access, region->base + i, 4);
    } else {
      std::array<Cell, 4> &bytes = split(cell);
      for (size_t byte = i; byte < i + count; ++byte)
        check(bytes[byte % 4], access, region->base + byte, 1);
    }
    i += count;
  }
  if (access.by_bulk_copy && shared && access.operation == Operation::store)
    bulk_loads_.insert(access.pc);
  if ((access.operation == Operation::atomic && !access.is_of_barrier() && !access.by_bulk_copy) ||
      access.is_volatile)
    synchronise(access);
}

// The notes of the block whose shared memory it is.
Races::Notes &Races::owner_of_shared(const ThreadAccess &access) {
  if (!access.owner)
    return *mine_;
  Notes *const mine = mine_;
  enter(*access.owner); // which forgets what has to be forgotten
  return *std::exchange(mine_, mine);
}

// Whether the thread knows of anything that a thread of the block has done.
bool Races::knows_of(uint64_t block, int thread) const {
  const Known &known = mine_->threads[static_cast<size_t>(thread)].known;
  return known && std::any_of(known->begin(), known->end(), [&](const auto &one) {
           return one.first->of_block.count(block) > 0;
         });
}

// A block's shared memory is there from its beginning to its end: who touches it has to come after the one and before
// the other, whenever blocks run.
void Races::look_at_peer(Notes &owner, const ThreadAccess &access) {
  // A bulk copy is waited for at a barrier of that block, or is found unfinished.
  if (!access.by_bulk_copy)
    owner.by_peers[mine_->number * mine_->threads.size() + static_cast<size_t>(access.thread)] =
        now_;
  if (!knows_of(owner.number, access.thread))
    sink_.found({"peer_not_started",
                 false,
                 {{}, access.pc, blockIdx, threadIdx},
                 {},
                 "touches shared memory of a block of its cluster, and nothing has made sure that "
                 "it has begun"});
}

void Races::block_ends(ObservedBlock &block) {
  settle();
  enter(block);
  const auto knows = [&](const Stamp &earlier) {
    return std::any_of(mine_->threads.begin(), mine_->threads.end(), [&](const Thread &thread) {
      return thread.known && released(*thread.known, earlier);
    });
  };
  if (!this_block->all_exited())
    return;
  for (const auto &[thread, mark] : mine_->by_peers) {
    const Stamp earlier = stamp(mark);
    if (knows(earlier))
      continue;
    sink_.found(
        {"peer_exited",
         false,
         {{}, earlier.pc, index_of_block(earlier.block), index_of(earlier.thread)},
         {},
         "touches shared memory of a block of its cluster, and nothing keeps that block from "
         "ending before"});
    break;
  }
}

// What comes from here on may be in its way.
void Races::access_over(ObservedBlock &block, const ThreadAccess &access) {
  enter(block);
  now_ = mark(access);
  put_mark(access);
}

void Races::put_mark(const ThreadAccess &access) {
  const bool shared = access.space == Space::shared;
  Notes &owner = owner_of_shared(access);
  histories_ = shared ? &owner.shared : &global_;
  const auto first = static_cast<size_t>(access.address - access.region->base);
  for (size_t i = first / 4; i < (first + access.bytes + 3) / 4; ++i) {
    Cell &cell = access.region->cells[i];
    if (cell.number != (shared ? owner.shared_number : launch_))
      continue; // all was forgotten since it was told of
    if (cell.is_split())
      for (Cell &byte : split(cell))
        remember(byte, access.operation);
    else
      remember(cell, access.operation);
  }
}

Races::More &Races::more_of(Cell &cell) {
  if (cell.more == 0)
    cell.more = histories_->more.make();
  return histories_->more[cell.more];
}

// The cells of a word's bytes; they begin with what is known of the word.
std::array<Cell, 4> &Races::split(Cell &cell) {
  if (cell.is_split())
    return histories_->bytes[cell.more & ~Cell::split];
  const uint32_t number = histories_->bytes.make();
  std::array<Cell, 4> &bytes = histories_->bytes[number];
  bytes.fill(cell);
  for (size_t byte = 1; cell.more != 0 && byte < bytes.size(); ++byte) {
    bytes[byte].more = histories_->more.make();
    histories_->more[bytes[byte].more] = histories_->more[cell.more];
  }
  cell.more = number | Cell::split;
  return bytes;
}

namespace {

uint64_t instruction_of(int warp, uint32_t pc) { return uint64_t(warp) << 32 | pc; }

} // namespace

void Races::note_volatile_store(const ThreadAccess &access) {
  VolatileStore &store =
      mine_->volatile_stores
          .try_emplace(instruction_of(access.thread / 32, access.pc),
                       VolatileStore{access.thread, access.address}) // clang 14 wants its braces
          .first->second;
  store.of_each_lane |= store.thread != access.thread && store.address != access.address;
}

// Whether the word, which both accesses find volatile, serves as a flag, and not as one lane's part of an array
// that its warp works on as if it ran in step.
bool Races::is_flag(const Mark &earlier, const ThreadAccess &now) const {
  const Stamp then = stamp(earlier);
  const int warp = now.thread / 32;
  if (then.block != mine_->number || static_cast<int>(then.thread / 32) != warp)
    return true;
  const auto store = mine_->volatile_stores.find(
      instruction_of(warp, now.operation == Operation::store ? now.pc : earlier.pc()));
  return store == mine_->volatile_stores.end() || !store->second.of_each_lane;
}

// Two atomics never race if each one's scope holds the other's thread. Volatile accesses of global
// memory count as such where programs use them as flags; in shared memory they order nothing.
bool Races::races(const Mark &earlier, const ThreadAccess &now) const {
  const bool global = now.space != Space::shared;
  const bool both_atomic = (now.operation == Operation::atomic || (now.is_volatile && global)) &&
                           (earlier.is_atomic() || (earlier.is_volatile() && global));
  const bool both_volatile = now.is_volatile && earlier.is_volatile() && global;
  if (both_atomic && !both_volatile && std::min(earlier.scope(), now.scope) >= Scope::device)
    return false; // whoever it was
  const Context &before = contexts_[earlier.context() / 32];
  if (before.block == mine_->number && before.barriers < mine_->barriers)
    return false; // mostly
  const Stamp then = stamp(earlier);
  const bool meant = both_atomic && holds_both(earlier.scope(), then.block) &&
                     holds_both(now.scope, then.block) && (!both_volatile || is_flag(earlier, now));
  return !meant && !ordered(then, now);
}

// A load that races with an atomicCAS may be no more than a first look at the word.
void Races::report(const Mark &earlier,
                   bool earlier_wrote,
                   const ThreadAccess &now,
                   const char *place,
                   const Cell &cell) {
  FoundHazard race = describe(earlier, earlier_wrote, now);
  race.race.last_barrier = last_barrier(cell, now);
  const bool exchange_now = now.sort == AtomicSort::compare;
  const bool loads_now = now.operation == Operation::load && !now.is_volatile && !now.by_bulk_copy;
  const Stamp then = stamp(earlier);
  if (place && exchange_now && !earlier_wrote && !earlier.is_atomic() && !earlier.is_volatile())
    first_looks_.suspect(race, then.pc, then.block * 1024 + then.thread, place);
  else if (place && loads_now && earlier.is_atomic() && exchanges_.count(earlier.pc()))
    first_looks_.suspect(
        race, now.pc, mine_->number * 1024 + static_cast<uint64_t>(now.thread), place);
  else {
    sink_.found(race);
    for (const Stamp &one : {then, stamp(now_)})
      racing_[one.thread % racing_.size()] = one;
  }
}

void Races::look_for_round(const Stamp &before) {
  const Stamp now = stamp(now_);
  if (now.block == before.block && now.thread == before.thread && now.barriers == before.barriers &&
      now.clock == before.clock)
    sink_.came_round(now.pc);
}

// What stood there before the block's first write, nobody has written.
void Races::look_for_early_read(const Mark &read) {
  const Stamp then = stamp(read), now = stamp(now_);
  if (then.block == now.block)
    sink_.came_late({{}, then.pc, blockIdx, index_of(then.thread)},
                    {{}, now.pc, blockIdx, index_of(now.thread)});
}

// Of a write behind reads: who read what stood there before is remembered until then.
NeedOf Races::last_barrier(const Cell &cell, const ThreadAccess &now) const {
  if (now.operation != Operation::store)
    return NeedOf::unknown;
  static const More nobody{};
  const More &more = cell.more ? histories_->more[cell.more] : nobody;
  for (const Mark &read : {cell.last_read, more.read_by_lane, more.read_by_warp}) {
    const Stamp then = stamp(read);
    if (read && then.block == mine_->number && static_cast<int>(then.thread) != now.thread &&
        then.barriers + 1 == mine_->barriers)
      return NeedOf::some;
  }
  return NeedOf::none;
}

// A thread's own load before its atomicCAS: from here on it counts as a part of that.
void Races::exchanges(Cell &cell, const ThreadAccess &access, const char *place) {
  exchanges_.insert(access.pc);
  const auto look = [&](Mark &read) {
    const Stamp then = stamp(read);
    if (!read || read.is_atomic() || read.is_volatile() || then.block != mine_->number ||
        static_cast<int>(then.thread) != access.thread)
      return;
    first_looks_.looked_again(then.pc, access, place);
    read = Mark(read.context(), then.pc, true, false, access.scope);
  };
  look(cell.last_read);
  if (cell.more == 0)
    return;
  More &more = histories_->more[cell.more];
  for (Mark *read : {&more.read_by_lane, &more.read_by_warp, &more.read_by_block})
    look(*read);
}

void Races::check(Cell &cell, const ThreadAccess &access, const char *place, size_t bytes) {
  const bool whole = bytes == 4; // the word
  const auto report = [&](const Mark &earlier, bool earlier_wrote) {
    this->report(earlier, earlier_wrote, access, whole ? place : nullptr, cell);
  };
  if (access.sort == AtomicSort::compare && whole)
    exchanges(cell, access, place);
  if (conflict(cell.write, access)) {
    if (access.operation == Operation::store && !access.by_bulk_copy)
      doubts_.push_back({describe(cell.write, true, access), place, std::string(place, bytes)});
    else
      report(cell.write, true);
  }
  static const More nobody{};
  const More &more = cell.more ? histories_->more[cell.more] : nobody;
  if (conflict(more.atomic, access))
    report(more.atomic, true);
  if (access.operation != Operation::load) {
    const Mark &last_read = cell.last_read;
    for (const Mark *read :
         {&last_read, &more.read_by_lane, &more.read_by_warp, &more.read_by_block})
      if (conflict(*read, access)) {
        report(*read, false);
        if (access.sort != AtomicSort::compare)
          break; // before that, each may be a first look at what stands there now
      }
  }
  if (access.by_bulk_copy && access.operation == Operation::load && access.space == Space::shared) {
    look_at_proxies(cell.write, access);
    look_at_proxies(more.atomic, access);
  }
  remember(cell, access.operation);
}

void Races::remember(Cell &cell, Operation operation) {
  if (operation == Operation::atomic) {
    // A plain write before it stays remembered: other blocks' atomics may race with that one.
    more_of(cell).atomic = now_;
    return;
  }
  if (operation == Operation::store) {
    // Who is not ordered after the accesses before this write is not ordered after it either.
    if (!cell.write && cell.last_read && histories_ != &global_) [[unlikely]]
      look_for_early_read(cell.last_read);
    cell.write = now_;
    cell.last_read = {};
    if (cell.more)
      histories_->more[cell.more] = {};
    return;
  }
  const Mark last = cell.last_read;
  cell.last_read = now_;
  if (!last || last.context() == now_.context())
    return;
  const Context &before = contexts_[last.context() / 32], &mine = contexts_[now_.context() / 32];
  if (before.block != mine.block) {
    More &more = more_of(cell);
    more.read_by_block = last;
    more.read_by_warp = more.read_by_lane = {};
  } else if (before.warp != mine.warp) {
    More &more = more_of(cell);
    more.read_by_warp = last;
    more.read_by_lane = {};
  } else if (last.context() % 32 != now_.context() % 32) {
    more_of(cell).read_by_lane = last;
  }
}

namespace {
std::string did(bool atomic, bool writes, const std::string &name) {
  return (atomic ? "an atomic" + (name.empty() ? name : " on " + name)
                 : (writes ? "writes" : "reads") + (name.empty() ? name : ' ' + name));
}
} // namespace

// Whoever has met others more often since the last barrier has done so between the two accesses: in which __syncwarp()?
VainSync Races::vain_sync(const Mark &earlier, const Stamp &then, unsigned now) const {
  const auto meetings = [&](unsigned thread, uint32_t clock) {
    return clock - mine_->at_barrier[thread / 32];
  };
  const bool same_warp = then.thread / 32 == now / 32;
  const uint32_t before = meetings(then.thread, then.clock);
  const uint32_t since = meetings(now, mine_->lanes[now / 32].clock(static_cast<int>(now % 32)));
  const unsigned later = since > before ? now : then.thread, other = later ^ now ^ then.thread;
  const size_t contexts = since > before ? contexts_.size() : earlier.context() / 32;
  for (const Synced &sync : mine_->synced[later / 32]) {
    if (sync.site.line == 0 || meetings(later, sync.clock) <= std::min(before, since))
      return {};
    if (!(sync.lanes >> later % 32 & 1) || sync.contexts > contexts)
      continue;
    const bool waits_for_both = same_warp && sync.lanes >> other % 32 & 1;
    return waits_for_both
               ? VainSync()
               : VainSync{sync.site, sync.lanes, same_warp ? static_cast<int>(other % 32) : -1};
  }
  return {};
}

FoundHazard
Races::describe(const Mark &earlier_mark, bool earlier_wrote, const ThreadAccess &now) const {
  const Stamp earlier = stamp(earlier_mark);
  const bool shared = now.space == Space::shared;
  const auto sent = sent_by_.find(earlier_mark.context() / 32);
  const uint64_t earlier_block = sent == sent_by_.end() ? earlier.block : sent->second;
  const bool same_block = earlier_block == mine_->number;
  const bool same_warp =
      same_block && earlier.thread / 32 == static_cast<unsigned>(now.thread) / 32;
  const bool now_writes = now.operation != Operation::load;
  const std::string name = array_names().element(now);
  const std::string it = name.empty() ? " what" : ' ' + name + ", which";
  const std::string what = now_writes && earlier_wrote
                               ? "two threads write" + (name.empty() ? name : ' ' + name)
                           : now_writes ? "one thread writes" + it + " another reads"
                                        : "one thread reads" + it + " another writes";
  const bool now_atomic = now.operation == Operation::atomic;
  const bool both_atomic = now_atomic && earlier_mark.is_atomic(); // of too narrow a scope
  RaceShape shape = {same_warp,
                     shared && !same_block,
                     now_writes && earlier_wrote && !now_atomic && !earlier_mark.is_atomic(),
                     shared && now.in_own_shared() >= dynamic_shared,
                     shared && !name.empty() && name.back() != ']',
                     now_atomic != earlier_mark.is_atomic(),
                     false,
                     same_block,
                     same_block ? this_block->passed_barriers(same_warp) : std::vector<Site>(),
                     same_warp && this_block->passed_barriers(true).size() >
                                      this_block->passed_barriers(false).size(),
                     both_atomic  ? FlagLacks::scope
                     : same_block ? FlagLacks::flag
                                  : lacks(earlier,
                                          mine_->threads[static_cast<size_t>(now.thread)],
                                          earlier_mark.is_atomic() ? now.region : nullptr)};
  if (same_block && earlier.thread < mine_->threads.size()) { // it is no bulk copy
    const auto number = static_cast<unsigned>(now.thread);
    shape.sync = vain_sync(earlier_mark, earlier, number);
    for (const unsigned either : {earlier.thread, number}) {
      const Thread &thread = mine_->threads[either];
      shape.fenced |= thread.fences_at_fence > 0 && thread.barriers_at_fence == mine_->barriers;
    }
  }
  constexpr const char *of_flag[] = {
      ", and no barrier orders blocks",
      ", and the flag between them was set with no fence before it",
      (", and before the flag between them another thread has fenced, which had not waited for the "
       "one that writes"),
      ", and the flag between them was read with no fence behind it",
      ", and the fence between them holds for the threads of one block only",
  };
  const std::string why =
      both_atomic            ? ", by atomics that hold for the threads of one block only"
      : shape.both_write     ? ", and nothing orders them"
      : shape.in_cluster     ? ", and no barrier of the cluster is between"
      : !same_block          ? of_flag[static_cast<size_t>(shape.lacks)]
      : shape.sync.lane >= 0 ? ", in one warp, and no __syncwarp() between waits for both"
      : same_warp ? ", in one warp, with neither __syncthreads() nor __syncwarp() between"
                  : ", with no __syncthreads() between";
  const char *fence = shape.fenced ? ": a fence makes nobody wait" : "";
  return {shared ? "shared_race" : "global_race",
          false,
          {{}, now.pc, blockIdx, threadIdx},
          {{}, earlier.pc, index_of_block(earlier_block), index_of(earlier.thread)},
          what + why + fence,
          shape,
          did(now_atomic, now_writes, name),
          did(earlier_mark.is_atomic(), earlier_wrote, name)};
}

FoundHazard Races::describe_proxies(const Stamp &written, const ThreadAccess &now) const {
  const std::string name = array_names().element(now);
  return {"proxy_fence",
          false,
          {{}, now.pc, blockIdx, threadIdx},
          {{}, written.pc, index_of_block(written.block), index_of(written.thread)},
          "a bulk copy reads " + (name.empty() ? "what" : name + ", which") +
              " a thread has written, with no fence.proxy.async between"};
}

// Ordered or not: a thread of the kernel has written it, and no cache for reading alone has heard of that.
void Races::read_only(ObservedBlock &block, const ThreadAccess &read) {
  enter(block);
  histories_ = &global_;
  const auto first = static_cast<size_t>(read.address - read.region->base);
  for (size_t i = first, step; i < first + read.bytes; i += step) {
    Cell &word = read.region->cells[i / 4];
    step = word.is_split() ? 1 : 4 - i % 4;
    if (word.number != launch_)
      continue;
    const Cell &cell = word.is_split() ? split(word)[i % 4] : word;
    const Mark written = cell.write  ? cell.write
                         : cell.more ? global_.more[cell.more].atomic
                                     : Mark();
    if (!written)
      continue;
    const Stamp then = stamp(written);
    const std::string name = array_names().element(read);
    sink_.found({"stale_read",
                 false,
                 {{}, read.pc, blockIdx, threadIdx},
                 {{}, then.pc, index_of_block(then.block), index_of(then.thread)},
                 "__ldg() reads " + (name.empty() ? "what" : name + ", which") +
                     " a thread of this kernel has written: it reads through a cache that hears "
                     "nothing of that, with any fence",
                 {},
                 did(false, false, name),
                 did(written.is_atomic(), true, name)});
    return;
  }
}

// That a barrier was made ready, too, has to be settled before a bulk copy tells it of bytes.
void Races::bulk_tells(
    ObservedBlock &block, int index, const void *barrier, uint32_t pc, Site made_ready) {
  enter(block);
  const Variable &variable = variable_at(barrier);
  const Stamp &then = variable.made_ready;
  if (variable.phases == 0 || is_settled(then, index) ||
      then.fences < mine_->threads[then.thread].barrier_fence)
    return;
  sink_.found({"proxy_fence",
               false,
               {{}, pc, blockIdx, threadIdx},
               {made_ready, 0, blockIdx, index_of(then.thread)},
               "a bulk copy tells a barrier of its bytes that a thread has made ready, with no "
               "fence.mbarrier_init or fence.proxy.async between"});
}

// The next access comes: what the last one has written can be looked at.
void Races::settle() {
  const bool all_as_before = std::all_of(doubts_.begin(), doubts_.end(), [](const Doubt &doubt) {
    return std::memcmp(doubt.place, doubt.before.data(), doubt.before.size()) == 0;
  });
  for (Doubt &doubt : doubts_) {
    if (all_as_before) {
      doubt.race.kind = "same_value_race";
      doubt.race.warning = true;
      doubt.race.message = same_value;
    }
    sink_.found(doubt.race);
  }
  doubts_.clear();
}

} // namespace emu
