/// @file
/// The learner's side of calls.hpp.
#pragma once

#include "judge/frame.hpp"

namespace judge {

/// Calls the function that the question names and answers with its error and results.
/// @throws Malformed
void serve_call(Reader &question, Writer &answer);

} // namespace judge
