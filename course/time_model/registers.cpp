#include "registers.hpp"

#include <algorithm>
#include <functional>
#include <map>

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

/// A number for each register of 8 bytes that only differs from others by what all threads of a block agree on:
/// addresses are a thread's register and a uniform one, so that one register does for all with the same number. 0:
/// it is alone.
std::vector<int> address_classes(const Function &f, const std::vector<bool> &uniform) {
  using Parts = std::map<int, uint64_t>; // how often each register of a thread's own is in the sum
  std::vector<const Instruction *> definition(f.registers.size(), nullptr);
  std::vector<int> definitions(f.registers.size());
  for (const Instruction &i : f.code)
    for (int reg : i.to)
      definition[static_cast<size_t>(reg)] =
          ++definitions[static_cast<size_t>(reg)] == 1 && i.guard < 0 && i.to.size() == 1 ? &i
                                                                                          : nullptr;
  const std::function<Parts(const Operand &, int)> parts_of = [&](const Operand &o, int depth) {
    constexpr int deepest = 12;
    if (o.what != Operand::reg || uniform[static_cast<size_t>(o.reg_index)])
      return Parts{};
    const Instruction *made = definition[static_cast<size_t>(o.reg_index)];
    const Parts itself{{o.reg_index, 1}};
    if (made == nullptr || depth == deepest)
      return itself;
    const auto from = [&](size_t k) { return parts_of(made->from_operands[k], depth + 1); };
    const auto times = [](Parts parts, uint64_t factor) {
      for (auto &[reg, count] : parts)
        count *= factor;
      return parts;
    };
    const auto is_value = [&](size_t k) { return made->from_operands[k].what == Operand::value; };
    switch (made->op) {
    case Op::mov:
    case Op::cvt:
    case Op::cvta:
      return made->from_operands[0].what == Operand::reg ? from(0) : itself;
    case Op::add: {
      Parts sum = from(0);
      for (const auto &[reg, count] : from(1))
        sum[reg] += count;
      return sum;
    }
    case Op::bit_or: // of bits that are not set: a sum
      return is_value(1) ? from(0) : itself;
    case Op::shl:
      return is_value(1) ? times(from(0), uint64_t{1} << (made->from_operands[1].bits & 63))
                         : itself;
    case Op::mul:
    case Op::mul_wide:
      return is_value(1) ? times(from(0), made->from_operands[1].bits) : itself;
    default:
      return itself;
    }
  };
  std::map<Parts, int> numbers;
  std::vector<int> classes(f.registers.size());
  for (size_t reg = 0; reg < classes.size(); ++reg) {
    if (!is_wide(f.registers[reg]) || is_float(f.registers[reg]) || uniform[reg])
      continue;
    const Parts parts = parts_of({Operand::reg, static_cast<int>(reg)}, 0);
    classes[reg] = numbers.try_emplace(parts, static_cast<int>(numbers.size()) + 1).first->second;
  }
  return classes;
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
  const std::vector<int> classes = address_classes(f, uniform);
  std::vector<size_t> counted_at(names + 1, n + 1); // by class: the last place
  std::vector<int> counts(n + 1);
  for (size_t pc = 0; pc <= n; ++pc)
    for (size_t word = 0; word < words; ++word)
      for (uint64_t rest = at(pc)[static_cast<long>(word)]; rest != 0; rest &= rest - 1) {
        const size_t reg = 64 * word + static_cast<size_t>(__builtin_ctzll(rest));
        size_t &last = counted_at[static_cast<size_t>(classes[reg])];
        if (classes[reg] == 0 || last != pc)
          counts[pc] += weight[reg];
        last = pc;
      }
  return counts;
}

int live_registers(const Function &f) {
  const std::vector<int> counts = live_counts(f);
  return *std::max_element(counts.begin(), counts.end());
}

} // namespace model
