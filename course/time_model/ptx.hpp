/// \file
/// Reads the PTX that clang makes of kernels: the instructions of each, as the time model needs them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace model {

enum class Type : uint8_t { none, pred, u8, s8, u16, s16, u32, s32, u64, s64, f16, f32, f64 };
int bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);

enum class Space : uint8_t { generic, global, shared, local, constant, param };

enum class Op : uint8_t {
  // clang-format off
  mov, pack, unpack, cvt, cvta, add, sub, mul, mul_wide, mul_hi, mad, mad_wide, fma, div, rem, min, max,
  neg, abs, bit_and, bit_or, bit_xor, bit_not, shl, shr, bfe, bfi, prmt, funnel, popc, clz, brev, selp, setp,
  rcp, sqrt, rsqrt, ex2, lg2, sin, cos, testp,
  ld, st, atom, red, cp_async, cp_commit, cp_wait,
  bra, ret, trap, call, bar, bar_reduce, warp_sync, shfl, vote, match, redux, activemask, membar, nop,
  none // of an instruction that has no time
  // clang-format on
};

template <class... Ops> constexpr bool is_one_of(Op op, Ops... these) {
  return ((op == these) || ...);
}
constexpr bool is_logic(Op op) {
  return is_one_of(op, Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_not);
}
/// Barriers, fences, and what waits for asynchronous copies: memory is not reordered around them.
constexpr bool is_fence(Op op) {
  return is_one_of(
      op, Op::bar, Op::bar_reduce, Op::warp_sync, Op::membar, Op::cp_wait, Op::cp_commit);
}

/// What a comparison, an atomic, a shuffle or a vote does.
enum class Kind : uint8_t {
  // clang-format off
  none, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, num, nan_,
  add, min, max, inc, dec, exch, cas, and_, or_, xor_, popc,
  up, down, idx, bfly, all, any, uni, ballot, left, right
  // clang-format on
};

/// A register (index into the function's), or a value that the instruction itself has.
struct Operand {
  enum What : uint8_t { none, reg, value, special, symbol } what = none;
  int reg_index = -1;
  uint64_t bits = 0; // of a value; an offset of a symbol
  int symbol_index = -1; // of Function::symbols
};

/// Registers that tell who a thread is.
enum class Special : uint8_t {
  // clang-format off
  tid_x, tid_y, tid_z, ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y, nctaid_z,
  laneid, warpid, clock, lanemask_lt, lanemask_le, lanemask_eq, lanemask_gt, lanemask_ge, other
  // clang-format on
};

struct Instruction {
  Op op = Op::nop;
  Type type = Type::none; // of the result
  Type from = Type::none; // of a conversion's, a comparison's operands
  Kind kind = Kind::none;
  Space space = Space::generic;
  bool is_volatile = false;
  bool read_only = false; // ld.global.nc
  bool negated = false; // the guard
  bool unsigned_compare_float = false; // a comparison that holds for NaN
  bool approximate = false;
  bool stays_rolled = false; // bra: back to a loop with the pragma nounroll
  int guard = -1; // a predicate's register
  int target = -1; // instruction that a branch goes to
  int callee = -1; // of Function::callees
  int place = -1; // bra: in the source, of Function::places
  std::vector<int> to; // registers
  std::vector<Operand> from_operands; // ld, st, atom: the address first
  uint64_t offset = 0; // added to the address
  bool ends_block() const { return is_one_of(op, Op::bra, Op::ret, Op::trap); }
};

struct Parameter {
  size_t bytes = 0;
  size_t align = 1;
  Type type = Type::none; // none: a structure
  size_t offset = 0; // in the parameters' memory
};

/// A variable that a function names: of the program, or of the shared, local or constant memory.
struct Symbol {
  std::string name;
  Space space = Space::global;
  size_t bytes = 0; // 0: dynamic shared memory
  size_t align = 1;
  size_t offset = 0; // shared and local: from the start of the block's, the thread's
  std::vector<uint8_t> values; // of one that PTX itself fills
};

struct Function {
  std::string name; // mangled
  std::vector<Parameter> parameters;
  size_t parameter_bytes = 0;
  std::vector<Instruction> code;
  std::vector<Type> registers;
  std::vector<Symbol> symbols;
  std::vector<std::string> callees;
  std::vector<std::string> places; // file, line and column, as PTX numbers them
  size_t static_shared = 0; // bytes
  size_t local = 0; // bytes of a thread
  int live_unscheduled = 0; // registers, before loads moved ahead
  int max_threads = 0; // of __launch_bounds__; 0: not given
  int min_blocks = 0;
  std::string unknown; // its first instruction that has no time here; empty: all have
};

struct Module {
  std::map<std::string, Function, std::less<>> functions;
};

/// The function whose place in device/library_calls.def this is.
/// \throws std::out_of_range
const std::string &library_call_name(size_t place);

/// \throws std::runtime_error with what it does not understand
Module parse_ptx(std::string_view text);

} // namespace model
