#pragma once

#include "exercises/exercise.hpp"
#include "tutor/support.hpp"

#include <cstdlib>

/// The exercise that hostile files are handed in for, as this build has it.
struct BlockSum {
  BlockSum() : course(COURSE_FOLDER) {
    setenv("BUILD_FIRST_BUILD", BUILD_FOLDER, 1);
    exercise = find_exercise(exercises_of(course), "block_sum");
  }
  tutor::Course course;
  tutor::Exercise exercise;
};
