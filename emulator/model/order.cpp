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

class Block {
public:
  Block(const Instruction *code, size_t count, size_t registers)
      : code_(code), count_(count), registers_(registers), after_(count), needed_(count, 0),
        path_(count, 0), ready_at_(count, 0) {}

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

  bool needs(size_t earlier, size_t later) {
    registers_of(at(later), reads_);
    return std::any_of(at(earlier).to.begin(), at(earlier).to.end(), [&](int reg) {
      return std::find(reads_.begin(), reads_.end(), reg) != reads_.end();
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
      registers_of(at(k), reads_);
      for (int reg : reads_) {
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

  size_t next_one(const std::vector<bool> &done, size_t begin, int now) const {
    size_t best = begin;
    bool found = false;
    for (size_t k = begin; k < std::min(count_, begin + window); ++k) {
      if (done[k] || needed_[k] > 0)
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
  std::vector<std::vector<size_t>> after_; // what waits for it
  std::vector<int> needed_, path_, ready_at_;
  std::vector<int> reads_;
};

} // namespace

void interleave(Function &f) {
  std::vector<bool> head(f.code.size() + 1, false);
  for (const Instruction &i : f.code)
    if (i.target >= 0)
      head[static_cast<size_t>(i.target)] = true;
  size_t first = 0;
  for (size_t pc = 0; pc <= f.code.size(); ++pc)
    if (pc == f.code.size() || head[pc] || f.code[pc].ends_block()) {
      const std::vector<Instruction> before(f.code.begin() + static_cast<long>(first),
                                            f.code.begin() + static_cast<long>(pc));
      size_t to = first;
      for (size_t from : best_order(before, f.registers.size()))
        f.code[to++] = before[from];
      first = pc < f.code.size() && f.code[pc].ends_block() ? pc + 1 : pc;
    }
}

std::vector<size_t> best_order(const std::vector<Instruction> &code, size_t registers) {
  return Block(code.data(), code.size(), registers).order();
}

} // namespace model
