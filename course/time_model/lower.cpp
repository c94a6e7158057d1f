#include "lower.hpp"

#include "costs.hpp"
#include "machine.hpp"
#include "registers.hpp"

#include <algorithm>
#include <set>

namespace model {
namespace {

// What a thread needs besides what is live: addresses of constants, the stack's place, even pairs.
constexpr int spare_registers = 4;
constexpr int fewest_registers = 16; // that ptxas gives to any kernel
constexpr int register_step = 8;
constexpr float slots_of_entry =
    2; // the stack's place, and what the addresses of memory are checked against
constexpr int registers_of_full_sm = 32; // of a thread, where 64 warps share them

/// The operation that costs as much.
Op like(Op op) {
  switch (op) {
  case Op::sub:
    return Op::add;
  case Op::mad:
    return Op::mul;
  case Op::rem:
    return Op::div;
  case Op::clz:
  case Op::brev:
    return Op::popc;
  case Op::bit_or:
  case Op::bit_xor:
  case Op::bit_not:
    return Op::bit_and;
  case Op::selp:
  case Op::min:
  case Op::max:
  case Op::neg:
  case Op::abs:
  case Op::bfi:
  case Op::prmt:
  case Op::funnel:
  case Op::testp:
    return Op::shr;
  default:
    return op;
  }
}

/// That of the form, else of any; null: it costs nothing.
const Cost *find_cost(Op op, Form form) {
  for (const Form wanted : {form, Form::any})
    for (const Cost &cost : costs)
      if (cost.op == like(op) && cost.form == wanted)
        return &cost;
  return nullptr;
}

/// How often a register is read, and by whom it is made.
struct Uses {
  std::vector<int> reads, definitions, made_at, read_at;
  explicit Uses(const Function &f)
      : reads(f.registers.size()), definitions(f.registers.size()), made_at(f.registers.size(), -1),
        read_at(f.registers.size(), -1) {
    for (size_t pc = 0; pc < f.code.size(); ++pc) {
      for (int reg : registers_of(f.code[pc])) {
        ++reads[static_cast<size_t>(reg)];
        read_at[static_cast<size_t>(reg)] = static_cast<int>(pc);
      }
      for (int reg : f.code[pc].to) {
        ++definitions[static_cast<size_t>(reg)];
        made_at[static_cast<size_t>(reg)] = static_cast<int>(pc);
      }
    }
  }
  bool once(int reg) const {
    return reg >= 0 && reads[static_cast<size_t>(reg)] == 1 &&
           definitions[static_cast<size_t>(reg)] == 1;
  }
};

class Lowering {
public:
  explicit Lowering(const Function &f)
      : f_(f), uses_(f), fused_(f.code.size(), false), narrow_(narrow_registers(f)),
        uniform_(uniform_registers(f)) {}

  LoweredFunction run() {
    LoweredFunction result;
    result.name = f_.name;
    result.static_shared = f_.static_shared;
    result.register_names = static_cast<int>(f_.registers.size());
    find_fused();
    for (size_t pc = 0; pc < f_.code.size(); ++pc)
      result.code.push_back(lowered(static_cast<int>(pc)));
    Lowered &first = result.code.front();
    first.unit = first.unit == Unit::none ? Unit::branch : first.unit;
    first.slots += slots_of_entry;
    return result;
  }

private:
  const Instruction *maker(const Operand &o) const {
    if (o.what != Operand::reg || !uses_.once(o.reg_index))
      return nullptr;
    const int at = uses_.made_at[static_cast<size_t>(o.reg_index)];
    return at < 0 || fused_[static_cast<size_t>(at)] ? nullptr : &f_.code[static_cast<size_t>(at)];
  }
  void fuse(const Instruction *i) { fused_[static_cast<size_t>(i - f_.code.data())] = true; }

  // What disappears in the instruction that uses it.
  void find_fused() {
    for (const Instruction &i : f_.code) {
      const bool addition = i.op == Op::add || i.op == Op::sub;
      if (!(addition || is_logic(i.op)) || is_float(i.type) || i.type == Type::pred)
        continue;
      bool has_one = false;
      for (const Operand &o : i.from_operands) {
        const Instruction *made = has_one ? nullptr : maker(o);
        if (made == nullptr)
          continue;
        const bool scaled = made->op == Op::shl && made->from_operands[1].what == Operand::value;
        const bool product =
            made->op == Op::mul_wide || (made->op == Op::mul && !is_wide(made->type));
        const bool third = made->op == Op::add && !is_wide(i.type) && !is_float(made->type);
        if (addition ? scaled || product || third
                     : is_logic(made->op) && made->type != Type::pred) {
          if (product)
            joined_.insert(&i);
          fuse(made);
          has_one = true;
        }
      }
    }
  }

  Lowered lowered(int pc) {
    const Instruction &i = f_.code[static_cast<size_t>(pc)];
    Lowered l;
    l.reads = registers_of(i);
    l.writes = i.to;
    if (fused_[static_cast<size_t>(pc)])
      return l;
    const auto on = [&](Unit unit, float slots, float special = 0, float turns = -1) {
      l.unit = unit;
      l.slots = slots;
      l.turns = turns < 0 ? slots : turns;
      l.special = special;
    };
    if (is_memory(i))
      return access(i, l);
    switch (i.op) {
    case Op::mov:
      if (i.from_operands.empty() || i.from_operands[0].what != Operand::special)
        return l;
      break;
    case Op::cvt:
      convert(i, on);
      return l;
    case Op::bra:
      branch(pc, on);
      return l;
    case Op::call:
      library(i, on);
      return l;
    case Op::cp_wait:
      l.amount = i.from_operands.empty() ? 0 : static_cast<int32_t>(i.from_operands[0].bits);
      break;
    default:
      break;
    }
    if (const Cost *cost = find_cost(i.op, form_of(i))) {
      on(cost->unit, cost->slots, cost->special, cost->turns);
      l.action = cost->action;
    }
    return l;
  }

  Form form_of(const Instruction &i) {
    const bool wide =
        is_wide(i.type) && !(i.to.size() == 1 && narrow_[static_cast<size_t>(i.to[0])]);
    switch (like(i.op)) {
    case Op::mov:
      return is_constant(i.from_operands[0]) ? Form::constant : Form::any;
    case Op::add:
      if (!is_float(i.type) && joined_.count(&i))
        return is_wide(i.type) ? Form::joined_wide : Form::joined;
      break;
    case Op::div:
      if (!is_float(i.type))
        return division(i);
      [[fallthrough]];
    case Op::rcp:
    case Op::sqrt:
      if (i.approximate)
        return Form::approximate;
      break;
    case Op::setp:
      return i.from == Type::f64 ? Form::double_ : is_wide(i.from) ? Form::wide : Form::any;
    case Op::shl:
      if (!wide && i.from_operands[1].what == Operand::value)
        return Form::constant;
      break;
    default:
      break;
    }
    return i.type == Type::pred  ? Form::predicate
           : i.type == Type::f64 ? Form::double_
           : is_float(i.type)    ? Form::half_or_single
           : wide                ? Form::wide
                                 : Form::narrow;
  }

  Form division(const Instruction &i) {
    const bool again = i.from_operands[1].what == Operand::reg &&
                       !divisors_.insert(i.from_operands[1].reg_index).second;
    if (is_wide(i.type))
      return Form::wide;
    if (is_signed(i.type))
      return again ? Form::again_signed : Form::narrow_signed;
    return again ? Form::again : Form::narrow;
  }

  template <class On> void branch(int pc, On on) const {
    const Instruction &i = f_.code[static_cast<size_t>(pc)];
    const bool falls = i.target == pc + 1;
    const bool second = pc > 0 && i.guard < 0 && f_.code[static_cast<size_t>(pc) - 1].op == Op::bra;
    const bool parts = // some lanes from others, which meet again
        !falls && i.guard >= 0 && i.target > pc && !uniform_[static_cast<size_t>(i.guard)] &&
        f_.code[static_cast<size_t>(i.target)].op != Op::ret;
    on(Unit::branch, falls || second ? 0 : parts ? 3 : 1);
  }

  static bool is_constant(const Operand &o) { // in the launch's constants
    const auto which = static_cast<Special>(o.bits);
    return (which >= Special::ntid_x && which <= Special::ntid_z) ||
           (which >= Special::nctaid_x && which <= Special::nctaid_z);
  }

  template <class On> static void convert(const Instruction &i, On on) {
    const bool real = is_float(i.type) || is_float(i.from);
    if (!real)
      on(Unit::alu, is_signed(i.from) && bytes_of(i.type) > bytes_of(i.from) ? 1 : 0);
    else if (is_wide(i.type) || is_wide(i.from))
      on(Unit::alu, 0, 1);
    else
      on(Unit::alu, 1);
  }

  template <class On> void library(const Instruction &i, On on) const {
    if (const LibraryCall *call = find_library_call(f_.callees[static_cast<size_t>(i.callee)]))
      on(call->is_double ? Unit::fp64 : Unit::fma,
         static_cast<float>(call->arithmetic),
         static_cast<float>(call->special));
  }

  static Lowered access(const Instruction &i, Lowered l) {
    if (i.op == Op::ld && i.space == Space::param) {
      if (is_wide(i.type)) { // a smaller one is part of the instruction that
        // uses it
        l.unit = Unit::branch;
        l.slots = l.turns = 1;
      }
      return l;
    }
    l.unit = Unit::memory;
    l.slots = l.turns = 1;
    l.past_l1 = i.is_volatile;
    l.action = i.op == Op::ld     ? i.space == Space::constant ? Action::constant : Action::load
               : i.op == Op::st   ? Action::store
               : i.op == Op::atom ? Action::atomic
               : i.op == Op::red  ? Action::reduce
                                  : Action::copy_async;
    l.adds_floats = is_one_of(i.op, Op::atom, Op::red) && is_float(i.type);
    const size_t values = i.op == Op::ld   ? i.to.size()
                          : i.op == Op::st ? i.from_operands.size() - 1
                                           : 1;
    l.amount = bytes_of(i.type) * static_cast<int32_t>(values);
    return l;
  }

  const Function &f_;
  const Uses uses_;
  std::vector<bool> fused_, narrow_, uniform_;
  std::set<int> divisors_; // registers that something was divided by
  std::set<const Instruction *> joined_; // additions that are part of a product
};

} // namespace

LoweredFunction lower(const Function &f) {
  LoweredFunction result = Lowering(f).run();
  // Loads move ahead as long as all warps that an SM can hold still fit.
  const int live = std::max(f.live_unscheduled,
                            std::min(live_registers(f), registers_of_full_sm - spare_registers));
  int registers = std::max(fewest_registers, live + spare_registers);
  registers = (registers + register_step - 1) / register_step * register_step;
  if (f.max_threads > 0) { // of __launch_bounds__: so many blocks must fit
    const int warps = (f.max_threads + 31) / 32 * std::max(1, f.min_blocks);
    registers = std::min(
        registers, std::max(fewest_registers, 65536 / 32 / warps / register_step * register_step));
  }
  result.registers = std::min(registers, 255);
  add_unrolled(f, result);
  return result;
}

} // namespace model
