#include "demos/heat.hpp"

#include "demos/relax.cuh"

Plate::Plate(int ranks, size_t rows, size_t cols, unsigned long long seed)
    : team_(ranks), rows_(rows), cols_(cols), band_(rows / static_cast<size_t>(team_.size())) {
  const std::vector<float> start = plate_at_start(rows, cols, seed);
  for (int rank = 0; rank < this->ranks(); ++rank) {
    const OnDevice current(team_.device(rank));
    for (auto &buffers : buffers_) {
      buffers.push_back(lab::DeviceBuffer<float>((band_ + 2) * cols));
      buffers[rank].upload(start.data() + rank * band_ * cols, (band_ + 2) * cols);
    }
    edges_.emplace_back();
    LAB_CHECK(cudaStreamCreateWithFlags(&edges_[rank], cudaStreamNonBlocking));
    for (auto *events : {&told_, &inside_, &edge_done_}) {
      events->emplace_back();
      LAB_CHECK(cudaEventCreateWithFlags(&(*events)[rank], cudaEventDisableTiming));
    }
  }
  synchronize_all();
}

Plate::~Plate() {
  for (size_t rank = 0; rank < edges_.size(); ++rank) {
    for (auto *events : {&told_, &inside_, &edge_done_})
      cudaEventDestroy((*events)[rank]);
    cudaStreamDestroy(edges_[rank]);
  }
}

float *Plate::row(int rank, int buffer, size_t index) {
  return buffers_[buffer][rank].data() + index * cols_;
}

size_t Plate::bytes_told(int rank) const {
  const size_t neighbours = (rank > 0 ? 1 : 0) + (rank + 1 < ranks() ? 1 : 0);
  return neighbours * cols_ * sizeof(float);
}

// The first row of a band is the last but one of what its upper neighbour sees, and so on.
void Plate::tell(int rank, int buffer, cudaStream_t stream) {
  const size_t bytes = cols_ * sizeof(float);
  const int own = team_.device(rank);
  if (rank > 0)
    LAB_CHECK(cudaMemcpyPeerAsync(row(rank - 1, buffer, band_ + 1),
                                  team_.device(rank - 1),
                                  row(rank, buffer, 1),
                                  own,
                                  bytes,
                                  stream));
  if (rank + 1 < ranks())
    LAB_CHECK(cudaMemcpyPeerAsync(row(rank + 1, buffer, 0),
                                  team_.device(rank + 1),
                                  row(rank, buffer, band_),
                                  own,
                                  bytes,
                                  stream));
}

void Plate::step_all(int from) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const OnDevice current(team_.device(rank));
    launch(row(rank, from, 0), row(rank, 1 - from, 0), 1, 1, band_, cols_, team_.stream(rank));
    tell(rank, 1 - from, team_.stream(rank));
  }
  for (int rank = 0; rank < ranks(); ++rank) { // nobody goes on before its neighbours have told
    if (rank > 0)
      team_.wait(rank, rank - 1);
    if (rank + 1 < ranks())
      team_.wait(rank, rank + 1);
  }
}

// Of each rank: a stream for the rows inside, and one for the edges, which also tells them.
void Plate::step_edges_first(int from) {
  for (int rank = 0; rank < ranks(); ++rank) {
    const OnDevice current(team_.device(rank));
    const float *const in = row(rank, from, 0);
    float *const out = row(rank, 1 - from, 0);
    // Three waits, each for the step before.
    LAB_CHECK(cudaStreamWaitEvent(edges_[rank], inside_[rank]));
    for (int other : {rank - 1, rank + 1})
      if (other >= 0 && other < ranks())
        LAB_CHECK(cudaStreamWaitEvent(edges_[rank], told_[other]));
    LAB_CHECK(cudaStreamWaitEvent(team_.stream(rank), edge_done_[rank]));
    launch(in, out, 1, band_ - 1, band_ > 1 ? 2 : 1, cols_, edges_[rank]);
    launch(in, out, 2, 1, band_ - 2, cols_, team_.stream(rank));
  }
  for (int rank = 0; rank < ranks(); ++rank) { // only now: a wait means the last record
    const OnDevice current(team_.device(rank));
    LAB_CHECK(cudaEventRecord(edge_done_[rank], edges_[rank]));
    tell(rank, 1 - from, edges_[rank]);
    LAB_CHECK(cudaEventRecord(told_[rank], edges_[rank]));
    LAB_CHECK(cudaEventRecord(inside_[rank], team_.stream(rank)));
  }
}

void Plate::go(int steps, Order order) {
  team_.fork();
  for (int rank = 0; rank < ranks(); ++rank) { // the edges' streams begin with the others
    for (auto *events : {&told_, &inside_, &edge_done_})
      LAB_CHECK(cudaEventRecord((*events)[rank], team_.stream(rank)));
  }
  for (int step = 0; step < steps; ++step) {
    if (order == Order::all_then_tell)
      step_all(now_);
    else
      step_edges_first(now_);
    now_ = 1 - now_;
  }
  for (int rank = 0; rank < ranks(); ++rank)
    LAB_CHECK(cudaStreamWaitEvent(team_.stream(rank), told_[rank]));
  team_.join();
}

std::vector<float> Plate::download() {
  LAB_CHECK(cudaDeviceSynchronize()); // of device 0, which has waited for all
  std::vector<float> plate;
  for (int rank = 0; rank < ranks(); ++rank) {
    std::vector<float> band(band_ * cols_);
    const OnDevice current(team_.device(rank));
    LAB_CHECK(cudaMemcpy(
        band.data(), row(rank, now_, 1), band.size() * sizeof(float), cudaMemcpyDeviceToHost));
    plate.insert(plate.end(), band.begin(), band.end());
  }
  return plate;
}
