#include "ranks/rank_plate.hpp"

#include "demos/relax.cuh"

#include <cmath>

RankPlate::RankPlate(size_t rows, size_t cols, unsigned long long seed, ncclComm_t all)
    : all_(all), cols_(cols), h_rows_(4 * cols) {
  NCCL_CHECK(ncclCommUserRank(all_, &rank_));
  NCCL_CHECK(ncclCommCount(all_, &ranks_));
  band_ = rows / static_cast<size_t>(ranks_);
  const std::vector<float> start = plate_at_start(rows, cols, seed);
  for (lab::DeviceBuffer<float> &buffer : buffers_) {
    buffer = lab::DeviceBuffer<float>((band_ + 2) * cols);
    buffer.upload(start.data() + first_row() * cols, (band_ + 2) * cols);
  }
  int least = 0, greatest = 0;
  LAB_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  LAB_CHECK(cudaStreamCreateWithPriority(&inside_, cudaStreamNonBlocking, least));
  LAB_CHECK(cudaStreamCreateWithPriority(&messages_, cudaStreamNonBlocking, least));
  LAB_CHECK(cudaStreamCreateWithPriority(&edges_, cudaStreamNonBlocking, greatest));
  for (cudaEvent_t *event : {&inside_done_, &edges_done_, &told_})
    LAB_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  LAB_CHECK(cudaDeviceSynchronize());
}

RankPlate::~RankPlate() {
  for (cudaEvent_t event : {inside_done_, edges_done_, told_})
    cudaEventDestroy(event);
  for (cudaStream_t stream : {inside_, edges_, messages_})
    cudaStreamDestroy(stream);
}

// All four are one operation: each of them may wait until the neighbour has made its own.
void RankPlate::send_and_receive(int buffer, cudaStream_t stream) {
  NCCL_CHECK(ncclGroupStart());
  if (rank_ > 0) {
    NCCL_CHECK(ncclSend(row(buffer, 1), cols_, ncclFloat, rank_ - 1, all_, stream));
    NCCL_CHECK(ncclRecv(row(buffer, 0), cols_, ncclFloat, rank_ - 1, all_, stream));
  }
  if (rank_ + 1 < ranks_) {
    NCCL_CHECK(ncclSend(row(buffer, band_), cols_, ncclFloat, rank_ + 1, all_, stream));
    NCCL_CHECK(ncclRecv(row(buffer, band_ + 1), cols_, ncclFloat, rank_ + 1, all_, stream));
  }
  NCCL_CHECK(ncclGroupEnd());
}

// MPI wants the rows in the host's memory, and there they are when the stream has been waited for.
void RankPlate::by_way_of_the_host(int buffer, cudaStream_t stream) {
  const size_t bytes = cols_ * sizeof(float);
  float *const upper = h_rows_.data(), *const lower = upper + cols_;
  float *const from_above = lower + cols_, *const from_below = from_above + cols_;
  LAB_CHECK(cudaMemcpyAsync(upper, row(buffer, 1), bytes, cudaMemcpyDeviceToHost, stream));
  LAB_CHECK(cudaMemcpyAsync(lower, row(buffer, band_), bytes, cudaMemcpyDeviceToHost, stream));
  LAB_CHECK(cudaStreamSynchronize(stream));
  const int above = rank_ > 0 ? rank_ - 1 : World::nobody;
  const int below = rank_ + 1 < ranks_ ? rank_ + 1 : World::nobody;
  world().exchange(upper, above, from_below, below, bytes); // all send upwards
  world().exchange(lower, below, from_above, above, bytes); // all send downwards
  if (above != World::nobody)
    LAB_CHECK(cudaMemcpyAsync(row(buffer, 0), from_above, bytes, cudaMemcpyHostToDevice, stream));
  if (below != World::nobody)
    LAB_CHECK(
        cudaMemcpyAsync(row(buffer, band_ + 1), from_below, bytes, cudaMemcpyHostToDevice, stream));
}

void RankPlate::tell_rows(int buffer, Tell tell, cudaStream_t stream) {
  if (tell == Tell::through_the_host)
    by_way_of_the_host(buffer, stream);
  else if (tell != Tell::nothing && ranks_ > 1)
    send_and_receive(buffer, stream);
}

void RankPlate::step_all(int from, Tell tell) {
  launch(row(from, 0), row(1 - from, 0), 1, 1, band_, cols_, inside_);
  tell_rows(1 - from, tell, inside_);
}

// As in the chapter; but what the neighbours send comes in a stream of its own. The edges of the next step wait
// for it; the inside of the next step does not, so the messages have a whole step's time.
void RankPlate::step_edges_first(int from, Tell tell) {
  const float *const in = row(from, 0);
  float *const out = row(1 - from, 0);
  LAB_CHECK(cudaStreamWaitEvent(edges_, inside_done_)); // of the step before
  LAB_CHECK(cudaStreamWaitEvent(edges_, told_)); // in the step before
  LAB_CHECK(cudaStreamWaitEvent(inside_, edges_done_)); // of the step before, too
  launch(in, out, 1, band_ > 1 ? band_ - 1 : 1, band_ > 1 ? 2 : 1, cols_, edges_);
  LAB_CHECK(cudaEventRecord(edges_done_, edges_));
  if (band_ > 2)
    launch(in, out, 2, 1, band_ - 2, cols_, inside_);
  LAB_CHECK(cudaEventRecord(inside_done_, inside_));
  LAB_CHECK(cudaStreamWaitEvent(messages_, edges_done_));
  tell_rows(1 - from, tell, messages_);
  LAB_CHECK(cudaEventRecord(told_, messages_));
}

void RankPlate::go(int steps, Order order, Tell tell) {
  for (cudaEvent_t event : {inside_done_, edges_done_, told_})
    LAB_CHECK(cudaEventRecord(event, inside_));
  for (int step = 0; step < steps; ++step) {
    if (order == Order::all_then_tell)
      step_all(now_, tell);
    else
      step_edges_first(now_, tell);
    now_ = 1 - now_;
  }
  LAB_CHECK(cudaStreamWaitEvent(inside_, edges_done_));
  LAB_CHECK(cudaStreamWaitEvent(inside_, told_));
}

std::vector<float> RankPlate::download() {
  LAB_CHECK(cudaStreamSynchronize(inside_));
  std::vector<float> rows(band_ * cols_);
  LAB_CHECK(
      cudaMemcpy(rows.data(), row(now_, 1), rows.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return rows;
}
