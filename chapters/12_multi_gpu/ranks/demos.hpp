/// @file
/// What the program shows: each is called by all ranks.
#pragma once

#include "problem.hpp"
#include "ranks/world.hpp"
#include "rivals/nccl_ranks.hpp"

#include "ladder/chapter.hpp"

/// The device of this rank: its number on its machine, or, where there are fewer devices, one of those.
int own_device();
/// Of all ranks, made once.
ncclComm_t everybody();

void show_ranks(lab::Demo &demo);
void show_sums(lab::Demo &demo);
void show_plate(lab::Demo &demo);
void show_abort(lab::Demo &demo);
void show_mistakes(lab::Demo &demo);
/// Ends all ranks, if RANKS_PATIENCE says after how many seconds.
void show_stuck(lab::Demo &demo);
