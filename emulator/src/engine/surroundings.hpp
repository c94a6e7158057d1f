/// \file
/// What the emulator learns of the process and the machine that it runs on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emu {

/// A number that the environment gives, within limits; ends the program with a clear message and
/// status 2 if it is none.
int number_from_environment(const char *name, int lowest, int highest, int usual);
/// The same from 0, without a limit.
int64_t count_from_environment(const char *name, int64_t usual);
/// Seconds, with a fraction.
double seconds_from_environment(const char *name, double usual);

/// Bytes, which it gives in so large units, with a fraction; up to `most` units.
std::size_t bytes_from_environment(const char *name, std::size_t unit, int most, std::size_t usual);

/// Hands what the program has printed to the system, as it does not come to its end; from any thread.
void flush_output();

/// This machine, or what takes its place: its name and its network namespace.
const std::string &this_host();

} // namespace emu
