#pragma once

#include "problem.hpp"

/// The baseline: one thread of the host, one distance after the other.
namespace host_loop {

void run(Points &p);
lab::Verdict check(Points &p);

} // namespace host_loop
