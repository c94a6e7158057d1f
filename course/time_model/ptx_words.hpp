/// \file
/// The words of PTX, and how its text falls into pieces.
#pragma once

#include "ptx.hpp"

#include <unordered_map>

namespace model {

extern const std::unordered_map<std::string_view, Type> types;
extern const std::unordered_map<std::string_view, Kind> kinds;
Special special_of(std::string_view word);

std::vector<std::string_view> split(std::string_view text, char at);
/// With dots between.
std::string joined(const std::vector<std::string_view> &words);
std::string_view trim(std::string_view text);
/// At commas that stand in no brackets.
std::vector<std::string_view> split_operands(std::string_view text);
bool is_number(std::string_view text);
/// An integer, or the bits of a float: 0f3F800000, 0d3FF0000000000000.
uint64_t number(std::string_view text);
Space space_of(std::string_view word);
size_t round_up(size_t value, size_t unit);
/// `.align 4 .b8 name[12] = {1, 2}`, behind the word for the space.
Symbol parse_variable(std::string_view text, Space space);

/// What the words of an instruction say, from `ld.global.v4.f32` on.
void decode(Instruction &i, const std::vector<std::string_view> &words);
/// Moves that pack and unpack, atomics without a result, registers that are `_`.
void tidy(Instruction &i);

/// Gives a function's shared and local variables their places.
void place_symbols(Function &f);
/// What __launch_bounds__ became.
void read_limits(Function &f, std::string_view text);
/// Of `LBB0_2:` at the beginning of a text; 0: there is none.
size_t label_length(std::string_view text);

} // namespace model
