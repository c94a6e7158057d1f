#pragma once

#include "grade/grade.hpp"

#include <vector>

/// \file
/// From verdicts to points.

namespace tutor::grading {

/// Takes over what the class file says of the exercises, whose cases are known by now.
/// \throws Failure (failed) when it weighs a case that there is not
void apply_weights(std::vector<Assigned> &exercises, const ClassFile &rules);

/// The names of the cases that passed; of two with one name both have to.
std::set<std::string> passed_cases(const Result &result);

/// Credit: all of it for a pass, for other verdicts the share of the cases that passed, of those
/// that the untouched stub does not; nothing for a build error or what was not run.
double points_for(const Result &result, const Assigned &assigned);

/// A pass that lacks a case that the solution's run has is none: makes it not_run (missing_case).
void demand_every_case(Result &result, const Assigned &assigned);

/// Sets Grade::earned and Grade::points, the latter less what lateness costs.
void give_points(Grade &grade, const Report &report);

/// Says in the report how many submissions are in time, or late, by a date that their authors can choose.
void note_dates_of_files(Report &report);

/// The attempt that counts of one student's at one exercise, with the points that an exception gives it.
Grade settle(std::vector<Grade> attempts, const Report &report);

} // namespace tutor::grading
