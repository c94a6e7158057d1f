#pragma once

#include "base/course.hpp"
#include "commands/commands.hpp"

#include <string>

/// \file
/// Records the times that step_times.hpp shows, and checks that they are those of the course as it is.

namespace tutor::commands {

/// Predicts every chapter's steps at the size of a GPU. \throws Failure (environment) where there is no clang
void record_step_times(const Course &course, const std::string &device);

/// Prints what is not as it was recorded, and returns `failed` where something is.
/// \param predict  also whether a small chapter's times come out as they did: needs clang
Exit check_step_times(const Course &course, const std::string &device, bool predict);

} // namespace tutor::commands
