#include "steps/lanes.hpp"

Lanes::Lanes(const Team &team) : ranks_(static_cast<size_t>(team.size())) {
  for (int rank = 0; rank < team.size(); ++rank) {
    const OnDevice current(team.device(rank));
    Rank &lane = ranks_[static_cast<size_t>(rank)];
    for (cudaStream_t *stream : {&lane.send, &lane.tell})
      LAB_CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    for (size_t part = 0; part < most_parts; ++part)
      for (cudaEvent_t *event : {&lane.sent[part], &lane.added[part]})
        LAB_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    LAB_CHECK(cudaEventCreateWithFlags(&lane.ready, cudaEventDisableTiming));
  }
}

Lanes::~Lanes() {
  for (Rank &lane : ranks_) {
    cudaEventDestroy(lane.ready);
    for (size_t part = 0; part < most_parts; ++part) {
      cudaEventDestroy(lane.sent[part]);
      cudaEventDestroy(lane.added[part]);
    }
    cudaStreamDestroy(lane.tell);
    cudaStreamDestroy(lane.send);
  }
}

void Lanes::fork(const Team &team) const {
  for (int rank = 0; rank < team.size(); ++rank) {
    LAB_CHECK(cudaEventRecord(of(rank).ready, team.stream(rank)));
    LAB_CHECK(cudaStreamWaitEvent(of(rank).send, of(rank).ready));
    LAB_CHECK(cudaStreamWaitEvent(of(rank).tell, of(rank).ready));
  }
}

void Lanes::join(const Team &team) const {
  for (int rank = 0; rank < team.size(); ++rank)
    for (cudaStream_t stream : {of(rank).send, of(rank).tell}) {
      LAB_CHECK(cudaEventRecord(of(rank).ready, stream));
      LAB_CHECK(cudaStreamWaitEvent(team.stream(rank), of(rank).ready));
    }
}
