// ptxas fills the wait for one result with instructions that do not need it.
#include "lower.hpp"
#include "registers.hpp"

#include <algorithm>

namespace model {
namespace {

/// Cycles until others can use what it makes, about.
int latency(const Instruction &i) {
  switch (i.op) {
  case Op::ld:
    return i.space == Space::param ? 0 : i.space == Space::shared ? 30 : 300;
  case Op::atom:
    return 300;
  case Op::shfl:
    return 25;
  case Op::call:
  case Op::div:
  case Op::rcp:
  case Op::sqrt:
  case Op::rsqrt:
  case Op::ex2:
  case Op::lg2:
  case Op::sin:
  case Op::cos:
    return 30;
  default:
    return i.type == Type::f64 ? 8 : 4;
  }
}

/// Keeps its order among others of its kind: memory, and whatever several lanes do together.
bool keeps_order(const Instruction &i) {
  switch (i.op) {
  case Op::shfl:
  case Op::vote:
  case Op::match:
  case Op::redux:
  case Op::activemask:
  case Op::call:
    return true;
  default:
    return is_fence(i.op) || (is_memory(i) && !(i.op == Op::ld && i.space == Space::param)) ||
           std::any_of(i.from_operands.begin(), i.from_operands.end(), [](const Operand &o) {
             return o.what == Operand::special && static_cast<Special>(o.bits) == Special::clock;
           });
  }
}

/// How many registers those values take that a block makes for itself.
class Pressure {
public:
  Pressure(const Instruction *code, size_t count, size_t registers)
      : readers_(registers, 0), made_(registers, false) {
    std::vector<bool> begins_with(registers, false);
    for (size_t k = 0; k < count; ++k) {
      for (int reg : registers_of(code[k])) {
        const auto r = static_cast<size_t>(reg);
        ++readers_[r];
        begins_with[r] = begins_with[r] || !made_[r];
      }
      for (int reg : code[k].to)
        made_[static_cast<size_t>(reg)] = true;
    }
    for (size_t r = 0; r < registers; ++r)
      made_[r] = made_[r] && !begins_with[r];
  }

  /// By how much it grows with this instruction.
  int growth(const Instruction &i) {
    int sum = 0;
    for (int reg : i.to)
      sum += made_[static_cast<size_t>(reg)] ? size(i) : 0;
    for (int reg : registers_of(i))
      sum -= made_[static_cast<size_t>(reg)] && readers_[static_cast<size_t>(reg)] == 1;
    return sum;
  }
  void take(const Instruction &i) {
    grown_ += growth(i);
    for (int reg : registers_of(i))
      --readers_[static_cast<size_t>(reg)];
  }
  int grown() const { return grown_; }

private:
  static int size(const Instruction &i) { return i.op == Op::setp ? 0 : 1; }

  std::vector<int> readers_;
  std::vector<bool> made_; // in the block, and not there before
  int grown_ = 0;
};

class Block {
public:
  Block(const Instruction *code, size_t count, size_t registers, int room)
      : code_(code), count_(count), registers_(registers), room_(room), after_(count),
        needed_(count, 0), path_(count, 0), ready_at_(count, 0), pressure_(code, count, registers) {
  }

  std::vector<size_t> order() {
    find_dependences();
    for (size_t k = count_; k-- > 0;) {
      for (size_t next : after_[k])
        path_[k] = std::max(path_[k], path_[next]);
      path_[k] += std::max(1, latency(at(k)));
    }
    std::vector<size_t> result;
    std::vector<bool> done(count_, false);
    size_t begin = 0;
    int now = 0;
    while (result.size() < count_) {
      while (done[begin])
        ++begin;
      const size_t best = next_one(done, begin, now);
      now = std::max(now, ready_at_[best]);
      pressure_.take(at(best));
      for (size_t next : after_[best]) {
        --needed_[next];
        ready_at_[next] =
            std::max(ready_at_[next], now + (needs(best, next) ? latency(at(best)) : 0));
      }
      done[best] = true;
      result.push_back(best);
      ++now;
    }
    return result;
  }

private:
  static constexpr size_t window = 48; // instructions that may be passed

  const Instruction &at(size_t k) const { return code_[k]; }

  bool needs(size_t earlier, size_t later) const {
    return std::any_of(at(earlier).to.begin(), at(earlier).to.end(), [&](int reg) {
      return reads(at(later), reg);
    });
  }

  void link(long earlier, size_t later) {
    if (earlier < 0 || static_cast<size_t>(earlier) == later)
      return;
    auto &after = after_[static_cast<size_t>(earlier)];
    if (std::find(after.begin(), after.end(), later) != after.end())
      return;
    after.push_back(later);
    ++needed_[later];
  }

  void find_dependences() {
    std::vector<long> made(registers_, -1);
    std::vector<std::vector<size_t>> read(registers_);
    long ordered = -1;
    for (size_t k = 0; k < count_; ++k) {
      for (int reg : registers_of(at(k))) {
        link(made[static_cast<size_t>(reg)], k);
        read[static_cast<size_t>(reg)].push_back(k);
      }
      for (int reg : at(k).to) {
        const auto r = static_cast<size_t>(reg);
        link(made[r], k);
        for (size_t reader : read[r])
          link(static_cast<long>(reader), k);
        read[r].clear();
        made[r] = static_cast<long>(k);
      }
      if (keeps_order(at(k))) {
        link(ordered, k);
        ordered = static_cast<long>(k);
      }
    }
  }

  /// The one that others wait for longest; of those for whose results there is room, if there are any.
  size_t next_one(const std::vector<bool> &done, size_t begin, int now) {
    size_t best = begin;
    bool found = false;
    for (size_t k = begin; k < std::min(count_, begin + window); ++k) {
      if (done[k] || needed_[k] > 0)
        continue;
      if (const int more = pressure_.growth(at(k)); more > 0 && pressure_.grown() + more > room_)
        continue;
      const bool better = !found || (ready_at_[k] <= now && ready_at_[best] <= now
                                         ? path_[k] > path_[best]
                                         : ready_at_[k] < ready_at_[best]);
      if (better)
        best = k;
      found = true;
    }
    return best;
  }

  const Instruction *code_;
  size_t count_, registers_;
  int room_; // for values, in registers
  std::vector<std::vector<size_t>> after_; // what waits for it
  std::vector<int> needed_, path_, ready_at_;
  Pressure pressure_;
};

} // namespace

void interleave(Function &f) {
  const std::vector<bool> head = jump_targets(f);
  const std::vector<int> live = live_counts(f);
  size_t first = 0;
  for (size_t pc = 0; pc <= f.code.size(); ++pc)
    if (pc == f.code.size() || head[pc] || f.code[pc].ends_block()) {
      const std::vector<Instruction> before(f.code.begin() + static_cast<long>(first),
                                            f.code.begin() + static_cast<long>(pc));
      size_t to = first;
      for (size_t from : best_order(before, f.registers.size(), room_for_values(f, live[first])))
        f.code[to++] = before[from];
      first = pc < f.code.size() && f.code[pc].ends_block() ? pc + 1 : pc;
    }
}

int room_for_values(const Function &f, int live) {
  constexpr int of_full_sm = 32,
                spare = 4; // registers of a thread, where an SM holds all warps that it can
  return std::max(of_full_sm - spare, f.live_unscheduled) - live;
}

std::vector<size_t> best_order(const std::vector<Instruction> &code, size_t registers, int room) {
  return Block(code.data(), code.size(), registers, room).order();
}

} // namespace model
