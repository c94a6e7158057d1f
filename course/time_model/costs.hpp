/// \file
/// What instructions of PTX cost on an SM, by what their operands are: how many instructions ptxas makes of
/// one, and what each of them keeps at work.
#pragma once

#include "lower.hpp"

namespace model {

/// Of the multiplier, for a product of 64 bits or its upper half: published microbenchmarks of sm_70 to sm_80.
constexpr float turns_of_product = 2;

/// What an instruction works on, as far as its cost depends on it.
enum class Form : uint8_t {
  any,
  predicate,
  narrow, // integers of up to 32 bits
  narrow_signed,
  wide, // of 64
  half_or_single,
  double_, // precision
  approximate, // .approx
  constant, // shifted by one; a register that the launch's constants tell
  joined, // an addition that is part of a product
  joined_wide,
  again, // divided by a register that something was divided by before: its reciprocal is there
  again_signed,
};

struct Cost {
  Op op;
  Form form;
  Unit unit;
  float slots = 1; // of the scheduler
  float special = 0; // turns of the special function unit, besides
  float turns = -1; // of the unit, as many as slots unless it says so
  Action action = Action::compute;
};

constexpr Cost costs[] = {
    {Op::mov, Form::any, Unit::special}, // of a special register; others vanish
    {Op::mov, Form::constant, Unit::special, 0},

    {Op::add, Form::narrow, Unit::alu},
    {Op::add, Form::wide, Unit::alu, 2},
    {Op::add, Form::joined, Unit::imad},
    {Op::add, Form::joined_wide, Unit::imad, 1, 0, turns_of_product},
    {Op::add, Form::half_or_single, Unit::fma},
    {Op::add, Form::double_, Unit::fp64},
    {Op::mul, Form::narrow, Unit::imad},
    {Op::mul, Form::wide, Unit::imad, 3, 0, 4},
    {Op::mul, Form::half_or_single, Unit::fma},
    {Op::mul, Form::double_, Unit::fp64},
    {Op::mul_wide, Form::any, Unit::imad, 1, 0, turns_of_product},
    {Op::mad_wide, Form::any, Unit::imad, 1, 0, turns_of_product},
    {Op::mul_hi, Form::narrow, Unit::imad, 1, 0, turns_of_product},
    {Op::mul_hi, Form::wide, Unit::imad, 10, 0, 14},
    {Op::fma, Form::half_or_single, Unit::fma},
    {Op::fma, Form::double_, Unit::fp64},

    {Op::div, Form::approximate, Unit::fma, 4, 1},
    {Op::div, Form::half_or_single, Unit::fma, 9, 1},
    {Op::div, Form::double_, Unit::fp64, 12, 1},
    // A conversion that rounds up takes two turns: a division keeps that unit for as long as four, on an H200.
    {Op::div, Form::narrow, Unit::imad, 13, 4, 9},
    {Op::div, Form::narrow_signed, Unit::imad, 17, 4, 9},
    {Op::div, Form::again, Unit::imad, 7, 0, 5},
    {Op::div, Form::again_signed, Unit::imad, 10, 0, 5},
    {Op::div, Form::wide, Unit::imad, 70, 4},
    {Op::rcp, Form::approximate, Unit::fma, 0, 1},
    {Op::rcp, Form::half_or_single, Unit::fma, 5, 1},
    {Op::rcp, Form::double_, Unit::fp64, 8, 1},
    {Op::sqrt, Form::approximate, Unit::fma, 1, 1},
    {Op::sqrt, Form::half_or_single, Unit::fma, 7, 1},
    {Op::sqrt, Form::double_, Unit::fp64, 14, 1},
    {Op::rsqrt, Form::any, Unit::fma, 1, 1},
    {Op::ex2, Form::any, Unit::fma, 1, 1},
    {Op::lg2, Form::any, Unit::fma, 1, 1},
    {Op::sin, Form::any, Unit::fma, 1, 1},
    {Op::cos, Form::any, Unit::fma, 1, 1},

    {Op::bit_and, Form::any, Unit::alu},
    {Op::bit_and, Form::predicate, Unit::alu, 0},
    {Op::bit_and, Form::wide, Unit::alu, 2},
    {Op::popc, Form::any, Unit::alu, 0, 1},
    {Op::popc, Form::wide, Unit::alu, 1, 2},
    {Op::shl, Form::any, Unit::alu},
    {Op::shl, Form::constant, Unit::imad}, // a product, which leaves the other pipe to others
    {Op::shl, Form::wide, Unit::alu, 2},
    {Op::shr, Form::any, Unit::alu},
    {Op::shr, Form::wide, Unit::alu, 2},
    {Op::shr, Form::double_, Unit::fp64},
    {Op::bfe, Form::any, Unit::alu, 2},
    {Op::setp, Form::any, Unit::alu},
    {Op::setp, Form::wide, Unit::alu, 2},
    {Op::setp, Form::double_, Unit::fp64},

    {Op::ret, Form::any, Unit::branch},
    {Op::trap, Form::any, Unit::branch},
    {Op::vote, Form::any, Unit::alu},
    {Op::activemask, Form::any, Unit::alu},
    {Op::shfl, Form::any, Unit::memory, 1, 0, -1, Action::shuffle},
    {Op::redux, Form::any, Unit::memory, 1, 0, -1, Action::shuffle},
    {Op::match, Form::any, Unit::memory, 4, 0, -1, Action::shuffle},
    {Op::bar, Form::any, Unit::barrier, 1, 0, -1, Action::barrier},
    {Op::bar_reduce, Form::any, Unit::barrier, 1, 0, -1, Action::barrier},
    {Op::warp_sync, Form::any, Unit::branch, 1, 0, -1, Action::sync_warp},
    {Op::cp_commit, Form::any, Unit::memory, 1, 0, -1, Action::commit},
    {Op::cp_wait, Form::any, Unit::branch, 1, 0, -1, Action::wait_copies},
    {Op::membar, Form::any, Unit::branch, 1, 0, -1, Action::fence},
};

} // namespace model
