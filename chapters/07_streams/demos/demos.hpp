/// @file
/// What the chapter shows besides its table.
#pragma once

#include "problem.hpp"

/// Adds all demos to the ladder.
void register_demos(lab::Ladder<Batch> &ladder);

/// What a demo says where nothing can tell times.
inline void say_who_tells(lab::Demo &demo, const char *name) {
  demo.say("Times on a GPU; by the emulator's model: ./tutor observe 07 -- --only %s\n", name);
}
