#include "loops.hpp"

#include "registers.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace model {
namespace {

constexpr size_t longest_period = 4; // iterations after which buffers come round again
constexpr size_t kept = 2 * longest_period + 1;
// In 16 iterations a lane that reads ints one by one comes through the 64 bytes that memory sends at a
// time. Of loops with many instructions as many would be a lot to simulate.
constexpr size_t short_body = 40, kept_of_short = 17;
constexpr uint64_t endless = std::numeric_limits<uint64_t>::max() / 4;

using Wide = __int128;

Wide widened(uint64_t bits, Type type) {
  switch (type) {
  case Type::s32:
    return static_cast<int32_t>(bits);
  case Type::u32:
    return static_cast<uint32_t>(bits);
  case Type::s64:
    return static_cast<int64_t>(bits);
  case Type::s16:
    return static_cast<int16_t>(bits);
  case Type::u16:
    return static_cast<uint16_t>(bits);
  default:
    return bits;
  }
}

uint64_t masked(uint64_t bits, Type type) {
  return bytes_of(type) == 8 ? bits : static_cast<uint32_t>(bits);
}

/// After how many steps `a op b` changes its answer, when a grows by da and b by db with each.
uint64_t flips_after(Kind kind, Type type, uint64_t a, uint64_t da, uint64_t b, uint64_t db) {
  const int bits = 8 * bytes_of(type);
  const auto sign_extended = [&](uint64_t v) {
    return bits == 64 ? Wide{static_cast<int64_t>(v)} : Wide{static_cast<int32_t>(v)};
  };
  const Wide growth = sign_extended(db) - sign_extended(da);
  if (kind == Kind::eq || kind == Kind::ne) {
    const Wide apart = sign_extended(masked(b - a, type));
    const bool equal = apart == 0;
    if (growth == 0)
      return endless;
    if (equal)
      return 1;
    return apart % growth == 0 && -apart / growth > 0 ? static_cast<uint64_t>(-apart / growth)
                                                      : endless;
  }
  const Wide apart = widened(b, type) - widened(a, type); // lt: > 0, le: >= 0, gt: < 0, ge: <= 0
  const bool strict_side = kind == Kind::lt || kind == Kind::ge; // changes between > 0 and <= 0
  const bool above = strict_side ? apart > 0 : apart >= 0;
  if (growth == 0 || (above && growth > 0) || (!above && growth < 0))
    return endless;
  if (above) { // the first j with apart + j growth <= 0, or < 0
    const Wide down = -growth;
    return static_cast<uint64_t>(strict_side ? (apart + down - 1) / down : apart / down + 1);
  }
  const Wide need = strict_side ? -apart + 1 : -apart;
  return static_cast<uint64_t>((need + growth - 1) / growth);
}

bool is_predicate_logic(Op op) { return is_logic(op) || op == Op::mov || op == Op::selp; }

} // namespace

ControlSlice::ControlSlice(const Function &f) : decides(f.code.size(), false) {
  std::vector<std::vector<int>> definitions(f.registers.size());
  for (size_t pc = 0; pc < f.code.size(); ++pc)
    for (int reg : f.code[pc].to)
      definitions[static_cast<size_t>(reg)].push_back(static_cast<int>(pc));

  std::vector<bool> needed(f.registers.size(), false);
  std::vector<int> work;
  const auto need = [&](int reg) {
    if (reg >= 0 && !needed[static_cast<size_t>(reg)]) {
      needed[static_cast<size_t>(reg)] = true;
      work.push_back(reg);
    }
  };
  for (const Instruction &i : f.code) {
    need(i.guard);
    if (i.op == Op::cp_async)
      for (const Operand &o : i.from_operands)
        need(o.reg_index);
    else if (is_memory(i) && !i.from_operands.empty())
      need(i.from_operands[0].reg_index);
  }
  while (!work.empty()) {
    const int reg = work.back();
    work.pop_back();
    for (int pc : definitions[static_cast<size_t>(reg)]) {
      const Instruction &i = f.code[static_cast<size_t>(pc)];
      if (i.op != Op::ld && i.op != Op::atom && i.op != Op::shfl)
        for (const Operand &o : i.from_operands)
          need(o.reg_index);
    }
  }
  for (size_t reg = 0; reg < needed.size(); ++reg)
    if (needed[reg] && definitions[reg].size() > 1 && f.registers[reg] != Type::pred)
      carried.push_back(static_cast<int>(reg));

  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    if (f.code[pc].op != Op::bra || f.code[pc].guard < 0)
      continue;
    std::set<int> seen;
    std::vector<int> predicates = {f.code[pc].guard};
    while (!predicates.empty()) {
      const int reg = predicates.back();
      predicates.pop_back();
      for (int at : definitions[static_cast<size_t>(reg)]) {
        const Instruction &i = f.code[static_cast<size_t>(at)];
        if (!seen.insert(at).second)
          continue;
        if (i.op == Op::setp) {
          decides[static_cast<size_t>(at)] = true;
          of_branch_[static_cast<int>(pc)].push_back(at);
        } else if (is_predicate_logic(i.op)) {
          for (const Operand &o : i.from_operands)
            if (o.what == Operand::reg)
              predicates.push_back(o.reg_index);
        } else {
          of_branch_[static_cast<int>(pc)].push_back(-1); // on what nobody can foresee
        }
      }
    }
  }
}

const std::vector<int> &ControlSlice::of_branch(int pc) const {
  static const std::vector<int> none;
  const auto found = of_branch_.find(pc);
  return found == of_branch_.end() ? none : found->second;
}

void LoopWatch::compared(int pc, const Lanes &a, const Lanes &b) {
  for (auto &[place, loop] : loops_) {
    if (loop.given_up || pc < place.first || pc > place.second)
      continue;
    Compared &c = loop.compared[pc];
    if (++c.times == 1) {
      c.operands.emplace_front(a, b);
      if (c.operands.size() > kept)
        c.operands.pop_back();
    }
  }
}

// The shortest period with which all that is carried grows evenly.
size_t LoopWatch::find_period(const Loop &loop) const {
  for (size_t period = 1; period <= longest_period && 2 * period < loop.carried.size(); ++period) {
    bool even = true;
    for (size_t r = 0; r < slice_->carried.size() && even; ++r)
      for (const size_t lane : LanesOf(loop.active)) {
        const uint64_t now = loop.carried[0][r][lane], then = loop.carried[period][r][lane],
                       first = loop.carried[2 * period][r][lane];
        const Type type = function_->registers[static_cast<size_t>(slice_->carried[r])];
        even = even && masked(now - then, type) == masked(then - first, type);
      }
    if (even)
      return period;
  }
  return 1; // what is carried comes from memory: any will do
}

uint64_t LoopWatch::iterations_left(int latch, int header, const Loop &loop, size_t period) const {
  std::map<int, bool> comparisons; // and whether an exit depends on it
  for (int pc = header; pc <= latch; ++pc) {
    const Instruction &branch = function_->code[static_cast<size_t>(pc)];
    if (branch.op != Op::bra || branch.guard < 0)
      continue;
    const bool exits = pc == latch || branch.target < header || branch.target > latch;
    for (int setp : slice_->of_branch(pc))
      comparisons[setp] = comparisons[setp] || exits;
  }
  uint64_t left = endless;
  bool any_exit = false;
  for (const auto &[pc, exits] : comparisons) {
    const auto found = loop.compared.find(pc);
    const bool once = found != loop.compared.end() && found->second.times == 1 &&
                      found->second.operands.size() > 2 * period;
    const bool outside = pc >= 0 && (pc < header || pc > latch); // decided before the loop
    if (outside)
      continue;
    if (pc < 0 || !once || is_float(function_->code[static_cast<size_t>(pc)].from)) {
      if (exits)
        return 0;
      continue;
    }
    const Instruction &setp = function_->code[static_cast<size_t>(pc)];
    const auto &operands = found->second.operands;
    for (size_t phase = 0; phase < period; ++phase)
      for (const size_t lane : LanesOf(loop.active)) {
        if (phase + 2 * period >= operands.size())
          continue;
        const auto &[a0, b0] = operands[phase];
        const auto &[a1, b1] = operands[phase + period];
        const auto &[a2, b2] = operands[phase + 2 * period];
        const uint64_t da = masked(a0[lane] - a1[lane], setp.from),
                       db = masked(b0[lane] - b1[lane], setp.from);
        const bool even = da == masked(a1[lane] - a2[lane], setp.from) &&
                          db == masked(b1[lane] - b2[lane], setp.from);
        if (!even) {
          if (exits)
            return 0;
          continue;
        }
        const uint64_t flips = flips_after(setp.kind, setp.from, a0[lane], da, b0[lane], db);
        any_exit = any_exit || (exits && flips < endless);
        if (exits || flips > 1)
          left = std::min(left, flips < endless ? (flips - 1) * period : endless);
      }
  }
  return any_exit ? left : 0;
}

uint64_t LoopWatch::went_back(int latch,
                              int header,
                              uint32_t active,
                              std::vector<uint64_t> &registers,
                              std::vector<Step> &steps) {
  for (auto it = loops_.begin(); it != loops_.end();) // loops inside begin anew
    it = it->first != std::pair{header, latch} && it->first.first >= header &&
                 it->first.second <= latch
             ? loops_.erase(it)
             : std::next(it);
  Loop &loop = loops_[{header, latch}];
  if (loop.given_up)
    return 0;
  if (loop.active != active) {
    loop = {};
    loop.active = active;
  }
  ++loop.iterations;
  if (loop.iterations > 64) {
    loop.given_up = true;
    return 0;
  }
  std::vector<Lanes> now(slice_->carried.size());
  for (size_t r = 0; r < now.size(); ++r)
    std::copy_n(registers.begin() + 32 * slice_->carried[r], 32, now[r].begin());
  loop.carried.push_front(std::move(now));
  loop.begins.push_front(steps.size());
  const bool is_short = latch - header < static_cast<int>(short_body);
  const size_t wanted = is_short ? kept_of_short : kept;
  if (loop.carried.size() > wanted) {
    loop.carried.pop_back();
    loop.begins.pop_back();
  }
  uint64_t skipped = 0;
  if (const size_t period = loop.carried.size() == wanted ? find_period(loop) : 0) {
    const uint64_t left = iterations_left(latch, header, loop, period);
    const uint64_t leave = 2 * period;
    const uint64_t rounds = left > leave + 4 && left < endless ? (left - leave) / period : 0;
    if (rounds > 0) {
      skipped = rounds * period;
      for (size_t r = 0; r < slice_->carried.size(); ++r) {
        const auto reg = static_cast<size_t>(slice_->carried[r]);
        const Type type = function_->registers[reg];
        for (const size_t lane : LanesOf(active)) {
          const uint64_t now_ = loop.carried[0][r][lane], then = loop.carried[period][r][lane],
                         first = loop.carried[2 * period][r][lane];
          if (masked(now_ - then, type) == masked(then - first, type))
            registers[32 * reg + lane] = masked(now_ + rounds * (now_ - then), type);
        }
      }
      // All but the first iteration stand for those that were skipped.
      const size_t whole = (loop.begins.size() - 1) / period * period;
      const float more = static_cast<float>(skipped) / static_cast<float>(whole);
      for (size_t s = loop.begins[whole]; s < steps.size(); ++s)
        steps[s].weight *= 1 + more;
      loop.given_up = true;
    }
  }
  for (auto &[pc, compared] : loop.compared)
    compared.times = 0;
  return skipped;
}

} // namespace model
