// Memory "for each device", and cudaSetDevice forgotten.
#pragma once

#include "steps/v3_peer_loads.cuh"

namespace trap_all_on_one {

inline const char *why = "cudaMalloc takes the device that is current, and that is device 0 until "
                         "somebody says otherwise: "
                         "all vectors lie there. The sums are right, every device but one computes "
                         "over a link, and device 0 "
                         "is full first. cudaPointerGetAttributes tells where memory lies.";

inline std::vector<lab::DeviceBuffer<float>> vectors;

inline void run(Vectors &p) {
  vectors.clear();
  for (int rank = 0; rank < p.ranks(); ++rank)
    vectors.emplace_back(p.n);
}

inline lab::Verdict check(Vectors &p) {
  lab::Verdict verdict;
  for (int rank = 0; rank < p.ranks() && verdict.ok; ++rank) {
    cudaPointerAttributes attributes;
    LAB_CHECK(cudaPointerGetAttributes(&attributes, vectors[rank].data()));
    const std::string what = "vector " + std::to_string(rank) + " lies on device";
    verdict = lab::compare_value(what.c_str(), attributes.device, p.team.device(rank));
  }
  vectors.clear();
  return verdict;
}

} // namespace trap_all_on_one
