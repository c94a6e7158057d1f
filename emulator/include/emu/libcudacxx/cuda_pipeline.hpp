/// \file
/// cuda::pipeline: producers fill stages by asynchronous copies, consumers empty them.
///
/// A thread's own pipeline waits by its groups of copies, one of several threads by the barriers of its stages.
#pragma once

#include <chrono>

#include "emu/libcudacxx/cuda_barrier.hpp"

namespace emu {

struct PipelineStage {
  PhaseBarrier filled, emptied;
};

} // namespace emu

namespace cuda {

enum class pipeline_role { producer, consumer };

/// Barriers of the stages of a pipeline that several threads share, in shared memory.
template <thread_scope Scope> class pipeline;
template <thread_scope Scope, unsigned Stages> class pipeline_shared_state {
public:
  emu::PipelineStage stage[Stages];

  /// Called by all threads of a group, of which so many will produce and so many consume.
  pipeline<Scope> begin(const auto &group,
                        unsigned long long producers,
                        unsigned long long consumers,
                        emu::Site site) {
    if (group.thread_rank() == 0)
      for (auto &each : stage) {
        each.filled.init(static_cast<unsigned>(producers), site);
        each.emptied.init(static_cast<unsigned>(consumers), site);
      }
    group.sync();
    return {stage, Stages};
  }
};

template <thread_scope Scope> class pipeline {
public:
  /// Of one thread alone.
  pipeline() = default;
  pipeline(emu::PipelineStage *stages, unsigned count) : stages_(stages), count_(count) {}
  pipeline(pipeline &&other) = default;
  pipeline &operator=(const pipeline &) = delete;

  /// Waits until the next stage is empty.
  void producer_acquire(EMU_SITE) {
    if (stages_ && produced_ >= count_)
      stages_[produced_ % count_].emptied.wait(phase(produced_ / count_ - 1), EMU_HERE);
  }
  /// Hands the stage that was filled to the consumers.
  void producer_commit(EMU_SITE) {
    if (stages_) {
      emu::PhaseBarrier &filled = stages_[produced_ % count_].filled;
      emu::end_with_phase(&filled);
      filled.arrive(1, 0, EMU_HERE);
    } else {
      emu::commit_copies();
    }
    ++produced_;
  }
  /// Waits until the next stage is filled.
  void consumer_wait(EMU_SITE) {
    if (stages_)
      stages_[consumed_ % count_].filled.wait(phase(consumed_ / count_), EMU_HERE);
    else if (consumed_ < produced_)
      emu::wait_for_copies(produced_ - ++consumed_);
  }
  template <class Rep, class Period>
  bool consumer_wait_for(const ::std::chrono::duration<Rep, Period> &, EMU_SITE) {
    consumer_wait(emu_file, emu_line);
    return true;
  }
  /// Hands the stage back to the producers.
  void consumer_release(EMU_SITE) {
    if (stages_)
      stages_[consumed_++ % count_].emptied.arrive(1, 0, EMU_HERE);
  }
  bool quit() { return true; }

  /// Waits for all stages that were committed but the last `but`.
  void wait_prior(uint64_t but, EMU_SITE) {
    if (!stages_) {
      emu::wait_for_copies(but);
      consumed_ = produced_ - but;
    } else if (produced_ > but) {
      const uint64_t last = produced_ - but - 1;
      stages_[last % count_].filled.wait(phase(last / count_), EMU_HERE);
    }
  }

private:
  static unsigned phase(uint64_t round) {
    return static_cast<unsigned>(round % emu::PhaseState::phases);
  }

  emu::PipelineStage *stages_ = nullptr;
  unsigned count_ = 1;
  uint64_t produced_ = 0, consumed_ = 0; // stages
};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

/// Every thread of the group is a producer and a consumer.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope>
make_pipeline(const auto &group, pipeline_shared_state<Scope, Stages> *state, EMU_SITE) {
  return state->begin(group, group.num_threads(), group.num_threads(), EMU_HERE);
}
/// The first `producers` threads of the group produce, the others consume.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope> make_pipeline(const auto &group,
                                     pipeline_shared_state<Scope, Stages> *state,
                                     size_t producers,
                                     EMU_SITE) {
  return state->begin(group, producers, group.num_threads() - producers, EMU_HERE);
}
/// Each thread says what it is.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope> make_pipeline(const auto &group,
                                     pipeline_shared_state<Scope, Stages> *state,
                                     pipeline_role role,
                                     EMU_SITE) {
  // Counted in the first stage's barrier, before that is made ready for its task.
  emu::PhaseBarrier &counter = state->stage[0].filled;
  if (group.thread_rank() == 0)
    counter.init(emu::PhaseBarrier::most, EMU_HERE);
  group.sync();
  if (role == pipeline_role::producer)
    counter.arrive(1, 0, EMU_HERE);
  group.sync();
  const unsigned producers = emu::PhaseBarrier::most - counter.state().pending();
  group.sync();
  if (group.thread_rank() == 0)
    counter.invalidate(EMU_HERE);
  return state->begin(group, producers, group.num_threads() - producers, EMU_HERE);
}

template <uint8_t Prior, thread_scope Scope>
inline void pipeline_consumer_wait_prior(pipeline<Scope> &p, EMU_SITE) {
  p.wait_prior(Prior, emu_file, emu_line);
}
template <thread_scope Scope> inline void pipeline_producer_commit(pipeline<Scope> &p, EMU_SITE) {
  p.producer_commit(emu_file, emu_line);
}

template <class Group, class To, class From, class Shape, thread_scope Scope>
EMU_INLINE void
memcpy_async(const Group &group, To *to, const From *from, const Shape &bytes, pipeline<Scope> &) {
  emu::copy_share<emu::of_words<To, From, Shape>()>(group, to, from, static_cast<size_t>(bytes));
}
template <class To, class From, class Shape, thread_scope Scope>
EMU_INLINE void
memcpy_async(To *to, const From *from, const Shape &bytes, pipeline<Scope> &pipeline) {
  memcpy_async(cooperative_groups::this_thread(), to, from, bytes, pipeline);
}

} // namespace cuda
