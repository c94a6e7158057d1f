/// \file
/// When the tasks of streams would run, by a model that is stated here: what overlaps, and what
/// waits for what. Not how fast a GPU is.
///
/// The model:
/// - The host needs `submit_us` for each call that submits something (for all of a graph's launch
///   too), and stands still while it waits.
/// - A copy between host and device takes `copy_us` and its bytes at `link_gb_per_s`, or at
///   `pageable_gb_per_s` where the host's memory is not pinned. There is one engine for each
///   direction: it does one copy at a time.
/// - A kernel takes `kernel_us` and the longer of two times: the bytes that it reads and those
///   that it writes, each once, at `memory_gb_per_s`, and the basic blocks that its threads
///   execute, at `block_rate` for each SM. It occupies as many SMs as it has blocks, up to all, and
///   begins when so many are free. A kernel on few SMs gets its share of the second rate, and four
///   times its share of the first.
/// - With several devices each has engines and SMs of its own. A copy between two that can reach each
///   other takes `copy_us` and its bytes at `peer_gb_per_s`; each device sends one at a time and
///   receives one at a time. Between others it takes both devices' engines for the host, and its
///   bytes go at seven tenths of `link_gb_per_s`. A kernel also needs the time that the bytes take which it
///   moves from and to other devices, in the busier direction, at `peer_gb_per_s`. An operation of
///   NCCL's takes `collective_us` and the bytes that each rank sends on in a ring, at the same rate.
/// - Copies inside the device, and cudaMemset, take `kernel_us` and their bytes, read or written,
///   at `memory_gb_per_s`; they need no SM.
/// - Host functions take `host_function_us`. Of tasks that could begin at the same time the one of
///   the higher priority goes first, then the one that was submitted first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emu {

/// An invented machine: the rates of an A100 behind PCIe 4.0, roughly, and the SMs of an H200, as the emulator plays one.
struct TimelineModel {
  double submit_us = 3;
  double copy_us = 6;
  double link_gb_per_s = 25; // 10^9 bytes a second, each direction
  double pageable_gb_per_s = 8;
  double kernel_us = 2;
  double memory_gb_per_s = 1555;
  double block_rate = 30; // thousand million basic blocks a second and SM, of single threads
  double host_function_us = 5;
  int sms = 132;
  double peer_gb_per_s = 389; // each direction; this one as measured between two H200s
  double collective_us = 10;
};

/// One bar of the picture.
struct TimelineBar {
  std::string name; // of the kernel, or of the call
  std::string kind; // kernel, copy, set, host_function, prefetch, collective; host: waits
  std::string lane; // "stream 1", "the default stream", "host"; "stream 1 of device 0"
  std::string engine; // to_device, to_host, sms, memory, host, link, through_host
  double begin_us, end_us;
  uint64_t bytes; // moved or touched
  unsigned blocks; // of a kernel
  std::string part; // of the program: see begin_part()
  std::string file; // where it was submitted; empty: unknown
  int line;
  int device = -1; // -1: the host
  std::vector<size_t> after = {}; // bars that had to end first, by streams, events and graphs
};

struct Timeline {
  std::vector<TimelineBar> bars; // in the order of submission
  double total_us = 0;

  /// How long at least one of an engine's bars lasts, overlaps counted once.
  double busy_us(const std::string &engine) const;
};

/// The model for timelines from here on.
void set_timeline_model(const TimelineModel &model);

/// The tasks since start_observing(), at most 4000 of them; empty in programs that are not built
/// for observation. Whole programs write theirs where EMU_TIMELINE=FILE (JSON) and
/// EMU_TIMELINE_SVG=FILE (a picture) say.
Timeline timeline();

/// The same for programs.
std::string timeline_json(const Timeline &timeline);
/// A picture for light and dark pages: one row for each stream and one for the host.
std::string timeline_svg(const Timeline &timeline);

} // namespace emu
