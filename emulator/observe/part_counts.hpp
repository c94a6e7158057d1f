/// \file
/// The few figures that a table of steps has room for.
#pragma once

#include <string>

#include <observation/observe.hpp>

namespace emu {

/// For each part of the program that launched anything, lines of the form "PART KEY VALUE", with
/// the keys sectors_per_request, bytes_used_percent, active_lanes, max_conflict (where shared
/// memory is used) and barriers_per_block. Each launch weighs as much as it has blocks, counted or
/// not. Of programs with several devices also link_kib and host_kib, what the busiest device sends to
/// others (or to the host) or receives, whichever is more, and launches. The last line is "hazards N".
std::string part_counts(const Observation &observation);

} // namespace emu
