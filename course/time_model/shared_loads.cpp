// Neighbouring words of shared memory, which nvcc loads together where it knows that they lie in a place for that.
#include "lower.hpp"
#include "registers.hpp"

#include <algorithm>
#include <array>

namespace model {
namespace {

constexpr uint64_t widest = 16; // bytes that a lane loads at a time

uint64_t lowest_bit(uint64_t value) {
  return value == 0 ? widest : std::min(widest, value & -value);
}

/// What each register's value is a multiple of for certain: a power of two, at most `widest`.
class Multiples {
public:
  explicit Multiples(const Function &f) : of_(f.registers.size(), widest) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction &i : f.code)
        for (int reg : i.to) {
          uint64_t &known = of_[static_cast<size_t>(reg)];
          const uint64_t now = std::min(known, made_by(i));
          changed = changed || now != known;
          known = now;
        }
    }
  }
  uint64_t of(const Operand &o) const {
    return o.what == Operand::reg       ? of_[static_cast<size_t>(o.reg_index)]
           : o.what == Operand::special ? 1
                                        : lowest_bit(o.bits);
  }

private:
  uint64_t made_by(const Instruction &i) const {
    const auto from = [&](size_t k) { return of(i.from_operands[k]); };
    if (is_float(i.type) || i.from_operands.empty())
      return 1;
    switch (i.op) {
    case Op::mov:
    case Op::cvt:
    case Op::cvta:
      return from(0);
    case Op::add:
    case Op::sub:
    case Op::bit_or:
    case Op::selp:
      return std::min(from(0), from(1));
    case Op::bit_and:
      return std::max(from(0), from(1));
    case Op::shl:
      return i.from_operands[1].what == Operand::value
                 ? std::min(widest, from(0) << std::min<uint64_t>(4, i.from_operands[1].bits))
                 : from(0);
    case Op::mul:
    case Op::mul_wide:
      return std::min(widest, from(0) * from(1));
    case Op::mad:
    case Op::mad_wide:
      return std::min({widest, from(0) * from(1), from(2)});
    default:
      return 1;
    }
  }

  std::vector<uint64_t> of_;
};

/// Whether it loads one word, of 4 or 8 bytes.
bool is_word(const Instruction &i) {
  return i.op == Op::ld && i.space == Space::shared && !i.is_volatile && i.to.size() == 1 &&
         (bytes_of(i.type) == 4 || bytes_of(i.type) == 8);
}

/// Whether a load behind it cannot be made ahead of it.
bool stops(const Instruction &i) {
  const bool stores = is_memory(i) && i.op != Op::ld;
  return i.ends_block() || is_fence(i.op) || i.op == Op::call ||
         (stores && (i.space == Space::shared || i.space == Space::generic));
}

bool same_place(const Instruction &a, const Instruction &b) {
  const Operand &p = a.from_operands[0], &q = b.from_operands[0];
  return p.what == q.what && p.reg_index == q.reg_index && p.symbol_index == q.symbol_index &&
         p.bits == q.bits && a.guard == b.guard && a.negated == b.negated;
}

bool touches(const Instruction &i, int reg) { return reads(i, reg) || writes(i, reg); }

/// The loads of the words of the sixteen bytes in which the one at `pc` lies, by their place; 0: there is none.
std::array<size_t, 4> neighbours(const Function &f, const std::vector<bool> &head, size_t pc) {
  const Instruction &first = f.code[pc];
  const Operand &base = first.from_operands[0];
  const auto bytes = static_cast<uint64_t>(bytes_of(first.type));
  const auto place = [&](const Instruction &i) { return i.offset % widest / bytes; };
  std::array<size_t, 4> words{};
  words[place(first)] = pc + 1;
  for (size_t at = pc + 1; at < f.code.size() && !head[at] && !stops(f.code[at]); ++at) {
    const Instruction &i = f.code[at];
    if (base.what == Operand::reg && writes(i, base.reg_index))
      return words;
    if (!is_word(i) || bytes_of(i.type) != bytes_of(first.type) || !same_place(i, first) ||
        i.offset / widest != first.offset / widest)
      continue;
    const bool free =
        std::none_of(f.code.begin() + static_cast<long>(pc),
                     f.code.begin() + static_cast<long>(at),
                     [&](const Instruction &other) { return touches(other, i.to[0]); });
    if (size_t &word = words[place(i)]; free && word == 0)
      word = at + 1;
  }
  return words;
}

} // namespace

void join_shared_loads(Function &f) {
  const Multiples multiples(f);
  const std::vector<bool> head = jump_targets(f);
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    if (!is_word(f.code[pc]))
      continue;
    const auto bytes = static_cast<uint64_t>(bytes_of(f.code[pc].type));
    if (f.code[pc].offset % bytes != 0)
      continue;
    const std::array<size_t, 4> words = neighbours(f, head, pc);
    const uint64_t multiple = multiples.of(f.code[pc].from_operands[0]);
    const size_t own = f.code[pc].offset % widest / bytes;
    for (size_t count = widest / bytes; count > 1; count /= 2) {
      const size_t first = own / count * count;
      const auto begin = words.begin() + static_cast<long>(first);
      if (multiple < count * bytes || std::count(begin, begin + static_cast<long>(count), 0u) > 0)
        continue;
      Instruction all = f.code[pc];
      all.to.clear();
      all.offset = all.offset / (bytes * count) * (bytes * count);
      for (size_t k = first; k < first + count; ++k) {
        Instruction &one = f.code[words[k] - 1];
        all.to.push_back(one.to[0]);
        one = {}; // does nothing
      }
      f.code[pc] = all;
      break;
    }
  }
}

} // namespace model
