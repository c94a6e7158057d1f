// 12.10 · Halo in order
//
// A rod in pieces, one for each process. After each step the neighbours tell each other their outermost cells, by
// messages from the host's memory to that of another process. With one rank it works.
#include <cstddef>

// MPI_Ssend and MPI_Recv, without their types: a message between two ranks' hosts. A send does not end before the other
// rank has received it, and a receive waits until the other rank sends.
void send_to(const void *data, std::size_t bytes, int rank);
void receive_from(void *data, std::size_t bytes, int rank);

// Called by every rank at the same time. cells[1] to cells[n] are this rank's own, n > 0. cells[0] is to become the last
// cell of the rank before, and cells[n + 1] the first one of the rank after; at the ends of the rod they stay as they
// are.
void tell_neighbours(float *cells, int n, int rank, int ranks) {
  // TODO: who begins to receive here? With more ranks it is to take no more rounds.
  if (rank > 0)
    send_to(&cells[1], sizeof(float), rank - 1);
  if (rank + 1 < ranks)
    send_to(&cells[n], sizeof(float), rank + 1);
  if (rank > 0)
    receive_from(&cells[0], sizeof(float), rank - 1);
  if (rank + 1 < ranks)
    receive_from(&cells[n + 1], sizeof(float), rank + 1);
  // end of TODO
}
