// Each seeded mistake is named for what it is, with its lines; no correct kernel raises an alarm.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <cuda_runtime.h>

#include "hazards.hpp"
#include <observation/observe.hpp>

namespace {

using hazards::Case;

/// The lines that a case's marks stand on.
struct Marks {
  std::set<int> here, other;
};

bool is_registration(const std::string &line) {
  for (const char *macro : {"HAZARD(", "HAZARD_WITH(", "WARNING(", "CORRECT("})
    if (line.rfind(macro, 0) == 0)
      return true;
  return false;
}

// Cases that stand together without a mark in between share those above them.
Marks find_marks(const Case &c) {
  std::ifstream file(c.file);
  Marks marks;
  bool in_case = false, closed = false; // a case has ended since the last marks
  bool wanted = false;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const size_t comment = line.find("// ");
    const std::string mark = comment == std::string::npos ? "" : line.substr(comment);
    const bool here = mark == "// here" || mark == "// here other";
    const bool other = mark == "// other" || mark == "// here other";
    if ((here || other) && closed) {
      marks = {};
      closed = false;
    }
    if (here)
      marks.here.insert(number);
    if (other)
      marks.other.insert(number);
    if (is_registration(line)) {
      in_case = true;
      wanted = line.find("(" + c.name + ",") != std::string::npos;
    }
    if (in_case && (line == "}" || (is_registration(line) && line.back() == '}'))) {
      if (wanted)
        return marks;
      in_case = false;
      closed = true;
    }
  }
  return {};
}

emu::Observation observe(const Case &c) {
  const hazards::Memory memory = hazards::fresh_memory();
  emu::start_observing();
  c.run(memory);
  emu::Observation seen = emu::stop_observing();
  if (!c.kind.empty()) {
    int devices = 1;
    cudaGetDeviceCount(&devices);
    for (int device = devices - 1; device >= 0; --device) {
      cudaSetDevice(device);
      cudaDeviceReset(); // some mistakes end the launch with an error that stays
    }
  } else {
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    hazards::release(memory);
  }
  return seen;
}

bool at_marks(const emu::Hazard &hazard, const Marks &marks, const Case &c) {
  const int here = hazard.here.where.line, other = hazard.other.where.line;
  if (hazard.here.where.file != c.file)
    return false;
  if (marks.other.empty())
    return marks.here.count(here) > 0;
  // Which side comes second depends on the order of the threads.
  return hazard.other.where.file == c.file &&
         ((marks.here.count(here) && marks.other.count(other)) ||
          (marks.here.count(other) && marks.other.count(here)));
}

void check_hazard(const Case &c, const emu::Observation &seen) {
  const Marks marks = find_marks(c);
  REQUIRE(!marks.here.empty());
  bool found = false;
  for (const emu::Hazard &hazard : seen.hazards) {
    const bool wanted = hazard.kind == c.kind;
    const bool follows = (" " + c.also + " ").find(" " + hazard.kind + " ") != std::string::npos;
    CHECK_MESSAGE((wanted || follows), hazard.kind);
    if (!wanted)
      continue;
    found = true;
    CHECK_MESSAGE(at_marks(hazard, marks, c),
                  hazard.here.where.line << " and " << hazard.other.where.line);
    CHECK(hazard.warning == c.warning);
    CHECK(!hazard.message.empty());
  }
  CHECK_MESSAGE(found, c.kind);
}

constexpr struct {
  const char *name, *message, *advice;
  bool in_any_order = true;
} told[] = {
    {"barrier_in_a_branch",
     "not all threads of the block reach the __syncthreads() in line ",
     ", tid < 32, which not all of them pass"},
    {"returns_without_loading",
     "14 of 64 were at the end of the kernel",
     ", which not all of them pass"},
    {"told_by_shuffle",
     "32 of 64, whole warps, were at the end of the kernel",
     " tells the variable first to its own warp only, and at the test in line "},
    {"uneven_rounds", "not all threads of the block reach the same __syncthreads()", "all threads"},
    {"scan_in_place", " s_sum[", "a __syncthreads() between reading and writing: both are"},
    {"pairs_overlap", " s_data[", "another index, if the two should not share this element"},
    {"rounds_without_barrier", " s_data[", "between the rounds, if two rounds"},
    {"unrolled_rounds", " s_data[", "between the rounds, if two rounds"},
    {"lanes_in_place",
     " s_data[",
     "a __syncwarp() between reading and writing: both are in the same round"},
    {"asks_behind_the_lowest", "asks for the value of lane ", "__ffs() counts from 1"},
    {"syncwarp_is_too_little", " s_first, ", " waits for one warp, and threads "},
    {"warps_go_on_too_early", " s_data[", " waits for one warp, and threads "},
    {"scan_by_warps", " s_data[", "both are in the same round"},
    {"half_the_mask",
     ", in one warp, and no __syncwarp() between waits for both",
     "a __syncwarp() for both: the mask 0x"},
    {"fence_for_a_barrier",
     ", with no __syncthreads() between: a fence makes nobody wait",
     "reached by all threads"},
    {"fence_in_a_warp",
     "with neither __syncthreads() nor __syncwarp() between: a fence makes nobody wait",
     "a __syncwarp()"},
    {"asks_the_first_of_a_mask_by_0", "of lane 0, which is not in the mask", ", here lane 1: "},
    {"width_of_twenty",
     "the width of this shuffle is 20, and it has to be a power of two up to 32",
     "a width cuts the warp into parts"},
    {"shift_by_the_thread", " is shifted by 32, ", "threadIdx.x % 32 and not threadIdx.x"},
    {"shift_by_all_bits", " is shifted by 64, ", ": in lane "},
    {"width_of_none", "the width of this shuffle is 0, ", "a width of 32"},
    {"width_beyond_a_warp", "the width of this shuffle is 64, ", "a width of 32"},
    {"reduces_in_uneven_rounds",
     "lanes of the group have exited",
     "goes on while i < 9, and that ends earlier"},
    {"barrier_ahead_of_both", " s_data[", " is ahead of both (chapter 02)"},
    {"one_barrier_for_all_rounds", " s_data[", "that parts lines 41 and 42 in each round, reached"},
    {"missing_barrier_in_warp",
     "in one warp, with neither __syncthreads() nor __syncwarp()",
     "__syncwarp()"},
    {"wait_of_half_a_warp", "in one warp, ", ", lane < 16, which not all of them pass"},
    {"dynamic_overrun",
     "write of s_dynamic[31], up to byte 128: past the 124 bytes of shared memory that the launch "
     "asked for",
     "in the launch's third argument"},
    {"before_the_start",
     "read of in[-1]: before the first of its 32 elements",
     "here it is -1, and has to be 0 or more"},
    {"near_and_far", "s_far[", "reached by all threads"},
    {"one_loop_for_both", "s_tile[", "writes only in a later round", false},
    {"barrier_before_the_other_buffer", "s_data[", "move the __syncthreads() of line ", false},
    {"one_barrier_for_one_buffer",
     "s_data[",
     "does not part them then. With two buffers that take turns, one behind"},
    {"missing_second_barrier", "s_data[", "behind the loop of line 87, too, before anybody goes"},
    {"places_read_too_late", "], which another ", "__syncwarp()"},
    {"histogram_without_atomics",
     "two threads write s_bins[",
     "an index that gives each thread an element of its own"},
    {"overlapping_parts", "two threads write out[", "each element is for one thread to write"},
    {"adds_beside_atomics", "out[0], which another", "an atomic for the other access, too"},
    {"fence_ahead_of_the_barrier",
     "another thread has fenced, which had not waited",
     "then a __syncthreads(), then the flag; or, where one thread fences for all"},
    {"looks_before_it_hands_over",
     ", which another writes, and no barrier orders blocks",
     "an atomic for the other access, too"},
    {"first_lane_of_each_warp",
     "two threads write s_first",
     "or each warp (threads 0 and 32 are in two)"},
    {"barrier_of_blocks", "does what it waits for come?", "no room until this one ends"},
    {"waits_before_it_is_recorded",
     " stands before any record of its event",
     "a loop of its own for all records"},
    {"reader_without_a_wait",
     "makes one of them wait for the other",
     "an event that tells of the earlier one is recorded already"},
    {"launch_without_its_stream", "(the default stream)", "the launch's fourth argument"},
    {"copy_without_its_stream", "(the default stream)", "the last argument of cudaMemcpyAsync"},
    {"non_blocking_stream_after_memset", "(the default stream)", "cudaMemsetAsync with the stream"},
    {"no_event_between_copy_and_kernel", "nothing makes", "cudaEventRecord in the earlier"},
    {"records_before_the_kernel", "nothing makes", "behind what is to be waited for"},
    {"records_too_early_behind_a_vain_wait", "nothing makes", "behind what is to be waited for"},
    {"waits_the_other_way_round", "nothing makes", "now it is the earlier one's stream that waits"},
    {"waits_for_its_own_event", "nothing makes", "the stream of the earlier one, and behind it"},
    {"one_event_for_two_kernels",
     "its event was recorded anew in line ",
     "a wait behind each record, ahead of the next one"},
    {"waits_for_the_event_of_another_copy",
     "its event was recorded anew in line ",
     "an event of its own for each stream"},
    {"waits_for_an_event_before_the_copy",
     "the host reads what",
     "the event that the host has waited for was recorded before it"},
    {"waits_for_the_only_event_before_the_copy",
     "the host reads what",
     "the event that the host has waited for was recorded before it"},
    {"default_stream_waits_for_the_event",
     "nothing makes",
     "the stream that waits for the event now is none of the two"},
    {"flag_of_the_next_round", "s_more, which another", "a __syncthreads()"},
    {"bin_for_each_thread",
     "of its 96 elements the first 64 are written, as many as it has threads",
     "a loop from threadIdx.x on"},
    {"bins_tested_against_the_input",
     "the first 64 are written, as many as it has threads, and an argument of the kernel is 64, "
     "too",
     ", bin < n, counts other things than the array's elements"},
    {"looks_at_all_places",
     "of its 96 elements the first 64 are written, as many as it has threads",
     ", k < 96, lets others by"},
    {"looks_behind_the_last", "s_places[30]", ", tid < count, leaves it out"},
    {"window_without_its_ends",
     "], which this block has not written: of its 40 elements those from 4 to 35 are written",
     "write it, too: no thread's index in line "},
    {"window_of_all_blocks",
     "s_window[3",
     "blockIdx.x == gridDim.x - 1 && tid < 2, leaves it out. Each block has s_window for itself"},
    {"column_too_early", "s_tile[", "two loops, as line "},
    {"test_of_something_else",
     "read of bias[2]: past the last of its 2 elements",
     "another index, or another test of it: here it is 2, and has to be less than 2, and the test "
     "in line "},
    {"test_behind_the_access",
     "]: past the last of its 32 elements",
     "a test of this very index around the access"},
    {"test_of_what_is_loaded_alone",
     "]: past the last of its 20 elements", // which index comes first, a drawn order says
     "a test of this very index around the access"},
    {"rows_of_a_tile",
     "]: past the last of its 56 elements", // which comes first, a drawn order says
     "a test of this very index around the access"},
    {"below_zero_in_shared", "an index that an unsigned has below 0", "ahead of the subtraction"},
    {"freed_ahead_of_the_kernel",
     "memory that cudaFreeAsync in line ",
     "cudaFreeAsync behind the last use, in the same stream"},
    {"freed_memory_of_the_host", "host code touches memory that line ", "cudaFree after"},
    {"gathered_by_the_host",
     "host code writes to memory of the device's",
     "a kernel that writes there, as `device` points to the device's"},
    {"read_by_the_host",
     "host code reads memory of the device's",
     "cudaMemcpy to host memory first, as `device` points"},
    {"begins_past_the_last", "read of in[30]: past", "less than 30, however little is subtracted"},
    {"returns_too_late", "read of in[30]: past", ", i > n, lets it by"},
    {"wild_index_in_shared", "read of 1 byte, ", "the very index"},
    {"words_behind_bytes",
     "write of 4 bytes at byte 5 of s_bytes, an address that",
     "let the array begin"},
    {"sum_of_each_warp",
     "of its 32 elements the first 4 are written, as many as it has warps",
     "only as many elements as the block has warps"},
    {"copies_numbers_for_bytes",
     "brought the first 64 of ",
     "the number of elements times the size of one"},
    {"last_thread_by_ldg", "__ldg() reads out[", "a plain read, without __ldg()"},
    {"shift_by_the_thread",
     "a number of 32 bits is shifted by 32, and only 0 to 31 are defined: a GPU shifts all of its "
     "bits out, this CPU shifts it by 0",
     "threadIdx.x % 32"},
    {"shift_by_all_bits", "a number of 64 bits is shifted by 64, and only 0 to 63", "count"},
    {"shift_by_less_than_none", "a number of 32 bits is shifted by -1, ", "count"},
    {"rank_reads_what_another_wrote",
     "rank 1 reads message, which rank 0 has written",
     "let each rank work it out by itself, or send it"},
    {"freed_while_in_use",
     " frees what ",
     "cudaFreeAsync in the stream that works with the memory last"},
    {"pinned_buffer_reused_too_early", "the host writes what", "before the host writes there"},
    {"result_read_too_early",
     "the host reads what",
     "cudaStreamSynchronize with its stream, or cudaEventSynchronize, before the host touches it"},
    {"graph_lacks_an_edge", "(a graph in stream ", "an edge between the two nodes of the graph"},
    {"lock_never_released", "by one atomicCAS after the other", "the loop"},
    {"barrier_of_blocks", "Observed blocks run one after the other", "the loop"},
    {"copy_without_wait",
     "which an asynchronous copy still brings: wait for it first",
     "a __syncthreads(), both ahead of this"},
    {"waited_behind_the_barrier",
     "waited for its own copies behind the last __syncthreads()",
     "that wait ahead of the __syncthreads() that is there"},
    {"copy_read_by_its_own_thread", "still brings", "__pipeline_wait_prior(0), where 1 leaves"},
    {"stage_filled_again_too_early",
     "an asynchronous copy already overwrites: it was begun before all had read",
     "begin that copy behind a __syncthreads()",
     false}, // drawn, the copy may have landed: then it is told like any race
    {"source_changed_before_the_wait",
     "which an asynchronous copy still reads",
     "a wait for the copy"},
    {"phase_without_an_arrival",
     "64 of 64 threads wait for ever, this one for phase 0 of the barrier s_full[1] (made ready "
     "in line ",
     "as many arrivals and bytes as"},
    {"phase_without_an_arrival", ": 1 of 33 arrivals is missing", "as many arrivals and bytes as"},
    {"more_arrivals_than_expected",
     "gets 9 arrivals where its phase waits for no more than 8",
     "init()"},
    {"made_ready_again_within_a_phase",
     "is made ready again within a phase: 1 of 65 arrivals is missing",
     "init()"},
    {"bulk_load_of_fewer_bytes", ": 16 bytes are missing", "as many arrivals and bytes as"},
    {"bulk_load_of_more_bytes",
     ": 16 bytes more than expected have come",
     "an expect_tx() of as many bytes"},
    {"bulk_store_without_proxy_fence", "with no fence.proxy.async between", "fence_proxy_async"},
    {"bulk_load_that_nobody_waits_for", "the block ends before this bulk copy", "wait"},
    {"multicast_to_a_block_that_is_not_there",
     "whose mask names block 2 of a cluster that has 2: ranks begin at 0",
     "a mask of such ranks"},
    {"multicast_of_which_one_expects_more",
     ": 256 bytes are missing",
     "as many arrivals and bytes"},
    {"sender_ends_before_it_is_read",
     "the block ends before this bulk copy from its shared memory has read it",
     "the block that it was sent to"},
    {"waits_at_another_blocks_barrier", "another block's: a thread can arrive there", "init()"},
    {"barrier_made_ready_without_fence",
     "with no fence.mbarrier_init or fence.proxy.async between",
     "fence_proxy_async"},
    {"named_barrier_without_a_warp",
     "at the named barrier 3: 32 of 64 threads have arrived",
     "the same barrier"},
    {"missing_tail_guard",
     "]: past the last of its 100 elements", // which index comes first, a drawn order says
     ", and has to be less than 100"},
    {"vector_past_the_last",
     "read of in[100] to in[103]: past the last of its 102 elements",
     "here it is 25, of 4 elements each, and has to be less than 25"},
    {"vector_over_the_end",
     "read of 16 bytes from byte 496 on of in, which has 504 bytes",
     "less than"},
    {"last_block_without_fence",
     "was set with no fence before it",
     "and the flag that tells of it, and a __syncthreads()"},
    {"last_block_without_a_second_fence", "with no fence behind it", "behind the read of the flag"},
    {"last_thread_without_a_second_fence",
     "with no fence behind it",
     "behind the read of the flag"},
    {"last_block_with_a_blocks_fence", "for the threads of one block only", "the device's scope"},
    {"block_scope_between_blocks", "by atomics that hold for", "the device's scope"},
    {"elements_for_bytes",
     "write of 4 bytes from byte 28 on of out, which has 31 bytes, as line ",
     "the number of elements times the size of one, as memory is asked for in bytes",
     false}, // which byte comes first, a drawn order says
    {"copies_over_the_end_of_the_host",
     "cudaMemcpy writes 64 bytes to memory of the host's that has 32",
     "sizeof of a pointer is 8, whatever it points to"},
    {"pointer_to_a_vector", "], which is memory of the host's, of new", "cudaMalloc a copy"},
    {"pointer_to_the_stack", "], which is a variable of a function of the host's", "cudaMalloc"},
    {"shallow_copy", "access to memory of the host's, of new", "cudaMalloc a copy"},
    {"host_writes_a_table", "host code writes coefficients[0]: ", "cudaMemcpyToSymbol"},
    {"host_reads_a_counter", "host code reads counter: ", "cudaMemcpyFromSymbol"},
    {"address_for_a_copy", "cudaMemcpy gets the address of counter: ", "cudaGetSymbolAddress"},
    {"address_for_a_kernel", "kernel copy_kernel gets the address of passed[0]", "ToSymbol"},
};

} // namespace

TEST_CASE("every seeded mistake is named, with its lines") {
  int count = 0;
  for (const Case &c : hazards::cases()) {
    if (c.kind.empty())
      continue;
    ++count;
    CAPTURE(c.name);
    check_hazard(c, observe(c));
  }
  CHECK(count >= LEAST_MISTAKES);
}

TEST_CASE("what is told first is the cause, in words that lead to the cure") {
  size_t found = 0;
  for (const auto &one : told) { // no structured binding: clang 14 captures none
    CAPTURE(std::string(one.name));
    for (const Case &c : hazards::cases())
      if (c.name == one.name) {
        ++found;
        if (!one.in_any_order && std::getenv("EMU_SCHEDULE") != nullptr)
          continue;
        const emu::Observation seen = observe(c);
        REQUIRE_FALSE(seen.hazards.empty());
        CHECK_MESSAGE(seen.hazards[0].message.find(one.message) != std::string::npos,
                      seen.hazards[0].message);
        CHECK_MESSAGE(seen.hazards[0].advice.find(one.advice) != std::string::npos,
                      seen.hazards[0].advice);
      }
  }
  CHECK((found == 0 || found == std::size(told))); // of several devices there are other cases
}

TEST_CASE("no correct kernel raises an alarm") {
  int count = 0;
  for (const Case &c : hazards::cases()) {
    if (!c.kind.empty())
      continue;
    ++count;
    CAPTURE(c.name);
    const emu::Observation seen = observe(c);
    CHECK_MESSAGE(seen.hazards.empty(), emu::text_report(seen));
  }
  CHECK(count >= LEAST_CORRECT);
}

// hazards --only NAME prints the report of one case.
int main(int argc, char **argv) {
  setenv("EMU_STEP_LIMIT", "100000", 1); // the endless loops need not run for long
  if (argc == 3 && std::strcmp(argv[1], "--only") == 0) {
    for (const Case &c : hazards::cases())
      if (c.name == argv[2])
        std::fputs(emu::text_report(observe(c)).c_str(), stdout);
    return 0;
  }
  return doctest::Context(argc, argv).run();
}
