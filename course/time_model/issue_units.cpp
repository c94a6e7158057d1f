#include "issue_units.hpp"

#include <algorithm>

namespace model {

double IssueUnits::cycles_of_turn(Unit unit) const {
  switch (unit) {
  case Unit::alu:
    return 128 / d_.int32_per_cycle;
  case Unit::fma:
    return 128 / d_.fp32_per_cycle;
  case Unit::imad:
    return 128 / d_.imad_per_cycle;
  case Unit::fp64:
    return 128 / d_.fp64_per_cycle;
  case Unit::special:
    return 2;
  default:
    return 1;
  }
}

double *IssueUnits::work(Unit unit) const {
  switch (unit) {
  case Unit::alu:
    return &result_.alu;
  case Unit::fma:
  case Unit::imad:
    return &result_.fma;
  case Unit::fp64:
    return &result_.fp64;
  default:
    return nullptr;
  }
}

double IssueUnits::issue(int warp, const Lowered &l, double weight, double ready) {
  const auto part = static_cast<size_t>(warp) % parts;
  const double turn = std::max(ready, issue_free_[part]);
  double at = turn;
  if (l.slots > 0) {
    const double interval = cycles_of_turn(l.unit);
    double &unit = unit_free_[static_cast<size_t>(l.unit)][part];
    at = std::max(at, unit);
    result_.waits.unit += (at - ready) * weight;
    issue_free_[part] = turn + l.slots + d_.issue_blocked * (at - turn);
    unit = at + l.turns * interval;
    result_.issue += l.slots * weight / parts;
    result_.waits.issue += l.slots * weight;
    if (double *cycles = work(l.unit))
      *cycles += l.turns * interval * weight / parts;
    instructions_ += l.slots * weight;
  }
  if (l.special > 0) {
    double &unit = unit_free_[static_cast<size_t>(Unit::special)][part];
    at = std::max(at, unit);
    const double interval = 32 / (d_.special_per_cycle / parts);
    unit = at + l.special * interval;
    issue_free_[part] = std::max(issue_free_[part], at + l.special);
    result_.special += l.special * interval * weight / parts;
    result_.issue += l.special * weight / parts;
    instructions_ += l.special * weight;
  }
  return at;
}

} // namespace model
