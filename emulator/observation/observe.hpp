/// \file
/// What the instruments saw of a program's kernels: counts by source line, and hazards.
///
/// Only programs built for observation (the target NAME.observed, or bf_observe() in CMake) see
/// anything. There, launches are observed from the start of the program; checkers observe a part:
/// \code
///   emu::start_observing();
///   kernel<<<grid, block>>>(...);
///   const emu::Observation seen = emu::stop_observing();
///   CHECK(seen.hazards.empty());
///   CHECK(seen.kernels[0].total(emu::Access::global_load).sectors_per_request() <= 4);
/// \endcode
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace emu {

/// What a warp's instruction did, and where.
enum class Access : unsigned char {
  global_load,
  global_store,
  global_atomic,
  shared_load,
  shared_store,
  shared_atomic,
  constant,
  count
};
const char *access_name(Access access);

/// Counts of the warp instructions of one source line (or kernel) that access one kind of memory.
/// Of the traced blocks only: see KernelReport::blocks_traced.
struct AccessCounts {
  uint64_t requests = 0; // warp instructions
  uint64_t lanes = 0; // threads that took part, summed over the requests
  uint64_t bytes = 0; // bytes asked for, summed over threads
  uint64_t touched = 0; // global: bytes that any thread asked for, each once a request, summed
  uint64_t sectors = 0; // global: sectors of 32 bytes moved, per request, summed
  uint64_t ideal_sectors = 0; // global: sectors if the lanes' bytes lay close together
  uint64_t wavefronts = 0; // shared: rounds the banks need, summed
  uint64_t ideal_wavefronts = 0; // shared: rounds without any conflict
  unsigned max_conflict = 0; // shared: most words of one bank in one round (1: no conflict)
  unsigned max_same_address = 0; // atomics: most threads of a request at one address

  double active_lanes() const { return ratio(lanes, requests); }
  double sectors_per_request() const { return ratio(sectors, requests); }
  double wavefronts_per_request() const { return ratio(wavefronts, requests); }
  /// What the threads asked for, in percent of the bytes in the sectors that were moved: more than 100
  /// where several want the same.
  double bytes_used_percent() const { return 100 * ratio(bytes, 32 * sectors); }
  /// Of the bytes in these sectors, how many anybody asked for, in percent.
  double sectors_used_percent() const { return 100 * ratio(touched, 32 * sectors); }
  void add(const AccessCounts &other);

private:
  static double ratio(uint64_t a, uint64_t b) {
    return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
  }
};

struct SourceLine {
  std::string file; // as the compiler knows it
  int line = 0; // 0: unknown
  bool operator==(const SourceLine &) const = default;
};

/// One request of a warp, kept as an example: which lanes took part and what each touched.
struct RequestSample {
  uint32_t active = 0; // a bit per lane; 0: none was kept
  std::array<uint64_t, 32> address{}; // of the active lanes
  unsigned cost = 0; // sectors or wavefronts
};

struct LineReport {
  SourceLine where;
  Access access;
  unsigned access_bytes; // of one thread
  AccessCounts counts;
  RequestSample worst; // the request that cost most, the first of such
};

/// A line at which lanes of a warp went different ways.
struct DivergenceReport {
  SourceLine where;
  uint64_t executions = 0; // warps that reached it
  uint64_t lanes = 0; // with how many lanes, summed
};

/// A kernel's launches of one shape, wherever they happened in a part of the program.
struct KernelReport {
  std::string name;
  std::string part; // of the program: see begin_part(); empty if none was named
  unsigned grid[3];
  unsigned block[3];
  uint64_t blocks_traced = 0; // whose accesses were counted; hazards are looked for in all blocks
  uint64_t blocks() const { return launches * grid[0] * grid[1] * grid[2]; }
  uint64_t launches = 1; // all of them are summed up here
  uint64_t barriers = 0; // __syncthreads passed, of the traced blocks
  // Shuffles, votes, matches and __syncwarp: how often lanes of a warp waited for each other, of the
  // traced blocks. A group's operation counts what the emulator makes of it: a value of more than 8
  // bytes is handed over in pieces, cg::reduce of a smaller one in one step.
  uint64_t warp_meetings = 0;
  uint64_t active_masks = 0; // how often threads have called __activemask(), in all blocks
  // Of each kind of access, the requests of the warp that made most of them: of the traced blocks,
  // summed over the launches. See work_spread().
  std::array<uint64_t, static_cast<size_t>(Access::count)> busiest_warp{};
  // Those declared __restrict__: the promise that nothing else leads to what they point to.
  unsigned restricted_parameters = 0;
  int least_blocks = 0; // on an SM, that its __launch_bounds__ ask for; 0: none
  double active_lanes = 0; // lanes at work per warp, over all basic blocks executed
  std::vector<LineReport> lines;
  std::vector<DivergenceReport> divergence;

  AccessCounts total(Access access) const;
  /// Warps of the traced blocks.
  uint64_t warps_traced() const {
    return blocks_traced * ((block[0] * block[1] * block[2] + 31) / 32);
  }
};

/// How evenly the warps share this kind of access: the requests of an average warp over those of the
/// busiest one. 1: all make as many; 1 / warps: one makes all of them; 0: there are none.
double work_spread(const std::vector<KernelReport> &kernels, Access access);

/// Whether accesses of this kind go through the banks of shared memory.
bool is_shared(Access access);
bool is_atomic(Access access);

/// One side of a hazard.
struct HazardSide {
  SourceLine where;
  unsigned block[3] = {};
  unsigned thread[3] = {};
  std::string did = {}; // of a race: "reads s_data[31]"
};

struct Hazard {
  /// shared_race, global_race, out_of_bounds, misaligned, use_after_free, uninitialised,
  /// host_pointer, peer_pointer, local_pointer, device_pointer_on_host, shadow_used, invalid_shuffle, divergent_barrier, deadlock, peer_exited,
  /// stream_race, host_race, endless_loop, leak, same_value_race, exited_at_barrier,
  /// unobserved …
  std::string kind;
  bool warning = false; // suspicious, but may be meant: does not make the program wrong
  std::string kernel; // empty: host code
  std::string part; // of the program: see begin_part()
  HazardSide here;
  HazardSide other; // where.line 0 if no second side is known
  std::string message;
  uint64_t count = 1; // times it was seen
  std::string advice = {}; // what to try: "a __syncthreads() between the two accesses (chapter 05)"
};

/// What became of pages of managed memory, by a model: a page is 4 KiB of its allocation and lies on
/// the host, on the device, or, if it is advised as read mostly, on both. Who touches it where it is
/// not has to wait until it comes: a fault. The first touch, or a prefetch, makes it; a prefetch moves
/// it; advice keeps it where it is and lets kernels reach it over the link. Drivers move neighbours,
/// too, so that a GPU counts fewer faults, of more pages each.
struct PageCounts {
  uint64_t kernel_faults = 0; // kernels waited for pages that lay on the host
  uint64_t host_faults = 0; // the host waited for pages that lay on the device
  uint64_t made_by_kernels = 0; // pages that nobody had touched before
  uint64_t made_by_host = 0;
  uint64_t sent_to_device = 0; // by prefetches, and they were not there
  uint64_t sent_to_host = 0;
  uint64_t over_the_link = 0; // pages on the host that a kernel reached there, once for each launch
  uint64_t moved_out = 0; // from a device that was full: see set_device_pages()

  void add(const PageCounts &other);
  bool any() const { return *this != PageCounts{}; }
  bool operator==(const PageCounts &) const = default;
};

/// From here on a device has room for so many pages of managed memory (0: for all): whoever brings
/// one more moves the one out that came first. A GPU does so with pieces of 2 MiB when its memory is
/// full. Known in programs that are built for observation only.
void set_device_pages(size_t pages);
size_t device_pages();

struct PageReport {
  std::string part; // of the program: see begin_part()
  PageCounts counts;
};

/// Bytes that went one way.
struct LinkCounts {
  uint64_t copied = 0; // by copies, and by NCCL's operations
  uint64_t copies = 0; // how many these were
  uint64_t loaded = 0; // by kernels of the device at which they arrive
  uint64_t stored = 0; // by kernels of the device from which they come; atomics, too

  uint64_t bytes() const { return copied + loaded + stored; }
};

/// A line of a kernel that reaches into another device's memory.
struct LinkLine {
  SourceLine where;
  Access access; // global_load, global_store, global_atomic
  uint64_t bytes;
};

/// What moved from one end to the other; of programs with several devices. An operation of NCCL's
/// counts as a ring does it. A copy between devices that cannot reach each other goes to the host and
/// from there.
struct LinkReport {
  std::string part; // of the program: see begin_part()
  int from, to; // devices; -1: the host
  LinkCounts counts;
  std::vector<LinkLine> lines;
};

/// A call of the host's that returned an error.
struct FailedCall {
  SourceLine where; // of the program's own code
  std::string error; // cudaErrorInvalidConfiguration
  // What it was, as far as that says why: "<<<(0, 1, 1), (256, 1, 1), 0>>>"; of a copy "cudaMemcpy to the device with its
  // target in the host's memory"; else empty.
  std::string launch;
};

struct Observation {
  // What the compiler would make itself, and anew for each source that hands one on: a third of the time to compile
  // a checker.
  Observation();
  Observation(const Observation &);
  Observation(Observation &&) noexcept;
  Observation &operator=(const Observation &);
  Observation &operator=(Observation &&) noexcept;
  ~Observation();

  std::vector<KernelReport> kernels;
  std::vector<Hazard> hazards;
  uint64_t schedule = 0; // the order of threads and blocks that EMU_SCHEDULE drew; 0: the usual one
  std::vector<PageReport> pages = {}; // of the parts in which something became of any
  std::vector<LinkReport> links = {};
  std::optional<FailedCall> failed_call = {}; // the first one
  bool partial = false; // the program did not come to its end

  /// The first hazard of a kind; null if there is none.
  const Hazard *find(const std::string &kind) const;
  /// Whether any hazard is more than a warning.
  bool has_errors() const;
  /// Of all parts together.
  PageCounts total_pages() const;
  /// Of all parts together, from one device to another; -1: the host.
  LinkCounts total_link(int from, int to) const;
};

/// Whether this program was built for observation.
bool observing();
void start_observing();
Observation stop_observing();
/// Host code that is not compiled for observation (all but the .cu files) tells what it is about to
/// read or write, so that what streams do to it meanwhile is found. Elsewhere this does nothing.
void host_touches(const void *memory, size_t bytes, bool writes);
/// From here on this host thread plays a rank, a process of its own: what another one has written is not its to read. What
/// host_touches() says is written came in a message. Elsewhere this does nothing.
void play_rank(int rank);
/// The launches from here on belong to a part of the program, a step of a lesson perhaps, and
/// reports name it; the empty name ends the part.
void begin_part(const std::string &name);

/// How a report for people is written.
struct TextStyle {
  bool colours = false;
  int columns = 100; // at least 80
  size_t rows = 1000; // of a picture, at least 3: those in the middle are left out
};
/// What a terminal on stdout shows: its colours, unless NO_COLOR is set, and its width.
TextStyle terminal_style();

/// For people: hazards first, then each kernel's lines with their counts, and what is bad about
/// those that cost more than they must.
std::string text_report(const Observation &observation, const TextStyle &style = {});
/// For people: the lanes of a line's worst request against the sectors or banks that they touch.
std::string picture(const LineReport &line, const TextStyle &style = {});
/// The same without the line itself; empty in a program for a GPU.
std::string drawing(const LineReport &line, const TextStyle &style = {});
/// The same as an SVG image that suits light and dark pages.
/// \param source  the text of the line
std::string picture_svg(const LineReport &line, const std::string &source);

/// The coordinates that name a thread, or a block, where there are so many: as many as the launch has axes. "3", "3,0"
std::string coordinates(const unsigned (&index)[3], const unsigned (&sizes)[3]);
/// The launch that a hazard was found in, if it was counted; else null.
const KernelReport *launch_of(const Observation &observation, const Hazard &hazard);
/// For programs: the keys that the course's design fixes.
std::string json_report(const Observation &observation);

} // namespace emu
