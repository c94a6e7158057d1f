#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace model {
namespace {

float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
uint64_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }
uint64_t bits_of(double v) { return std::bit_cast<uint64_t>(v); }

uint64_t narrowed(uint64_t bits, Type type) {
  switch (bytes_of(type)) {
  case 1:
    return static_cast<uint8_t>(bits);
  case 2:
    return static_cast<uint16_t>(bits);
  case 4:
    return type == Type::pred ? bits & 1 : static_cast<uint32_t>(bits);
  default:
    return bits;
  }
}

int64_t signed_value(uint64_t bits, Type type) {
  return static_cast<int64_t>(extended(bits, type));
}

template <class T> bool compare(Kind kind, T a, T b) {
  switch (kind) {
  case Kind::eq:
    return a == b;
  case Kind::ne:
    return a != b;
  case Kind::lt:
    return a < b;
  case Kind::le:
    return a <= b;
  case Kind::gt:
    return a > b;
  case Kind::ge:
    return a >= b;
  default:
    return false;
  }
}

bool compare_bits(const Instruction &i, uint64_t a, uint64_t b) {
  if (i.from == Type::f32 || i.from == Type::f64) {
    const double x = i.from == Type::f32 ? static_cast<double>(as_float(a)) : as_double(a);
    const double y = i.from == Type::f32 ? static_cast<double>(as_float(b)) : as_double(b);
    const bool ordered = x == x && y == y;
    if (i.kind == Kind::num || i.kind == Kind::nan_)
      return ordered == (i.kind == Kind::num);
    return ordered ? compare(i.kind, x, y) : i.unsigned_compare_float;
  }
  if (is_signed(i.from))
    return compare(i.kind, signed_value(a, i.from), signed_value(b, i.from));
  return compare(i.kind, narrowed(a, i.from), narrowed(b, i.from));
}

template <class T> T arithmetic(const Instruction &i, T a, T b, T c) {
  switch (i.op) {
  case Op::add:
    return a + b;
  case Op::sub:
    return a - b;
  case Op::mul:
    return a * b;
  case Op::fma:
  case Op::mad:
    return a * b + c;
  case Op::div:
    return a / b;
  case Op::min:
    return b < a ? b : a;
  case Op::max:
    return a < b ? b : a;
  case Op::neg:
    return -a;
  case Op::abs:
    return a < 0 ? -a : a;
  case Op::rcp:
    return 1 / a;
  case Op::sqrt:
    return std::sqrt(a);
  case Op::rsqrt:
    return 1 / std::sqrt(a);
  case Op::ex2:
    return std::exp2(a);
  case Op::lg2:
    return std::log2(a);
  case Op::sin:
    return std::sin(a);
  case Op::cos:
    return std::cos(a);
  default:
    return a;
  }
}

uint64_t prmt(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t both = static_cast<uint32_t>(a) | b << 32;
  uint64_t result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const uint64_t pick = selector >> 4 * byte & 15;
    uint64_t value = both >> 8 * (pick & 7) & 255;
    if (pick & 8)
      value = value & 128 ? 255 : 0;
    result |= value << 8 * byte;
  }
  return result;
}

uint64_t shift(const Instruction &i, uint64_t a, uint64_t by) {
  const uint64_t bits = 8 * static_cast<uint64_t>(bytes_of(i.type));
  by = static_cast<uint32_t>(by);
  if (i.op == Op::shl)
    return by >= bits ? 0 : a << by;
  if (is_signed(i.type))
    return static_cast<uint64_t>(signed_value(a, i.type) >> std::min(by, bits - 1));
  return by >= bits ? 0 : narrowed(a, i.type) >> by;
}

uint64_t divided(const Instruction &i, uint64_t a, uint64_t b) {
  if (narrowed(b, i.type) == 0)
    return 0;
  if (is_signed(i.type)) {
    const int64_t x = signed_value(a, i.type), y = signed_value(b, i.type);
    return static_cast<uint64_t>(y == -1           ? (i.op == Op::div ? -x : 0)
                                 : i.op == Op::div ? x / y
                                                   : x % y);
  }
  const uint64_t x = narrowed(a, i.type), y = narrowed(b, i.type);
  return i.op == Op::div ? x / y : x % y;
}

uint64_t multiplied_high(const Instruction &i, uint64_t a, uint64_t b) {
  const int bits = 8 * bytes_of(i.type);
  if (is_signed(i.type))
    return static_cast<uint64_t>(__int128{signed_value(a, i.type)} * signed_value(b, i.type) >>
                                 bits);
  return static_cast<uint64_t>(
      static_cast<unsigned __int128>(narrowed(a, i.type)) * narrowed(b, i.type) >> bits);
}

uint64_t bit_field(const Instruction &i, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t start = b & 255, length = c & 255;
  if (length == 0 || start >= 64)
    return 0;
  const uint64_t field = narrowed(a, i.type) >> start;
  return length >= 64 ? field : field & ((uint64_t{1} << length) - 1);
}

uint64_t integer(const Instruction &i, uint64_t a, uint64_t b, uint64_t c) {
  switch (i.op) {
  case Op::add:
    return a + b;
  case Op::sub:
    return a - b;
  case Op::mul:
    return a * b;
  case Op::mad:
    return a * b + c;
  case Op::mul_wide:
  case Op::mad_wide:
    return extended(a, i.type) * extended(b, i.type) + (i.op == Op::mad_wide ? c : 0);
  case Op::mul_hi:
    return multiplied_high(i, a, b);
  case Op::div:
  case Op::rem:
    return divided(i, a, b);
  case Op::min:
  case Op::max: {
    const bool less = is_signed(i.type) ? signed_value(a, i.type) < signed_value(b, i.type)
                                        : narrowed(a, i.type) < narrowed(b, i.type);
    return less == (i.op == Op::min) ? a : b;
  }
  case Op::neg:
    return -a;
  case Op::abs:
    return static_cast<uint64_t>(std::abs(signed_value(a, i.type)));
  case Op::bit_and:
    return a & b;
  case Op::bit_or:
    return a | b;
  case Op::bit_xor:
    return a ^ b;
  case Op::bit_not:
    return i.type == Type::pred ? !(a & 1) : ~a;
  case Op::shl:
  case Op::shr:
    return shift(i, a, b);
  case Op::bfe:
    return bit_field(i, a, b, c);
  case Op::prmt:
    return prmt(a, b, c);
  case Op::funnel: {
    const uint64_t both = static_cast<uint32_t>(a) | b << 32;
    return i.kind == Kind::left ? both << (c & 31) >> 32 : both >> (c & 31);
  }
  case Op::popc:
    return static_cast<uint64_t>(std::popcount(narrowed(a, i.type)));
  case Op::clz:
    return static_cast<uint64_t>(std::countl_zero(narrowed(a, i.type)) - 64 + 8 * bytes_of(i.type));
  case Op::brev: {
    uint64_t result = 0;
    const int bits = 8 * bytes_of(i.type);
    for (int bit = 0; bit < bits; ++bit)
      result |= (a >> bit & 1) << (bits - 1 - bit);
    return result;
  }
  default:
    return a;
  }
}

uint64_t convert(const Instruction &i, uint64_t a) { // cvt.type.from
  const Type from = i.from == Type::none ? i.type : i.from;
  if (is_float(from)) {
    const double x = from == Type::f32 ? static_cast<double>(as_float(a)) : as_double(a);
    if (i.type == Type::f32)
      return bits_of(static_cast<float>(x));
    if (i.type == Type::f64)
      return bits_of(x);
    return x != x || std::fabs(x) > 9e18 ? 0 : static_cast<uint64_t>(static_cast<int64_t>(x));
  }
  const uint64_t value = extended(a, from);
  const double x = is_signed(from) ? static_cast<double>(static_cast<int64_t>(value))
                                   : static_cast<double>(value);
  if (i.type == Type::f32)
    return bits_of(static_cast<float>(x));
  return i.type == Type::f64 ? bits_of(x) : value;
}

} // namespace

uint64_t extended(uint64_t bits, Type type) {
  switch (type) {
  case Type::s8:
    return static_cast<uint64_t>(static_cast<int8_t>(bits));
  case Type::s16:
    return static_cast<uint64_t>(static_cast<int16_t>(bits));
  case Type::s32:
    return static_cast<uint64_t>(static_cast<int32_t>(bits));
  default:
    return narrowed(bits, type);
  }
}

void compute_lanes(const Instruction &i,
                   uint32_t active,
                   const std::array<const uint64_t *, 4> &from,
                   size_t operands,
                   Lanes &result) {
  const uint64_t *a = from[0], *b = operands > 1 ? from[1] : from[0],
                 *c = operands > 2 ? from[2] : from[0];
  if (operands == 0)
    return for_lanes(active, result, [](size_t) { return 0; });
  switch (i.op) {
  case Op::setp:
    return for_lanes(active, result, [&](size_t l) { return compare_bits(i, a[l], b[l]); });
  case Op::selp:
    return for_lanes(active, result, [&](size_t l) { return c[l] & 1 ? a[l] : b[l]; });
  case Op::cvt:
    return for_lanes(active, result, [&](size_t l) { return narrowed(convert(i, a[l]), i.type); });
  case Op::pack: {
    const int width = 8 * bytes_of(i.type) / static_cast<int>(operands);
    return for_lanes(active, result, [&](size_t l) {
      uint64_t all = 0;
      for (size_t k = 0; k < operands; ++k)
        all |= (from[k][l] & ((uint64_t{1} << width) - 1)) << (width * static_cast<int>(k));
      return all;
    });
  }
  case Op::mov:
  case Op::cvta:
    return for_lanes(active, result, [&](size_t l) { return a[l]; });
  case Op::bfi: { // so many bits of a into b, at bit c
    const uint64_t *length = from[3], bits = 8 * static_cast<uint64_t>(bytes_of(i.type));
    return for_lanes(active, result, [&](size_t l) -> uint64_t {
      const uint64_t at = c[l] & 255, wanted = std::min(length[l] & 255, bits);
      if (at >= bits || wanted == 0)
        return b[l];
      const uint64_t field = ~uint64_t{0} >> (64 - wanted) << at;
      return narrowed((b[l] & ~field) | (a[l] << at & field), i.type);
    });
  }
  default:
    break;
  }
  if (i.type == Type::f32)
    return for_lanes(active, result, [&](size_t l) {
      return bits_of(arithmetic(i, as_float(a[l]), as_float(b[l]), as_float(c[l])));
    });
  if (i.type == Type::f64)
    return for_lanes(active, result, [&](size_t l) {
      return bits_of(arithmetic(i, as_double(a[l]), as_double(b[l]), as_double(c[l])));
    });
  const bool wide =
      i.op == Op::mul_wide || i.op == Op::mad_wide || i.op == Op::popc || i.op == Op::clz;
  for_lanes(active, result, [&](size_t l) {
    const uint64_t value = integer(i, a[l], b[l], c[l]);
    return wide ? value : narrowed(value, i.type);
  });
}

uint64_t atomic_result(const Instruction &i, uint64_t old, uint64_t a, uint64_t b) {
  if (i.type == Type::f32)
    return bits_of(as_float(old) + as_float(a));
  if (i.type == Type::f64)
    return bits_of(as_double(old) + as_double(a));
  const bool less = is_signed(i.type) ? signed_value(a, i.type) < signed_value(old, i.type)
                                      : narrowed(a, i.type) < narrowed(old, i.type);
  switch (i.kind) {
  case Kind::add:
    return narrowed(old + a, i.type);
  case Kind::min:
    return less ? a : old;
  case Kind::max:
    return less ? old : a;
  case Kind::inc:
    return old >= a ? 0 : old + 1;
  case Kind::dec:
    return old == 0 || old > a ? a : old - 1;
  case Kind::cas:
    return old == narrowed(a, i.type) ? b : old;
  case Kind::and_:
    return old & a;
  case Kind::or_:
    return old | a;
  case Kind::xor_:
    return old ^ a;
  default:
    return a;
  }
}

} // namespace model
