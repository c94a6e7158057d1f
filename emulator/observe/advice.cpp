#include "advice.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

#include <observation/words.hpp>

#include "source_tests.hpp"
#include "text.hpp"

namespace emu {

namespace {

// A request that costs less than this much more than it must is not worth a remark.
constexpr double tolerated = 1.2;

std::string few_lanes(const LineReport &line) {
  return format("%s of 32 lanes take part; the others of their warps wait. Let whole warps work "
                "and whole warps rest (chapter 05)",
                number_text(line.counts.active_lanes()).c_str());
}

std::string far_apart(const LineReport &line) {
  const AccessCounts &c = line.counts;
  const double ideal =
      static_cast<double>(c.ideal_sectors) / static_cast<double>(c.requests ? c.requests : 1);
  std::string text = format("%s sectors for %s lanes, where %s would do: ",
                            number_text(c.sectors_per_request()).c_str(),
                            number_text(c.active_lanes()).c_str(),
                            number_text(ideal).c_str());
  if (c.sectors_per_request() > 0.95 * c.active_lanes())
    text += format("each lane pulls a sector of its own, 32 bytes for the %u it wants. ",
                   line.access_bytes);
  else if (c.sectors_per_request() < ideal + 1.5)
    text += "the first lane's address is no multiple of 32 bytes, so one more sector is touched. ";
  else
    text += format("of what memory moves, %.0f %% is never used. ", 100 - c.sectors_used_percent());
  return text + "Neighbouring lanes should touch neighbouring addresses (chapter 03)";
}

std::string bank_conflict(const LineReport &line) {
  const AccessCounts &c = line.counts;
  const double ideal =
      static_cast<double>(c.ideal_wavefronts) / static_cast<double>(c.requests ? c.requests : 1);
  return format("%s wavefronts a request, where %s would do: up to %u lanes want different words "
                "of one bank and are served one after the other. %s",
                number_text(c.wavefronts_per_request()).c_str(),
                number_text(ideal).c_str(),
                c.max_conflict,
                is_atomic(line.access)
                    ? "Let each lane count in a bank of its own (chapter 06)"
                    : "Pad the rows by a word, or let neighbouring lanes touch neighbouring words "
                      "(chapter 04)");
}

std::string one_address(const LineReport &line) {
  return format("up to %u lanes of a request change the same address, one after the other. Combine "
                "their values in the warp or the block first (chapter 06)",
                line.counts.max_same_address);
}

/// Warps whose accesses were counted.
uint64_t warps_of(const KernelReport &kernel) {
  const uint64_t threads = uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  return kernel.blocks_traced * ((threads + 31) / 32);
}

bool in_one_graph(const std::string &message) {
  const size_t first = message.find("(a graph in "), end = message.find(')', first);
  return end != std::string::npos &&
         message.find(message.substr(first, end + 1 - first), end) != std::string::npos;
}

std::string order_of_blocks(FlagLacks lacks) {
  switch (lacks) {
  case FlagLacks::fence_before:
    return "a __threadfence() between what is written and the flag that tells of it, and a "
           "__syncthreads() before that where another thread of the block sets the flag (chapter "
           "06)";
  case FlagLacks::own_fence:
    return "a __threadfence() by each thread that has written, then a __syncthreads(), then the "
           "flag; or, where one thread fences for all, that __syncthreads() ahead of its fence "
           "(chapter 06)";
  case FlagLacks::fence_behind:
    return "a __threadfence() behind the read of the flag, too, before what it tells of is touched "
           "(chapter 06)";
  case FlagLacks::scope:
    return "the device's scope: block scope, as in __threadfence_block() or atomicAdd_block(), "
           "ends at the block (chapter 06)";
  default:
    return "two launches, an atomic, or a flag behind a fence (chapters 05 and 06)";
  }
}

bool in_one_loop(const SourceLine &one, const SourceLine &other) {
  const std::vector<SourceTest> around = tests_around(one);
  return one.file == other.file && std::ranges::any_of(tests_around(other), [&](const auto &test) {
           return test.kind == SourceTest::Kind::loop &&
                  std::ranges::find(around, test.line, &SourceTest::line) != around.end();
         });
}

/// "read of in[33]: past", "reads s_bins[64], which": in, s_bins.
std::string array_in(const std::string &message) {
  const size_t bracket = message.find('['), space = message.rfind(' ', bracket);
  return bracket == std::string::npos || space == std::string::npos
             ? std::string()
             : message.substr(space + 1, bracket - space - 1);
}

/// Where the barrier has to stand that parts two accesses in different lines.
std::string between_lines(const Hazard &hazard, const RaceShape &race) {
  const SourceLine &first = hazard.other.where, &second = hazard.here.where;
  if (first.file != second.file || first.line == second.line)
    return " between the two accesses";
  auto [upper, lower] = std::minmax({first.line, second.line});
  const HazardSide &above = upper == first.line ? hazard.other : hazard.here;
  if (above.did.starts_with("writes")) // perhaps once more on the way down
    for (const SourceLine &set : lines_that_set(array_in(above.did), above.where))
      if (set.line < lower)
        upper = std::max(upper, set.line);
  return format(!race.comes_round            ? " between lines %d and %d"
                : in_one_loop(first, second) ? " that parts lines %d and %d in each round"
                                             : " that parts lines %d and %d",
                upper,
                lower);
}

/// Which one the block has passed in vain, as it parts other accesses.
std::string other_barrier(const Hazard &hazard, const RaceShape &race) {
  const SourceLine &first = hazard.other.where, &second = hazard.here.where;
  const auto [upper, lower] = std::minmax(first.line, second.line);
  const auto passed =
      std::find_if(race.barriers.rbegin(), race.barriers.rend(), [&, up = upper](const Site &site) {
        return site.line > 0 && site.line < up && first.file == site.file;
      });
  return first.file != second.file || passed == race.barriers.rend()
             ? std::string()
             : format(". The one in line %d is ahead of both", passed->line);
}

/// Why the __syncwarp() that is there does not part them; empty if there is none.
std::string vain_sync(const Hazard &hazard, const RaceShape &race) {
  const VainSync &sync = race.sync;
  if (sync.lane >= 0)
    return format(
        ": the mask 0x%x in line %d does not name lane %d", sync.mask, sync.site.line, sync.lane);
  const auto in_a_row = [](const unsigned(&thread)[3]) { return thread[1] == 0 && thread[2] == 0; };
  const bool by_number = in_a_row(hazard.here.thread) && in_a_row(hazard.other.thread);
  const auto [first, second] = std::minmax(hazard.other.thread[0], hazard.here.thread[0]);
  return sync.site.line == 0
             ? std::string()
             : format(": the __syncwarp() in line %d waits for one warp, and ", sync.site.line) +
                   (by_number ? format("threads %u and %u are in two", first, second)
                              : "the two threads are in two");
}

/// Whether a loop begins in this line, and goes on in the next one.
bool begins_a_loop(const SourceLine &where) {
  return std::ranges::any_of(tests_around({where.file, where.line + 1}), [&](const auto &test) {
    return test.kind == SourceTest::Kind::loop && test.line == where.line;
  });
}

/// Behind which a barrier has to stand that a line of this file is to reach, too: "line 7", or "the loop of line 6".
std::string behind_line(const SourceLine &where, int other) {
  const std::vector<SourceTest> around = tests_around({where.file, other});
  int loop = begins_a_loop(where) ? where.line : 0;
  for (const SourceTest &test : tests_around(where)) // outer ones last
    if (test.kind == SourceTest::Kind::loop &&
        std::ranges::find(around, test.line, &SourceTest::line) == around.end())
      loop = test.line;
  return loop > 0 ? format("the loop of line %d", loop) : format("line %d", where.line);
}

std::string two_loops(int writes, int reads) {
  return format("two loops, as line %d reads what line %d writes only in a later round: one that "
                "writes it all, a __syncthreads() behind that loop, and then one that reads",
                reads,
                writes);
}

std::string in_line(const SourceTest &test) {
  return format("the test in line %d, %s,", test.line, test.text.c_str());
}

/// A line, and a test that it stands behind.
struct Behind {
  SourceLine where;
  SourceTest test;

  /// @param which  what is to be said of the test
  std::string words(const char *which) const {
    return format("the one in line %d stands behind ", where.line) + in_line(test) + " which " +
           which;
  }
};

/// The barrier between the lines of a race that a test keeps some threads from, and not from the lower one.
std::optional<Behind> barrier_of_some(const Hazard &hazard, const char *barrier) {
  const SourceLine &first = hazard.other.where, &second = hazard.here.where;
  const auto [upper, lower] = std::minmax(first.line, second.line);
  const std::vector<SourceTest> around = tests_around({second.file, lower});
  for (SourceLine where = {second.file, upper + 1}; where.line < lower; ++where.line)
    if (first.file == second.file && names(where, barrier))
      for (const SourceTest &test : tests_around(where))
        if (test.of_threads && test.kind != SourceTest::Kind::choice &&
            std::ranges::find(around, test.line, &SourceTest::line) == around.end())
          return Behind{where, test};
  return {};
}

std::string order_in_block(const Hazard &hazard, const RaceShape &race) {
  if (const std::string why = vain_sync(hazard, race); !why.empty())
    return (race.in_one_warp ? "a __syncwarp() for both" : "a __syncthreads()") + why +
           " (chapter 05)";
  const char *const kind = race.in_one_warp ? "__syncwarp" : "__syncthreads";
  if (const auto some = barrier_of_some(hazard, kind))
    return format("a %s() that all %s reach: ", kind, race.in_one_warp ? "lanes" : "threads") +
           some->words("not all of them pass") +
           (race.in_one_warp ? " (chapter 05)" : " (chapter 02)");
  const SourceLine &first = hazard.other.where, &second = hazard.here.where;
  const std::string barrier = race.warps_meet ? "a __syncwarp()"
                              : race.in_one_warp
                                  ? "a __syncwarp(), as they are in one warp, or a __syncthreads(),"
                                  : "a __syncthreads()";
  const std::string chapters = race.warps_meet    ? " (chapter 05)"
                               : race.in_one_warp ? " (chapters 02 and 05)"
                                                  : " (chapter 02)";
  if (in_one_line(hazard) && !race.both_write && !race.comes_round)
    return "another index, if the two should not share this element, or else " + barrier +
           " between reading and writing: both are in the same round, and a barrier between rounds "
           "does not part them" +
           chapters;
  if (in_one_line(hazard) && !race.both_write)
    return barrier +
           " between the rounds, if two rounds of a loop meet in this line; within one round "
           "another "
           "index, or a barrier between reading and writing" +
           chapters;
  // Between the two lines there is a barrier, and still they meet: a loop has come round, or one is a helper's.
  const auto [upper, lower] = std::minmax(first.line, second.line);
  const HazardSide &above = upper == first.line ? hazard.other : hazard.here;
  const auto passed = std::find_if(
      race.barriers.begin(), race.barriers.end(), [&, up = upper, low = lower](const Site &site) {
        return site.line > up && site.line < low && first.file == site.file;
      });
  if (first.file != second.file || passed == race.barriers.end())
    return barrier + between_lines(hazard, race) + ", reached by all threads" +
           other_barrier(hazard, race) + chapters;
  const bool reads_behind = above.did.starts_with("writes");
  if (reads_behind && race.later.pc != 0)
    return two_loops(upper, lower) + chapters;
  const bool of_rounds = in_one_loop(first, second); // else one of the lines is a helper's
  if (of_rounds && !reads_behind && race.last_barrier == NeedOf::none && !race.warps_meet)
    return format("move the __syncthreads() of line %d behind line %d: it has to part what one "
                  "round writes there from what the next one reads in line %d. In one round nobody "
                  "writes what others read",
                  passed->line,
                  lower,
                  upper) +
           chapters;
  const std::string behind = behind_line({first.file, lower}, upper);
  return barrier +
         format(
             " behind %s, too, before anybody goes on to line %d: the one in line %d does not part "
             "them then",
             behind.c_str(),
             upper,
             passed->line) +
         (begins_a_loop({first.file, lower})
              ? ". Or read it once, before the loop, into a variable of each thread"
              : "") +
         (of_rounds && !race.one_value && !reads_behind
              ? format(". With two buffers that take turns, one behind %s is enough",
                       behind.c_str())
              : "") +
         chapters;
}

/// Lane 0 of each warp may take itself for the only one that writes.
std::string of_each_warp(const Hazard &hazard, const RaceShape &race) {
  const unsigned(&one)[3] = hazard.other.thread, (&other)[3] = hazard.here.thread;
  const bool lanes_0 = one[1] + one[2] + other[1] + other[2] == 0 && one[0] != other[0] &&
                       one[0] % 32 == 0 && other[0] % 32 == 0;
  return race.in_one_block && lanes_0 ? format(", or each warp (threads %u and %u are in two),",
                                               std::min(one[0], other[0]),
                                               std::max(one[0], other[0]))
                                      : std::string();
}

std::string race_advice(const Hazard &hazard, const RaceShape &race) {
  const bool reads = hazard.message.starts_with("reads ");
  if (hazard.message.find("already overwrites") != std::string::npos)
    return "begin that copy behind a __syncthreads() that all reach when they have read, or let it "
           "fill another buffer (chapter 09)";
  if (race.own_copy && reads &&
      std::equal(hazard.here.thread, hazard.here.thread + 3, hazard.other.thread))
    return "a wait ahead of this that leaves no copy of the thread under way: "
           "__pipeline_wait_prior(0), where 1 leaves the last batch; or another buffer, if this is "
           "the copy of a later round (chapter 09)";
  if (hazard.message.find("behind the last __syncthreads()") != std::string::npos)
    return "that wait ahead of the __syncthreads() that is there, or one more __syncthreads() "
           "behind the wait: the barrier tells the others that all have waited (chapter 09)";
  if (race.own_copy && reads)
    return "a wait that leaves no copy of a thread under way (__pipeline_wait_prior(0), where 1 "
           "leaves the last batch) and, behind it, a __syncthreads(), both ahead of this: a thread "
           "waits for its own copies only, and not for those of the others (chapter 09)";
  if (race.copy_in_flight)
    return "a wait for the copy before anybody touches this (__pipeline_wait_prior, wait() or the "
           "barrier's), with a "
           "__syncthreads() behind it, as a thread waits for its own copies only; and a "
           "__syncthreads() before a copy "
           "begins where others may still read (chapter 09)";
  if (race.in_cluster)
    return "cluster.sync() between the two accesses, reached by all threads of the cluster";
  if (race.both_write && in_one_line(hazard))
    return "an index that gives each thread" + of_each_warp(hazard, race) +
           " an element of its own, or a single thread that writes; "
           "where all are to add to one element, an atomic (chapters 01 and 06)";
  const bool in_one_block =
      hazard.kind == "shared_race" ||
      (hazard.other.where.line > 0 &&
       std::equal(hazard.here.block, hazard.here.block + 3, hazard.other.block));
  std::string order = in_one_block ? order_in_block(hazard, race) : order_of_blocks(race.lacks);
  if (race.one_is_atomic && hazard.kind == "global_race" && race.lacks == FlagLacks::flag)
    order = std::string(
                hazard.here.did.starts_with("reads ") || hazard.other.did.starts_with("reads ")
                    ? "what the atomic returns, if this is to be what it has found there: between "
                      "the two there is room for others. Or an atomic for the other access, too"
                    : "an atomic for the other access, too") +
            " (chapter 06)";
  if (race.both_write && !race.of_launch && !race.one_value && !race.one_is_atomic)
    return "compare the two indices: each element is for one thread to write; if it is to be "
           "written twice, " +
           order;
  return race.both_write && race.of_launch
             ? "let the second array begin where the first one ends; if it is one array, " + order
             : order;
}

std::string order_of_tasks(TaskLacks lacks, bool frees) {
  switch (lacks) {
  case TaskLacks::record_first:
    return "cudaEventRecord first, and behind it cudaStreamWaitEvent: with one event a wait right "
           "behind each record; with an event for each stream a loop of its own for all records, "
           "ahead of one that waits (chapter 07)";
  case TaskLacks::other_stream:
    return "cudaStreamWaitEvent with the stream that is to wait: the one that records the event "
           "comes after itself anyway (chapter 07)";
  case TaskLacks::later_record:
    return "cudaEventRecord behind what is to be waited for: an event tells of what its stream "
           "was asked before (chapter 07)";
  case TaskLacks::turned:
    return "cudaEventRecord in the stream of the earlier one, and cudaStreamWaitEvent with that of "
           "the later one: now it is the earlier one's stream that waits, for an event of the "
           "other (chapter 07)";
  case TaskLacks::own_event:
    return "cudaEventRecord in the stream of the earlier one, and behind it: the event that is "
           "waited for was recorded in the stream that waits, which comes after itself anyway "
           "(chapter 07)";
  case TaskLacks::wait:
    return "cudaStreamWaitEvent before the later one, in its stream: an event that tells of the "
           "earlier one is recorded already (chapter 07)";
  case TaskLacks::third_stream:
    return "cudaStreamWaitEvent with the stream of the later one: the stream that waits for the "
           "event now is none of the two (chapter 07)";
  case TaskLacks::own_memory:
    return frees ? "cudaFreeAsync in the stream that works with the memory last, or ahead of it "
                   "cudaStreamWaitEvent, for an event recorded in that stream behind its work "
                   "(chapter 07)"
                 : "cudaMallocAsync in the stream that works with the memory first; another one "
                   "needs a cudaStreamWaitEvent ahead of its work, for an event recorded in that "
                   "stream (chapter 07)";
  case TaskLacks::event_each:
    return "a wait behind each record, ahead of the next one of the same event, or an event of its "
           "own for each stream (chapter 07)";
  case TaskLacks::other_device:
    return "cudaDeviceSynchronize for each device that has work under way, each made current by "
           "cudaSetDevice first (chapter 12)";
  default:
    return "cudaEventRecord in the earlier one's stream, behind it, and cudaStreamWaitEvent in the "
           "later one's, ahead of it (chapter 07)";
  }
}

std::string order_with_host(const RaceShape &race) {
  const std::string before =
      std::string(" before the host ") + (race.host_writes ? "writes there" : "touches it");
  if (race.task_lacks == TaskLacks::other_stream)
    return "cudaEventSynchronize" + before +
           ": cudaStreamWaitEvent lets a stream wait, and not the host (chapter 07)";
  if (race.task_lacks == TaskLacks::event_each)
    return "an event of its own for each stream, and a wait for each (chapter 07)";
  if (race.early_event &&
      (race.task_lacks == TaskLacks::wait || race.task_lacks == TaskLacks::order))
    return "cudaEventRecord behind that call: the event that the host has waited for was recorded "
           "before it, and does not tell of it (chapter 07)";
  if (race.task_lacks == TaskLacks::wait)
    return "cudaEventSynchronize" + before +
           ", for the event that is recorded behind that call (chapter 07)";
  return "cudaStreamSynchronize with its stream, or cudaEventSynchronize," + before +
         " (chapter 07)";
}

/// The innermost test behind which one of the hazard's sides stands and that not all threads pass.
std::optional<Behind> test_of_threads(const Hazard &hazard) {
  for (const SourceLine &where : {hazard.here.where, hazard.other.where})
    for (const SourceTest &test : tests_around(where))
      if (test.of_threads)
        return Behind{where, test};
  return {};
}

/// Of warps of a block that part at a test of what each of them has been told by a shuffle; empty if there is none.
/// \param barrier  with its test_of_threads()
std::string told_to_one_warp(const Hazard &hazard, const std::optional<Behind> &barrier) {
  const unsigned(&one)[3] = hazard.here.thread, (&other)[3] = hazard.other.thread;
  const bool two_warps = hazard.other.where.line > 0 &&
                         one[1] + one[2] + other[1] + other[2] == 0 && one[0] / 32 != other[0] / 32;
  if (!two_warps && hazard.message.find("whole warps") == std::string::npos)
    return {};
  const ToldByShuffle told = told_by_shuffle(hazard.here.where.file, hazard.kernel);
  return told.name.empty() || (barrier && in_line(barrier->test) != in_line(told.test))
             ? std::string()
             : format("tell all threads of the block by shared memory and a __syncthreads(): the "
                      "shuffle in line %d tells the variable %s to its own warp only, and at ",
                      told.line,
                      told.name.c_str()) +
                   in_line(told.test) + " warps of the block can part (chapter 10)";
}

/// "the test in line 12, i < n, lets it by": of the index that this line goes to the array with; empty if none limits it.
/// \param past  the array's end: less is subtracted than has to be, and a test is no limit to that
std::string test_that_is_there(const Hazard &hazard, const std::string &array, bool past) {
  const std::vector<SourceTest> tests = tests_around(hazard.here.where);
  if (const SourceTest *test = test_of(array, hazard.here.where, tests, !past))
    return in_line(*test) + (test->kind == SourceTest::Kind::choice
                                 ? " does not keep it off" // it may be behind the :
                                 : " lets it by");
  return past && test_of(array, hazard.here.where, tests) ? "however little is subtracted"
                                                          : std::string();
}

/// "reads s_tile[8][0], which": 8 and 0.
std::vector<long> element_in(const std::string &message) {
  std::vector<long> element;
  for (size_t at = message.find('['); at < message.size() && message[at] == '[';
       at = message.find(']', at) + 1)
    element.push_back(std::strtol(message.c_str() + at + 1, nullptr, 10));
  return element;
}

/// Of an element in shared memory that nobody has written, or only behind this read.
std::string unwritten_element(const Hazard &hazard, const KernelReport *launch) {
  const SourceLine &here = hazard.here.where, &late = hazard.other.where;
  if (late.line > 0 && late.line < here.line && in_one_loop(late, here))
    return two_loops(late.line, here.line) + " (chapter 02)";
  if (late.line > 0 && !in_one_line(hazard))
    return format("let line %d write it first, as it does so only behind this read: then a "
                  "__syncthreads(), then the read (chapter 02)",
                  late.line);
  const std::string array = array_in(hazard.message);
  std::set<int> elsewhere;
  const bool never = launch && late.line == 0;
  for (const SourceLine &where : never ? lines_that_set(array, here) : std::vector<SourceLine>()) {
    const Comes comes = comes_to(
        where, array, element_in(hazard.message), {hazard.here.block, launch->block, launch->grid});
    const std::vector<SourceTest> tests = tests_around(where);
    if (comes == Comes::yes && tests.size() == 1)
      return "the same test where it is read, or another one where it is written: there " +
             in_line(tests[0]) + " leaves it out" +
             (tests[0].text.find("blockIdx") != std::string::npos
                  ? ". Each block has " + array + " for itself: no other block fills it"
                  : "") +
             " (chapter 02)";
    if (comes != Comes::no) {
      elsewhere.clear();
      break;
    }
    elsewhere.insert(where.line);
  }
  return (elsewhere.empty() ? std::string("write it before it is read, as shared memory does not "
                                          "begin as zeros")
                            : "write it, too: no thread's index in " + numbered("line", elsewhere) +
                                  " comes to it") +
         "; or read it only where it was written (chapter 02)";
}

/// Of an array in shared memory that has more elements than the block has threads, of which each has written one.
std::string further_elements(const Hazard &hazard) {
  const std::string array = array_in(hazard.message);
  const bool argument = hazard.message.ends_with(", too");
  for (const SourceLine &where : lines_that_set(array, hazard.here.where)) {
    const std::vector<SourceTest> tests = tests_around(where);
    const SourceTest *test = test_of(array, where, tests);
    if (test && (argument || test->kind == SourceTest::Kind::loop))
      return "another end of what line " + std::to_string(where.line) +
             " writes: " + in_line(*test) +
             " counts other things than the array's elements (chapter 04)";
  }
  const std::string loop = "a loop from threadIdx.x on, in steps of blockDim.x, ";
  const std::vector<SourceTest> tests = tests_around(hazard.here.where);
  if (const SourceTest *test = test_of(array, hazard.here.where, tests);
      test && !test->in_strides && !test->of_threads)
    return "read it only where it was written: " + in_line(*test) +
           " lets others by; or, if all "
           "are to be written, " +
           loop + "that does so (chapter 04)";
  return loop + "as the array may have more elements than the block has threads; or read it only "
                "where it was written (chapter 04)";
}

/// "read of in[33]: past the last of its 33 elements", or of in[32] to in[33]: the test that is missing, or the one that
/// is there and wrong, in these words.
std::string test_of_index(const Hazard &hazard, const KernelReport *launch) {
  const std::string &message = hazard.message;
  constexpr std::string_view past = ": past the last of its ",
                             before = ": before the first of its ";
  const bool low = message.find(before) < message.size();
  const size_t of = message.find(" of "), end = message.find(low ? before : past);
  if (end >= message.size() || of > end || message[end - 1] != ']') // of elements, no bytes
    return {};
  const std::string_view what = std::string_view(message).substr(of, end - of);
  const size_t to = what.find(" to ");
  const auto index_of = [](std::string_view element) {
    return element.substr(element.find('[') + 1, element.rfind(']') - element.find('[') - 1);
  };
  const std::string_view first = index_of(what.substr(0, to));
  const std::string_view last = to == what.npos ? first : index_of(what.substr(to));
  if (first.find('[') < first.size()) // it has several dimensions
    return {};
  const size_t elements = end + (low ? before : past).size();
  const std::string count = message.substr(elements, message.find(' ', elements) - elements);
  std::string here = std::string(first) + (first == last ? "" : " to " + std::string(last)),
              held = low ? "0 or more" : "less than " + count;
  // An index of vectors, where the source has one.
  const long begin = std::strtol(first.data(), nullptr, 10),
             each = std::strtol(last.data(), nullptr, 10) - begin + 1;
  if (each > 1 && begin % each == 0 && launch &&
      goes_with_index(hazard.here.where,
                      array_in(message),
                      begin / each,
                      {hazard.here.block, launch->block, launch->grid},
                      hazard.here.thread)) {
    here = format("%ld, of %ld elements each", begin / each, each);
    if (!low)
      held = format("less than %ld", std::strtol(count.c_str(), nullptr, 10) / each);
  }
  here = "here it is " + here + ", and has to be " + held;
  const std::string there = test_that_is_there(hazard, array_in(message), !low);
  return there.starts_with("however") ? "another index: " + here + ", " + there + " (chapter 01)"
         : there.empty()
             ? "a test of this very index around the access (" + here +
                   "), or another index (chapter 01)"
             : "another index, or another test of it: " + here + ", and " + there + " (chapter 01)";
}

/// Of a shuffle whose mask does not name the lane that is asked.
std::string source_advice(unsigned asked, unsigned mask, const Hazard &hazard) {
  const int lowest = __builtin_ffs(static_cast<int>(mask)) - 1;
  if (static_cast<int>(asked) == lowest + 1)
    return "__ffs() - 1 for the lowest lane of a mask: lanes are counted from 0, and __ffs() "
           "counts "
           "from 1 (chapter 10)";
  const std::optional<Behind> test = test_of_threads(hazard);
  // By a number in the line itself: then it is the number that is wrong.
  if (test && !names(hazard.here.where, std::to_string(asked)))
    return "the call where the lane that is asked comes by, too: " +
           test->words(
               "keeps it out. A shuffle brings the values of lanes that make the same call. "
               "Or ask a lane that does (chapter 10)");
  if (asked == 0)
    return format(
        "__ffs(mask) - 1 for the lowest lane of a mask, here lane %d: a shuffle's source is "
        "a lane of the warp, and 0 is lane 0. Or let lane 0 make the call, too (chapter 10)",
        lowest);
  return "let the lane that is asked make the call, too, with a value that changes nothing, or ask "
         "a lane that does (chapter 10)";
}

std::string shuffle_advice(const Hazard &hazard) {
  const auto says = [&](const char *words) {
    return hazard.message.find(words) < std::string::npos;
  };
  unsigned asked = 0, mask = 0;
  if (const size_t at = hazard.message.find("of lane ");
      at < std::string::npos && std::sscanf(hazard.message.c_str() + at,
                                            "of lane %u, which is not in the mask (mask %x)",
                                            &asked,
                                            &mask) == 2)
    return source_advice(asked, mask, hazard);
  if (says("the width of"))
    return "a width of 32, where lanes that have nothing bring what changes nothing: a width cuts "
           "the warp into parts, which are the same for all lanes (chapter 10)";
  const bool of_group = says("of the group");
  if (!of_group && !says("left the kernel") && !hazard.message.ends_with("the same call"))
    return {};
  const std::optional<Behind> test = test_of_threads(hazard);
  const std::string lanes = std::string("all lanes of ") + (of_group ? "the group" : "its mask");
  if (test && test->test.kind == SourceTest::Kind::branch && !says(" a vote"))
    return "let " + lanes + " make the call, ahead of " + in_line(test->test) +
           format(" which keeps some from line %d; the test can choose among what has come "
                  "(chapter 10)",
                  test->where.line);
  if (test && test->test.kind == SourceTest::Kind::loop)
    return "let " + lanes +
           format(" make this call equally often: the loop of line %d goes on while %s, and that "
                  "ends earlier for some of them (chapter 10)",
                  test->test.line,
                  test->test.text.c_str());
  return "the call where " + lanes + " come by" +
         (test
              ? ": " + in_line(test->test) +
                    format(" has to come out the same for all of them, and keeps some from line %d",
                           test->where.line)
              : ", and not behind a return or in the branch of some") +
         (says(" a vote")
              ? ". A test may be part of a vote, so that all come to it: who has nothing votes 0"
              : "") +
         " (chapter 10)";
}

/// Of a thread whose own number is not too large for a count of bits.
/// Empty if the count may be the thread's own number.
std::string shift_advice(const Hazard &hazard) {
  const unsigned(&thread)[3] = hazard.here.thread;
  int bits = 0, by = 0;
  std::sscanf(hazard.message.c_str(), "a number of %d bits is shifted by %d", &bits, &by);
  const unsigned number = static_cast<unsigned>(by);
  if (thread[0] >= 32 && (number == thread[0] || number == thread[0] + 1))
    return {};
  return "a count that is less than the number of bits: " +
         (thread[1] + thread[2] == 0 ? format("in lane %u", thread[0] % 32) : std::string("here")) +
         " it is not" + (by == bits ? ". Or two shifts, of which one is by 1" : "") +
         " (chapter 10)";
}

/// Where a stream was left out of a launch or a call, so that it is in the default stream; empty if it was not.
std::string stream_left_out(const std::string &message) {
  const size_t end = message.find(" (the default stream)");
  const size_t kernel = message.rfind("kernel ", end), call = message.rfind("cuda", end);
  if (end == std::string::npos || (kernel == std::string::npos && call == std::string::npos))
    return {};
  if (call == std::string::npos || (kernel != std::string::npos && kernel > call))
    return "the stream as the launch's fourth argument, behind the bytes of shared memory, as a "
           "launch without it is in the default stream. If it is to be there: ";
  const std::string name = message.substr(call, message.find(' ', call) - call);
  return (name.ends_with("Async")
              ? "the stream as the last argument of " + name +
                    ", which is in the default stream without it"
              : name + "Async with the stream, as " + name + " is in the default stream") +
         ". A non-blocking stream does not wait for that one, nor that one for it. If it is to be "
         "there: ";
}

/// "cudaMemcpy writes 8192 bytes to memory of the host's that has 4096"
bool twice_too_many(const std::string &message) {
  const size_t bytes = message.find_first_of("0123456789"), room = message.find_last_of(' ');
  return bytes != std::string::npos && room > bytes &&
         std::strtoull(message.c_str() + bytes, nullptr, 10) ==
             2 * std::strtoull(message.c_str() + room, nullptr, 10);
}

/// Of memory of the device's that host code touches.
std::string instead_of_the_host(const Hazard &hazard) {
  const bool written = hazard.message.find(" writes ") != std::string::npos;
  const std::string name = followed_in(hazard.here.where, written);
  return (written ? "cudaMemcpy into it, or a kernel that writes there"
                  : "cudaMemcpy to host memory first") +
         (name.empty() ? "" : ", as `" + name + "` points to the device's") + " (chapter 01)";
}

// What hazards of one kind have different words for.
std::string closer_advice(const Hazard &hazard, const RaceShape &race, const KernelReport *launch) {
  if (hazard.kind == "host_race")
    return order_with_host(race);
  if (hazard.kind == "device_pointer_on_host")
    return instead_of_the_host(hazard);
  if (hazard.kind == "out_of_bounds" && hazard.message.ends_with("the launch asked for"))
    return "as many bytes in the launch's third argument as the kernel uses, or another index "
           "(chapter 04)";
  if (hazard.kind == "out_of_bounds" && hazard.message.starts_with("cuda"))
    return std::string("no more bytes than both sides have: the number of elements times the size "
                       "of one") +
           (twice_too_many(hazard.message) ? ". sizeof of a pointer is 8, whatever it points to"
                                           : "") +
           " (chapter 01)";
  if (hazard.kind == "out_of_bounds" &&
      hazard.message.find("unsigned has below 0") != std::string::npos)
    return "a comparison ahead of the subtraction, as an unsigned is never less than 0 (chapter "
           "01)";
  if (hazard.kind == "out_of_bounds" &&
      hazard.message.find(": an element has ") != std::string::npos)
    return "the number of elements times the size of one, as memory is asked for in bytes (chapter "
           "01)";
  if (hazard.kind == "out_of_bounds")
    if (const std::string test = test_of_index(hazard, launch); !test.empty())
      return test;
  if (hazard.kind == "out_of_bounds" && hazard.message.ends_with("variable of the block"))
    if (const std::string there = test_that_is_there(hazard, array_in(hazard.message), false);
        !there.empty())
      return "another index, or another test of it: " + there + " (chapter 01)";
  if (hazard.kind == "stream_race" && race.task_lacks != TaskLacks::other_device &&
      hazard.message.find("default stream of device") < std::string::npos)
    return "look at which device is current at each call, as the default stream is that device's; "
           "then cudaEventRecord behind the earlier one and cudaStreamWaitEvent ahead of the later "
           "one (chapter 12)";
  if (hazard.kind == "stream_race" && in_one_graph(hazard.message))
    return "an edge between the two nodes of the graph: while recording, an event that the one "
           "branch records and the other waits for (chapter 07)";
  if (hazard.kind == "stream_race")
    return stream_left_out(hazard.message) +
           order_of_tasks(race.task_lacks,
                          hazard.message.find(" frees what ") != std::string::npos);
  if (hazard.kind == "undefined_shift")
    if (const std::string shift = shift_advice(hazard); !shift.empty())
      return shift;
  if (hazard.kind == "invalid_shuffle")
    if (const std::string shuffle = shuffle_advice(hazard); !shuffle.empty())
      return shuffle;
  if (hazard.kind == "uninitialised" && hazard.message.find(" brought ") != std::string::npos)
    return "as many bytes as are read: the number of elements times the size of one (chapter 01)";
  if (hazard.kind == "divergent_barrier" && hazard.message.ends_with("before") &&
      !test_of_threads(hazard))
    return "a condition that is the same for all threads of the block, and which nobody changes "
           "while others still look at it (chapter 05)";
  if (hazard.kind == "divergent_barrier" || hazard.kind == "exited_at_barrier") {
    const std::optional<Behind> test = test_of_threads(hazard);
    if (const std::string shuffle = told_to_one_warp(hazard, test); !shuffle.empty())
      return shuffle;
    if (test)
      return (hazard.message.find(" at the end of the kernel") != std::string::npos
                  ? "guard the work with a test, and not the way to the barrier: "
                  : "a __syncthreads() that all threads of the block reach: ") +
             test->words("not all of them pass") + " (chapter 02)";
  }
  if (hazard.kind == "uninitialised" &&
      (hazard.message.ends_with(", too") || hazard.message.ends_with("as it has threads")))
    return further_elements(hazard);
  if (hazard.kind == "uninitialised" && hazard.message.ends_with("as it has warps"))
    return "read only as many elements as the block has warps, and let what changes nothing stand "
           "for the others (chapter 05)";
  if (hazard.kind == "uninitialised" && hazard.message.find("block") != std::string::npos)
    return unwritten_element(hazard, launch);
  if (hazard.kind == "deadlock" && hazard.message.find(" missing") != std::string::npos)
    return "as many arrivals and bytes as its init() and expect_tx() promise, in each phase";
  if (hazard.kind == "deadlock" && hazard.message.find("than expected have") != std::string::npos)
    return "an expect_tx() of as many bytes as the copies bring, in the same phase";
  if (hazard.kind == "deadlock" && hazard.message.find("warp operation") != std::string::npos)
    return "let every lane that the mask names come to this very call: it stands in no branch that "
           "some of them pass by (chapter 10)";
  if (hazard.kind == "deadlock" && hazard.message.find("grid.sync()") != std::string::npos)
    return "let every block of the grid come to this sync, equally often: none may return ahead of "
           "it, or leave a loop around it earlier (chapter 10)";
  if (hazard.kind == "deadlock" && hazard.message.find("cluster") != std::string::npos)
    return "let all threads of all its blocks reach the cluster's barrier, equally often";
  if (hazard.kind == "deadlock" && hazard.kernel.empty()) { // a call of NCCL's
    if (hazard.message.starts_with("ncclCommInitRank"))
      return "the same id for all ranks: one makes it, and sends it to the others (chapter 12)";
    if (hazard.message.starts_with("ncclSend") || hazard.message.starts_with("ncclRecv"))
      return "ncclGroupStart() and ncclGroupEnd() around the sends and receives of a rank: they do "
             "not wait for each other then (chapter 12)";
    return "the same collectives on all ranks, and a group around those that one thread calls for "
           "several ranks: ncclGroupStart(), ncclGroupEnd() (chapter 12)";
  }
  if (hazard.kind == "endless_loop" && hazard.message.starts_with("this block has waited"))
    return "look at the condition that should end the loop. If it is for other blocks to meet it: "
           "they may find no room until this one ends; what needs all of them is for the last one "
           "that is done, or for a second launch (chapters 01 and 06)";
  if (hazard.kind == "use_after_free" && hazard.message.find("cudaFreeAsync") != std::string::npos)
    return "cudaFreeAsync behind the last use, in the same stream (chapter 07)";
  if (hazard.kind == "leak" && !hazard.message.ends_with("freed"))
    return "that call, when nobody needs it any more (chapter 07)";
  return {};
}

} // namespace

Remark remark(const LineReport &line, const KernelReport &kernel) {
  const AccessCounts &c = line.counts;
  Remark remark;
  const auto add = [&](const std::string &text, double waste) {
    remark.text += (remark.text.empty() ? "" : ". Also, ") + text;
    remark.waste += waste;
  };
  if (static_cast<double>(c.sectors) > tolerated * static_cast<double>(c.ideal_sectors))
    add(far_apart(line), 32.0 * static_cast<double>(c.sectors - c.ideal_sectors));
  // A round of the banks could have moved 32 words of 4 bytes.
  if (static_cast<double>(c.wavefronts) > tolerated * static_cast<double>(c.ideal_wavefronts))
    add(bank_conflict(line), 128.0 * static_cast<double>(c.wavefronts - c.ideal_wavefronts));
  if (is_atomic(line.access) && c.max_same_address >= 8)
    add(one_address(line), 32.0 * static_cast<double>(c.lanes));
  // What a warp does once, such as storing its sum, one lane may do.
  const bool in_a_loop = c.requests >= 2 * warps_of(kernel);
  if (c.active_lanes() < 12 && in_a_loop)
    add(few_lanes(line), static_cast<double>(32 * c.requests - c.lanes) * line.access_bytes);
  return remark;
}

bool in_one_line(const Hazard &hazard) {
  return hazard.here.where.line > 0 && hazard.here.where == hazard.other.where;
}

std::string advice_for(const Hazard &hazard, const RaceShape &race, const KernelReport *launch) {
  static constexpr struct {
    const char *kind;
    const char *try_this;
  } advices[] = {
      {"shadow_used",
       "cudaMemcpyToSymbol to write what kernels read, cudaMemcpyFromSymbol to read what they "
       "wrote, "
       "cudaGetSymbolAddress for a pointer (chapter 02)"},
      {"same_value_race", "let one thread write, or use an atomic (chapter 06)"},
      {"first_look",
       "atomicAdd(address, 0), which reads without changing anything, if the first look is to be "
       "atomic, too (chapter 06)"},
      {"stale_read",
       "a plain read, without __ldg(), which is for what no thread of the kernel writes (chapter "
       "03)"},
      {"other_rank",
       "let each rank work it out by itself, or send it: by a broadcast or a message (chapter 12)"},
      {"out_of_bounds",
       "a test around the access: the very index that is used here, and not another one, has to be "
       "less than the number of elements; or another index (chapter 01)"},
      {"undefined_shift",
       "a count that is less than the number of bits: of a lane, threadIdx.x % 32 and not "
       "threadIdx.x (chapter 10)"},
      {"divergent_barrier", "one __syncthreads() that all threads of the block reach (chapter 02)"},
      {"invalid_barrier",
       "one init() for as many arrivals as each phase has, then a __syncthreads(), then the "
       "barrier; a "
       "named one for a number of threads that all agree on, whole warps"},
      {"proxy_fence",
       "cuda::ptx::fence_proxy_async(space_shared) by each thread that has written, and then the "
       "__syncthreads() before the copy"},
      {"misplaced_box",
       "a first column that is a multiple of 16 bytes, and not a negative one for a store; what "
       "the "
       "box then has too much of is read past"},
      {"unfinished_copy",
       "a wait before the block ends: for the barrier's phase, cp.async.bulk.wait_group.read 0, or "
       "cluster.sync() behind the wait of the block that it was sent to"},
      {"exited_at_barrier",
       "guard the work, not the thread: no return before a __syncthreads(), and none in an if or a "
       "loop that not all threads take part in (chapter 05)"},
      {"deadlock",
       "let every thread that is named, or in the block, reach the same barrier (chapter 02)"},
      {"uninitialised", "write it, or cudaMemset it, before it is read (chapter 04)"},
      {"invalid_shuffle",
       "a mask that names every lane that makes this call: 0xffffffff, if a whole warp does "
       "(chapter "
       "10)"},
      {"host_pointer", "cudaMalloc a copy for the device and cudaMemcpy into it (chapter 01)"},
      {"peer_pointer",
       "cudaDeviceEnablePeerAccess(the other device, 0) while the kernel's device is current, or "
       "cudaMemcpyPeer first; for memory of a pool cudaMemPoolSetAccess (chapter 12)"},
      {"peer_exited",
       "cluster.sync() behind the last access, which all threads of the cluster reach"},
      {"peer_not_started", "cluster.sync() in front of the first access to another block"},
      {"invalid_rank",
       "a rank below cluster.num_blocks(), or a mask of such ranks; of a variable in shared "
       "memory"},
      {"invalid_cluster_barrier",
       "one barrier_wait() behind each barrier_arrive(), in each thread"},
      {"nccl_mismatch", "the same call with the same count and type on all ranks (chapter 12)"},
      {"rank_conflict",
       "a rank of its own for each process, and cudaSetDevice(its number on its machine) before "
       "ncclCommInitRank (chapter 12)"},
      {"misaligned",
       "let the array begin at a multiple of these bytes; for a vector an index that is a multiple "
       "of its length, or plain accesses (chapters 03 and 04)"},
      {"use_after_free", "cudaFree after the last use (chapter 01)"},
      {"unobserved", "the same without --blocks, which looks at all of them (chapter 06)"},
      {"refused_launch", "cudaGetLastError() behind each launch (chapter 01)"},
      {"stack_overflow",
       "smaller arrays in the kernel, or shared or global memory for them; a loop for deep "
       "recursion"},
      {"leak", "a cudaFree for every cudaMalloc (chapter 01)"},
      {"local_pointer",
       "an array in shared memory for what several threads are to see (chapter 04)"},
      {"endless_loop", "look at the condition that should end the loop (chapter 01)"},
  };
  if (hazard.kind == "shared_race" || hazard.kind == "global_race")
    return race_advice(hazard, race);
  if (const std::string closer = closer_advice(hazard, race, launch); !closer.empty())
    return closer;
  for (const auto &advice : advices)
    if (hazard.kind == advice.kind)
      return advice.try_this;
  return {};
}

const LineReport *find_line(const Observation &observation, const std::string &wanted) {
  const LineReport *found = nullptr;
  double waste = -1;
  for (const KernelReport &kernel : observation.kernels)
    for (const LineReport &line : kernel.lines) {
      const std::string full = line.where.file + ":" + std::to_string(line.where.line);
      const bool meant = full == wanted || full.ends_with("/" + wanted);
      if (!meant || line.worst.active == 0)
        continue;
      // Whoever asks for a line that wastes nothing mostly asks what its padding has made of the banks.
      const double its_waste = remark(line, kernel).waste;
      if (its_waste > waste || (its_waste == waste && is_shared(line.access))) {
        waste = its_waste;
        found = &line;
      }
    }
  return found;
}

const LineReport *most_wasteful_line(const Observation &observation) {
  const LineReport *found = nullptr;
  double waste = 0;
  for (const KernelReport &kernel : observation.kernels)
    for (const LineReport &line : kernel.lines) {
      const double its_waste = remark(line, kernel).waste;
      const bool worse = !found || its_waste > waste ||
                         (waste <= 0 && its_waste <= 0 && line.worst.cost > found->worst.cost);
      if (line.worst.active != 0 && worse) {
        waste = its_waste;
        found = &line;
      }
    }
  return found;
}

std::string accessing_lines(const Observation &observation) {
  std::set<std::pair<std::string, int>> lines;
  for (const KernelReport &kernel : observation.kernels)
    for (const LineReport &line : kernel.lines)
      if (line.where.line > 0)
        lines.insert({line.where.file, line.where.line});
  std::string text;
  for (const auto &[file, line] : lines)
    text += " " + file_name(file) + ":" + std::to_string(line);
  return text.empty() ? " none" : text;
}

} // namespace emu
