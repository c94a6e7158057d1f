// On a GPU there is one process, and ranks call what they call. (On the emulator: judge/kernels.cpp.)
#include "checker/ranks.hpp"

#include "checker/rank_threads.hpp"

checker::AfterRanks checker::on_ranks(const std::vector<int> &devices,
                                      const std::function<void(int rank)> &work) {
  AfterRanks after;
  for (const RankEnd &end : run_ranks(devices, work)) {
    if (end.thrown)
      std::rethrow_exception(end.thrown);
    LAB_CHECK(end.error);
    after.current.push_back(end.current);
    after.stuck.push_back(end.stuck);
    after.rounds.push_back(end.rounds);
    after.sent_first.push_back(end.sent_first);
    after.heard.push_back(end.heard);
  }
  return after;
}
