// Loops that ptxas unrolls by four, after clang's or nvcc's own unrolling. What it takes was tried with ptxas 13
// on sm_90: loops of one block of instructions that count in 32 bits by a constant, and are short.
#include "loops.hpp"
#include "lower.hpp"
#include "registers.hpp"

#include <algorithm>

namespace model {
namespace {

constexpr float longest_body = 46; // instructions
// In front of such a loop it is asked whether there are four turns left, two, or one: nine instructions, of which
// three are branches.
constexpr float questions_slots = 9, questions_turns = 6;

/// A register that grows by a constant with each iteration, where `i` does that.
int counter_of(const Instruction &i) {
  const bool counts =
      (i.op == Op::add || i.op == Op::sub) && i.guard < 0 && !is_float(i.type) &&
      i.to.size() == 1 && i.from_operands.size() == 2 && i.from_operands[0].what == Operand::reg &&
      i.from_operands[0].reg_index == i.to[0] && i.from_operands[1].what == Operand::value;
  return counts ? i.to[0] : -1;
}

class Loop {
public:
  /// \param live  registers that are needed where it begins
  Loop(const Function &f, LoweredFunction &lowered, size_t head, size_t latch, int live)
      : f_(f), lowered_(lowered), head_(head), length_(latch - head + 1), live_(live) {}

  bool fits() const {
    float slots = 0;
    for (size_t k = 0; k < length_; ++k) {
      const Instruction &i = at(k);
      const Lowered &l = lowered_.code[head_ + k];
      slots += l.slots + l.special;
      if (i.is_volatile || l.action == Action::shuffle ||
          is_one_of(i.op, Op::bar, Op::bar_reduce, Op::atom, Op::red, Op::membar) ||
          (k + 1 < length_ && i.ends_block()))
        return false;
    }
    return slots <= longest_body && counter().reg >= 0;
  }

  void unroll() {
    std::vector<int> name(f_.registers.size());
    for (size_t reg = 0; reg < name.size(); ++reg)
      name[reg] = static_cast<int>(reg);
    UnrolledLoop result;
    result.head = static_cast<int>(head_);
    result.latch = static_cast<int>(head_ + length_ - 1);
    result.first_copy = lowered_.code.size();
    std::vector<Instruction> code;
    for (size_t copy = 0; copy < unrolled_iterations; ++copy)
      for (size_t k = 0; k < length_; ++k)
        add(copy, k, name, code);
    result.order =
        best_order(code, static_cast<size_t>(lowered_.register_names), room_for_values(f_, live_));
    if (!has_known_turns()) {
      Lowered questions;
      questions.unit = Unit::alu;
      questions.slots = questions_slots;
      questions.turns = questions_turns;
      result.questions = lowered_.code.size();
      lowered_.code.push_back(std::move(questions));
    }
    lowered_.unrolled.push_back(std::move(result));
  }

private:
  const Instruction &at(size_t k) const { return f_.code[head_ + k]; }

  struct Counter {
    int reg = -1; // none: no counter decides whether the loop goes on
    bool to_constant = false;
  };
  Counter counter() const {
    const int guard = at(length_ - 1).guard;
    for (size_t k = 0; k < length_; ++k) {
      const Instruction &i = at(k);
      if (i.op != Op::setp || i.to.empty() || i.to[0] != guard || is_float(i.from) ||
          bytes_of(i.from) != 4)
        continue;
      for (size_t o = 0; o < 2; ++o)
        for (size_t c = 0; c < length_; ++c)
          if (const Operand &counts = i.from_operands[o];
              counts.what == Operand::reg && counter_of(at(c)) == counts.reg_index)
            return {counts.reg_index, i.from_operands[1 - o].what == Operand::value};
      break;
    }
    return {};
  }

  bool has_known_turns() const {
    const Counter its = counter();
    for (size_t pc = 0; pc < f_.code.size(); ++pc) {
      const Instruction &i = f_.code[pc];
      const bool begins =
          (pc < head_ || pc >= head_ + length_) && !i.to.empty() && i.to[0] == its.reg;
      if (begins && (i.op != Op::mov || i.from_operands[0].what != Operand::value))
        return false;
    }
    return its.to_constant;
  }

  void add(size_t copy, size_t k, std::vector<int> &name, std::vector<Instruction> &code) {
    Instruction i = at(k);
    Lowered l = lowered_.code[head_ + k];
    const bool last = copy + 1 == unrolled_iterations;
    const int guard = at(length_ - 1).guard;
    const bool tests = i.op == Op::setp && i.to.size() == 1 && i.to[0] == guard;
    if (!last && (tests || k + 1 == length_ || counter_of(i) >= 0)) {
      l.unit = Unit::none; // once for all of them
      l.slots = l.turns = 0;
    }
    for (Operand &o : i.from_operands)
      if (o.what == Operand::reg)
        o.reg_index = name[static_cast<size_t>(o.reg_index)];
    for (int &reg : l.reads)
      reg = name[static_cast<size_t>(reg)];
    const bool keeps = i.guard >= 0 && k + 1 < length_; // what was there, where the guard is false
    if (i.guard >= 0)
      i.guard = name[static_cast<size_t>(i.guard)];
    for (size_t t = 0; t < i.to.size(); ++t) {
      const auto reg = static_cast<size_t>(i.to[t]);
      if (keeps)
        l.reads.push_back(name[reg]);
      name[reg] = last ? i.to[t] : lowered_.register_names++;
      i.to[t] = l.writes[t] = name[reg];
    }
    i.target = -1;
    code.push_back(std::move(i));
    lowered_.code.push_back(std::move(l));
  }

  const Function &f_;
  LoweredFunction &lowered_;
  size_t head_, length_;
  int live_;
};

/// A register, and those that it is a copy of.
std::vector<int> with_origins(const Function &f, int reg) {
  std::vector<int> all = {reg};
  for (size_t k = 0; k < all.size(); ++k)
    for (const Instruction &i : f.code)
      if (i.op == Op::mov && i.to[0] == all[k] && i.from_operands[0].what == Operand::reg &&
          std::find(all.begin(), all.end(), i.from_operands[0].reg_index) == all.end())
        all.push_back(i.from_operands[0].reg_index);
  return all;
}

bool is_same(const Operand &a, const Operand &b) {
  return a.what == b.what && a.reg_index == b.reg_index && a.bits == b.bits;
}

/// Whether `first` asks of the loop's begin what `again` asks at its end: whether there is a turn to come.
bool asks_the_same(const Function &f, const Instruction &first, const Instruction &again) {
  for (size_t k = 0; k < 2; ++k) {
    const Operand &counter = again.from_operands[k], &bound = again.from_operands[1 - k];
    const std::vector<int> counters = with_origins(f, counter.reg_index);
    for (size_t l = 0; l < 2; ++l) {
      const Operand &begin = first.from_operands[l];
      const bool counts =
          begin.what == Operand::value ||
          std::find(counters.begin(), counters.end(), begin.reg_index) != counters.end();
      if (counts && is_same(first.from_operands[1 - l], bound))
        return true;
    }
  }
  return false;
}

/// Whether a loop also asks before each turn what no turn changes and lanes may differ in. nvcc leaves such a loop as
/// it is; clang takes the question out, to a branch in front of the loop that stands at its place in the source and
/// asks both at once. Then clang's turns in one are what ptxas alone makes of it.
bool has_other_question(const Function &f,
                        const ControlSlice &slice,
                        const std::vector<bool> &uniform,
                        size_t latch) {
  const Instruction &back = f.code[latch];
  const std::vector<int> &at_end = slice.of_branch(static_cast<int>(latch));
  if (back.place < 0 || at_end.size() != 1 || at_end[0] < 0)
    return false;
  const Instruction &again = f.code[static_cast<size_t>(at_end[0])];
  for (int pc = 0; pc < back.target; ++pc) {
    const Instruction &guard = f.code[static_cast<size_t>(pc)];
    const std::vector<int> &asked = slice.of_branch(pc);
    if (guard.op != Op::bra || guard.place != back.place ||
        guard.target <= static_cast<int>(latch) || asked.size() < 2)
      continue;
    for (int question : asked) {
      const Instruction &first = f.code[static_cast<size_t>(std::max(question, 0))];
      if (question >= 0 && !uniform[static_cast<size_t>(first.to[0])] &&
          !asks_the_same(f, first, again))
        return true;
    }
  }
  return false;
}

} // namespace

void add_unrolled(const Function &f, LoweredFunction &lowered) {
  const ControlSlice slice(f);
  const std::vector<bool> uniform = uniform_registers(f);
  const std::vector<int> live = live_counts(f);
  const std::vector<bool> head = jump_targets(f);
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    const Instruction &i = f.code[pc];
    if (i.op != Op::bra || i.guard < 0 || i.stays_rolled || i.target < 0 ||
        i.target >= static_cast<int>(pc))
      continue;
    const auto first = static_cast<size_t>(i.target);
    const auto inside = head.begin() + i.target + 1, end = head.begin() + static_cast<long>(pc) + 1;
    if (std::find(inside, end, true) != end || has_other_question(f, slice, uniform, pc))
      continue;
    if (Loop loop(f, lowered, first, pc, live[first]); loop.fits())
      loop.unroll();
  }
}

namespace {

/// Has each warp that comes to the loop ask how many turns are left.
void ask_in_front(const UnrolledLoop &loop, BlockTrace &block) {
  for (size_t w = 0; w < block.warps.size(); ++w) {
    std::vector<Step> asked;
    std::vector<size_t> begins;
    for (const Step &step : block.warps[w]) {
      if (step.pc == static_cast<uint32_t>(loop.head) &&
          (asked.empty() || asked.back().pc != static_cast<uint32_t>(loop.latch))) {
        begins.push_back(asked.size() - begins.size());
        Step questions;
        questions.pc = static_cast<uint32_t>(loop.questions);
        questions.weight = asked.empty() ? 1 : asked.back().weight;
        asked.push_back(questions);
      }
      asked.push_back(step);
    }
    for (Look &look : block.looks)
      if (look.warp == w)
        for (uint32_t *place : {&look.first, &look.last})
          *place += static_cast<uint32_t>(std::upper_bound(begins.begin(), begins.end(), *place) -
                                          begins.begin());
    block.warps[w] = std::move(asked);
  }
}

} // namespace

void run_unrolled(const std::vector<UnrolledLoop> &loops, BlockTrace &block) {
  for (const UnrolledLoop &loop : loops) {
    if (loop.questions > 0)
      ask_in_front(loop, block);
    const auto head = static_cast<size_t>(loop.head);
    const size_t length = loop.order.size() / unrolled_iterations, group = loop.order.size();
    const auto whole = [&](const std::vector<Step> &steps, size_t at) {
      for (size_t k = 0; k < group; ++k)
        if (steps[at + k].pc != head + k % length || steps[at + k].weight != steps[at].weight)
          return false;
      return true;
    };
    std::vector<Step> then(group);
    for (std::vector<Step> &steps : block.warps)
      for (size_t at = 0; at + group <= steps.size();) {
        if (steps[at].pc != head || !whole(steps, at)) {
          ++at;
          continue;
        }
        for (size_t k = 0; k < group; ++k) {
          then[k] = steps[at + loop.order[k]];
          then[k].pc = static_cast<uint32_t>(loop.first_copy + loop.order[k]);
        }
        std::copy(then.begin(), then.end(), steps.begin() + static_cast<long>(at));
        at += group;
      }
  }
}

} // namespace model
