// 12.9 · One id
//
// Processes that want to form an NCCL communicator need one id that all of them have. NCCL makes it; how it gets to the
// others is not NCCL's business. Right, and with eight ranks it takes seven rounds.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>

// MPI_Ssend and MPI_Recv, without their types: a message between two ranks' hosts. A send does not end before the other
// rank has received it, and a receive waits until the other rank sends. In one round a rank takes part in one message.
void send_to(const void *data, std::size_t bytes, int rank);
void receive_from(void *data, std::size_t bytes, int rank);

// Called by every rank at the same time, each with its device current.
ncclComm_t join(int rank, int ranks) {
  ncclUniqueId id = {};
  if (rank == 0)
    ncclGetUniqueId(&id);
  // TODO: rank 0 tells one after the other, and those who know it already look on.
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
