// What orders accesses: barriers, meetings of lanes, releases and acquires.
#include "races.hpp"

#include <algorithm>
#include <utility>

#include "../src/engine/cluster.hpp"
#include "lanes.hpp"

namespace emu {

namespace {

// What either of them knows.
template <class Map>
std::shared_ptr<const Map> merged(const std::shared_ptr<const Map> &a,
                                  const std::shared_ptr<const Map> &b) {
  if (!a || !b || a == b)
    return a ? a : b;
  auto all = std::make_shared<Map>(a->size() < b->size() ? *b : *a);
  for (const auto &[key, count] : a->size() < b->size() ? *a : *b) {
    auto &most = (*all)[key];
    most = std::max(most, count);
  }
  return all;
}

// Whether the view of a group's members holds what was done.
bool knows(const std::vector<uint32_t> &view, const Stamp &earlier) {
  return earlier.thread < view.size() && earlier.fences < view[earlier.thread];
}

// Bulk copies have numbers of threads from here on.
constexpr int beyond_threads = 1024;

} // namespace

// Nothing that was done counts any more, in any block.
void Races::forget() {
  settle();
  first_looks_.forget();
  ++launch_;
  variables_.clear();
  unfenced_.fill({});
  global_.forget();
  contexts_.assign(1, {});
  of_lanes_.clear();
  sent_by_.clear();
  racing_.fill({});
  full_ = false;
}

void Races::enter_anew() {
  if (full_)
    forget();
  mine_->forgotten = launch_;
  mine_->shared_number = ++shared_numbers_;
  mine_->shared.forget();
  std::fill(mine_->context.begin(), mine_->context.end(), 0);
  std::fill(mine_->synced.begin(), mine_->synced.end(), std::array<Synced, 4>());
  for (Thread &thread : mine_->threads)
    thread.known = thread.read_in_flags = thread.known_at_fence = nullptr;
}

/// The lanes that a warp has in a block of so many threads.
static uint32_t members(size_t threads, size_t warp) {
  const size_t lanes = threads - 32 * warp;
  return lanes >= 32 ? ~0u : (1u << lanes) - 1;
}

void Races::block_begins(ObservedBlock &block) {
  enter(block);
  Notes &mine = *mine_;
  const auto threads = static_cast<size_t>(block.threads), warps = (threads + 31) / 32;
  mine.number = block.number;
  mine.shared_number = ++shared_numbers_;
  mine.shared.forget();
  mine.barriers = 0;
  mine.anything_to_share = false;
  mine.volatile_stores.clear();
  mine.bulks = 0;
  mine.by_peers.clear();
  mine.lanes.clear();
  mine.lanes.resize(warps);
  mine.context.assign(warps, 0);
  mine.synced.assign(warps, {});
  mine.at_barrier.assign(warps, 0);
  if (mine.any_thread_knows || mine.threads.size() != threads)
    mine.threads.assign(threads, {});
  mine.any_thread_knows = false;
}

// ------------------------------------------------------------------------------ what orders

void Races::barrier(ObservedBlock &block) {
  enter(block);
  ++mine_->barriers;
  std::fill(mine_->context.begin(), mine_->context.end(), 0);
  for (size_t warp = 0; warp < mine_->lanes.size(); ++warp) {
    mine_->lanes[warp].barrier();
    mine_->at_barrier[warp] = mine_->lanes[warp].clock(0);
    mine_->synced[warp][0] = {};
  }
  if (!mine_->any_thread_knows)
    return;
  std::vector<Thread *> all;
  for (Thread &thread : mine_->threads) {
    thread.groups = nullptr;
    if (mine_->anything_to_share)
      all.push_back(&thread);
  }
  share(all);
  mine_->anything_to_share = false;
}

// From here on each member knows what any of them has done or known.
void Races::group_met(ObservedBlock &block, int first, int count) {
  enter(block);
  mine_->any_thread_knows = true;
  std::vector<uint32_t> view(mine_->threads.size());
  std::vector<Thread *> members;
  const std::vector<uint32_t> *last = nullptr;
  for (int i = first; i < first + count; ++i) {
    Thread &thread = mine_->threads[static_cast<size_t>(i)];
    members.push_back(&thread);
    if (thread.groups && thread.groups.get() != last) {
      last = thread.groups.get();
      std::transform(
          view.begin(), view.end(), last->begin(), view.begin(), [](uint32_t a, uint32_t b) {
            return std::max(a, b);
          });
    }
    view[static_cast<size_t>(i)] = ++thread.fences;
    mine_->context[static_cast<size_t>(i / 32)] = 0;
  }
  const auto shared_view = std::make_shared<const std::vector<uint32_t>>(std::move(view));
  for (Thread *thread : members)
    thread->groups = shared_view;
  if (mine_->anything_to_share)
    share(members);
}

void Races::lanes_met(ObservedBlock &block, int warp, uint32_t lanes, Site sync) {
  enter(block);
  const auto index = static_cast<size_t>(warp);
  mine_->lanes[index].met(lanes, members(mine_->threads.size(), index));
  if (sync.line > 0) {
    std::array<Synced, 4> &last = mine_->synced[index];
    std::copy_backward(last.begin(), last.end() - 1, last.end());
    last[0] = {sync, lanes, mine_->lanes[index].clock(__builtin_ctz(lanes)), contexts_.size()};
  }
  mine_->context[index] = 0;
  if (!mine_->anything_to_share)
    return;
  std::vector<Thread *> met;
  for (const size_t lane : LanesOf(lanes))
    met.push_back(&mine_->threads[32 * index + lane]);
  share(met);
}

// What one of these threads has acquired, all of them know from here on; what one has fenced, each
// of them may release; what one has read in a flag, each may acquire by a fence.
void Races::share(const std::vector<Thread *> &threads) {
  Known known, read_in_flags;
  Fenced fenced;
  Thread::Unfenced unfenced;
  for (const Thread *thread : threads) {
    known = merged(known, thread->known);
    read_in_flags = merged(read_in_flags, thread->read_in_flags);
    fenced = merged(fenced, thread->fenced);
    unfenced = std::max(unfenced, thread->unfenced);
  }
  for (Thread *thread : threads) {
    thread->known = known;
    thread->read_in_flags = read_in_flags;
    thread->fenced = fenced;
    thread->unfenced = unfenced;
  }
}

void Races::acquired(ObservedBlock &block, int thread) {
  enter(block);
  acquire_flags(thread);
}

void Races::acquire_flags(int index) {
  Thread &thread = mine_->threads[static_cast<size_t>(index)];
  thread.known = merged(thread.known, thread.read_in_flags);
  thread.read_in_flags = nullptr;
}

void Races::fence(ObservedBlock &block, int index, Scope scope) {
  enter(block);
  mine_->any_thread_knows = true;
  acquire_flags(index);
  Thread &thread = mine_->threads[static_cast<size_t>(index)];
  thread.fences_at_fence = ++thread.fences;
  mine_->context[static_cast<size_t>(index / 32)] = 0;
  thread.fence_scope = scope;
  thread.barriers_at_fence = mine_->barriers;
  thread.lanes_at_fence = mine_->lanes[static_cast<size_t>(index / 32)].view(index % 32);
  thread.groups_at_fence = thread.groups;
  thread.known_at_fence = thread.known;
  if (scope < Scope::device)
    return;
  auto mine = std::make_shared<FenceCounts>();
  (*mine)[index] = thread.fences;
  thread.fenced = merged<FenceCounts>(thread.fenced, mine);
  mine_->anything_to_share = true;
}

// An atomic, or an access to a volatile variable: passes on what a fence has made ready, and takes
// what others have left there.
void Races::synchronise(const ThreadAccess &access) {
  Thread &thread = mine_->threads[static_cast<size_t>(access.thread)];
  const bool reads = access.operation != Operation::store;
  const bool writes = access.operation != Operation::load;
  const bool global = access.space != Space::shared;
  const auto entry = variables_.find(access.address);
  Unfenced &unfenced =
      unfenced_[reinterpret_cast<uintptr_t>(access.address) / 4 % unfenced_.size()];
  if (reads && entry != variables_.end()) {
    acquire(thread.known,
            thread.read_in_flags,
            *entry->second,
            entry->second->releases,
            entry->second->passed_on);
  } else if (reads && global && unfenced.address == access.address && unfenced.is_flag()) {
    thread.unfenced = std::max(thread.unfenced, {unfenced.blocks, access.region});
    mine_->any_thread_knows = mine_->anything_to_share = true;
  }
  if (!writes)
    return;
  if (thread.fences_at_fence == 0 && !thread.fenced) {
    if (!global) // what is shared tells other blocks nothing
      return;
    if (unfenced.address != access.address)
      unfenced = {access.address, 0, 0};
    unfenced.blocks = std::max(unfenced.blocks, mine_->number + 1);
    ++unfenced.times;
    return;
  }
  Variable &variable = variable_at(access.address);
  if (!reads) {
    // A plain store begins anew: who reads it learns nothing of releases before it.
    variable.of_block.clear();
    variable.passed_on = nullptr;
  }
  release_fenced(variable, access.thread, access.scope);
}

// Of what the thread had done when it fenced last.
void Races::release_fenced(Variable &variable, int index, Scope scope) {
  const Thread &thread = mine_->threads[static_cast<size_t>(index)];
  release(variable,
          {0,
           index,
           thread.barriers_at_fence,
           thread.lanes_at_fence,
           thread.groups_at_fence,
           thread.fences_at_fence,
           std::min(thread.fence_scope, scope),
           scope,
           thread.fenced},
          thread.known_at_fence);
}

Races::Variable &Races::variable_at(const void *address) {
  std::unique_ptr<Variable> &variable = variables_[address];
  if (!variable)
    variable = std::make_unique<Variable>();
  return *variable;
}

void Races::release(Variable &variable, const Release &release, const Known &known) {
  variable.passed_on = merged(variable.passed_on, known);
  std::vector<Release> &of_thread = variable.of_block[mine_->number][release.thread];
  of_thread.push_back(release);
  of_thread.back().number = variable.releases++;
}

// Unless the thread knows it.
void Races::acquire(const Known &known,
                    Known &into,
                    const Variable &variable,
                    size_t releases,
                    const Known &passed_on) {
  mine_->any_thread_knows = true;
  for (const Known *one : {&known, static_cast<const Known *>(&into)}) {
    if (!*one)
      continue;
    const auto already = (*one)->find(&variable);
    if (already != (*one)->end() && already->second >= releases)
      return;
  }
  auto news = std::make_shared<Knowledge>();
  (*news)[&variable] = releases;
  into = merged<Knowledge>(merged<Knowledge>(into, passed_on), news);
  mine_->anything_to_share = true;
}

// ------------------------------------------------------------------------- barriers with phases

// Of what the thread has done until now, and not of what comes.
Races::Release Races::release_of_all(int index, Scope scope) {
  mine_->any_thread_knows = true;
  Thread &thread = mine_->threads[static_cast<size_t>(index)];
  ++thread.fences;
  mine_->context[static_cast<size_t>(index / 32)] = 0;
  return {0,
          index,
          mine_->barriers,
          mine_->lanes[static_cast<size_t>(index / 32)].view(index % 32),
          thread.groups,
          thread.fences,
          scope,
          scope,
          thread.fenced};
}

// Whoever knows what it has passed on before keeps that.
void Races::phases_begin(ObservedBlock &block, int index, const void *barrier) {
  enter(block);
  Variable &variable = variable_at(barrier);
  variable.made_ready = {mine_->number,
                         static_cast<unsigned>(index),
                         mine_->barriers,
                         0,
                         mine_->lanes[static_cast<size_t>(index / 32)].clock(index % 32),
                         mine_->threads[static_cast<size_t>(index)].fences};
  variable.phases = 1;
  variable.of_block.clear();
  variable.passed_on = nullptr;
  variable.last.fill({});
}

void Races::arrived(
    ObservedBlock &block, int thread, const void *barrier, Scope scope, bool releases) {
  enter(block);
  Variable &variable = variable_at(barrier);
  if (releases) {
    const Release all = release_of_all(thread, scope);
    release(variable, all, mine_->threads[static_cast<size_t>(thread)].known);
  } else {
    release_fenced(variable, thread, scope);
  }
}

void Races::phase_ended(ObservedBlock &block, const void *barrier) {
  enter(block);
  Variable &variable = variable_at(barrier);
  variable.last[variable.phases++ % variable.last.size()] = {variable.releases, variable.passed_on};
}

void Races::phase_passed(ObservedBlock &block, int index, const void *barrier, unsigned others) {
  enter(block);
  const Variable &variable = variable_at(barrier);
  const Variable::Phase &passed =
      variable.last[(variable.phases - 1 - others) % variable.last.size()];
  Thread &thread = mine_->threads[static_cast<size_t>(index)];
  acquire(thread.known, thread.known, variable, passed.releases, passed.passed_on);
}

// ---------------------------------------------------------------------------------- bulk copies

// It is a thread of its own, beyond those of the block that it comes to, of the same lane as the thread that has begun it.
void Races::bulk_arrived(ObservedBlock &block,
                         uint64_t by,
                         const ThreadAccess &from,
                         const ThreadAccess &to,
                         const void *barrier) {
  enter(block);
  const int copier = beyond_threads + to.thread;
  const auto context = static_cast<uint32_t>(contexts_.size());
  contexts_.push_back(
      {mine_->number, mine_->barriers, static_cast<uint32_t>(copier / 32), 0, mine_->bulks++, -1});
  if (by != mine_->number)
    sent_by_[context] = by;
  for (const ThreadAccess *access : {&from, &to}) {
    now_ = Mark(context * 32 + static_cast<uint32_t>(copier % 32),
                access->pc,
                access->operation == Operation::atomic,
                false,
                access->scope);
    if (access->region)
      put_mark(*access);
  }
  release(variable_at(barrier),
          {0, copier, 0, {}, nullptr, mine_->bulks, Scope::cluster, Scope::cluster, nullptr},
          nullptr);
}

void Races::proxy_fence(ObservedBlock &block, int index, bool barriers_only) {
  enter(block);
  mine_->any_thread_knows = true;
  Thread &thread = mine_->threads[static_cast<size_t>(index)];
  mine_->context[static_cast<size_t>(index / 32)] = 0;
  if (barriers_only) {
    thread.barrier_fence = ++thread.fences;
    return;
  }
  thread.proxy_fence = {++thread.fences,
                        mine_->barriers,
                        mine_->lanes[static_cast<size_t>(index / 32)].clock(index % 32),
                        thread.groups,
                        thread.known};
}

// Whether a fence.proxy.async stands between what was written and a bulk copy that the thread begins now: one of who
// wrote, or one of the thread's own behind what orders the two.
bool Races::is_settled(const Stamp &written, int index) const {
  const Thread &thread = mine_->threads[static_cast<size_t>(index)];
  const ProxyFence &own = thread.proxy_fence;
  if (written.block != mine_->number ||
      written.fences < mine_->threads[written.thread].proxy_fence.fences)
    return true;
  const bool nothing_since =
      own.barriers == mine_->barriers && own.groups == thread.groups && own.known == thread.known &&
      own.clock == mine_->lanes[static_cast<size_t>(index / 32)].clock(index % 32);
  return own.fences > 0 && (nothing_since || written.barriers < own.barriers);
}

void Races::look_at_proxies(const Mark &written, const ThreadAccess &now) const {
  if (!written || bulk_loads_.count(written.pc()))
    return;
  const Stamp then = stamp(written);
  if (!is_settled(then, now.thread))
    sink_.found(describe_proxies(then, now));
}

// Whether a scope around the running thread holds those of the other block, too.
bool Races::holds_both(Scope scope, uint64_t other_block) const {
  return other_block == mine_->number || scope >= Scope::device ||
         (scope == Scope::cluster && cluster_of(other_block) == cluster_of(mine_->number));
}

// Whether the release makes sure of what `earlier` did, a thread of the same block.
bool Races::covers(const Release &release, const Stamp &earlier, bool of_any_scope) const {
  const auto thread = static_cast<int>(earlier.thread);
  if (of_any_scope || holds_both(release.scope, earlier.block)) {
    const bool same_warp = release.thread / 32 == thread / 32;
    if (earlier.barriers < release.barriers ||
        (same_warp && LaneOrder::ordered(thread % 32, earlier.clock, release.lanes)) ||
        (release.thread == thread && earlier.fences < release.fences) ||
        (release.groups && knows(*release.groups, earlier)))
      return true;
  }
  // The thread fenced for itself, then a barrier, then another one's atomic.
  if (!release.fenced || !holds_both(release.atomic_scope, earlier.block))
    return false;
  const auto fenced = release.fenced->find(thread);
  return fenced != release.fenced->end() && earlier.fences < fenced->second;
}

// Whether `earlier` is covered by a release that is known.
bool Races::released(const Knowledge &known, const Stamp &earlier, bool of_any_scope) const {
  for (const auto &one : known) { // clang 14 lets no lambda have a structured binding
    const auto *const variable = one.first;
    const size_t count = one.second;
    const auto of_block = variable->of_block.find(earlier.block);
    if (of_block == variable->of_block.end())
      continue;
    // The later ones of a thread cover more; of a lock there are many.
    const auto covered = [&](const std::vector<Release> &releases) {
      const auto unknown =
          std::partition_point(releases.begin(), releases.end(), [&](const Release &release) {
            return release.number < count;
          });
      const auto latest = std::make_reverse_iterator(unknown);
      const bool one_will_do = variable->phases > 0 && latest != releases.rend(); // all are alike
      return std::any_of(
          latest, one_will_do ? latest + 1 : releases.rend(), [&](const Release &release) {
            return covers(release, earlier, of_any_scope);
          });
    };
    const auto &of_thread = of_block->second;
    const auto its_own = of_thread.find(static_cast<int>(earlier.thread));
    if (its_own != of_thread.end() && covered(its_own->second))
      return true;
    for (const auto &[thread, releases] : of_thread)
      if (thread != static_cast<int>(earlier.thread) && covered(releases))
        return true;
  }
  return false;
}

// Whether a flag that is known was set behind a fence of its block's, and behind none of this thread's own.
bool Races::fenced_by_others(const Knowledge &known, const Stamp &earlier) {
  return std::any_of(known.begin(), known.end(), [&](const auto &one) {
    const auto of_block = one.first->of_block.find(earlier.block);
    return of_block != one.first->of_block.end() &&
           !of_block->second.contains(static_cast<int>(earlier.thread));
  });
}

bool Races::ordered(const Stamp &earlier, const ThreadAccess &now) const {
  if (earlier.block == mine_->number) {
    if (static_cast<int>(earlier.thread) == now.thread || earlier.barriers < mine_->barriers)
      return true;
    const auto warp = static_cast<size_t>(now.thread / 32);
    if (earlier.thread / 32 == warp &&
        mine_->lanes[warp].ordered(
            static_cast<int>(earlier.thread % 32), earlier.clock, now.thread % 32))
      return true;
    const GroupView &groups = mine_->threads[static_cast<size_t>(now.thread)].groups;
    if (groups && knows(*groups, earlier))
      return true;
  }
  const Known &known = mine_->threads[static_cast<size_t>(now.thread)].known;
  return known && released(*known, earlier);
}

/// \param counted_in  the memory, if the earlier access is an atomic, which may be one of many counts there and no flag
FlagLacks Races::lacks(const Stamp &earlier, const Thread &now, const Region *counted_in) const {
  if (now.read_in_flags && released(*now.read_in_flags, earlier))
    return FlagLacks::fence_behind;
  for (const Known &known : {now.known, now.read_in_flags})
    if (known && released(*known, earlier, true))
      return FlagLacks::scope;
  for (const Known &known : {now.known, now.read_in_flags})
    if (known && fenced_by_others(*known, earlier))
      return FlagLacks::own_fence;
  return earlier.block < now.unfenced.blocks && now.unfenced.memory != counted_in
             ? FlagLacks::fence_before
             : FlagLacks::flag;
}

} // namespace emu
