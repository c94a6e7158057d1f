/// \file
/// Looks for accesses that nothing orders: two threads, one word, at least one write.
///
/// What orders two accesses:
/// - the end of a launch;
/// - within a block a __syncthreads, within a warp a __syncwarp, shuffle or vote in between, within
///   a group of several warps its sync;
/// - a release and an acquire: the first thread issues a fence after its access and then writes an
///   atomic (or volatile) variable; the second reads what it wrote, or what came of it, issues a
///   fence, and only then accesses (an access may overtake a read of the variable that stands before
///   it, also in a branch that depends on it). Fence and atomics must have a scope that holds both
///   threads. What had been ordered before the fence (by barriers, by an acquire) is released with it.
///   It may also be another thread that writes the variable, after a barrier that both passed.
/// - an arrival at a barrier with phases, or of a cluster, and a wait for the phase that this arrival was one of
/// On the acquiring side any fence will do, by the thread that has read the flag or by one that it has met
/// since. A barrier alone does not: it passes on what has been acquired, and acquires nothing.
///
/// Within a warp, volatile variables of which each lane writes its own are none to synchronise through: their lanes
/// count on running in step.
///
/// Two writes of one value are a warning of their own kind: whoever wins, the result is the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "first_looks.hpp"
#include "lane_order.hpp"
#include "observer.hpp"
#include "shadow.hpp"

namespace emu {

class Races : public Observer {
public:
  explicit Races(HazardSink &sink) : sink_(sink), first_looks_(sink) {}

  unsigned wants() const override { return accesses; }
  std::unique_ptr<BlockNotes> make_notes() const override { return std::make_unique<Notes>(); }
  void launch_begins(const ObservedLaunch &) override { forget(); }
  void launch_ends() override { first_looks_.settle(); }
  void grid_met() override { forget(); }
  void block_begins(ObservedBlock &block) override;
  void access(ObservedBlock &block, const ThreadAccess &access) override;
  void access_over(ObservedBlock &block, const ThreadAccess &access) override;
  void barrier(ObservedBlock &block) override;
  void group_met(ObservedBlock &block, int first, int count) override;
  void lanes_met(ObservedBlock &block, int warp, uint32_t lanes, Site sync) override;
  void fence(ObservedBlock &block, int thread, Scope scope) override;
  void acquired(ObservedBlock &block, int thread) override;
  void phases_begin(ObservedBlock &block, int thread, const void *barrier) override;
  void arrived(
      ObservedBlock &block, int thread, const void *barrier, Scope scope, bool releases) override;
  void phase_ended(ObservedBlock &block, const void *barrier) override;
  void
  phase_passed(ObservedBlock &block, int thread, const void *barrier, unsigned others) override;
  void bulk_arrived(ObservedBlock &block,
                    uint64_t by,
                    const ThreadAccess &from,
                    const ThreadAccess &to,
                    const void *barrier) override;
  void bulk_tells(
      ObservedBlock &block, int thread, const void *barrier, uint32_t pc, Site made_ready) override;
  void proxy_fence(ObservedBlock &block, int thread, bool barriers_only) override;
  void read_only(ObservedBlock &block, const ThreadAccess &access) override;
  void block_ends(ObservedBlock &block) override;

private:
  struct Variable;
  /// Who has it, knows the releases [0, count) of a variable.
  using Knowledge = std::unordered_map<const Variable *, size_t>;
  using Known = std::shared_ptr<const Knowledge>; // null: nothing
  /// How many fences of the device's scope threads of a block have behind them.
  using FenceCounts = std::unordered_map<int, uint32_t>;
  using Fenced = std::shared_ptr<const FenceCounts>;

  /// Of each thread of the block, below which number of its fences and meetings in groups its
  /// accesses are ordered before what comes now. Null: nothing since the last barrier.
  using GroupView = std::shared_ptr<const std::vector<uint32_t>>;

  /// What one release made known: everything its thread and, up to the last barrier, its block did.
  struct Release {
    size_t number; // among those of its variable
    int thread;
    uint32_t barriers; // passed by the block when the fence was issued
    LaneOrder::View lanes; // what its thread knew of its warp then
    GroupView groups; // and of the groups it had met in
    uint32_t fences; // issued by the thread, this one included
    Scope scope; // the narrower one of fence and atomic
    Scope atomic_scope;
    Fenced fenced; // by other threads, before a barrier
  };
  /// A variable through which threads synchronise, or a barrier with phases.
  struct Variable {
    size_t releases = 0; // that it has received
    /// Those of each thread of each block.
    std::unordered_map<uint64_t, std::unordered_map<int, std::vector<Release>>> of_block;
    Known passed_on; // what the releasing threads had themselves acquired
    /// The same of a barrier with phases when each of its last ones ended: what has arrived since counts for later ones.
    struct Phase {
      size_t releases = 0;
      Known passed_on;
    };
    size_t phases = 0; // that have ended, and one; 0: it is no such barrier
    Stamp made_ready{}; // if it is one
    std::array<Phase, 8> last; // each at its number modulo 8
  };

  /// A thread's last fence.proxy.async, and what it had behind it then.
  struct ProxyFence {
    uint32_t fences = 0; // 0: there was none
    uint32_t barriers = 0, clock = 0;
    GroupView groups;
    Known known;
  };

  struct Thread {
    uint32_t fences = 0; // releases by barriers, and meetings in groups
    Scope fence_scope = Scope::block; // of the last one
    uint32_t fences_at_fence = 0;
    uint32_t barriers_at_fence = 0;
    LaneOrder::View lanes_at_fence;
    GroupView groups, groups_at_fence;
    Known known;
    Known read_in_flags; // by it and those it has met; counts from its next fence on
    Known known_at_fence;
    Fenced fenced; // by this thread and by those it has met since
    ProxyFence proxy_fence;
    /// Blocks up to this one have set a flag, with no fence before, that was read, and where it is.
    struct Unfenced {
      uint64_t blocks = 0;
      const Region *memory = nullptr;
      auto operator<=>(const Unfenced &) const = default;
    } unfenced;
    uint32_t barrier_fence = 0; // what it has made ready before its fence with this number is known
  };

  /// What the accesses of a warp have behind them, until its next barrier, meeting or fence.
  struct Context {
    uint64_t block;
    uint32_t barriers;
    uint32_t warp;
    uint32_t clock, fences; // of all lanes, or
    int32_t of_lanes = -1; // where they differ, the place in of_lanes_
  };
  struct LaneClocks {
    std::array<uint32_t, 32> clock, fences;
  };
  /// Of the reads since a word's last write, the last ones by another lane of the last reader's warp, by
  /// another warp of its block and by another block: a writer that is ordered after some of these may
  /// not be ordered after all. And the last atomic since then.
  struct More {
    Mark read_by_lane, read_by_warp, read_by_block;
    Mark atomic;
  };
  /// Things that are made one by one and forgotten together; they keep their place. Number 0 is none.
  template <class T> class Store {
  public:
    T &operator[](uint32_t number) { return rows_[number / in_a_row][number % in_a_row]; }
    uint32_t make() {
      if (++used_ / in_a_row >= rows_.size())
        rows_.push_back(std::make_unique<T[]>(in_a_row));
      (*this)[used_] = T{};
      return used_;
    }
    void forget() { used_ = 0; }

  private:
    static constexpr uint32_t in_a_row = 256;
    std::vector<std::unique_ptr<T[]>> rows_;
    uint32_t used_ = 0;
  };
  /// What words have besides their cells, of one memory.
  struct Histories {
    Store<More> more;
    Store<std::array<Cell, 4>> bytes; // of words of which bytes were accessed alone
    void forget() {
      more.forget();
      bytes.forget();
    }
  };

  /// Who first stored by an instruction, and where.
  struct VolatileStore {
    int thread;
    const char *address;
    bool of_each_lane = false; // others did elsewhere
  };

  /// A __syncwarp() that lanes of a warp have passed.
  struct Synced {
    Site site = {}; // line 0: none
    uint32_t lanes = 0;
    uint32_t clock = 0; // of these, behind it
    size_t contexts = 0; // that there were: accesses before it have one of them
  };

  /// What is remembered of a block.
  struct Notes : BlockNotes {
    uint64_t number = 0; // linear, in the grid
    uint32_t barriers = 0;
    std::vector<LaneOrder> lanes; // of each warp
    std::vector<std::array<Synced, 4>>
        synced; // of each warp since the last barrier, the last one first
    std::vector<uint32_t> at_barrier; // each warp's clock
    std::vector<Thread> threads;
    bool anything_to_share = false; // since the block's last barrier
    bool any_thread_knows = false; // whether one of `threads` is not as it began
    /// By each warp and its instructions that stored into volatile variables of global memory.
    std::unordered_map<uint64_t, VolatileStore> volatile_stores;
    std::vector<uint32_t> context; // of each warp at present; 0: it needs a new one
    uint32_t shared_number =
        0; // tells the histories of shared memory apart: no two blocks have the same
    Histories shared;
    uint32_t bulks = 0; // bulk copies that have come
    /// The last access of its shared memory by each thread of other blocks of the cluster, numbered over the grid.
    std::unordered_map<uint64_t, Mark> by_peers;
    uint32_t forgotten = 0; // how often Races had forgotten all when this was last written
  };

  [[gnu::always_inline]] void enter(ObservedBlock &block) {
    mine_ = &notes_of<Notes>(block);
    if (mine_->forgotten != launch_ || full_) [[unlikely]]
      enter_anew();
  }
  void enter_anew();
  void forget();
  void acquire_flags(int thread);
  void make_context(int warp);
  Mark mark(const ThreadAccess &access) {
    const int warp = access.thread / 32;
    uint32_t &context = mine_->context[static_cast<size_t>(warp)];
    if (context == 0)
      make_context(warp);
    return {context * 32 + static_cast<uint32_t>(access.thread % 32),
            access.pc,
            access.operation == Operation::atomic,
            access.is_volatile,
            access.scope};
  }
  Stamp stamp(const Mark &mark) const;
  More &more_of(Cell &cell);
  bool holds_both(Scope scope, uint64_t other_block) const;
  bool ordered(const Stamp &earlier, const ThreadAccess &now) const;
  bool released(const Knowledge &known, const Stamp &earlier, bool of_any_scope = false) const;
  bool covers(const Release &release, const Stamp &earlier, bool of_any_scope) const;
  FlagLacks lacks(const Stamp &earlier, const Thread &now, const Region *counted_in) const;
  static bool fenced_by_others(const Knowledge &known, const Stamp &earlier);
  void synchronise(const ThreadAccess &access);
  Notes &owner_of_shared(const ThreadAccess &access);
  bool knows_of(uint64_t block, int thread) const;
  void look_at_peer(Notes &owner, const ThreadAccess &access);
  Variable &variable_at(const void *address);
  Release release_of_all(int thread, Scope scope);
  void release(Variable &variable, const Release &release, const Known &known);
  void release_fenced(Variable &variable, int thread, Scope scope);
  void look_at_proxies(const Mark &written, const ThreadAccess &now) const;
  bool is_settled(const Stamp &written, int thread) const;
  void acquire(const Known &known,
               Known &into,
               const Variable &variable,
               size_t releases,
               const Known &passed_on);
  static void share(const std::vector<Thread *> &threads);
  void note_volatile_store(const ThreadAccess &access);
  bool is_flag(const Mark &earlier, const ThreadAccess &now) const;
  /// Mostly it was nobody, or the thread itself.
  bool conflict(const Mark &earlier, const ThreadAccess &now) const {
    return earlier && earlier.context() != now_.context() && races(earlier, now);
  }
  bool races(const Mark &earlier, const ThreadAccess &now) const;
  void put_mark(const ThreadAccess &access);
  [[gnu::always_inline]] inline void
  check(Cell &cell, const ThreadAccess &access, const char *place, size_t bytes);
  void report(const Mark &earlier,
              bool earlier_wrote,
              const ThreadAccess &now,
              const char *place,
              const Cell &cell);
  void look_for_round(const Stamp &before);
  void look_for_early_read(const Mark &read);
  NeedOf last_barrier(const Cell &cell, const ThreadAccess &now) const;
  void exchanges(Cell &cell, const ThreadAccess &access, const char *place);
  [[gnu::always_inline]] inline void remember(Cell &cell, Operation operation);
  std::array<Cell, 4> &split(Cell &cell);
  VainSync vain_sync(const Mark &earlier, const Stamp &then, unsigned now) const;
  FoundHazard describe(const Mark &earlier, bool earlier_wrote, const ThreadAccess &now) const;
  FoundHazard describe_proxies(const Stamp &written, const ThreadAccess &now) const;
  void settle();

  /// Two writes that nothing orders; what the second one writes is not known yet.
  struct Doubt {
    FoundHazard race;
    const char *place;
    std::string before; // what the first one has left there
  };

  HazardSink &sink_;
  uint32_t launch_ =
      0; // and counts what is as the end of one, to tell histories of global memory apart
  uint32_t shared_numbers_ = 0;
  Notes *mine_ = nullptr; // of the block that something has been heard of
  std::unordered_map<const void *, std::unique_ptr<Variable>> variables_;
  /// Flags that blocks have set with no fence before, each where its address has it: for words only.
  struct Unfenced {
    const void *address = nullptr;
    uint64_t blocks = 0; // up to this one have set it
    uint64_t times = 0;
    /// What a block sets more often than once is no flag, but a count.
    bool is_flag() const { return times <= blocks; }
  };
  std::array<Unfenced, 256> unfenced_{};
  Histories global_;
  Histories *histories_ = &global_; // of the memory that is accessed now
  Mark now_; // the access that is looked at
  std::vector<Context> contexts_; // from number 1
  std::vector<LaneClocks> of_lanes_;
  bool full_ = false; // so many of either that all is forgotten before the next
  std::vector<Doubt> doubts_; // about the last access
  std::unordered_set<uint32_t> bulk_loads_, exchanges_; // instructions
  std::unordered_map<uint32_t, uint64_t>
      sent_by_; // contexts of bulk copies of other blocks': these
  FirstLooks first_looks_;
  /// Accesses that raced, each at its thread's number modulo 64: do these come round to them?
  std::array<Stamp, 64> racing_{};
};

} // namespace emu
