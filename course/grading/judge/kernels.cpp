// Launches and calls of the learner's functions, as the judge carries them out: in the other process.
#include "judge/connection.hpp"
#include "judge/mirrors.hpp"
#include "judge/remote.hpp"

#include "checker/inputs.hpp"
#include "checker/rank_threads.hpp"
#include "common/check.hpp"

#include <observation/devices.hpp>

#include <map>

namespace judge {

/// Where operator new's blocks lie: see heap.cpp.
std::size_t bytes_in_block(const void *address);

namespace {

/// The launch whose kernel is about to be called; null outside of launches.
const emu::LaunchConfig *launch = nullptr;

std::map<const void *, const char *> &names() {
  static std::map<const void *, const char *> all;
  return all;
}

/// What stands for a kernel of the checker's own, of which nothing is asked but attributes.
const char *key_of(const void *function) {
  const auto found = names().find(function);
  return found == names().end() ? "" : found->second;
}

/// Memory that goes along with a call.
struct Block {
  std::uint64_t address; ///< here
  std::size_t bytes;
  bool constant, holds_numbers;
};

std::vector<Block> blocks_of(const Argument *arguments, std::size_t count) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const Argument &one = arguments[i];
    if (!one.points_to_memory)
      continue;
    const void *target = nullptr;
    std::memcpy(&target, one.bytes, sizeof target);
    const std::size_t bytes = one.extent > 0 ? one.extent : bytes_in_block(target);
    if (target != nullptr && bytes > 0 && !mirrors().holds(target))
      blocks.push_back(
          {reinterpret_cast<std::uint64_t>(target), bytes, one.constant, one.holds_numbers});
  }
  return blocks;
}

/// The bytes, in which addresses of shared memory are those of the other process.
std::string translated(const void *first, std::size_t bytes, bool numbers, bool to_remote) {
  std::string copy(static_cast<const char *>(first), bytes);
  for (std::size_t at = 0; !numbers && at + sizeof(std::uint64_t) <= bytes;
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, copy.data() + at, sizeof word);
    word = to_remote ? mirrors().to_remote(word) : mirrors().to_local(word);
    std::memcpy(copy.data() + at, &word, sizeof word);
  }
  return copy;
}

void put_call(Writer &question,
              const char *key,
              const std::vector<Block> &blocks,
              const Argument *arguments,
              std::size_t count) {
  question.put_text(key);
  if (launch)
    question.put(*launch);
  launch = nullptr;
  question.put<std::uint64_t>(blocks.size());
  for (const Block &block : blocks) {
    question.put(block.address);
    question.put<std::uint8_t>(block.constant);
    question.put_text(translated(
        reinterpret_cast<const void *>(block.address), block.bytes, block.holds_numbers, true));
  }
  question.put<std::uint64_t>(count);
  for (std::size_t i = 0; i < count; ++i)
    question.put_text(translated(arguments[i].bytes, arguments[i].size, false, true));
}

/// What a call has come to.
struct Outcome {
  const std::vector<Block> &blocks;
  void *result;
  std::size_t result_bytes;
  bool threw = false;
  std::string thrown{};

  void take(Reader &answer) {
    threw = answer.get<std::uint8_t>() != 0;
    thrown = answer.text();
    const std::string_view returned = answer.bytes();
    if (returned.size() != (threw ? 0 : result_bytes))
      throw Malformed("a result of another size");
    if (result != nullptr && !threw)
      std::memcpy(result, returned.data(), result_bytes);
    for (const Block &block : blocks) {
      const std::string_view now = answer.bytes(); // empty: as it was
      if (now.empty())
        continue;
      if (block.constant || now.size() != block.bytes)
        throw Malformed("memory of another size came back");
      const std::string here = translated(now.data(), now.size(), block.holds_numbers, false);
      std::memcpy(reinterpret_cast<void *>(block.address), here.data(), here.size());
    }
  }
  void throw_what_was_thrown() const {
    if (threw)
      throw std::runtime_error(thrown.substr(0, 1000));
  }
};

/// The call of a rank, on its way: see checker::on_ranks().
struct RankCall {
  Writer question;
  std::string answer;
  bool answered = false;
};
RankCall *rank_call = nullptr; // null outside of on_ranks()
struct Asked {}; // thrown where a rank's question is known

} // namespace

Named::Named(const void *function, const char *key) { names()[function] = key; }

void carry_out(const char *key,
               const Argument *arguments,
               std::size_t count,
               void *result,
               std::size_t result_bytes) {
  const std::vector<Block> blocks = blocks_of(arguments, count);
  Outcome outcome{blocks, result, result_bytes};
  if (rank_call && !rank_call->answered) {
    put_call(rank_call->question, key, blocks, arguments, count);
    throw Asked();
  }
  if (rank_call) {
    believing([&] {
      Reader answer(rank_call->answer);
      outcome.take(answer);
    });
  } else {
    Writer question;
    const Ask what = launch ? Ask::launch : Ask::call;
    put_call(question, key, blocks, arguments, count);
    ask(what, question, [&](Reader &answer) { outcome.take(answer); });
  }
  outcome.throw_what_was_thrown();
}

} // namespace judge

checker::AfterRanks checker::on_ranks(const std::vector<int> &devices,
                                      const std::function<void(int rank)> &work) {
  std::vector<judge::RankCall> calls(devices.size());
  const auto run = [&](std::size_t rank) {
    judge::rank_call = &calls[rank];
    try {
      work(static_cast<int>(rank));
    } catch (...) {
      judge::rank_call = nullptr;
      throw;
    }
    judge::rank_call = nullptr;
  };
  judge::Writer question;
  question.put<std::uint64_t>(devices.size());
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    try {
      run(rank);
      throw std::logic_error("on_ranks() calls nothing of the learner's");
    } catch (const judge::Asked &) {
    }
    question.put(devices[rank]);
    question.put_text(calls[rank].question.bytes());
  }
  AfterRanks after;
  std::vector<cudaError_t> errors(devices.size());
  judge::ask(judge::Ask::call_ranks, question, [&](judge::Reader &answer) {
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      calls[rank].answer = answer.text();
      answer.get(errors[rank]);
      after.current.push_back(answer.get<int>());
      after.stuck.push_back(answer.get<int>());
      after.rounds.push_back(answer.get<int>());
      after.sent_first.push_back(answer.get<int>());
      after.heard.emplace_back(answer.count());
      for (auto &[round, from] : after.heard.back()) {
        answer.get(round);
        answer.get(from);
      }
    }
  });
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    calls[rank].answered = true;
    run(rank);
    LAB_CHECK(errors[rank]);
  }
  return after;
}

// Kernels are compiled into the judge, of the lab for example. They never run here.
constinit thread_local uint3 threadIdx{};
constinit thread_local uint3 blockIdx{};
constinit thread_local dim3 blockDim{};
constinit thread_local dim3 gridDim{};

namespace emu {

using judge::ask;
using judge::Ask;
using judge::Reader;
using judge::Writer;

// A launch calls its kernel once, here; what stands there asks for the launch. The engine's loop over
// threads then ends where it asks for the next one.
namespace {
struct NoMoreThreads {};
Fiber no_fiber{};
} // namespace

constinit thread_local Turn turn{};
constinit thread_local bool in_a_row = false;
constinit thread_local ConfiguredLaunches configured;
void configure(const char *name, const LaunchConfig &config) { configured.push({name, config}); }
void configure(
    const char *name, dim3 grid, dim3 block, size_t dynamic_shared, cudaStream_t stream) {
  configure(name, LaunchConfig{grid, block, dynamic_shared, stream});
}
void note_kernel(const void *, Caller, int, int, dim3) {
} // of those here none is launched by its address

void run_each_thread() { turn.thread(turn.body); }
void end_thread_slow() { throw NoMoreThreads(); }

void launch(const char *own_name, const void *, KernelBody body) {
  if (configured.empty())
    throw std::logic_error("a __global__ function call must be configured");
  const auto [name, config] = configured.pop(own_name);
  judge::launch = &config;
  const dim3 &grid = config.grid, &block = config.block;
  checker::detail::note_launch(name, block.x * block.y * block.z, 1ull * grid.x * grid.y * grid.z);
  turn.body = body.body;
  turn.thread = body.thread;
  turn.fiber = &no_fiber; // nobody waits for it
  try {
    body.threads();
  } catch (const NoMoreThreads &) {
  }
  if (judge::launch == nullptr)
    return;
  judge::launch = nullptr;
  throw std::logic_error(std::string(name) + " cannot be launched by a checker");
}

cudaError_t set_function_attribute(const void *function, cudaFuncAttribute attribute, int value) {
  Writer question;
  question.put_text(judge::key_of(function));
  question.put(attribute);
  question.put(value);
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::set_function_attribute, question, [&](Reader &answer) { answer.get(error); });
  return error;
}

cudaError_t get_function_attributes(cudaFuncAttributes *attributes, const void *function) {
  Writer question;
  question.put_text(judge::key_of(function));
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::function_attributes, question, [&](Reader &answer) {
    answer.get(error);
    answer.get(*attributes);
  });
  return error;
}

cudaError_t
max_active_blocks(int *blocks, const void *function, int block_size, size_t dynamic_shared) {
  Writer question;
  question.put_text(judge::key_of(function));
  question.put(block_size);
  question.put<std::uint64_t>(dynamic_shared);
  cudaError_t error = cudaErrorUnknown;
  ask(Ask::active_blocks, question, [&](Reader &answer) {
    answer.get(error);
    answer.get(*blocks);
  });
  return error;
}

// ------------------------------------------------------------------ the instruments

bool observing() { return true; }

void start_observing() { judge::tell(Ask::start_observing, {}); }

Observation stop_observing() {
  Observation seen;
  ask(Ask::stop_observing, {}, [&](Reader &answer) { seen = judge::get_observation(answer); });
  return seen;
}

void begin_part(const std::string &name) {
  Writer question;
  question.put_text(name);
  judge::tell(Ask::begin_part, question);
}

namespace {
TimelineModel model_of_timelines;
}
void set_timeline_model(const TimelineModel &model) { model_of_timelines = model; }

Timeline timeline() {
  Writer question;
  question.put(model_of_timelines);
  Timeline answered;
  ask(Ask::timeline, question, [&](Reader &answer) { answered = judge::get_timeline(answer); });
  return answered;
}

int want_devices(int count) { return count; }

} // namespace emu
