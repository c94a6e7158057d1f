/// @file
/// How a checker tells the tutor what it finds: not over stdout, which the learner's code writes to.
///
/// The tutor hands a socket to the program, in the variable BF_CHANNEL, and sends one packet first:
/// "NONCE<tab>SEED<tab>OWN NUMBERS", the last of them those that the answer's own code names. Every packet that comes back begins with the nonce, which no code but this has
/// read; the tutor ignores all others. Before any other code of the program runs, the socket gets
/// another number and the variable is wiped.
///
/// Packets are fields between tabs: NONCE KIND FIELD…, where tab, line break and backslash stand as
/// \\t, \\n and \\\\.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace checker::detail {

/// Whether a tutor listens. Where none does, the program tells its verdict on stdout.
bool has_channel();

/// The seed that came over the channel, else that of the variable CHECKER_SEED, else lab's default.
std::uint64_t channel_seed();

/// The answer's own numbers that came over the channel, else those of the variable CHECKER_OWN_NUMBERS: "0.5 4000".
const char *channel_numbers();

/// Sends one packet; does nothing where nobody listens.
void send(const char *kind, std::initializer_list<std::string> fields);

/// Whether packets are kept back from now on.
void mute(bool now);

/// Keeps this program from what no check needs: starting programs and processes, opening files,
/// signals to others. Linux, emulator only. What is forbidden fails with EPERM.
/// @return false where the kernel cannot do that
bool raise_fence();

} // namespace checker::detail
