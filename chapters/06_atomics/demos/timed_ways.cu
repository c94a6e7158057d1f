#include "demos/timed_ways.hpp"

#include "common/timer.hpp"

#include <utility>

std::vector<double> check_and_time(lab::Demo &demo, Histogram &p, const std::vector<Way> &ways) {
  using Bound = std::pair<const Way *, Histogram *>;
  std::vector<Bound> bound;
  for (const Way &way : ways) {
    p.prepare();
    way.run(p);
    LAB_CHECK_LAUNCH();
    demo.expect(p.check());
    bound.push_back({&way, &p});
  }
  std::vector<double> times;
  if (lab::on_emulator() || demo.quick())
    return times;
  std::vector<lab::Contender> contenders;
  for (Bound &entry : bound)
    contenders.push_back({[](void *context) {
                            const Bound &b = *static_cast<Bound *>(context);
                            b.first->run(*b.second);
                          },
                          &entry});
  for (const lab::Timing &timing : lab::measure_interleaved(contenders))
    times.push_back(timing.median_ms);
  return times;
}
