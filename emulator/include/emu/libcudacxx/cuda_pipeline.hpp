/// \file
/// cuda::pipeline: producers fill stages by asynchronous copies, consumers empty them.
///
/// The copies are done when their calls return; what remains of a pipeline is the waiting.
#pragma once

#include <chrono>

#include "emu/libcudacxx/cuda_barrier.hpp"

namespace emu {

struct PipelineStage {
  PhaseCounter filled, emptied;
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
  pipeline<Scope>
  begin(const auto &group, unsigned long long producers, unsigned long long consumers) {
    if (group.thread_rank() == 0)
      for (auto &each : stage) {
        each.filled.init(static_cast<unsigned>(producers));
        each.emptied.init(static_cast<unsigned>(consumers));
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
  void producer_acquire() {
    if (stages_ && produced_ >= count_)
      stages_[produced_ % count_].emptied.wait(produced_ / count_ - 1);
  }
  /// Hands the stage that was filled to the consumers.
  void producer_commit() {
    if (stages_)
      static_cast<void>(stages_[produced_ % count_].filled.arrive(1, 0, emu::NoCompletion()));
    ++produced_;
  }
  /// Waits until the next stage is filled.
  void consumer_wait() { wait_for_stage(consumed_); }
  template <class Rep, class Period>
  bool consumer_wait_for(const ::std::chrono::duration<Rep, Period> &) {
    consumer_wait();
    return true;
  }
  /// Hands the stage back to the producers.
  void consumer_release() {
    if (stages_)
      static_cast<void>(stages_[consumed_ % count_].emptied.arrive(1, 0, emu::NoCompletion()));
    ++consumed_;
  }
  bool quit() { return true; }

  /// Waits for all stages that were committed but the last `but`.
  void wait_prior(uint64_t but) {
    if (produced_ > but)
      wait_for_stage(produced_ - but - 1);
  }

private:
  void wait_for_stage(uint64_t number) {
    if (stages_)
      stages_[number % count_].filled.wait(number / count_);
  }

  emu::PipelineStage *stages_ = nullptr;
  unsigned count_ = 1;
  uint64_t produced_ = 0, consumed_ = 0; // stages
};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

/// Every thread of the group is a producer and a consumer.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope> make_pipeline(const auto &group,
                                     pipeline_shared_state<Scope, Stages> *state) {
  return state->begin(group, group.num_threads(), group.num_threads());
}
/// The first `producers` threads of the group produce, the others consume.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope>
make_pipeline(const auto &group, pipeline_shared_state<Scope, Stages> *state, size_t producers) {
  return state->begin(group, producers, group.num_threads() - producers);
}
/// Each thread says what it is.
template <thread_scope Scope, unsigned Stages>
inline pipeline<Scope>
make_pipeline(const auto &group, pipeline_shared_state<Scope, Stages> *state, pipeline_role role) {
  // Counted in the first stage's barriers, before they are made ready for their task.
  auto &first = state->stage[0];
  if (group.thread_rank() == 0) {
    first.filled.init(emu::PhaseCounter::most);
    first.emptied.init(emu::PhaseCounter::most);
  }
  group.sync();
  if (role == pipeline_role::producer)
    static_cast<void>(first.filled.arrive(1, 0, emu::NoCompletion()));
  group.sync();
  const unsigned producers = emu::PhaseCounter::most - first.filled.still_expected();
  group.sync();
  return state->begin(group, producers, group.num_threads() - producers);
}

template <uint8_t Prior, thread_scope Scope>
inline void pipeline_consumer_wait_prior(pipeline<Scope> &p) {
  p.wait_prior(Prior);
}
template <thread_scope Scope> inline void pipeline_producer_commit(pipeline<Scope> &p) {
  p.producer_commit();
}

template <class Group, class T, class Shape, thread_scope Scope>
EMU_INLINE void
memcpy_async(const Group &group, T *to, const T *from, const Shape &bytes, pipeline<Scope> &) {
  emu::copy_share_async(group, to, from, static_cast<size_t>(bytes));
}
template <class T, class Shape, thread_scope Scope>
EMU_INLINE void memcpy_async(T *to, const T *from, const Shape &bytes, pipeline<Scope> &) {
  emu::copy_share_async(cooperative_groups::this_thread(), to, from, static_cast<size_t>(bytes));
}

} // namespace cuda
