/// @file
/// Time of what all ranks do together: that of the slowest, on its device's clock.
#pragma once

#include "ranks/world.hpp"

#include "ladder/chapter.hpp"

/// Milliseconds of one of `times` runs in a row of work(), which asks the stream for it; the median of several
/// measurements, each begun by all ranks together. To be called by all of them.
template <class Work>
double ms_of_all(cudaStream_t stream, int times, Work work, int measurements = 9) {
  lab::EventTimer timer;
  return lab::median_of(measurements, 1, [&] {
    LAB_CHECK(cudaStreamSynchronize(stream));
    world().meet();
    timer.start(stream);
    for (int time = 0; time < times; ++time)
      work();
    timer.stop(stream);
    return world().most(static_cast<double>(timer.ms()) / times);
  });
}

/// The same by rank 0 alone, while the others wait.
template <class Work> double ms_of_one(int times, Work work, int measurements = 9) {
  double ms = 0;
  if (world().rank() == 0)
    ms = lab::median_of(measurements, 1, [&] {
      LAB_CHECK(cudaDeviceSynchronize());
      return lab::event_ms([&] {
               for (int time = 0; time < times; ++time)
                 work();
             }) /
             times;
    });
  world().broadcast(&ms, sizeof ms, 0);
  return ms;
}

/// What all ranks found, told by rank 0; each tells on stderr what was wrong with it.
void expect_of_all(lab::Demo &demo, const lab::Verdict &own, const std::string &what);
