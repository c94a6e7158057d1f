#include "problem.hpp"
#include "rivals/nccl_ranks.hpp"

#ifdef HAVE_NCCL
namespace {

void run(Vectors &p) {
  const std::vector<ncclComm_t> &communicators = nccl_ranks(); // made before the group begins
  p.team.fork();
  NCCL_CHECK(ncclGroupStart());
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const size_t r = static_cast<size_t>(rank);
    NCCL_CHECK(ncclAllReduce(p.in[r].data(),
                             p.out[r].data(),
                             p.n,
                             ncclFloat,
                             ncclSum,
                             communicators[r],
                             p.team.stream(rank)));
  }
  NCCL_CHECK(ncclGroupEnd());
  p.team.join();
}

} // namespace
#endif

void (*nccl_all_reduce())(Vectors &) {
#ifdef HAVE_NCCL
  if (!no_nccl())
    return run;
#endif
  return nullptr;
}

void register_rival(lab::Ladder<Vectors> &ladder) {
  if (nccl_all_reduce())
    ladder.rival("nccl_all_reduce", nccl_all_reduce())
        .before(hold_long)
        .recorded({.initcheck = false});
  else
    ladder.skipped_rival("nccl_all_reduce", no_nccl());
}
