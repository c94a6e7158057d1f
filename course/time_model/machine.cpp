#include "machine.hpp"

#include "registers.hpp"
#include "warp_state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include <unordered_map>

namespace model {
namespace {

constexpr uint64_t most_steps_of_block = 6'000'000;
constexpr uint64_t most_turns_without_progress = 200'000;

/// As the program has it: "emu::commit_bulk()".
std::string readable(const std::string &mangled) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : mangled;
}

class BlockMachine {
public:
  BlockMachine(const Function &f, const Launch &launch, uint64_t block)
      : f_(f), launch_(launch), slice_(f), told_(told_registers(f)), uniform_(uniform_registers(f)),
        memory_(f, launch, block) {
    trace_.block = block;
    block_id_ = {static_cast<unsigned>(block % launch.grid.x),
                 static_cast<unsigned>(block / launch.grid.x % launch.grid.y),
                 static_cast<unsigned>(block / launch.grid.x / launch.grid.y)};
    resolve_symbols();
    const auto threads = static_cast<int>(launch.block.count());
    for (int first = 0; first < threads; first += 32) {
      Warp w;
      w.number = first / 32;
      w.members = threads - first >= 32 ? ~0u : (1u << (threads - first)) - 1;
      w.registers.resize(32 * f.registers.size());
      w.local.resize(32 * f.local);
      w.groups.push_back({0, w.members, false});
      w.loops = std::make_unique<LoopWatch>(f, slice_);
      w.flags = std::make_unique<FlagWatch>(f, told_);
      warps_.push_back(std::move(w));
    }
  }

  BlockTrace run() {
    for (bool anybody = true; anybody;) {
      anybody = false;
      bool progress = false;
      for (Warp &w : warps_) {
        if (w.groups.empty())
          continue;
        anybody = true;
        if (!w.waits()) {
          run_warp(w);
          progress = true;
        }
      }
      if (anybody && !progress)
        release_barrier();
    }
    for (Warp &w : warps_) {
      trace_.warps.push_back(std::move(w.steps));
      for (Look look : w.flags->looks()) {
        look.warp = static_cast<uint32_t>(w.number);
        trace_.looks.push_back(look);
      }
    }
    return std::move(trace_);
  }

private:
  void resolve_symbols() {
    for (const Symbol &symbol : f_.symbols) {
      if (symbol.space == Space::shared)
        addresses_.push_back(shared_window + symbol.offset);
      else if (symbol.space == Space::local)
        addresses_.push_back(local_window + symbol.offset);
      else if (const uint64_t place = launch_.variable ? launch_.variable(symbol.name) : 0)
        addresses_.push_back(place);
      else
        addresses_.push_back(reinterpret_cast<uint64_t>(symbol.values.data()));
    }
  }

  void release_barrier() {
    for (Warp &w : warps_)
      for (Group &g : w.groups) {
        g.at_barrier = false;
        ++g.pc;
      }
    for (Warp &w : warps_)
      merge(w);
  }

  // Until it waits or ends. Of several groups the one that is furthest behind goes first.
  void run_warp(Warp &w) {
    while (!w.waits()) {
      Group *g = nullptr;
      for (Group &other : w.groups)
        if (!other.at_barrier && (g == nullptr || other.pc < g->pc))
          g = &other;
      if (++executed_ > most_steps_of_block)
        throw Refused("a block of it runs for too long to be followed");
      run_step(w, *g);
      std::erase_if(w.groups, [](const Group &other) { return other.lanes == 0; });
      if (w.groups.size() > 1)
        merge(w);
    }
  }

  // --------------------------------------------------------------------------------- operands

  const uint64_t *fetch(Warp &w, const Operand &o, Lanes &space) {
    switch (o.what) {
    case Operand::reg:
      return w.of(o.reg_index);
    case Operand::special:
      for (unsigned lane = 0; lane < 32; ++lane)
        space[lane] = special_register(static_cast<Special>(o.bits),
                                       launch_,
                                       block_id_,
                                       static_cast<unsigned>(w.number) * 32 + lane,
                                       executed_);
      return space.data();
    case Operand::symbol:
      space.fill(addresses_[static_cast<size_t>(o.symbol_index)] + o.bits);
      return space.data();
    default:
      space.fill(o.bits);
      return space.data();
    }
  }

  /// The values of an instruction's operands, up to four.
  struct Fetched {
    std::array<Lanes, 4> spaces; // where they are no registers
    std::array<const uint64_t *, 4> from{};
    size_t count;
  };
  void fetch_all(Warp &w, const Instruction &i, Fetched &f) {
    f.count = std::min(f.from.size(), i.from_operands.size());
    for (size_t k = 0; k < f.count; ++k)
      f.from[k] = fetch(w, i.from_operands[k], f.spaces[k]);
  }

  // ------------------------------------------------------------------------------------ steps

  void run_step(Warp &w, Group &g) {
    const Instruction &i = f_.code[static_cast<size_t>(g.pc)];
    uint32_t active = g.lanes;
    if (i.guard >= 0) {
      const uint64_t *guard = w.of(i.guard);
      for (const size_t lane : LanesOf(active))
        if ((guard[lane] & 1) == i.negated)
          active &= ~(1u << lane);
    }
    Step &step = w.steps.emplace_back();
    step.pc = static_cast<uint32_t>(g.pc);
    step.active = static_cast<uint8_t>(__builtin_popcount(active));
    switch (i.op) {
    case Op::bra:
      branch(w, g, i, active);
      return;
    case Op::ret:
    case Op::trap:
      g.lanes &= ~active;
      ++g.pc;
      return;
    case Op::bar:
    case Op::bar_reduce:
      if (i.op == Op::bar_reduce)
        for (int reg : i.to)
          std::fill_n(w.of(reg), 32, 1);
      g.at_barrier = true;
      return;
    case Op::ld:
      load(w, i, active, step);
      break;
    case Op::st:
      store(w, i, active, step);
      break;
    case Op::atom:
    case Op::red:
      atomic(w, i, active, step);
      break;
    case Op::cp_async:
      copy(w, i, active, step);
      break;
    case Op::call:
      call(w, i, active);
      break;
    case Op::shfl:
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::activemask:
      together(w, i, active);
      break;
    default:
      compute(w, i, active, g.pc);
    }
    ++g.pc;
  }

  void branch(Warp &w, Group &g, const Instruction &i, uint32_t taken) {
    const uint32_t stay = g.lanes & ~taken;
    const int from = g.pc;
    if (taken != 0 && i.target <= from) {
      if (const int out = w.flags->leaves(from, taken, w.steps); out >= 0) {
        g.pc = out; // what it waits for has come
        return;
      }
      if (stay == 0 && w.groups.size() == 1) {
        w.loops->went_back(from, i.target, taken, w.registers, w.steps);
      }
      if (++turns_ > most_turns_without_progress)
        throw Refused(
            "blocks of it wait for each other, or a loop's end depends on data that only a "
            "whole run would make");
    }
    if (taken == 0) {
      ++g.pc;
    } else if (stay == 0) {
      g.pc = i.target;
    } else {
      g.lanes = stay;
      ++g.pc;
      w.groups.push_back({i.target, taken, false});
    }
  }

  void compute(Warp &w, const Instruction &i, uint32_t active, int pc) {
    Fetched fetched;
    fetch_all(w, i, fetched);
    const auto &from = fetched.from;
    if (i.op == Op::setp && slice_.decides[static_cast<size_t>(pc)]) {
      Lanes a, b;
      std::copy_n(from[0], 32, a.begin());
      std::copy_n(from[1], 32, b.begin());
      w.loops->compared(pc, a, b);
    }
    if (i.to.empty())
      return;
    if (i.op == Op::unpack) {
      const int width = 8 * bytes_of(f_.registers[static_cast<size_t>(i.to[0])]);
      for (size_t k = 0; k < i.to.size(); ++k)
        for (const size_t lane : LanesOf(active))
          w.of(i.to[k])[lane] = from[0][lane] >> (width * static_cast<int>(k)) &
                                (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1);
      return;
    }
    Lanes result;
    compute_lanes(i, active, from, fetched.count, result);
    for (size_t k = 0; k < i.to.size(); ++k) // setp p|q: q is the opposite
      for (const size_t lane : LanesOf(active))
        w.of(i.to[k])[lane] = k == 0 ? result[lane] : !result[lane];
  }

  // ----------------------------------------------------------------------------------- memory

  Lanes addresses(Warp &w, const Instruction &i, size_t operand = 0) {
    Lanes space, result;
    const uint64_t *base = fetch(w, i.from_operands[operand], space);
    for (size_t lane = 0; lane < 32; ++lane)
      result[lane] = base[lane] + i.offset;
    return result;
  }

  void load(Warp &w, const Instruction &i, uint32_t active, Step &step) {
    const auto bytes = static_cast<size_t>(bytes_of(i.type));
    if (i.space == Space::param) {
      Lanes space;
      const uint64_t base = active ? fetch(w, i.from_operands[0], space)[__builtin_ctz(active)] : 0;
      for (size_t k = 0; k < i.to.size(); ++k) {
        uint64_t value = 0;
        const size_t at = base + i.offset + k * bytes;
        if (at + bytes <= launch_.parameters.size())
          std::memcpy(&value, &launch_.parameters[at], bytes);
        std::fill_n(w.of(i.to[k]), 32, extended(value, i.type));
      }
      return;
    }
    const Lanes address = addresses(w, i);
    for (size_t k = 0; k < i.to.size(); ++k)
      for (const size_t lane : LanesOf(active))
        w.of(i.to[k])[lane] =
            extended(memory_.read(w.local, address[lane] + k * bytes, bytes, lane), i.type);
    if (i.space != Space::constant)
      note(trace_, step, address, bytes * i.to.size(), active, Operation::load);
  }

  void store(Warp &w, const Instruction &i, uint32_t active, Step &step) {
    const auto bytes = static_cast<size_t>(bytes_of(i.type));
    const Lanes address = addresses(w, i);
    for (size_t k = 1; k < i.from_operands.size(); ++k) {
      Lanes space;
      const uint64_t *value = fetch(w, i.from_operands[k], space);
      for (const size_t lane : LanesOf(active))
        memory_.write(w.local, address[lane] + (k - 1) * bytes, bytes, lane, value[lane]);
    }
    note(trace_, step, address, bytes * (i.from_operands.size() - 1), active, Operation::store);
  }

  void atomic(Warp &w, const Instruction &i, uint32_t active, Step &step) {
    const auto bytes = static_cast<size_t>(bytes_of(i.type));
    const Lanes address = addresses(w, i);
    Lanes spaces[2];
    const uint64_t *a = fetch(w, i.from_operands[1], spaces[0]);
    const bool whole_global = active != 0 && !is_float(i.type) &&
                              address[static_cast<size_t>(__builtin_ctz(active))] < shared_window;
    const bool draws =
        whole_global && i.op == Op::atom && i.kind == Kind::add && __builtin_popcount(active) == 1;
    const uint64_t *b = i.from_operands.size() > 2 ? fetch(w, i.from_operands[2], spaces[1]) : a;
    for (const size_t lane : LanesOf(active)) {
      uint64_t old = extended(memory_.read(w.local, address[lane], bytes, lane), i.type);
      if (draws) // a ticket: all blocks draw in turn
        old += memory_.ticket(address[lane], a[lane]);
      memory_.write(w.local, address[lane], bytes, lane, atomic_result(i, old, a[lane], b[lane]));
      if (!i.to.empty())
        w.of(i.to[0])[lane] = old;
    }
    // To one address for all, ptxas adds up what a warp has: a lane goes for the others.
    const Operand &place = i.from_operands[0];
    const bool together =
        whole_global && bytes == 4 && i.kind != Kind::cas && i.kind != Kind::exch &&
        (place.what != Operand::reg || uniform_[static_cast<size_t>(place.reg_index)]);
    const auto sort = i.kind == Kind::add ? Operation::add : Operation::atomic;
    note(trace_, step, address, bytes, together ? active & -active : active, sort);
  }

  void copy(Warp &w, const Instruction &i, uint32_t active, Step &step) {
    const Lanes to = addresses(w, i, 0), from = addresses(w, i, 1);
    const size_t bytes = i.from_operands.size() > 2 ? i.from_operands[2].bits : 4;
    for (const size_t lane : LanesOf(active))
      for (size_t at = 0; at < bytes; at += 4)
        memory_.write(
            w.local, to[lane] + at, 4, lane, memory_.read(w.local, from[lane] + at, 4, lane));
    note(trace_, step, from, bytes, active, Operation::load, true);
    step.wavefronts =
        static_cast<uint16_t>(shared_wavefronts({Operation::store, bytes, active, to.data()}));
  }

  // ------------------------------------------------------------------------- several lanes

  void together(Warp &w, const Instruction &i, uint32_t active) {
    Fetched fetched;
    fetch_all(w, i, fetched);
    Lanes result{}, valid{};
    exchange_lanes(i, active, fetched.from, result, valid);
    for (size_t k = 0; k < i.to.size(); ++k)
      for (const size_t lane : LanesOf(active))
        w.of(i.to[k])[lane] = k == 0 ? result[lane] : valid[lane];
  }

  void call(Warp &w, const Instruction &i, uint32_t active) {
    const std::string &name = f_.callees[static_cast<size_t>(i.callee)];
    if (name == "vprintf" || name == "__assertfail")
      return;
    const LibraryCall *called = find_library_call(name);
    if (called == nullptr || i.to.empty())
      throw Refused("it calls " + readable(name) + ", which is not modelled");
    Lanes spaces[2];
    const uint64_t *a = fetch(w, i.from_operands[0], spaces[0]);
    const uint64_t *b = fetch(w, i.from_operands.back(), spaces[1]);
    for (const size_t lane : LanesOf(active))
      w.of(i.to[0])[lane] = called->value(a[lane], b[lane]);
  }

  const Function &f_;
  const Launch &launch_;
  const ControlSlice slice_;
  const std::vector<bool> told_, uniform_;
  BlockMemory memory_;
  std::vector<uint64_t> addresses_; // of symbols
  std::vector<Warp> warps_;
  BlockTrace trace_;
  Extent block_id_;
  uint64_t executed_ = 0, turns_ = 0;
};

} // namespace

BlockTrace execute_block(const Function &function, const Launch &launch, uint64_t block) {
  return BlockMachine(function, launch, block).run();
}

} // namespace model
