/// \file
/// Which lines cost more than they must, why, and what to try; which chapter treats it.
#pragma once

#include <string>

#include <observation/observe.hpp>

#include "observer.hpp"

namespace emu {

/// What is bad about a line; empty where nothing is.
struct Remark {
  std::string text; // in plain words, with the figure that would be ideal
  double waste = 0; // to rank by: bytes that memory moves or could have moved for nothing
};
Remark remark(const LineReport &line, const KernelReport &kernel);

/// Hazard::advice; empty where there is none to give.
/// \param race    more of a race than the hazard itself tells
/// \param launch  that it was found in; null: not known
std::string
advice_for(const Hazard &hazard, const RaceShape &race = {}, const KernelReport *launch = nullptr);

/// Whether both sides of a hazard are in one line of the source.
bool in_one_line(const Hazard &hazard);

/// The line that the user means by "file.cu:12": the one of its accesses that wastes most. Null if
/// no access was counted there.
const LineReport *find_line(const Observation &observation, const std::string &wanted);
/// The line that wastes most or, where none does, costs most. Null if there are no accesses at all.
const LineReport *most_wasteful_line(const Observation &observation);
/// " a.cu:12 a.cu:14": where accesses were counted.
std::string accessing_lines(const Observation &observation);

} // namespace emu
