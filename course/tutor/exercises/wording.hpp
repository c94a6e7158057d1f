#pragma once

#include "exercises/exercise.hpp"
#include "exercises/result.hpp"

#include <string>
#include <string_view>
#include <vector>

/// \file
/// Rules that the words of every verdict keep to.

namespace tutor {

/// What is wrong with the words of a result, one line each; nothing of a pass or of what the compiler says.
/// \param source  the learner's file
std::vector<std::string>
wording_faults(const Card &card, const Result &result, std::string_view source);

} // namespace tutor
