// 12.9 · One id
//
// Processes that want to form an NCCL communicator need one id that all of them have. NCCL makes it; how it gets to the
// others is not NCCL's business. Right, and dear: of 8 ranks on 4 machines, rank 0 calls six that are elsewhere.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>

// MPI_Ssend and MPI_Recv, without their types: a message between two ranks' hosts. A send does not end before the other
// rank has received it, and a receive waits until the other rank sends. In one round a rank takes part in one message.
void send_to(const void *data, std::size_t bytes, int rank);
void receive_from(void *data, std::size_t bytes, int rank);

// Called by every rank at the same time, each with its device current. Rank r is on machine r / on_machine; the last
// machine may have fewer ranks than the others. 7 ranks with on_machine = 3: 0 1 2 | 3 4 5 | 6.
ncclComm_t join(int rank, int ranks, int on_machine) {
  ncclUniqueId id = {};
  if (rank == 0)
    ncclGetUniqueId(&id);
  // TODO: one message to each other machine, and all who know the id tell it. With 7 and 3: 2 of these, 2 + 2 rounds.
  if (rank > 0)
    receive_from(&id, sizeof id, 0);
  else
    for (int other = 1; other < ranks; ++other)
      send_to(&id, sizeof id, other);
  // end of TODO
  ncclComm_t comm = nullptr;
  ncclCommInitRank(&comm, ranks, id, rank);
  return comm;
}
