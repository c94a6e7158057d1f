#include "checker/streams.hpp"

#include "checker/detail.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace checker {
namespace {

constexpr std::size_t mark_bytes = 1; // that is how a mark is told from other tasks
constexpr double no_limit = 1e9; // of a rate

#ifndef BUILD_FIRST_EMULATOR
__global__ void hold(volatile const int *let_go, volatile int *over, long long cycles) {
  const long long start = clock64();
  while (*let_go == 0)
    if (clock64() - start > cycles) {
      *over = 1;
      return;
    }
}

// Before anything starts the device. Loading a kernel at its first launch can wait for the device, so all
// are loaded before any stream is late; and streams that share a queue wait for each other, so there are
// as many as can be.
const int prepared =
    setenv("CUDA_MODULE_LOADING", "EAGER", 0) + setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
#endif

bool is_mark(const emu::TimelineBar &bar) { return bar.kind == "set" && bar.bytes == mark_bytes; }

} // namespace

Streams::Streams(std::size_t stream_count, std::size_t event_count)
    : streams(stream_count), events(event_count) {
  detail::note_streams(stream_count);
  for (cudaStream_t &stream : streams)
    LAB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaEvent_t &event : events)
    LAB_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

Streams::~Streams() {
  for (cudaStream_t stream : streams)
    cudaStreamDestroy(stream);
  for (cudaEvent_t event : events)
    cudaEventDestroy(event);
}

emu::TimelineModel plain_model(double kernel_us, double submit_us) {
  emu::TimelineModel model;
  model.submit_us = submit_us;
  model.copy_us = 0;
  model.link_gb_per_s = 1;
  model.pageable_gb_per_s = 1;
  model.kernel_us = kernel_us;
  model.memory_gb_per_s = no_limit;
  model.block_rate = no_limit;
  model.host_function_us = 0;
  return model;
}

std::optional<emu::Timeline> timeline(const emu::TimelineModel &model) {
  if (!lab::can_observe())
    return std::nullopt;
  emu::set_timeline_model(model);
  return emu::timeline();
}

std::uint64_t bytes_copied(const emu::Timeline &times, const std::string &engine) {
  std::uint64_t bytes = 0;
  for (const emu::TimelineBar &bar : times.bars)
    if (bar.kind == "copy" && bar.engine == engine)
      bytes += bar.bytes;
  return bytes;
}

void detail::expect_work_on_device(const std::string &part) {
  constexpr std::uint64_t few = 64; // a number or two, or a pointer
  const auto times = timeline(plain_model(1.0));
  const std::uint64_t bytes = bytes_copied(*times, "to_device") + bytes_copied(*times, "to_host");
  if (bytes > few)
    end_case("worked_on_the_host",
             part + ": " + counted(bytes, "byte") +
                 " went between host and device. The arguments are in the device's memory, and a "
                 "kernel is to make the result from them, without the host");
}

int most_at_once(const emu::Timeline &timeline) {
  int most = 0;
  for (const emu::TimelineBar &at : timeline.bars) {
    const auto runs = [&](const emu::TimelineBar &bar) {
      return bar.engine != "host" && bar.begin_us <= at.begin_us && at.begin_us < bar.end_us &&
             !is_mark(bar);
    };
    most = std::max(
        most, static_cast<int>(std::count_if(timeline.bars.begin(), timeline.bars.end(), runs)));
  }
  return most;
}

std::string rows_of(const emu::Timeline &timeline,
                    double us,
                    const std::vector<std::string> &names,
                    const std::function<char(const emu::TimelineBar &)> &mark) {
  std::map<std::pair<std::size_t, std::string>, std::string> rows; // "stream 9" before "stream 10"
  for (const emu::TimelineBar &bar : timeline.bars)
    if (const char drawn = mark(bar)) {
      std::string &row = rows[{bar.lane.size(), bar.lane}];
      row.resize(std::max<std::size_t>(row.size(), std::lround(bar.begin_us / us)), ' ');
      row.append(std::lround(bar.end_us / us) - std::lround(bar.begin_us / us), drawn);
    }
  std::size_t longest = 0;
  for (const std::string &name : names)
    longest = std::max(longest, name.size());
  std::string text;
  auto name = names.begin();
  for (const auto &[lane, row] : rows) {
    const std::string called = name == names.end() ? lane.second : *name++;
    text +=
        "\n  " + called + std::string(longest + 2 - std::min(longest, called.size()), ' ') + row;
  }
  return text;
}

HostMark::HostMark() {
  LAB_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  LAB_CHECK(cudaMalloc(&byte_, mark_bytes));
}

HostMark::~HostMark() {
  cudaFree(byte_);
  cudaStreamDestroy(stream_);
}

void HostMark::here() const { LAB_CHECK(cudaMemsetAsync(byte_, 0, mark_bytes, stream_)); }

double HostMark::us(const emu::Timeline &timeline) {
  const auto mark = std::find_if(timeline.bars.rbegin(), timeline.bars.rend(), is_mark);
  return mark == timeline.bars.rend() ? -1.0 : mark->begin_us;
}

LongCopy::LongCopy(double us, bool comes)
    : us_(us), host_(comes ? static_cast<std::size_t>(us * 1e3) : 0), device_(host_.size()) {
  std::fill(host_.begin(), host_.end(), 1);
}

void LongCopy::in(cudaStream_t stream) const {
  LAB_CHECK(
      cudaMemcpyAsync(device_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream));
}

int begun_before(const emu::Timeline &timeline, int device, double us) {
  return static_cast<int>(
      std::count_if(timeline.bars.begin(), timeline.bars.end(), [&](const emu::TimelineBar &bar) {
        return bar.device == device && bar.begin_us < us && !is_mark(bar);
      }));
}

LateStreams::LateStreams(std::vector<Late> late)
    : late_(std::move(late)), flags_(1 + late_.size()) {
  std::fill(flags_.begin(), flags_.end(), 0);
#ifndef BUILD_FIRST_EMULATOR
  (void)prepared;
  if (!detail::can_measure())
    return; // a tool that looks on may let nothing overlap
  int khz = 0;
  LAB_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  for (std::size_t i = 0; i < late_.size(); ++i) {
    const auto cycles = static_cast<long long>(late_[i].limit_ms * khz);
    hold<<<1, 1, 0, late_[i].stream>>>(flags_.data(), flags_.data() + 1 + i, cycles);
    LAB_CHECK_LAUNCH();
  }
#endif
}

LateStreams::LateStreams(const std::vector<cudaStream_t> &streams, double limit_ms)
    : LateStreams([&] {
        std::vector<Late> late;
        for (cudaStream_t stream : streams)
          late.push_back({stream, limit_ms});
        return late;
      }()) {}

LateStreams::~LateStreams() {
  (void)let_go();
  for (const Late &late : late_)
    cudaStreamSynchronize(late.stream);
}

bool LateStreams::let_go() {
  volatile int *flags = flags_.data();
  const bool held = late_.empty() || flags[1] == 0;
  flags[0] = 1;
  return held;
}

} // namespace checker
