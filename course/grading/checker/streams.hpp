/// @file
/// For checkers of exercises about streams: when the tasks of an observation would run, where the
/// host was meanwhile, and streams that come late on a GPU.
///
/// @code
/// const checker::HostMark returned;
/// bool free_to_go = true;
/// checker::observe("two copies", [&] {
///   checker::LateStreams late({{copies, 200}}); // on a GPU: what comes after it has to wait
///   submit_all(..., copies, kernels);
///   returned.here();
///   free_to_go = late.let_go();
/// });
/// if (const auto times = checker::timeline(checker::plain_model(10.0)))
///   free_to_go = returned.us(*times) < times->total_us;
/// checker::expect(free_to_go, "host_waits", "...");
/// @endcode
#pragma once

#include "checker/checker.hpp"

#include <observation/timeline.hpp>

#include <functional>

namespace checker {

/// Non-blocking streams and events without times, while it lives.
struct Streams {
  std::vector<cudaStream_t> streams;
  std::vector<cudaEvent_t> events;

  explicit Streams(std::size_t stream_count, std::size_t event_count = 0);
  ~Streams();
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;
};

/// A model that can be reckoned with: bytes cross the link at 1 GB/s each way, a kernel takes
/// `kernel_us` whatever it does (a cudaMemset, too), and the host `submit_us` for each call that
/// submits something. Nothing else takes time.
emu::TimelineModel plain_model(double kernel_us, double submit_us = 0);

/// When the tasks of the last observe() would run, by the model; nothing where there are no
/// instruments. Has to come before the next task.
std::optional<emu::Timeline> timeline(const emu::TimelineModel &model);

/// What copies of one engine have moved: "to_device" or "to_host".
std::uint64_t bytes_copied(const emu::Timeline &times, const std::string &engine);

/// How many copies and kernels run at the same time, at most.
int most_at_once(const emu::Timeline &timeline);

/// What a note can show of a timeline: a row for each stream, in the order in which they were made, the default one last,
/// and a character for each `us`.
/// @param names  of these rows
/// @param mark   what stands for a bar; 0: nothing
std::string rows_of(const emu::Timeline &timeline,
                    double us,
                    const std::vector<std::string> &names,
                    const std::function<char(const emu::TimelineBar &)> &mark);

/// A moment of the host's: a task of next to no length, in a stream of its own.
class HostMark {
public:
  HostMark();
  ~HostMark();
  HostMark(const HostMark &) = delete;
  HostMark &operator=(const HostMark &) = delete;

  /// The moment is now; to be called under observe().
  void here() const;
  /// When it was, by the model; negative if it is not in the timeline.
  static double us(const emu::Timeline &timeline);

private:
  cudaStream_t stream_ = nullptr;
  void *byte_ = nullptr;
};

/// A copy to the current device that takes so long, by plain_model(): it keeps a stream busy.
class LongCopy {
public:
  /// @param comes  else it has no memory, which both processes would compare at each question
  explicit LongCopy(double us, bool comes = true);
  void in(cudaStream_t stream) const;
  double us() const { return us_; }

private:
  double us_;
  lab::PinnedBuffer<char> host_;
  lab::DeviceBuffer<char> device_;
};

/// How many tasks of a device, kernels and copies, begin before this moment.
int begun_before(const emu::Timeline &timeline, int device, double us);

/// A stream that comes late, and after how many milliseconds it comes by itself.
struct Late {
  cudaStream_t stream;
  double limit_ms;
};

/// Makes streams come late: on a GPU, what is submitted to them from now on begins when they are let
/// go, or when their limits are over. The emulator does nothing here; it names what is not waited for.
class LateStreams {
public:
  explicit LateStreams(std::vector<Late> late);
  LateStreams(const std::vector<cudaStream_t> &streams, double limit_ms);
  /// Lets go, and waits for the streams.
  ~LateStreams();
  LateStreams(const LateStreams &) = delete;
  LateStreams &operator=(const LateStreams &) = delete;

  /// @return whether the first one was held until now; if not, somebody has waited for it
  bool let_go();

private:
  std::vector<Late> late_;
  lab::PinnedBuffer<int> flags_; ///< let go; then one for each: its limit is over
};

} // namespace checker
