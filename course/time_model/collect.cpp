// The library that a program of the emulator loads (EMU_MODEL): follows a few blocks of each launch, and
// writes down what their warps did when the program ends.
//
// EMU_MODEL_PTX    the PTX of the program's sources: files, with a colon between them
// EMU_MODEL_TRACE  the file to write
// EMU_MODEL_DRY    kernels are not run: what they would store is not needed
// EMU_MODEL_DEVICE the device's file, for programs that ask how many blocks fit
#include "program_symbols.hpp"
#include "task_collector.hpp"
#include "trace.hpp"

#include "emulator/src/launches/launch_model.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

namespace model {
namespace {

namespace fs = std::filesystem;

std::string from_environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Extent extent(const dim3 &d) { return {d.x, d.y, d.z}; }

/// `v2::reduce<256>` without its arguments and where it belongs.
std::string base_name(std::string name) {
  name = name.substr(0, name.find('<'));
  const size_t colon = name.rfind(':');
  name = colon == std::string::npos ? name : name.substr(colon + 1);
  std::erase(name, ' ');
  return name;
}

class Collector : public emu::LaunchModel {
public:
  explicit Collector(emu::MemoryAt memory_at)
      : memory_at_(memory_at), dry_(!from_environment("EMU_MODEL_DRY").empty()) {
    if (dry_) // else the instruments may watch, and all runs twice
      tasks_.emplace(memory_at);
    std::istringstream files(from_environment("EMU_MODEL_PTX"));
    for (std::string file; std::getline(files, file, ':');)
      if (fs::exists(file))
        read(file);
    if (const fs::path file = from_environment("EMU_MODEL_DEVICE"); !file.empty())
      device_ = read_device(file);
  }

  ~Collector() override {
    try {
      write_traces(from_environment("EMU_MODEL_TRACE"),
                   {std::move(traces_), tasks_ ? tasks_->parts() : std::vector<PartTrace>()});
    } catch (const std::exception &error) {
      std::cerr << "emulator: the time model: " << error.what() << "\n";
    }
  }

  void begins_part(const char *name) override {
    part_ = name;
    if (tasks_)
      tasks_->begins_part(name);
  }

  emu::RuntimeWatcher *watcher() override { return tasks_ ? &*tasks_ : nullptr; }

  int resident_blocks(const void *function, int threads, size_t dynamic_shared) override {
    const Function *f = find(function, "");
    if (f == nullptr || !device_)
      return -1;
    LaunchTrace launch;
    launch.block.x = static_cast<unsigned>(threads);
    launch.dynamic_shared = dynamic_shared;
    launch.function = lowered(*f);
    return blocks_per_sm(launch, *device_);
  }

  bool launched(const char *name,
                const void *function,
                const emu::LaunchConfig &config,
                const emu::KernelBody &body) override {
    const Extent grid = extent(config.grid), block = extent(config.block);
    const auto same = std::find_if(traces_.rbegin(), traces_.rend(), [&](const LaunchTrace &t) {
      return t.part == part_ && t.kernel == name && t.grid == grid && t.block == block &&
             t.dynamic_shared == config.dynamic_shared;
    });
    const bool known = same != traces_.rend();
    const auto place = static_cast<uint64_t>(known ? traces_.rend() - same - 1 : traces_.size());
    if (tasks_)
      tasks_->kernel_follows(place);
    if (known)
      ++same->launches;
    if (known && !reaches_past_device(name, function, body))
      return !dry_;
    LaunchTrace trace;
    trace.part = part_;
    trace.kernel = name;
    trace.grid = grid;
    trace.block = block;
    trace.dynamic_shared = config.dynamic_shared;
    try {
      follow(trace, function, config, body);
      if (tasks_)
        tasks_->kernel_touches(trace);
    } catch (const std::exception &error) {
      trace.blocks.clear();
      trace.refused = error.what();
    }
    if (!known)
      traces_.push_back(std::move(trace));
    return !dry_;
  }

private:
  static constexpr uint64_t most_steps_for_more = 300'000;

  void read(const fs::path &file) {
    read_any_ = true;
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    try {
      for (auto &[name, function] : parse_ptx(text).functions)
        functions_[name] = {std::move(function)};
    } catch (const std::exception &error) {
      trouble_ = file.filename().string() + ": " + error.what();
    }
  }

  struct Known {
    Function function;
    bool as_on_gpu = false; // with what ptxas does, which costs time where there are many
  };

  const Function *find(const void *function, const std::string &name) {
    Known *known = look_up(function, name);
    if (known == nullptr)
      return nullptr;
    if (!known->as_on_gpu)
      as_ptxas_does(known->function);
    known->as_on_gpu = true;
    return &known->function;
  }

  Known *look_up(const void *function, const std::string &name) {
    if (const auto found = functions_.find(symbols_.name_of(function)); found != functions_.end())
      return &found->second;
    // A template whose arguments are deduced: its address is not known, its name may say enough.
    Known *only = nullptr;
    const std::string base = base_name(name);
    if (base.empty())
      return nullptr;
    for (auto &[mangled, known] : functions_)
      if (mangled.find(std::to_string(base.size()) + base) != std::string::npos) {
        if (only != nullptr)
          return nullptr;
        only = &known;
      }
    return only;
  }

  const LoweredFunction &lowered(const Function &f) {
    auto &kept = lowered_[&f];
    if (kept.code.empty())
      kept = lower(f);
    return kept;
  }

  /// The arguments, as PTX lays out the kernel's parameters.
  static std::vector<uint8_t> parameters(const Function &f, const emu::KernelBody &body) {
    std::vector<uint8_t> bytes(f.parameter_bytes);
    size_t at = body.bytes_before_arguments;
    const emu::ArgumentShape *shape = body.arguments;
    for (const Parameter &p : f.parameters) {
      if (shape == nullptr || shape->bytes == 0)
        throw Refused("it was launched with fewer arguments than it takes");
      at = (at + shape->align - 1) / shape->align * shape->align;
      const auto *value = static_cast<const uint8_t *>(body.body) + at;
      if (shape->bytes == p.bytes) {
        std::memcpy(&bytes[p.offset], value, p.bytes);
      } else if (shape->is_float && is_float(p.type)) {
        double wide = 0;
        float narrow = 0;
        shape->bytes == 8 ? void(std::memcpy(&wide, value, 8))
                          : void(std::memcpy(&narrow, value, 4));
        const float to_narrow = static_cast<float>(wide);
        const double to_wide = narrow;
        p.bytes == 8 ? std::memcpy(&bytes[p.offset], &to_wide, 8)
                     : std::memcpy(&bytes[p.offset], &to_narrow, 4);
      } else if (shape->bytes <= 8 && p.bytes <= 8) { // an int for a size_t
        int64_t number = 0;
        std::memcpy(&number, value, shape->bytes);
        const int unused = 64 - 8 * static_cast<int>(shape->bytes);
        if (shape->is_signed)
          number = number << unused >> unused;
        std::memcpy(&bytes[p.offset], &number, p.bytes);
      } else {
        throw Refused("an argument of it has another size than its parameter");
      }
      at += shape->bytes;
      ++shape;
    }
    return bytes;
  }

  /// Calls use(allocation) for each that the parameters point into and that is not simply its device's memory.
  template <class Use> void each_past_device(const std::vector<uint8_t> &parameters, Use use) {
    uint64_t word = 0;
    for (size_t at = 0; tasks_ && at + sizeof word <= parameters.size(); at += sizeof word) {
      std::memcpy(&word, &parameters[at], sizeof word);
      if (const emu::KnownAllocation found = tasks_->past_device(word); found.end != 0)
        use(found);
    }
  }

  /// What such a launch touches may be others' than in the one before.
  bool reaches_past_device(const char *name, const void *function, const emu::KernelBody &body) {
    const Function *f = find(function, name);
    bool reaches = false;
    if (f != nullptr)
      each_past_device(parameters(*f, body), [&](const emu::KnownAllocation &) { reaches = true; });
    return reaches;
  }

  static uint64_t steps_of(const BlockTrace &block) {
    double steps = 0;
    for (const auto &warp : block.warps)
      for (const Step &step : warp)
        steps += static_cast<double>(step.weight);
    return static_cast<uint64_t>(steps);
  }

  static void add_touched(LaunchTrace &trace, const Touched &touched) {
    if (std::none_of(trace.touched.begin(), trace.touched.end(), [&](const Touched &t) {
          return t.begin == touched.begin;
        }))
      trace.touched.push_back(touched);
  }

  /// Adds blocks that data give more or less to do than the others.
  static void follow_others(LaunchTrace &trace, const Function &f, const Launch &launch) {
    const auto usual = static_cast<double>(steps_of(trace.blocks.back()));
    std::vector<BlockTrace> others;
    bool differ = false;
    for (uint64_t block : spread_blocks(trace.grid)) {
      const auto steps =
          static_cast<double>(steps_of(others.emplace_back(execute_block(f, launch, block))));
      differ = differ || steps > 1.1 * usual || steps < usual / 1.1;
    }
    if (differ)
      std::move(others.begin(), others.end(), std::back_inserter(trace.blocks));
  }

  void follow(LaunchTrace &trace,
              const void *function,
              const emu::LaunchConfig &config,
              const emu::KernelBody &body) {
    if (config.cooperative)
      throw Refused("its blocks wait for each other");
    const Function *f = find(function, trace.kernel);
    if (f == nullptr)
      throw Refused(!read_any_         ? "there is no PTX of it: install clang (apt install clang)"
                    : trouble_.empty() ? "clang has made no PTX of it"
                                       : "its PTX was not understood: " + trouble_);
    if (!f->unknown.empty())
      throw Refused("the model does not know what " + f->unknown + " takes");
    trace.function = lowered(*f);
    Launch launch;
    launch.grid = trace.grid;
    launch.block = trace.block;
    launch.dynamic_shared = config.dynamic_shared;
    launch.parameters = parameters(*f, body);
    each_past_device(launch.parameters, [&](const emu::KnownAllocation &found) {
      add_touched(trace, {found.begin, found.end});
    });
    launch.memory_at = [&](uint64_t address) {
      const emu::KnownAllocation allocation = memory_at_(address);
      std::pair<uint64_t, uint64_t> found{allocation.begin, allocation.end};
      if (found.second == 0)
        found = symbols_.data_at(address);
      if (found.second != 0)
        add_touched(trace, {found.first, found.second});
      return found;
    };
    launch.variable = [&](const std::string &name) { return symbols_.address_of(name); };
    uint64_t steps = 0; // of those blocks
    for (uint64_t block : sampled_blocks(trace.grid))
      steps += steps_of(trace.blocks.emplace_back(execute_block(*f, launch, block)));
    if (steps < most_steps_for_more)
      follow_others(trace, *f, launch);
    for (BlockTrace &block : trace.blocks)
      run_unrolled(trace.function.unrolled, block);
    // What is stored is not read, and has not been asked for.
    for (const BlockTrace &b : trace.blocks)
      for (size_t s = 0; s < b.sectors.size(); s += 61)
        launch.memory_at(b.sectors[s] * 32);
  }

  emu::MemoryAt memory_at_;
  bool dry_;
  std::optional<TaskCollector> tasks_;
  std::map<std::string, Known, std::less<>> functions_;
  std::map<const Function *, LoweredFunction> lowered_;
  bool read_any_ = false; // file of PTX
  std::string trouble_; // with one of them
  ProgramSymbols symbols_;
  std::optional<Device> device_;
  std::string part_;
  std::vector<LaunchTrace> traces_;
};

} // namespace
} // namespace model

extern "C" emu::LaunchModel *emu_launch_model(emu::MemoryAt memory_at) {
  static model::Collector collector(memory_at); // writes when the program ends
  return &collector;
}
