#pragma once

#include "grade/grade.hpp"

#include <string>
#include <vector>

/// \file
/// What a class has understood and what it has not: grades clustered by diagnosis.

namespace tutor::grading {

/// Students whose answers to one exercise are wrong in the same way.
struct Cluster {
  std::size_t exercise = 0; ///< in Report::exercises
  Verdict verdict = Verdict::fail;
  std::string diagnosis;
  std::string meaning; ///< in words: what most of them were told
  std::string perhaps; ///< the one mistake that the course knows to end so; may be empty
  std::vector<std::string> students; ///< in the order of their names
};

/// The clusters of each exercise, the largest first. Passes are no cluster.
std::vector<Cluster> clusters_of(const Report &report);

/// The page that is printed at the end.
std::string class_view(const Report &report);

} // namespace tutor::grading
