/// @file
/// The chapter's problem: n readings of a sensor become values, through a table.
#pragma once

#include "ladder/chapter.hpp"

#include <cstddef>
#include <vector>

using std::size_t;

/// A reading is a word whose low 14 bits count; the table has an entry for each such code.
constexpr unsigned code_bits = 14;
constexpr unsigned entries = 1u << code_bits;
constexpr unsigned code_mask = entries - 1;

/// An entry in 16 bits stands for this many times as much. A power of two: nothing is rounded.
constexpr float scale = 0x1p-4f;

/// How a step uses a multiprocessor.
struct Plan {
  const void *kernel;
  int threads; ///< of a block
  size_t shared; ///< bytes of dynamic shared memory of a block
  unsigned in_flight; ///< bytes that a thread has asked for when it first waits
};

/// The readings, the table in two forms, the values that a plain loop makes of them.
struct Readings {
  explicit Readings(const lab::Case &c);

  void prepare();
  lab::Verdict check();

  size_t n;
  std::vector<float> expected;
  lab::DeviceBuffer<unsigned> d_in;
  lab::DeviceBuffer<float> d_table; // entries floats: 64 KB
  lab::DeviceBuffer<unsigned short> d_table16; // the same in 32 KB
  lab::DeviceBuffer<float> d_out;
  lab::DeviceBuffer<unsigned> d_tickets; // drawn so far: one word
};

/// The table: the value of `code`, in units of `scale`.
constexpr unsigned short entry(unsigned code) {
  return static_cast<unsigned short>(code * code >> 12);
}

/// Blocks of this plan that one multiprocessor holds at a time, as CUDA says. Allows the kernel as
/// much shared memory as the plan asks for.
int blocks_per_sm(const Plan &plan);

/// As many blocks as the device holds at a time, but no more than there is work for: each loop of a
/// thread takes `per_thread` readings.
unsigned grid_for(const Plan &plan, size_t n, unsigned per_thread);

/// A step, and how it uses a multiprocessor.
struct PlannedStep {
  const char *key; ///< of its figures in the results
  const char *name;
  Plan plan;
  void (*run)(Readings &);
};

/// All steps of the ladder, in its order.
std::vector<PlannedStep> planned_steps();

/// Adds the mistakes and what there is to see besides the table to the ladder.
void register_traps(lab::Ladder<Readings> &ladder);
void register_demos(lab::Ladder<Readings> &ladder);
