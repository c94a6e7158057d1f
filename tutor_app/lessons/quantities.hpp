#pragma once

#include <string>
#include <utility>
#include <vector>

/// @file
/// The quantities of a step that a lesson can show as evidence.

namespace tutor::lessons {

/// How a figure is written.
enum class Form { number, percent, bytes };

/// A quantity of a step: a sum of recorded figures, per another sum where `per` names some.
struct Quantity {
  const char *name;
  const char *title;
  bool counted; ///< of the hardware's counts at a small size; else of what ncu said at full size
  std::vector<const char *> sum;
  std::vector<const char *> per;
  Form form;
};

/// The quantity of that name; throws LessonError, which lists all names.
const Quantity &quantity_of(const std::string &name);

/// Keys of recorded stall reasons, or of units, with a plain word and Nsight Compute's name.
using Names = std::vector<std::pair<const char *, const char *>>;
extern const Names stall_names;
extern const Names unit_names;

} // namespace tutor::lessons
