// 12.9 · One id
//
// Processes that want to form an NCCL communicator need one id that all of them have. NCCL makes it; how it
// gets to the others is not NCCL's business.
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>

// MPI_Bcast, without its types: the root's bytes become everybody's. Every rank calls it, or those who do wait
// for ever.
void broadcast(void *data, size_t bytes, int root);

// Called by every rank at the same time, each with its device current.
ncclComm_t join(int rank, int ranks) {
  ncclUniqueId id = {};
  // TODO: each rank makes an id here, and waits for others to come with the same one.
  ncclGetUniqueId(&id);
  // end of TODO
  ncclComm_t comm = nullptr;
  ncclCommInitRank(&comm, ranks, id, rank);
  return comm;
}
