#include "registers.hpp"

#include <algorithm>
#include <functional>

namespace model {

bool is_wide(Type type) { return bytes_of(type) == 8; }

bool is_memory(const Instruction &i) {
  return is_one_of(i.op, Op::ld, Op::st, Op::atom, Op::red, Op::cp_async);
}

std::vector<int> registers_of(const Instruction &i) {
  std::vector<int> found;
  if (i.guard >= 0)
    found.push_back(i.guard);
  for (const Operand &o : i.from_operands)
    if (o.what == Operand::reg)
      found.push_back(o.reg_index);
  return found;
}
bool reads(const Instruction &i, int reg) {
  return i.guard == reg ||
         std::any_of(i.from_operands.begin(), i.from_operands.end(), [&](const Operand &o) {
           return o.what == Operand::reg && o.reg_index == reg;
         });
}
bool writes(const Instruction &i, int reg) {
  return std::find(i.to.begin(), i.to.end(), reg) != i.to.end();
}

std::vector<bool> jump_targets(const Function &f) {
  std::vector<bool> targets(f.code.size() + 1, false);
  for (const Instruction &i : f.code)
    if (i.target >= 0)
      targets[static_cast<size_t>(i.target)] = true;
  return targets;
}

std::vector<bool> narrow_registers(const Function &f) {
  std::vector<bool> narrow(f.registers.size());
  for (size_t reg = 0; reg < narrow.size(); ++reg)
    narrow[reg] = is_wide(f.registers[reg]) && f.registers[reg] != Type::f64;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &i : f.code) {
      const bool inner = is_memory(i) && (i.space == Space::shared || i.space == Space::local);
      const bool arithmetic = is_one_of(i.op,
                                        Op::add,
                                        Op::sub,
                                        Op::mov,
                                        Op::shl,
                                        Op::cvta,
                                        Op::mul,
                                        Op::mad,
                                        Op::bit_or,
                                        Op::bit_and,
                                        Op::bit_xor);
      const bool truncation = i.op == Op::cvt && !is_wide(i.type);
      for (size_t k = 0; k < i.from_operands.size(); ++k) {
        const int reg = i.from_operands[k].reg_index;
        if (i.from_operands[k].what != Operand::reg || !narrow[static_cast<size_t>(reg)])
          continue;
        const bool stays = (inner && k == 0) || (i.op == Op::cp_async && k == 0) || truncation ||
                           (arithmetic && !i.to.empty() && narrow[static_cast<size_t>(i.to[0])]);
        if (!stays) {
          narrow[static_cast<size_t>(reg)] = false;
          changed = true;
        }
      }
    }
  }
  return narrow;
}

/// Parameters, constants and what is made of them. An SM
/// keeps those in uniform registers and constant memory, of which no thread has to have its own.
std::vector<bool> uniform_registers(const Function &f) {
  std::vector<bool> uniform(f.registers.size(), true);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &i : f.code) {
      bool same = !(i.op == Op::ld && i.space != Space::param) && i.op != Op::atom &&
                  i.op != Op::shfl && i.op != Op::vote && i.op != Op::match && i.op != Op::call;
      for (const Operand &o : i.from_operands) {
        const auto which = static_cast<Special>(o.bits);
        same = same && (o.what != Operand::reg || uniform[static_cast<size_t>(o.reg_index)]) &&
               (o.what != Operand::special ||
                (which >= Special::ntid_x && which <= Special::nctaid_z)) &&
               !is_float(i.type);
      }
      for (int reg : i.to)
        if (!same && uniform[static_cast<size_t>(reg)]) {
          uniform[static_cast<size_t>(reg)] = false;
          changed = true;
        }
    }
  }
  return uniform;
}

/// By the usual equations over the blocks.
std::vector<int> live_counts(const Function &f) {
  const size_t n = f.code.size(), names = f.registers.size();
  std::vector<int> definitions(names);
  for (const Instruction &i : f.code)
    for (int reg : i.to)
      ++definitions[static_cast<size_t>(reg)];
  // A write under a predicate leaves what was there before, if there is anything: what has only this one
  // definition is read where the same predicate holds.
  const auto defines = [&](const Instruction &i, int reg) {
    return i.guard < 0 || i.op == Op::bra || definitions[static_cast<size_t>(reg)] == 1;
  };
  const size_t words = (names + 63) / 64; // of a set of registers
  std::vector<uint64_t> live((n + 1) * words), now(words);
  const auto at = [&](size_t pc) { return live.begin() + static_cast<long>(pc * words); };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = n; pc-- > 0;) {
      const Instruction &i = f.code[pc];
      if (!(i.op == Op::ret || i.op == Op::trap) && !(i.op == Op::bra && i.guard < 0))
        std::copy_n(at(pc + 1), words, now.begin());
      else
        std::fill(now.begin(), now.end(), 0);
      if (i.target >= 0)
        std::transform(now.begin(),
                       now.end(),
                       at(static_cast<size_t>(i.target)),
                       now.begin(),
                       std::bit_or<>());
      for (int reg : i.to)
        if (defines(i, reg))
          now[static_cast<size_t>(reg) / 64] &= ~(uint64_t{1} << reg % 64);
      for (int reg : registers_of(i))
        now[static_cast<size_t>(reg) / 64] |= uint64_t{1} << reg % 64;
      if (!std::equal(now.begin(), now.end(), at(pc))) {
        std::copy(now.begin(), now.end(), at(pc));
        changed = true;
      }
    }
  }
  const std::vector<bool> uniform = uniform_registers(f);
  const std::vector<bool> narrow = narrow_registers(f);
  std::vector<int> weight(names);
  for (size_t reg = 0; reg < names; ++reg)
    weight[reg] = f.registers[reg] == Type::pred || uniform[reg] ? 0
                  : is_wide(f.registers[reg]) && !narrow[reg]    ? 2
                                                                 : 1;
  std::vector<int> counts(n + 1);
  for (size_t pc = 0; pc <= n; ++pc)
    for (size_t word = 0; word < words; ++word)
      for (uint64_t rest = at(pc)[static_cast<long>(word)]; rest != 0; rest &= rest - 1)
        counts[pc] += weight[64 * word + static_cast<size_t>(__builtin_ctzll(rest))];
  return counts;
}

int live_registers(const Function &f) {
  const std::vector<int> counts = live_counts(f);
  return *std::max_element(counts.begin(), counts.end());
}

} // namespace model
