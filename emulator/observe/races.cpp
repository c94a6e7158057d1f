// What orders accesses: barriers, meetings of lanes, releases and acquires.
#include "races.hpp"

#include <algorithm>
#include <utility>

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

// Of a launch; more would take gigabytes.
constexpr size_t most_contexts = size_t{1} << 26;

} // namespace

void Races::launch_begins(const ObservedLaunch &) {
  ++launch_;
  variables_.clear();
  global_.forget();
  forget_contexts();
}

void Races::forget_contexts() {
  contexts_.assign(1, {});
  of_lanes_.clear();
}

void Races::block_begins(const ObservedBlock &block) {
  const int threads = block.threads;
  ++block_number_;
  shared_.forget();
  if (contexts_.size() > most_contexts) { // what earlier blocks did is forgotten
    ++launch_;
    global_.forget();
    forget_contexts();
  }
  block_ = block.number;
  barriers_ = 0;
  anything_to_share_ = false;
  volatile_stores_.clear();
  const auto warps = static_cast<size_t>(threads + 31) / 32;
  lanes_.assign(warps, {});
  context_.assign(warps, 0);
  alive_.assign(warps, ~0u);
  if (threads % 32 != 0)
    alive_.back() = (1u << threads % 32) - 1;
  if (any_thread_knows_ || threads_.size() != static_cast<size_t>(threads))
    threads_.assign(static_cast<size_t>(threads), {});
  any_thread_knows_ = false;
}

// ------------------------------------------------------------------------------ what orders

void Races::barrier() {
  ++barriers_;
  std::fill(context_.begin(), context_.end(), 0);
  for (LaneOrder &warp : lanes_)
    warp.barrier();
  std::vector<Thread *> all;
  for (Thread &thread : threads_) {
    thread.groups = nullptr;
    if (anything_to_share_)
      all.push_back(&thread);
  }
  share(all);
  anything_to_share_ = false;
}

// From here on each member knows what any of them has done or known.
void Races::group_met(int first, int count) {
  any_thread_knows_ = true;
  std::vector<uint16_t> view(threads_.size());
  std::vector<Thread *> members;
  const std::vector<uint16_t> *last = nullptr;
  for (int i = first; i < first + count; ++i) {
    Thread &thread = threads_[static_cast<size_t>(i)];
    members.push_back(&thread);
    if (thread.groups && thread.groups.get() != last) {
      last = thread.groups.get();
      std::transform(
          view.begin(), view.end(), last->begin(), view.begin(), [](uint16_t a, uint16_t b) {
            return std::max(a, b);
          });
    }
    view[static_cast<size_t>(i)] = ++thread.fences;
    context_[static_cast<size_t>(i / 32)] = 0;
  }
  const auto shared_view = std::make_shared<const std::vector<uint16_t>>(std::move(view));
  for (Thread *thread : members)
    thread->groups = shared_view;
  if (anything_to_share_)
    share(members);
}

void Races::lanes_met(int warp, uint32_t lanes) {
  const auto index = static_cast<size_t>(warp);
  lanes_[index].met(lanes, alive_[index]);
  context_[index] = 0;
  std::vector<Thread *> met;
  if (anything_to_share_)
    for (const size_t lane : LanesOf(lanes))
      met.push_back(&threads_[32 * index + lane]);
  share(met);
}

// What one of these threads has acquired, all of them know from here on; what one has fenced, each
// of them may release.
void Races::share(const std::vector<Thread *> &threads) {
  Known known;
  Fenced fenced;
  for (const Thread *thread : threads) {
    known = merged(merged(known, thread->known), thread->read_in_flags);
    fenced = merged(fenced, thread->fenced);
  }
  for (Thread *thread : threads) {
    thread->known = known;
    thread->read_in_flags = nullptr;
    thread->fenced = fenced;
  }
}

void Races::acquired(int index) {
  Thread &thread = threads_[static_cast<size_t>(index)];
  thread.known = merged(thread.known, thread.read_in_flags);
  thread.read_in_flags = nullptr;
}

void Races::fence(int index, Scope scope) {
  any_thread_knows_ = true;
  acquired(index);
  Thread &thread = threads_[static_cast<size_t>(index)];
  ++thread.fences;
  context_[static_cast<size_t>(index / 32)] = 0;
  thread.fence_scope = scope;
  thread.barriers_at_fence = barriers_;
  thread.lanes_at_fence = lanes_[static_cast<size_t>(index / 32)].view(index % 32);
  thread.groups_at_fence = thread.groups;
  thread.known_at_fence = thread.known;
  if (scope == Scope::block)
    return;
  auto mine = std::make_shared<FenceCounts>();
  (*mine)[index] = thread.fences;
  thread.fenced = merged<FenceCounts>(thread.fenced, mine);
  anything_to_share_ = true;
}

void Races::thread_exits(int thread) {
  alive_[static_cast<size_t>(thread / 32)] &= ~(1u << thread % 32);
}

// An atomic, or an access to a volatile variable: passes on what a fence has made ready, and takes
// what others have left there.
void Races::synchronise(const ThreadAccess &access) {
  Thread &thread = threads_[static_cast<size_t>(access.thread)];
  const bool reads = access.operation != Operation::store;
  const bool writes = access.operation != Operation::load;
  auto entry = variables_.find(access.address);
  if (reads && entry != variables_.end())
    acquire(thread, *entry->second);
  if (!writes || (thread.fences == 0 && !thread.fenced))
    return;
  if (entry == variables_.end())
    entry = variables_.emplace(access.address, std::make_unique<Variable>()).first;
  Variable &variable = *entry->second;
  if (!reads) {
    // A plain store begins anew: who reads it learns nothing of releases before it.
    variable.of_block.clear();
    variable.passed_on = nullptr;
  }
  variable.passed_on = merged(variable.passed_on, thread.known_at_fence);
  variable.of_block[access.block].push_back({variable.releases++,
                                             access.thread,
                                             thread.barriers_at_fence,
                                             thread.lanes_at_fence,
                                             thread.groups_at_fence,
                                             thread.fences,
                                             std::min(thread.fence_scope, access.scope),
                                             access.scope,
                                             thread.fenced});
}

void Races::acquire(Thread &thread, const Variable &variable) {
  any_thread_knows_ = true;
  if (thread.known) {
    const auto already = thread.known->find(&variable);
    if (already != thread.known->end() && already->second == variable.releases)
      return;
  }
  auto news = std::make_shared<Knowledge>();
  (*news)[&variable] = variable.releases;
  thread.read_in_flags =
      merged<Knowledge>(merged<Knowledge>(thread.read_in_flags, variable.passed_on), news);
  anything_to_share_ = true;
}

// Whether the release makes sure of what `earlier` did, a thread of the same block.
bool Races::covers(const Release &release, const Stamp &earlier) const {
  const auto thread = static_cast<int>(earlier.thread);
  const bool in_my_block = earlier.block == block_;
  if (in_my_block || release.scope != Scope::block) {
    const bool same_warp = release.thread / 32 == thread / 32;
    if (earlier.barriers < release.barriers ||
        (same_warp && LaneOrder::ordered(thread % 32, earlier.clock, release.lanes)) ||
        (release.thread == thread && earlier.fences < release.fences) ||
        (release.groups && earlier.fences < (*release.groups)[earlier.thread]))
      return true;
  }
  // The thread fenced for itself, then a barrier, then another one's atomic.
  if (!release.fenced || (!in_my_block && release.atomic_scope == Scope::block))
    return false;
  const auto fenced = release.fenced->find(thread);
  return fenced != release.fenced->end() && earlier.fences < fenced->second;
}

// Whether `earlier` is covered by a release that is known.
bool Races::released(const Knowledge &known, const Stamp &earlier) const {
  for (const auto &[variable, count] : known) {
    const auto of_block = variable->of_block.find(earlier.block);
    if (of_block == variable->of_block.end())
      continue;
    for (const Release &release : of_block->second)
      if (release.number < count && covers(release, earlier))
        return true;
  }
  return false;
}

bool Races::ordered(const Stamp &earlier, const ThreadAccess &now) const {
  if (earlier.block == now.block) {
    if (static_cast<int>(earlier.thread) == now.thread || earlier.barriers < barriers_)
      return true;
    const auto warp = static_cast<size_t>(now.thread / 32);
    if (earlier.thread / 32 == warp &&
        lanes_[warp].ordered(static_cast<int>(earlier.thread % 32), earlier.clock, now.thread % 32))
      return true;
    const GroupView &groups = threads_[static_cast<size_t>(now.thread)].groups;
    if (groups && earlier.fences < (*groups)[earlier.thread])
      return true;
  }
  const Known &known = threads_[static_cast<size_t>(now.thread)].known;
  return known && released(*known, earlier);
}

} // namespace emu
