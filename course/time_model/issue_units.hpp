/// \file
/// The schedulers of an SM and the units that they issue to: who may begin when, and how long each is at work.
#pragma once

#include "simulate.hpp"

#include <array>

namespace model {

/// A quarter of an SM issues for every fourth warp, to units of its own.
class IssueUnits {
public:
  /// \param result  gets the cycles that each unit is at work, and those that warps wait for it
  IssueUnits(const Device &device, Simulated &result) : d_(device), result_(result) {}

  /// The instruction of a warp that is ready at `ready`. \return when it begins
  double issue(int warp, const Lowered &instruction, double weight, double ready);
  /// That all warps have issued.
  double instructions() const { return instructions_; }

private:
  static constexpr size_t parts = 4, units = 16;

  /// Cycles of a quarter of an SM for a warp's turn at a unit.
  double cycles_of_turn(Unit unit) const;
  /// Of the result, the cycles of that unit; null: nobody asks.
  double *work(Unit unit) const;

  const Device &d_;
  Simulated &result_;
  std::array<double, parts> issue_free_{};
  std::array<std::array<double, parts>, units> unit_free_{};
  double instructions_ = 0;
};

} // namespace model
