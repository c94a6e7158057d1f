#include "task_races.hpp"

#include <algorithm>
#include <array>
#include <execinfo.h>

#include "../src/context/devices.hpp"
#include "look.hpp"
#include "symbols.hpp"
#include "text.hpp"

extern "C" char __executable_start[], etext[];

namespace emu {

namespace {

constexpr size_t most_live = 2000; // older tasks count as waited for

void join(std::map<uint32_t, uint64_t> &clock, const std::map<uint32_t, uint64_t> &other) {
  for (const auto &[chain, place] : other) {
    uint64_t &mine = clock[chain];
    mine = std::max(mine, place);
  }
}

bool knows(const std::map<uint32_t, uint64_t> &clock, uint32_t chain, uint64_t place) {
  const auto found = clock.find(chain);
  return found != clock.end() && found->second >= place;
}

const char *route_words(const Task &task) {
  if (task.kind != TaskKind::copy)
    return "";
  switch (task.route) {
  case Route::to_device:
    return " to the device";
  case Route::to_host:
    return " to the host";
  case Route::between_devices:
    return " to another device";
  default:
    return "";
  }
}

std::string words_for(const Task &task) {
  if (task.kind == TaskKind::collective_work)
    return task.name; // of all ranks, each with a stream of its own
  return (task.kind == TaskKind::kernel ? "kernel " : "") + task.name + route_words(task) + " (" +
         (task.graph_launch != 0 ? "a graph in " : "") + stream_words(task.stream, task.device) +
         ")";
}

const char *verb(Way way, TaskKind kind = TaskKind::copy) {
  if (kind == TaskKind::allocate || kind == TaskKind::free)
    return kind == TaskKind::free ? "frees" : "allocates";
  switch (way) {
  case Way::read:
  case Way::polled_read:
    return "reads";
  case Way::write:
    return "writes";
  default:
    return "changes with atomics";
  }
}

Touched touched_by(const Task &task) {
  Footprint footprint;
  for (const auto &[strips, way] :
       {std::pair(&task.reads, Way::read), std::pair(&task.writes, Way::write)})
    for (const Strip &strip : *strips)
      for (size_t slice = 0; slice < strip.slices; ++slice)
        for (size_t row = 0; row < strip.rows; ++row)
          footprint.add(
              strip.first + slice * strip.slice_pitch + row * strip.pitch, strip.width, way);
  return footprint.take();
}

} // namespace

std::string stream_words(unsigned number, int device) {
  const std::string words = number == 1   ? "the default stream"
                            : number == 2 ? "the thread's default stream"
                                          : format("stream %u", number - 2);
  return several_devices() ? words + format(" of device %d", device) : words;
}

std::vector<uint32_t> program_callers() {
  std::array<void *, 24> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  std::vector<uint32_t> callers;
  for (int i = 0; i < count; ++i) {
    const auto *address = static_cast<const char *>(frames[static_cast<size_t>(i)]);
    if (address >= __executable_start && address < etext)
      callers.push_back(static_cast<uint32_t>(address - __executable_start));
  }
  return callers;
}

uint32_t place_of(const std::vector<uint32_t> &callers) {
  const std::lock_guard lock(instruments_mutex());
  symbols().look_up(callers);
  for (const uint32_t caller : callers) {
    const SourceLine where = symbols().line(caller);
    if (where.line > 0 && !is_emulators_own(where.file))
      return caller;
  }
  return 0;
}

const SourceLine &asked_in(const std::vector<uint32_t> &callers) {
  const uint32_t place = place_of(callers);
  const SourceLine innermost = symbols().line(place);
  for (auto caller = callers.rbegin(); caller != callers.rend(); ++caller)
    if (const SourceLine &where = symbols().outer_line(*caller);
        where.line > 0 && where.file == innermost.file)
      return where;
  return symbols().outer_line(place);
}

namespace {

// Where two tasks were submitted. One line of a helper may submit both: then the lines that called it tell them apart.
std::pair<uint32_t, uint32_t> places_of(const std::vector<uint32_t> &one,
                                        const std::vector<uint32_t> &other) {
  const std::pair innermost(place_of(one), place_of(other));
  const auto same_line = [](uint32_t a, uint32_t b) {
    const SourceLine at_a = symbols().line(a), at_b = symbols().line(b);
    return at_a.line == at_b.line && at_a.file == at_b.file;
  };
  const auto apart = std::mismatch(std::find(one.begin(), one.end(), innermost.first),
                                   one.end(),
                                   std::find(other.begin(), other.end(), innermost.second),
                                   other.end(),
                                   same_line);
  const bool both = apart.first != one.end() && apart.second != other.end() &&
                    symbols().line(*apart.first).line > 0 && symbols().line(*apart.second).line > 0;
  return both ? std::pair(*apart.first, *apart.second) : innermost;
}

} // namespace

constinit thread_local TaskRaces::Running *TaskRaces::running = nullptr;

Way TaskRaces::way_of(Operation operation, bool is_volatile) {
  if (operation == Operation::load)
    return is_volatile ? Way::polled_read : Way::read;
  return operation == Operation::store && !is_volatile ? Way::write : Way::atomic;
}

void TaskRaces::start() {
  host_waited(nullptr);
  recorded_anew_.clear();
  vain_waits_.clear();
  device_waits_.clear();
  reported_.clear();
}

void TaskRaces::task_submitted(const Task &task) {
  Trace trace{};
  trace.clock = host_;
  bool continues = false;
  for (const TaskPointer &before : task.after) {
    const auto earlier = live_.find(before->number);
    if (earlier == live_.end())
      continue; // the host knows it, and so does everybody from now on
    join(trace.clock, earlier->second.clock);
    const uint32_t chain = earlier->second.chain;
    if (!continues && tails_[chain] == before->number) {
      trace.chain = chain;
      continues = true;
    }
  }
  if (!continues)
    trace.chain = next_chain_++;
  trace.place = ++lengths_[trace.chain];
  trace.clock[trace.chain] = trace.place;
  trace.kind = task.kind;
  trace.device = task.device;
  trace.words = words_for(task);
  trace.callers = task.callers;
  trace.number = task.number;
  trace.stream = {task.device, task.stream};
  if (task.kind == TaskKind::wait) {
    vain_waits_.erase(task.stream);
    for (const TaskPointer &before : task.after)
      if (before->kind == TaskKind::event && (before->stream != task.stream || trace.event == 0)) {
        trace.event = before->number;
        trace.event_stream = {before->device, before->stream};
      }
  }
  if (const auto vain = vain_waits_.find(task.stream); vain != vain_waits_.end())
    trace.vain_wait = vain->second;
  if (task.record_before != 0)
    recorded_anew_[task.record_before] = {task.number, task.callers};
  tails_[trace.chain] = task.number;
  live_[task.number] = std::move(trace);
  any_live_ = true;
  if (live_.size() > most_live) {
    join(host_, live_.begin()->second.clock);
    forget_known();
  }
}

void TaskRaces::task_begins(const Task &task) {
  if (idle_.empty())
    idle_.push_back(std::make_unique<Running>());
  running = idle_.back().release();
  idle_.pop_back();
  running->stack = task.kind == TaskKind::host_function ? task.stack : nullptr;
}

void TaskRaces::task_ends(const Task &task, TaskCost &cost) {
  if (!running)
    return; // it began before it was observed
  idle_.emplace_back(std::exchange(running, nullptr));
  Running &has_run = *idle_.back();
  const bool watched = task.kind == TaskKind::kernel || task.kind == TaskKind::host_function;
  Touched touched = watched ? has_run.footprint.take() : touched_by(task);
  cost.touched = bytes_of(touched);
  const auto entry = live_.find(task.number);
  if (entry == live_.end())
    return;
  Trace &mine = entry->second;
  touch(mine, std::move(touched));
  for (size_t i = 0; i < mine.flags.size(); ++i)
    mine.flags[i] = has_run.flags[i].take()[static_cast<size_t>(Way::write)];
  learn_from_flags(mine);
  for (const auto &[number, other] : live_) {
    if (&other == &mine || !other.ended || other.highest <= mine.lowest ||
        mine.highest <= other.lowest || knows(mine.clock, other.chain, other.place))
      continue;
    Conflict conflict{};
    if (find_conflict(other.touched, mine.touched, conflict))
      report(other, mine, conflict);
  }
}

void TaskRaces::block_begins(ObservedBlock &block) {
  Notes &notes = notes_of<Notes>(block);
  if (notes.any_fence)
    notes = {};
}

void TaskRaces::fence(ObservedBlock &block, int thread, Scope scope) {
  if (scope < Scope::device)
    return;
  Notes &notes = notes_of<Notes>(block);
  notes.any_fence = true;
  uint8_t &mine = notes.fenced[static_cast<size_t>(thread)];
  mine = std::max(mine, static_cast<uint8_t>(scope == Scope::system ? 2 : 1));
}

// Volatile accesses reach everybody; an atomic those of its scope.
void TaskRaces::note_flag(const Notes &notes, const ThreadAccess &access, const char *address) {
  const Scope scope = access.is_volatile ? Scope::system : access.scope;
  const int reach = scope == Scope::system ? 2 : scope == Scope::device ? 1 : 0;
  const int fenced = std::min<int>(reach, notes.fenced[static_cast<size_t>(access.thread)]);
  for (int i = 0; i < fenced; ++i)
    running->flags[static_cast<size_t>(i)].add(address, access.bytes, Way::write);
}

bool TaskRaces::has_read_flag(const std::vector<Span> &flags, const Trace &reader) {
  Span common{};
  return meet(flags, reader.touched[static_cast<size_t>(Way::polled_read)], common) ||
         meet(flags, reader.touched[static_cast<size_t>(Way::atomic)], common);
}

void TaskRaces::learn_from_flags(Trace &mine) {
  for (const auto &[number, other] : live_)
    if (&other != &mine && other.ended && !knows(mine.clock, other.chain, other.place) &&
        has_read_flag(other.flags[other.device != mine.device], mine))
      join(mine.clock, other.clock);
}

void TaskRaces::learn_as_host(Span span) {
  bool learned = false;
  for (const auto &[number, trace] : live_) {
    Span common{};
    if (!trace.ended || !meet(trace.flags[1], {span}, common))
      continue;
    join(host_, trace.clock);
    learned = true;
  }
  if (learned)
    forget_known();
}

void TaskRaces::touch(Trace &trace, Touched touched) {
  trace.touched = std::move(touched);
  trace.ended = true;
  for (const std::vector<Span> &spans : trace.touched)
    if (!spans.empty()) {
      trace.lowest = std::min(trace.lowest, spans.front().begin);
      trace.highest = std::max(trace.highest, spans.back().end);
    }
}

void TaskRaces::host_waited(const Task *task) {
  if (task == nullptr) {
    live_.clear();
    any_live_ = false;
    tails_.clear();
    lengths_.clear();
    host_.clear();
    events_of_host_.clear();
    return;
  }
  if (task->kind == TaskKind::event)
    events_of_host_[{task->device, task->stream}] = task->number;
  const auto entry = live_.find(task->number);
  if (entry == live_.end())
    return;
  join(host_, entry->second.clock);
  forget_known();
}

void TaskRaces::device_waited(int device) {
  const uint64_t last = live_.empty() ? 0 : live_.rbegin()->first;
  device_waits_[device] = {last, symbols().line(place_of(program_callers())).line};
  for (const auto &[number, trace] : live_)
    if (trace.device == device)
      join(host_, trace.clock);
  forget_known();
}

/// The other device that the host has waited for behind the earlier one of two tasks, and before the later one; -1: none.
int TaskRaces::device_waited_between(const Trace &earlier, const Trace &later) const {
  for (const auto &[device, wait] : device_waits_)
    if (device != earlier.device && wait.line > 0 && wait.number >= earlier.number &&
        wait.number < later.number)
      return device;
  return -1;
}

// What the host knows, everything that is submitted from now on knows.
void TaskRaces::forget_known() {
  std::erase_if(live_, [&](const auto &entry) {
    return knows(host_, entry.second.chain, entry.second.place);
  });
  any_live_ = !live_.empty();
  for (auto tail = tails_.begin(); tail != tails_.end();) {
    if (live_.count(tail->second) > 0) {
      ++tail;
      continue;
    }
    host_.erase(tail->first);
    lengths_.erase(tail->first);
    tail = tails_.erase(tail);
  }
}

void TaskRaces::waited_in_vain(unsigned stream, const std::string &place) {
  vain_waits_[stream] = place;
}

void TaskRaces::host_access(const HostAccess &access) {
  if (!access.observed || !any_live_.load(std::memory_order_relaxed))
    return;
  const auto &[address, bytes, operation, is_volatile, pc, observed] = access;
  const Way way = way_of(operation, is_volatile);
  if (running && running->stack) {
    const auto *const here = static_cast<const char *>(__builtin_frame_address(0));
    if (address < here || address >= running->stack) // else a variable of its own
      running->footprint.add(address, bytes, way);
    return;
  }
  const std::lock_guard lock(instruments_mutex());
  const auto begin = reinterpret_cast<uint64_t>(address);
  if (way == Way::polled_read || way == Way::atomic)
    learn_as_host({begin, begin + bytes});
  for (const auto &[number, trace] : live_) {
    if (!trace.ended || begin >= trace.highest || begin + bytes <= trace.lowest)
      continue;
    Conflict conflict{};
    if (find_conflict(trace.touched, Span{begin, begin + bytes}, way, conflict))
      report_host(trace, conflict, pc);
  }
}

/// The record behind the earlier one whose event the later one's stream, or the host, has waited for only after another
/// record of it; 0: none.
uint64_t TaskRaces::recorded_anew(const Trace &earlier, const Trace *later) const {
  const auto waited_for = [&](uint64_t record) {
    return later
               ? std::ranges::any_of(live_,
                                     [&](const auto &entry) {
                                       const Trace &wait = entry.second;
                                       return wait.kind == TaskKind::wait && wait.event == record &&
                                              wait.stream == later->stream &&
                                              wait.number < later->number;
                                     })
               : std::ranges::any_of(events_of_host_,
                                     [&](const auto &event) { return event.second == record; });
  };
  for (const auto &[number, trace] : live_)
    if (trace.kind == TaskKind::event && trace.stream == earlier.stream && number > earlier.number)
      for (auto next = recorded_anew_.find(number); next != recorded_anew_.end();
           next = recorded_anew_.find(next->second.number))
        if (waited_for(next->second.number))
          return number;
  return 0;
}

std::string TaskRaces::anew_words(const Trace &earlier, const Trace *later) const {
  return ": its event was recorded anew in line " +
         std::to_string(
             symbols()
                 .line(place_of(recorded_anew_.at(recorded_anew(earlier, later)).callers))
                 .line) +
         ", ahead of the wait, which is for an event's last record";
}

std::string TaskRaces::wait_words(const Trace &earlier, const Trace &later) const {
  const int device = device_waited_between(earlier, later);
  return format(": the host waits in line %d, but for device %d alone, which is current there",
                device_waits_.at(device).line,
                device);
}

/// \param later  null: the host
TaskLacks TaskRaces::what_lacks(const Trace &earlier, const Trace *later) const {
  const auto of_pool = [](const Trace &trace) {
    return trace.kind == TaskKind::allocate || trace.kind == TaskKind::free;
  };
  if (later && !later->vain_wait.empty())
    return TaskLacks::record_first;
  if (recorded_anew(earlier, later) != 0)
    return TaskLacks::event_each;
  // One in the earlier one's stream is to blame unless the later one's has waited, for a record that tells too little, or
  // only reads what the earlier one writes.
  Conflict conflict{};
  const bool earlier_in_vain = later && !earlier.vain_wait.empty() &&
                               !(find_conflict(earlier.touched, later->touched, conflict) &&
                                 conflict.first == Way::write && conflict.second == Way::read);
  TaskLacks lacks = TaskLacks::order;
  bool own_event = false, third_waits = false, turned = false;
  for (const auto &[number, trace] : live_) {
    const bool tells_of_it = trace.event > earlier.number && trace.event_stream == earlier.stream;
    if (trace.kind == TaskKind::wait && tells_of_it && trace.stream == earlier.stream)
      return earlier_in_vain ? TaskLacks::record_first : TaskLacks::other_stream;
    if (later && number > later->number)
      break;
    third_waits = third_waits || (later && trace.kind == TaskKind::wait && tells_of_it);
    turned = turned || (later && trace.kind == TaskKind::wait && trace.event != 0 &&
                        number > earlier.number && trace.stream == earlier.stream &&
                        trace.event_stream == later->stream);
    if (trace.kind == TaskKind::event && trace.stream == earlier.stream && number > earlier.number)
      lacks = TaskLacks::wait;
    else if (trace.event != 0 && trace.event_stream == earlier.stream && later &&
             trace.stream == later->stream && lacks == TaskLacks::order)
      lacks = TaskLacks::later_record;
    own_event = own_event || (later && trace.kind == TaskKind::wait && trace.event != 0 &&
                              trace.stream == later->stream && trace.event_stream == trace.stream);
  }
  if (earlier_in_vain && lacks != TaskLacks::later_record)
    return TaskLacks::record_first;
  if (third_waits && lacks == TaskLacks::wait)
    return TaskLacks::third_stream;
  if (lacks != TaskLacks::order)
    return lacks;
  return own_event                                              ? TaskLacks::own_event
         : of_pool(earlier) || (later && of_pool(*later))       ? TaskLacks::own_memory
         : turned                                               ? TaskLacks::turned
         : later && device_waited_between(earlier, *later) >= 0 ? TaskLacks::other_device
                                                                : lacks;
}

void TaskRaces::report(const Trace &earlier, const Trace &later, const Conflict &conflict) {
  const auto [one, other] = places_of(earlier.callers, later.callers);
  if (!reported_.insert(format("%u %u ", one, other) + earlier.words + later.words).second)
    return;
  RaceShape shape;
  shape.task_lacks = what_lacks(earlier, &later);
  const std::string &vain = later.vain_wait.empty() ? earlier.vain_wait : later.vain_wait;
  const std::string text =
      later.words + " " + verb(conflict.second, later.kind) + " what " + earlier.words + " " +
      verb(conflict.first, earlier.kind) +
      (has_read_flag(earlier.flags[0], later)
           ? ", and the flag between them was written after __threadfence(), "
             "which holds for one device: __threadfence_system() holds for all"
           : ", and nothing makes one of them wait for the other") +
      (shape.task_lacks == TaskLacks::event_each     ? anew_words(earlier, &later)
       : shape.task_lacks == TaskLacks::other_device ? wait_words(earlier, later)
       : shape.task_lacks == TaskLacks::record_first
           ? ": the wait in " + vain + " stands before any record of its event"
           : "");
  Side here{{}, other, {}, {}}, there{{}, one, {}, {}};
  if (const SourceLine helper = symbols().line(one);
      helper.line > 0 && helper == symbols().line(other)) // what called it tells more
    for (auto [side, task] : {std::pair(&here, &later), {&there, &earlier}}) {
      const SourceLine &asked = asked_in(task->callers);
      side->pc = 0;
      side->site = {asked.file.c_str(), asked.line};
    }
  sink_.found({"stream_race", false, here, there, text, shape});
}

void TaskRaces::report_host(const Trace &trace, const Conflict &conflict, uint32_t pc) {
  if (pc == 0)
    pc = place_of(program_callers());
  if (!reported_.insert(format("%u ", pc) + trace.words).second)
    return;
  RaceShape shape;
  shape.task_lacks = what_lacks(trace, nullptr);
  const std::string text =
      std::string("the host ") + verb(conflict.second) + " what " + trace.words + " " +
      verb(conflict.first, trace.kind) + ", and has not waited for it" +
      (shape.task_lacks == TaskLacks::event_each ? anew_words(trace, nullptr) : "");
  shape.host_writes = conflict.second == Way::write;
  const auto waited = events_of_host_.find(trace.stream);
  shape.early_event = waited != events_of_host_.end() && waited->second < trace.number;
  sink_.found(
      {"host_race", false, {{}, pc, {}, {}}, {{}, place_of(trace.callers), {}, {}}, text, shape});
}

} // namespace emu
