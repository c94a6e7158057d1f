// 12.9 · Halo in order
//
// A rod in pieces, one for each process. After each step the neighbours tell each other their outermost cells.
// With one rank it works.
#include <cuda_runtime.h>
#include <nccl.h>

// cells[1] to cells[n] are this rank's own, n > 0. cells[0] is to become the last cell of the rank before, and
// cells[n + 1] the first one of the rank after; at the ends of the rod they stay as they are. All of it lies on
// this rank's device, and what is asked of the stream afterwards finds the new cells.
void tell_neighbours(
    float *cells, int n, int rank, int ranks, ncclComm_t comm, cudaStream_t stream) {
  // TODO: a send may wait until its receive has begun. Who begins to receive here?
  if (rank > 0)
    ncclSend(cells + 1, 1, ncclFloat, rank - 1, comm, stream);
  if (rank + 1 < ranks)
    ncclSend(cells + n, 1, ncclFloat, rank + 1, comm, stream);
  if (rank > 0)
    ncclRecv(cells, 1, ncclFloat, rank - 1, comm, stream);
  if (rank + 1 < ranks)
    ncclRecv(cells + n + 1, 1, ncclFloat, rank + 1, comm, stream);
  // end of TODO
}
