#include "flags.hpp"

#include "registers.hpp"

#include <algorithm>

namespace model {

// Through shared memory, too: a block hands on what one of its warps has read.
std::vector<bool> told_registers(const Function &f) {
  std::vector<bool> told(f.registers.size(), false);
  bool in_shared = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Instruction &i : f.code) {
      bool from_others = i.op == Op::ld && (i.space == Space::shared ? in_shared : i.is_volatile);
      if (i.op != Op::ld && i.op != Op::atom)
        for (int reg : registers_of(i))
          from_others = from_others || told[static_cast<size_t>(reg)];
      if (!from_others)
        continue;
      if (i.op == Op::st && i.space == Space::shared && !in_shared)
        in_shared = changed = true;
      for (int reg : i.to)
        if (!told[static_cast<size_t>(reg)])
          told[static_cast<size_t>(reg)] = changed = true;
    }
  }
  return told;
}

// Where a loop that waits for a flag goes on when the flag is there; -1: it waits for none.
int FlagWatch::way_out(int header, int latch) const {
  int out = -1;
  bool reads_flag = false;
  for (int pc = header; pc <= latch; ++pc) {
    const Instruction &i = function_->code[static_cast<size_t>(pc)];
    reads_flag = reads_flag || (i.op == Op::ld && i.is_volatile && i.space != Space::shared);
    if (i.op != Op::bra || i.guard < 0 || !(*told_)[static_cast<size_t>(i.guard)])
      continue;
    if (pc == latch)
      out = latch + 1;
    else if (i.target < header || i.target > latch)
      out = i.target;
  }
  return reads_flag ? out : -1;
}

int FlagWatch::leaves(int latch, uint32_t active, std::vector<Step> &steps) {
  constexpr int patience = 24; // turns
  const int header = function_->code[static_cast<size_t>(latch)].target;
  const int out = way_out(header, latch);
  if (out < 0)
    return -1;
  Waiting &here = waiting_[latch];
  if (++here.turns == 1)
    here.first_turn = steps.size();
  const bool walks = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto &inner) {
    return inner.first >= header && inner.first < latch && inner.second.turns >= patience;
  });
  if (here.turns < patience && !walks)
    return -1;
  if (here.turns == patience && !walks)
    steps.resize(here.first_turn);
  here.turns = patience;
  size_t first = steps.size() - 1;
  while (first > 0 && steps[first].pc != static_cast<uint32_t>(header))
    --first;
  std::erase_if(looks_, [&](const Look &inner) { return inner.first >= first; });
  looks_.push_back({0,
                    static_cast<uint32_t>(first),
                    static_cast<uint32_t>(steps.size()),
                    static_cast<uint32_t>(__builtin_popcount(active)),
                    walks});
  return out;
}

} // namespace model
