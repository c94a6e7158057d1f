#include "demos/walk.cuh"

namespace walk {
namespace {

using Kernel = void (*)(const unsigned *, unsigned, unsigned, unsigned *, long long *);

Kernel kernel_for(unsigned element_bytes) {
  if (element_bytes == 4)
    return repeat<unsigned>;
  if (element_bytes == 8)
    return repeat<uint2>;
  if (element_bytes == 16)
    return repeat<uint4>;
  throw lab::Error(1, "elements of this walk have 4, 8 or 16 bytes");
}

} // namespace

Cost cost_of(const Request &request, unsigned element_bytes, bool timed) {
  const unsigned threads = timed ? 1024 : 32;
  const unsigned turns = timed ? 256 : 1;
  lab::DeviceBuffer<unsigned> d_index(32), d_last(threads);
  lab::DeviceBuffer<long long> d_cycles(1);
  d_index.upload(request.index, 32);
  lab::poison(d_last);
  lab::poison(d_cycles);
  const auto launch = [&] {
    kernel_for(element_bytes)<<<1, threads>>>(
        d_index.data(), turns, 0, d_last.data(), d_cycles.data());
    LAB_CHECK_LAUNCH();
  };

  Cost cost;
  cost.predicted = rounds(request, element_bytes);
  if (lab::being_observed())
    launch(); // somebody counts already
  else if (const auto seen = lab::observe(launch))
    cost.counted = seen->kernels[0].total(emu::Access::shared_load).wavefronts_per_request();
  if (timed) {
    launch(); // again: the first launch also waited for its code to arrive
    cost.cycles = static_cast<double>(d_cycles.at(0)) / (4.0 * turns * (threads / 32));
  }
  cost.walked = true;
  const std::vector<unsigned> last = d_last.download();
  for (unsigned tid = 0; tid < threads; ++tid)
    cost.walked = cost.walked && last[tid] == request.index[tid % 32];
  return cost;
}

} // namespace walk
