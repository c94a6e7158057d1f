/// \file
/// Between the processes that share a program's work and the one end of it that tells what was seen.
#pragma once

namespace emu {

/// In a process that does a share of the work: hands over what it has seen since its last part.
/// \param early  it has not come to its end
/// \return whether it is one; else it tells by itself
bool hand_over_rest(bool early);
/// In a process that has dealt work: the others get the signal, too. \return whether it has
bool pass_on(int signal);

/// \name In program.cpp
/// @{
/// Whether this process is to tell, at its end, what was seen.
bool is_to_report();
/// From here on it is this one.
void report_here();
/// Tells what was seen until now, and ends as another process did, by whose status it waited.
[[noreturn]] void end_like(int status);
/// @}

} // namespace emu
