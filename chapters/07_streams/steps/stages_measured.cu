#include "steps/advance.cuh"
#include "steps/engines.hpp"
#include "steps/span.hpp"
#include "steps/stages.hpp"

namespace {

/// Milliseconds of `work`, the median of five.
template <class Work> double milliseconds(Work &&work) {
  if (lab::on_emulator())
    return 1e-3 * span_us(work);
  return lab::measure(work, {.reps = 5, .warm_up = 1}).median_ms;
}

/// Calls stage(first, words) for each part.
template <class Stage> void in_parts(size_t n, size_t parts, Stage &&stage) {
  const size_t part = part_of(n, parts);
  for (size_t first = 0, k = 0; first < n; first += part, ++k)
    stage(first, length_of(first, part, n), k);
}

/// As many parts as show what a part costs, but no more than leave each multiprocessor a block.
size_t cut_into(size_t n) {
  const size_t filled = n / (static_cast<size_t>(lab::choose_device().sm_count) * block);
  return filled < 2 ? 2 : filled > 64 ? 64 : filled;
}

/// Each stage alone, both copies at once, and the stage that limits once more in many parts: what it
/// then takes longer is what a part costs.
Stages measure(Batch &p, size_t kernel_streams) {
  const auto to_device = [&](size_t parts, cudaStream_t stream) {
    in_parts(p.n, parts, [&](size_t first, size_t n, size_t) {
      LAB_CHECK(cudaMemcpyAsync(p.d_in.data() + first,
                                p.pinned_in.data() + first,
                                n * sizeof(Word),
                                cudaMemcpyHostToDevice,
                                stream));
    });
  };
  const auto kernel = [&](size_t parts) {
    in_parts(p.n, parts, [&](size_t first, size_t n, size_t k) {
      const cudaStream_t stream = engines().streams[2 + k % kernel_streams];
      advance<<<blocks_for(n), block, 0, stream>>>(
          p.d_in.data() + first, p.d_out.data() + first, n, p.steps);
      LAB_CHECK_LAUNCH();
    });
  };
  const auto to_host = [&](size_t parts, cudaStream_t stream) {
    in_parts(p.n, parts, [&](size_t first, size_t n, size_t) {
      LAB_CHECK(cudaMemcpyAsync(p.pinned_out.data() + first,
                                p.d_out.data() + first,
                                n * sizeof(Word),
                                cudaMemcpyDeviceToHost,
                                stream));
    });
  };
  const auto both = [&](size_t parts) {
    to_device(parts, engines().there);
    to_host(parts, engines().back);
  };
  Stages stages;
  stages.to_device_ms = milliseconds([&] { to_device(1, nullptr); });
  stages.kernel_ms = milliseconds([&] { kernel(1); });
  stages.to_host_ms = milliseconds([&] { to_host(1, nullptr); });
  stages.both_ms = milliseconds([&] { both(1); });
  const size_t many = cut_into(p.n);
  const double cut = stages.limit_ms() == stages.kernel_ms ? milliseconds([&] { kernel(many); })
                                                           : milliseconds([&] { both(many); });
  const double fixed = (cut - stages.limit_ms()) / static_cast<double>(many - 1);
  stages.fixed_ms = fixed > 0.001 ? fixed : 0.001; // a launch is never free
  return stages;
}

/// 25 GB/s each way and 6 µs a copy, as the emulator's timeline has it; the kernel a fifth longer.
Stages invented(const Batch &p) {
  const double copy_ms = static_cast<double>(p.bytes()) / 25e6;
  return {copy_ms, 1.2 * copy_ms, copy_ms, copy_ms, 0.006};
}

} // namespace

const Stages &stages_of(Batch &p, size_t kernel_streams) {
  struct Known {
    size_t n = 0;
    unsigned steps = 0;
    Stages stages;
  };
  static Known known[2]; // for 1 and for 2 streams
  Known &k = known[kernel_streams - 1];
  if (k.n != p.n || k.steps != p.steps || k.stages.fixed_ms == 0) {
    k = {p.n, p.steps, can_tell_spans() ? measure(p, kernel_streams) : invented(p)};
    p.prepare(); // nobody shall find a result that was made here
  }
  return k.stages;
}
