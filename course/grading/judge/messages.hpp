/// @file
/// The questions that the judge asks, and the larger things in the answers.
#pragma once

#include "judge/frame.hpp"

#include <observation/observe.hpp>
#include <observation/timeline.hpp>

namespace judge {

/// What a question is about. It begins with environment, changed memory and touches (see Mirrors), then
/// has this, then the arguments. In its frame those before it come first that want no answer.
enum class Ask : std::uint8_t {
  cuda, ///< a function of calls.hpp: its number, its arguments
  allocate_host, ///< pinned or managed memory: both sides have a copy
  free_host, ///< is told, as what begins an observation and a part of it
  copy_in, ///< bytes of the judge's to the device
  copy_out,
  copy_to_array,
  range_attribute,
  launch, ///< a kernel that the checker declares
  call, ///< a function of the learner's
  call_ranks, ///< one of them for each rank, all at the same time
  set_function_attribute,
  function_attributes,
  active_blocks,
  start_observing,
  stop_observing,
  begin_part,
  timeline,
};

/// To be raised where what crosses means something else and has the same size.
inline constexpr std::uint64_t layout_version = 3;

/// What both sides must agree on, as a number: the sizes and the order of all that crosses as it lies in memory.
/// The learner's process says its own first. See layout.cpp.
std::uint64_t layout();
std::uint64_t layout_of_messages(); ///< its part for what stands below

void put(Writer &writer, const emu::Observation &seen);
emu::Observation get_observation(Reader &reader);
void put(Writer &writer, const emu::Timeline &timeline);
emu::Timeline get_timeline(Reader &reader);

} // namespace judge
