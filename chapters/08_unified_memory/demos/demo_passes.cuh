#pragma once

#include "problem.hpp"

#include <string>
#include <vector>

namespace demo_passes {

// The same sum several times over, from three kinds of memory; the way to the device counts.
inline void run(lab::Demo &demo) {
  VectorSum p(lab::Case{demo.timed() ? size_t{1} << 24 : 2048, 256, demo.seed()});
  const auto add_times = [&](const double *a, const double *b, int passes) {
    for (int pass = 0; pass < passes; ++pass)
      add(a, b, p.d_c.data(), p.n, p.block);
  };
  const auto nothing = [] {};
  demo.say("a + b, again and again, of %s on the host\n\n",
           lab::size_text(2.0 * static_cast<double>(p.bytes())).c_str());
  if (demo.timed())
    demo.say("%-8s%12s%12s%12s%12s%12s\n",
             "passes, ms",
             "copied",
             "zero-copy",
             "first touch",
             "prefetched",
             "accessed by");
  for (int passes : demo.timed() ? std::vector{1, 2, 4, 16} : std::vector{1, 4}) {
    const auto copied = [&] {
      LAB_CHECK(cudaMemcpy(p.d_a.data(), p.pinned_a.data(), p.bytes(), cudaMemcpyHostToDevice));
      LAB_CHECK(cudaMemcpy(p.d_b.data(), p.pinned_b.data(), p.bytes(), cudaMemcpyHostToDevice));
      add_times(p.d_a.data(), p.d_b.data(), passes);
    };
    const auto zero_copy = [&] { add_times(p.pinned_a.data(), p.pinned_b.data(), passes); };
    const auto first_touch = [&] { add_times(p.m_a.data(), p.m_b.data(), passes); };
    const auto prefetched = [&] {
      prefetch(p.m_a.data(), p.bytes(), Place::device);
      prefetch(p.m_b.data(), p.bytes(), Place::device);
      add_times(p.m_a.data(), p.m_b.data(), passes);
    };
    const auto home = [&] { bring_home(p); };
    const auto advised = [&] {
      bring_home(p);
      for (double *vector : {p.m_a.data(), p.m_b.data()})
        advise(vector, p.bytes(), cudaMemAdviseSetAccessedBy, Place::device);
    };
    if (demo.timed())
      demo.say("%-8d", passes);
    const auto column = [&](const char *name, const char *key, auto &&before, auto &&work) {
      if (demo.timed())
        return demo.say_timed(
            std::string(key) + "_" + std::to_string(passes),
            "%12.3f",
            [&] { return median_ms(before, work); },
            "");
      before();
      lab::poison(p.d_c);
      const std::string part = std::string(name) + (passes == 1 ? ", once" : ", four times");
      const lab::ObservedPart observed(part.c_str());
      work();
      demo.expect(lab::compare(p.d_c.download(), p.expected));
    };
    column("copied", "copied", nothing, copied);
    column("zero-copy", "zero_copy", nothing, zero_copy);
    column("first touch", "first_touch", home, first_touch);
    column("prefetched", "prefetched", home, prefetched);
    column("accessed by", "accessed_by", advised, first_touch);
    demo.expect(lab::compare(p.d_c.download(), p.expected));
    if (demo.timed())
      demo.say("\n");
  }
  if (!demo.timed())
    demo.say("On a GPU this prints how long each takes; ./tutor observe counts what crosses the "
             "link.\n");
}

} // namespace demo_passes
