#pragma once

#include "problem.hpp"

#include <vector>

namespace demo_sparse {

constexpr size_t page = 4096 / sizeof(double); // doubles in a page

// Each thread follows a list of its own: a number of the table says where the next one is.
__global__ void follow(const double *table, size_t step, int nodes, double *last) {
  size_t at = threadIdx.x * step;
  for (int node = 1; node < nodes; ++node)
    at = static_cast<size_t>(table[at]);
  last[threadIdx.x] = static_cast<double>(at);
}

inline void run(lab::Demo &demo) {
  const unsigned lists = 4;
  const int nodes = 8; // of each list
  const size_t pages = demo.timed() ? 65536 : 512, n = pages * page, step = n / lists;
  ManagedBuffer table(n);
  std::vector<double> expected(lists);
  for (size_t i = 0; i < n; ++i) // the host makes the table: a node's next one is anywhere
    table.data()[i] = static_cast<double>(lab::random_u64(demo.seed(), i) % n);
  for (size_t list = 0; list < lists; ++list) {
    size_t at = list * step;
    for (int node = 1; node < nodes; ++node)
      at = static_cast<size_t>(table.data()[at]);
    expected[list] = static_cast<double>(at);
  }
  lab::DeviceBuffer<double> d_table(n), d_last(lists);
  const auto follow_in = [&](const double *words) {
    follow<<<1, lists>>>(words, step, nodes, d_last.data());
    LAB_CHECK_LAUNCH();
  };
  const auto copied = [&] {
    LAB_CHECK(cudaMemcpy(d_table.data(), table.data(), table.bytes(), cudaMemcpyHostToDevice));
    follow_in(d_table.data());
  };
  const auto managed = [&] { follow_in(table.data()); };
  const auto home = [&] { prefetch(table.data(), table.bytes(), Place::host); };
  demo.say("%u lists of %d nodes, anywhere in a table of %zu pages\n\n", lists, nodes, pages);
  const auto show = [&](const char *name, const char *key, const auto &way) {
    home();
    lab::poison(d_last);
    {
      const lab::ObservedPart part(name);
      way();
      LAB_CHECK(cudaDeviceSynchronize());
    }
    const lab::Verdict verdict = lab::compare(d_last.download(), expected);
    demo.expect(verdict);
    demo.say("  %-36s %s", name, verdict.ok ? "right" : "wrong");
    if (demo.timed()) {
      const double ms = median_ms(home, way);
      demo.say("%10.3f ms", ms);
      demo.value(key, ms);
    }
    demo.say("\n");
  };
  show("the whole table is copied", "copied_ms", copied);
  show("pages come when they are touched", "managed_ms", managed);
}

} // namespace demo_sparse
