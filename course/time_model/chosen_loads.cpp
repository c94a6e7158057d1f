// A vector that is loaded, or taken from a constant of the function's own: `i < n ? in[i] : none`. clang 14 chooses
// between the two addresses, word by word; nvcc loads the vector at once, where the condition holds.
#include "lower.hpp"
#include "registers.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace model {
namespace {

/// An address as a sum of registers and a number.
struct Place {
  std::map<int, int> registers; // how often each is added
  uint64_t offset = 0;
};

/// Of registers that are written once.
class Places {
public:
  explicit Places(const Function &f) : definition_(f.registers.size(), nullptr) {
    std::vector<int> times(f.registers.size());
    for (const Instruction &i : f.code)
      for (const int reg : i.to) {
        const auto r = static_cast<size_t>(reg);
        definition_[r] = ++times[r] == 1 && i.guard < 0 && i.to.size() == 1 ? &i : nullptr;
      }
  }

  const Instruction *definition(const Operand &o) const {
    return o.what == Operand::reg ? definition_[static_cast<size_t>(o.reg_index)] : nullptr;
  }

  Place of(const Operand &o, int depth = 0) const {
    constexpr int deepest = 8;
    if (o.what == Operand::value)
      return {{}, o.bits};
    const Instruction *made = definition(o);
    if (made != nullptr && depth < deepest && made->op == Op::cvta)
      return of(made->from_operands[0], depth + 1);
    if (made != nullptr && depth < deepest && made->op == Op::add) {
      Place sum = of(made->from_operands[0], depth + 1);
      const Place other = of(made->from_operands[1], depth + 1);
      for (const auto &[reg, count] : other.registers)
        sum.registers[reg] += count;
      sum.offset += other.offset;
      return sum;
    }
    return {{{o.what == Operand::reg ? o.reg_index : -1, 1}}, 0};
  }

private:
  std::vector<const Instruction *> definition_;
};

/// A word's load from one of two places.
struct ChosenLoad {
  Place places[2];
  int condition;
};

std::optional<ChosenLoad> chosen_load(const Places &places, const Instruction &i) {
  if (i.op != Op::ld || i.space != Space::generic || i.is_volatile || i.to.size() != 1 ||
      bytes_of(i.type) != 4)
    return std::nullopt;
  const Instruction *choice = places.definition(i.from_operands[0]);
  if (choice == nullptr || choice->op != Op::selp || choice->from_operands[2].what != Operand::reg)
    return std::nullopt;
  ChosenLoad load{{places.of(choice->from_operands[0]), places.of(choice->from_operands[1])},
                  choice->from_operands[2].reg_index};
  for (Place &place : load.places)
    place.offset += i.offset;
  return load;
}

bool follows(const ChosenLoad &later, const ChosenLoad &first, uint64_t bytes) {
  const auto is_behind = [&](size_t k) {
    return later.places[k].registers == first.places[k].registers &&
           later.places[k].offset == first.places[k].offset + bytes;
  };
  return later.condition == first.condition && is_behind(0) && is_behind(1);
}

/// Takes out what makes addresses that nobody asks for any more.
void drop_unused(Function &f) {
  const auto is_pure = [](const Instruction &i) {
    return is_one_of(i.op, Op::selp, Op::add, Op::cvta, Op::mov) && i.to.size() == 1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<bool> used(f.registers.size());
    for (const Instruction &i : f.code) {
      for (const Operand &o : i.from_operands)
        if (o.what == Operand::reg)
          used[static_cast<size_t>(o.reg_index)] = true;
      if (i.guard >= 0)
        used[static_cast<size_t>(i.guard)] = true;
    }
    for (Instruction &i : f.code)
      if (is_pure(i) && !used[static_cast<size_t>(i.to[0])]) {
        i = {};
        changed = true;
      }
  }
}

} // namespace

void join_chosen_loads(Function &f) {
  constexpr size_t words = 4;
  const Function before = f;
  const Places places(before);
  const std::vector<bool> head = block_heads(before);
  std::vector<std::pair<size_t, ChosenLoad>> row;
  bool joined = false;
  for (size_t pc = 0; pc < before.code.size(); ++pc) {
    const Instruction &i = before.code[pc];
    if (head[pc] || (is_memory(i) && i.op != Op::ld) || is_fence(i.op))
      row.clear();
    const auto load = chosen_load(places, i);
    if (!load)
      continue;
    if (!row.empty() && !follows(*load, row[0].second, 4 * row.size()))
      row.clear();
    row.push_back({pc, *load});
    if (row.size() < words)
      continue;
    Instruction &vector = f.code[row[0].first];
    for (size_t k = 1; k < words; ++k) {
      Instruction &word = f.code[row[k].first];
      vector.to.push_back(word.to[0]);
      word = {};
    }
    row.clear();
    joined = true;
  }
  if (joined)
    drop_unused(f);
}

} // namespace model
