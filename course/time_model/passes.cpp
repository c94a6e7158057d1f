// What happens to code between PTX and the machine: branches, pairs, and where loads stand.
#include "lower.hpp"
#include "machine.hpp"
#include "registers.hpp"

#include <algorithm>

namespace model {
namespace {

bool is_global_load(const Instruction &i) {
  return i.op == Op::ld && (i.space == Space::global || i.space == Space::generic) &&
         !i.is_volatile;
}
bool is_shared_load(const Instruction &i) {
  return i.op == Op::ld && i.space == Space::shared && !i.is_volatile;
}
/// What loads do not pass.
bool is_wall(const Function &f, const Instruction &i, const Instruction &load) {
  switch (i.op) {
  case Op::call:
    return find_library_call(f.callees[static_cast<size_t>(i.callee)]) == nullptr;
  case Op::cp_async:
    return true;
  case Op::st:
  case Op::atom:
  case Op::red: {
    if (load.read_only)
      return false;
    const bool same =
        i.space == load.space || i.space == Space::generic || load.space == Space::generic;
    return same || i.op != Op::st;
  }
  case Op::ld:
    return i.is_volatile;
  default:
    return is_fence(i.op) || i.ends_block() || i.op == Op::shfl || i.op == Op::vote;
  }
}

bool depends(const Instruction &later, const Instruction &earlier) {
  return std::any_of(earlier.to.begin(),
                     earlier.to.end(),
                     [&](int reg) { return reads(later, reg) || writes(later, reg); }) ||
         std::any_of(
             later.to.begin(), later.to.end(), [&](int reg) { return reads(earlier, reg); });
}

/// Moves the instruction at `at` up, with what it needs, to behind `first`.
void hoist(Function &f, size_t first, size_t at, size_t farthest) {
  const Instruction load = f.code[at];
  std::vector<size_t> moved = {at}; // in falling order: the load and what it needs
  size_t stop = at; // they go before this one
  for (size_t pc = at; pc-- > first && at - pc <= farthest;) {
    const Instruction &i = f.code[pc];
    const bool needed =
        std::any_of(moved.begin(), moved.end(), [&](size_t m) { return depends(f.code[m], i); });
    const bool parameter = i.op == Op::ld && i.space == Space::param;
    const bool keeps_order = is_global_load(i) || (is_shared_load(i) && is_shared_load(load));
    if (is_wall(f, i, load) || (needed ? is_memory(i) && !parameter : keeps_order))
      break;
    if (needed)
      moved.push_back(pc);
    else
      stop = pc;
  }
  std::erase_if(moved, [&](size_t m) { return m < stop; });
  std::reverse(moved.begin(), moved.end());
  std::vector<Instruction> front, back;
  for (size_t pc = stop; pc <= at; ++pc)
    (std::find(moved.begin(), moved.end(), pc) != moved.end() ? front : back).push_back(f.code[pc]);
  std::copy(back.begin(),
            back.end(),
            std::copy(front.begin(), front.end(), f.code.begin() + static_cast<long>(stop)));
}

/// Takes out what does nothing.
void compact(Function &f) {
  std::vector<int> place(f.code.size() + 1);
  int next = 0;
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    place[pc] = next;
    next += f.code[pc].op != Op::nop;
  }
  place[f.code.size()] = next;
  std::erase_if(f.code, [](const Instruction &i) { return i.op == Op::nop; });
  for (Instruction &i : f.code)
    if (i.target >= 0)
      i.target = place[static_cast<size_t>(i.target)];
}

void straighten(Function &f) {
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    Instruction &i = f.code[pc];
    const auto after = static_cast<int>(pc) + 1;
    if (i.op != Op::bra)
      continue;
    if (i.guard < 0 && i.target == after) {
      i = {};
    } else if (i.guard >= 0 && pc + 1 < f.code.size() && i.target == after + 1 &&
               f.code[pc + 1].op == Op::bra && f.code[pc + 1].guard < 0) {
      // @p bra A; bra B; A: …  is  @!p bra B; A: …
      i.target = f.code[pc + 1].target;
      i.negated = !i.negated;
      f.code[pc + 1] = {};
    }
  }
  compact(f);
}

bool leaves(const Instruction &i) { return i.guard < 0 && i.ends_block(); }

std::vector<int> count_ways_in(const Function &f) {
  std::vector<int> ways_in(f.code.size() + 1, 0);
  for (const Instruction &i : f.code)
    if (i.target >= 0)
      ++ways_in[static_cast<size_t>(i.target)];
  return ways_in;
}

/// Puts [first, last] behind the jump at `jump`, which is no longer needed.
void move_behind(Function &f, size_t first, size_t last, size_t jump) {
  std::vector<size_t> order;
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    if (pc < first || pc > last)
      order.push_back(pc);
    for (size_t moved = first; pc == jump && moved <= last; ++moved)
      order.push_back(moved);
  }
  std::vector<int> place(f.code.size() + 1, static_cast<int>(f.code.size()));
  std::vector<Instruction> code;
  for (size_t pc : order) {
    place[pc] = static_cast<int>(code.size());
    code.push_back(f.code[pc]);
  }
  code[static_cast<size_t>(place[jump])] = {};
  for (Instruction &i : code)
    if (i.target >= 0)
      i.target = place[static_cast<size_t>(i.target)];
  f.code = std::move(code);
}

/// Where only one jump leads to a place, what stands there follows the jump. True where something moved.
bool join_blocks(Function &f) {
  const std::vector<int> ways_in = count_ways_in(f);
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    const Instruction &jump = f.code[pc];
    if (jump.op != Op::bra || jump.guard >= 0 || jump.target <= 0)
      continue;
    const auto first = static_cast<size_t>(jump.target);
    if (first == f.code.size() || ways_in[first] != 1 || !leaves(f.code[first - 1]))
      continue;
    size_t last = first;
    while (last + 1 < f.code.size() && !leaves(f.code[last]))
      ++last;
    if (!leaves(f.code[last]) || (first <= pc && pc <= last))
      continue;
    move_behind(f, first, last, pc);
    compact(f);
    return true;
  }
  return false;
}

/// Whether what stands between a branch and its target can be executed under its predicate.
bool is_short_body(const Function &f, const std::vector<bool> &head, size_t branch, size_t end) {
  constexpr size_t longest = 12; // instructions
  if (end - branch - 1 > longest)
    return false;
  for (size_t pc = branch + 1; pc < end; ++pc) {
    const Instruction &i = f.code[pc];
    const bool other_way_in = pc > branch + 1 && head[pc];
    const bool together = (is_fence(i.op) && i.op != Op::membar) ||
                          is_one_of(i.op, Op::call, Op::shfl, Op::vote, Op::match, Op::redux);
    if (other_way_in || i.guard >= 0 || i.ends_block() || together ||
        writes(i, f.code[branch].guard))
      return false;
  }
  return true;
}

/// Behind what is executed only where the branch is not taken: its target, or a jump to that. 0: there is none.
size_t end_of_body(const Function &f, size_t branch) {
  const int target = f.code[branch].target;
  for (size_t pc = branch + 1; pc < f.code.size(); ++pc) {
    const Instruction &i = f.code[pc];
    if (static_cast<int>(pc) == target)
      return pc;
    if (i.ends_block())
      return i.op == Op::bra && i.guard < 0 && i.target == target ? pc : 0;
  }
  return 0;
}

} // namespace

std::vector<bool> block_heads(const Function &f) {
  std::vector<bool> head = jump_targets(f);
  head[0] = true;
  for (size_t pc = 0; pc < f.code.size(); ++pc)
    if (f.code[pc].ends_block())
      head[pc + 1] = true;
  return head;
}

void simplify_branches(Function &f) {
  straighten(f);
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<bool> head = block_heads(f);
    const std::vector<int> ways_in = count_ways_in(f);
    for (size_t pc = 0; pc < f.code.size(); ++pc) {
      const Instruction branch = f.code[pc];
      if (branch.op != Op::bra || branch.guard < 0)
        continue;
      const size_t end = end_of_body(f, pc);
      if (end <= pc || ways_in[pc + 1] > 0 || !is_short_body(f, head, pc, end))
        continue;
      for (size_t body = pc + 1; body < end; ++body) {
        f.code[body].guard = branch.guard;
        f.code[body].negated = !branch.negated;
      }
      f.code[pc] = {};
      changed = true;
      break;
    }
    compact(f);
    changed = join_blocks(f) || changed;
  }
}

void join_pairs(Function &f) {
  const std::vector<bool> head = block_heads(f);
  const auto is_half = [](const Instruction &i) {
    return (i.op == Op::ld || i.op == Op::st) && i.type == Type::u64 && i.space != Space::param &&
           !i.is_volatile && i.from_operands[0].what == Operand::reg &&
           (i.op == Op::ld ? i.to.size() : i.from_operands.size() - 1) == 1;
  };
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    if (!is_half(f.code[pc]))
      continue;
    const Instruction first = f.code[pc];
    const int base = first.from_operands[0].reg_index;
    for (size_t other = pc + 1; other < f.code.size() && !head[other]; ++other) {
      const Instruction second = f.code[other];
      if (writes(second, base) || second.op == Op::bar)
        break;
      if (!is_half(second) || second.guard != first.guard || second.negated != first.negated ||
          second.op != first.op || second.space != first.space ||
          second.from_operands[0].reg_index != base ||
          (second.offset != first.offset + 8 && first.offset != second.offset + 8))
        continue;
      const bool rises = second.offset == first.offset + 8;
      Instruction both = rises ? first : second;
      const Instruction &upper = rises ? second : first;
      if ((both.offset & 15) != 0)
        break;
      if (both.op == Op::ld)
        both.to.push_back(upper.to[0]);
      else
        both.from_operands.push_back(upper.from_operands[1]);
      const bool load = both.op == Op::ld;
      f.code[load ? pc : other] = both;
      f.code[load ? other : pc] = {};
      break;
    }
  }
}

void schedule_loads(Function &f) {
  constexpr size_t far_for_global = 400, far_for_shared = 24; // instructions
  f.live_unscheduled = live_registers(f);
  const std::vector<bool> head = block_heads(f);
  size_t first = 0;
  for (size_t pc = 0; pc < f.code.size(); ++pc) {
    if (head[pc])
      first = pc;
    if (is_global_load(f.code[pc]))
      hoist(f, first, pc, far_for_global);
    else if (is_shared_load(f.code[pc]))
      hoist(f, first, pc, far_for_shared);
  }
}

void as_ptxas_does(Function &f) {
  simplify_branches(f);
  join_pairs(f);
  join_chosen_loads(f);
  join_shared_loads(f);
  schedule_loads(f);
  interleave(f);
}

} // namespace model
