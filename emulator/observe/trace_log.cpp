#include "trace_log.hpp"

#include <algorithm>

#include "../src/engine/shared_memory.hpp"
#include "../src/memory/allocations.hpp"
#include "counters.hpp"
#include "emu/engine/engine.hpp"
#include "json.hpp"
#include "lanes.hpp"
#include "symbols.hpp"

namespace emu {

namespace {

Json sizes_json(const dim3 &sizes) { return std::vector{sizes.x, sizes.y, sizes.z}; }

// Lanes that stand evenly are told by two numbers.
Json places_json(uint32_t lanes, const std::vector<int64_t> &at) {
  std::vector<int64_t> lane;
  for (const size_t one : LanesOf(lanes))
    lane.push_back(static_cast<int64_t>(one));
  const int64_t step = at.size() > 1 ? (at[1] - at[0]) / (lane[1] - lane[0]) : 0;
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i] != at[0] + step * (lane[i] - lane[0]))
      return at;
  return {{"first", at[0]}, {"step", step}};
}

} // namespace

void TraceLog::launch_begins(const ObservedLaunch &launch) {
  const auto same = [](const dim3 &a, const dim3 &b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  };
  wanted_ = launch.observed &&
            std::none_of(launches_.begin(), launches_.end(), [&](const LoggedLaunch &earlier) {
              return earlier.kernel == launch.kernel && earlier.part == part_ &&
                     same(earlier.config.grid, launch.config.grid) &&
                     same(earlier.config.block, launch.config.block);
            });
  if (wanted_ && launches_.size() == most_launches) {
    ++left_out_;
    wanted_ = false;
  }
  if (wanted_)
    launches_.push_back({launch.kernel, part_, launch.config, {}, {}, {}});
}

void TraceLog::block_begins(ObservedBlock &block) {
  if (block.traced && wanted_ && launches_.back().blocks.size() < most_blocks)
    launches_.back().blocks.push_back({block.number, {}});
}

TraceLog::LoggedBlock *TraceLog::log_of(const ObservedBlock &block) {
  if (!block.traced || !wanted_)
    return nullptr;
  std::vector<LoggedBlock> &logged = launches_.back().blocks;
  const auto found = std::find_if(logged.begin(), logged.end(), [&](const LoggedBlock &one) {
    return one.number == block.number;
  });
  return found == logged.end() ? nullptr : &*found;
}

bool TraceLog::is_kept(const char *name) const {
  return of_.empty() || of_.find("," + std::string(name) + ",") != std::string::npos;
}

void TraceLog::add(LoggedBlock &log, LoggedEvent event) {
  event.warp = warp_;
  if (log.events.size() < most_events)
    log.events.push_back(std::move(event));
  else
    ++log.left_out;
}

int TraceLog::array_of(const char *address, const char *&base) {
  LoggedLaunch &launch = launches_.back();
  const std::optional<Allocation> found = find_allocation(address);
  // A variable of the program: its surroundings stand for it.
  base = found ? found->base : address - reinterpret_cast<uintptr_t>(address) % 4096;
  const auto [entry, fresh] = launch.array_of.try_emplace(base, launch.arrays.size());
  if (fresh)
    launch.arrays.push_back(found ? found->size : 0);
  return entry->second;
}

void TraceLog::request(ObservedBlock &block, const WarpRequest &request) {
  LoggedBlock *const log = log_of(block);
  if (!log || !is_kept(access_name(access_of(request))))
    return;
  LoggedEvent event{LoggedEvent::What::request};
  event.pc = request.pc;
  event.lanes = request.active;
  event.access = access_of(request);
  event.bytes = request.bytes;
  const bool shared = request.space == Space::shared;
  event.cost = shared ? count_wavefronts(request).wavefronts : count_sectors(request);
  const auto *first = reinterpret_cast<const char *>(
      request.address[static_cast<size_t>(__builtin_ctz(request.active))]);
  const char *base = static_shared;
  int64_t shift = 0;
  if (!shared) {
    event.array = array_of(first, base);
  } else if (first >= dynamic_shared) { // it begins where static shared memory ends
    base = dynamic_shared;
    shift = static_cast<int64_t>((static_shared_used() + 127) / 128 * 128);
  }
  for (const size_t lane : LanesOf(request.active))
    event.at.push_back(reinterpret_cast<const char *>(request.address[lane]) - base + shift);
  add(*log, std::move(event));
}

void TraceLog::basic_block(ObservedBlock &block, uint32_t pc, uint32_t active, uint32_t) {
  LoggedBlock *const log = log_of(block);
  if (!log || !is_kept("basic_block"))
    return;
  LoggedEvent event{LoggedEvent::What::basic_block};
  event.pc = pc;
  event.lanes = active;
  add(*log, std::move(event));
}

void TraceLog::barrier(ObservedBlock &block) {
  if (LoggedBlock *const log = log_of(block))
    add(*log, LoggedEvent{LoggedEvent::What::barrier});
}

std::string TraceLog::json(const LoggedLaunch &launch) {
  Json places = Json::list();
  std::map<std::pair<std::string, int>, size_t> place_of;
  const auto place = [&](uint32_t pc) {
    const SourceLine where = symbols().line(pc);
    const auto [entry, fresh] = place_of.try_emplace({where.file, where.line}, places.size());
    if (fresh)
      places.push_back({{"file", where.file}, {"line", where.line}, {"text", source_text(where)}});
    return entry->second;
  };
  std::string blocks;
  for (const LoggedBlock &block : launch.blocks) {
    std::string events;
    std::string before; // basic blocks of one line that follow each other are one event
    uint32_t pc_before = 0;
    for (const LoggedEvent &event : block.events) {
      if (event.what == LoggedEvent::What::basic_block &&
          is_emulators_own(symbols().line(event.pc).file))
        continue;
      Json json = {{"warp", event.warp}};
      if (event.what == LoggedEvent::What::barrier) {
        json = {{"barrier", true}};
      } else {
        json["place"] = place(event.pc);
        json["lanes"] = event.lanes;
      }
      if (event.what == LoggedEvent::What::request) {
        json["access"] = access_name(event.access);
        json["bytes"] = event.bytes;
        json["array"] = event.array;
        json["at"] = places_json(event.lanes, event.at);
        json["cost"] = event.cost;
      }
      const std::string text = json.text();
      if (event.what != LoggedEvent::What::basic_block || text != before || event.pc == pc_before)
        events += (events.empty() ? "" : ",\n") + text;
      before = text;
      pc_before = event.pc;
    }
    blocks += (blocks.empty() ? "" : ",\n") + std::string("{\"block\": ") +
              std::to_string(block.number) + ", \"left_out\": " + std::to_string(block.left_out) +
              ", \"events\": [\n" + events + "]}";
  }
  Json head = {{"kernel", launch.kernel},
               {"part", launch.part},
               {"grid", sizes_json(launch.config.grid)},
               {"block", sizes_json(launch.config.block)},
               {"places", places},
               {"arrays", launch.arrays}};
  std::string text = head.text();
  text.back() = ','; // the brace that closes it
  return text + "\n\"blocks\": [" + blocks + "]}";
}

std::string TraceLog::json() const {
  std::vector<uint32_t> addresses;
  for (const LoggedLaunch &launch : launches_)
    for (const LoggedBlock &block : launch.blocks)
      for (const LoggedEvent &event : block.events)
        if (event.what != LoggedEvent::What::barrier)
          addresses.push_back(event.pc);
  symbols().look_up(addresses);
  std::string launches;
  for (const LoggedLaunch &launch : launches_)
    launches += (launches.empty() ? "" : ",\n") + json(launch);
  return "{\"launches\": [" + launches + "],\n\"left_out\": " + std::to_string(left_out_) + "}\n";
}

} // namespace emu
