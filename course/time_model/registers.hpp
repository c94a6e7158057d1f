/// \file
/// What registers a function needs, and which of them a machine would not have.
#pragma once

#include "ptx.hpp"

namespace model {

bool is_wide(Type type);
bool is_memory(const Instruction &i);
/// The registers that an instruction reads, its guard among them.
std::vector<int> registers_of(const Instruction &i);
bool reads(const Instruction &i, int reg);
bool writes(const Instruction &i, int reg);

/// The instructions that branches go to; one more for the end.
std::vector<bool> jump_targets(const Function &f);

/// Registers of 8 bytes that only lead to shared or local memory, whose addresses have 4.
std::vector<bool> narrow_registers(const Function &f);

/// Registers that all threads of a block agree on.
std::vector<bool> uniform_registers(const Function &f);

/// How many registers of 4 bytes a thread needs before each instruction, and at the end.
std::vector<int> live_counts(const Function &f);
/// The most registers of 4 bytes that a thread needs at any place.
int live_registers(const Function &f);

} // namespace model
