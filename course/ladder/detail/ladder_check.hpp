/// @file
/// Running the entries of a ladder to see whether they are right; timing is another matter.
#pragma once

#include "ladder/detail/ladder_options.hpp"
#include "ladder/detail/ladder_result.hpp"
#include <observation/shares.hpp>

namespace lab {

/// Leaves 1000.0f (as an integer 0x447A0000) in the shared memory, static and dynamic, of all SMs, as any
/// kernel before might have: who reads a word before it is written finds that. A ladder does it before
/// each try of a trap.
/// @throws CudaError
void spoil_shared_memory();

namespace detail {

/// A Problem behind a void pointer, destroyed at the end of the scope.
class ProblemHandle {
public:
  ProblemHandle(const LadderCore &core, const Case &c) : core_(core), pointer_(core.create(c)) {}
  ~ProblemHandle() { core_.destroy(pointer_); }
  ProblemHandle(const ProblemHandle &) = delete;
  ProblemHandle &operator=(const ProblemHandle &) = delete;
  void *get() const { return pointer_; }

private:
  const LadderCore &core_;
  void *pointer_;
};

/// emu::in_shares, where an error of one part is this process's.
/// @throws Error what the first part that failed has thrown
std::vector<std::string> in_shares(std::size_t parts,
                                   const std::function<void(emu::Share &)> &work);

/// One checked run: outputs poisoned, work done and waited for, outputs compared, and the strips behind
/// the buffers looked at (see guard_buffers()).
Verdict run_and_check(const LadderCore &core, const Entry &entry, void *problem);

/// The block size an entry is timed (or observed) with; 0 where the chapter knows none.
int timed_block(const LadderCore &core, const Entry &entry, const Options &options);

/// Checks all steps at all sizes, with all block sizes each of them takes; under observation with
/// the one block size that it is timed with.
void check_steps(const LadderCore &core, const Options &options, RunResult &result);

/// Runs a trap on the smallest input that exposes it, to see it wrong.
TrapResult run_trap(const LadderCore &core, const Entry &entry, std::uint64_t seed);

/// Under the instruments: every step at small sizes, which must have no hazard, and every trap, which
/// must have the one that it declares. Prints what is otherwise.
/// @return the program's exit code
int look_for_hazards(const LadderCore &core, const Options &options);

/// Runs a demo; in checks and under observation at a small size.
DemoResult run_demo(const Entry &entry, const Options &options);

} // namespace detail
} // namespace lab
