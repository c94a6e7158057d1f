#pragma once

#include "problem.hpp"

namespace demo_through_host {

constexpr cudaMemcpyKind to_host = cudaMemcpyDeviceToHost, to_device = cudaMemcpyHostToDevice;

// v0's copies and v1's, without the additions; between them v0's, but from and to page-locked memory.
inline void pageable_in_turn(Vectors &p) {
  for (size_t r = 0; r < p.in.size(); ++r)
    LAB_CHECK(cudaMemcpy(p.h_in[r].data(), p.in[r].data(), p.bytes(), to_host));
  for (size_t r = 0; r < p.in.size(); ++r)
    LAB_CHECK(cudaMemcpy(p.out[r].data(), p.h_sum.data(), p.bytes(), to_device));
}

inline void pinned_in_turn(Vectors &p) {
  for (size_t r = 0; r < p.in.size(); ++r)
    LAB_CHECK(cudaMemcpy(p.pinned_in.data() + r * p.n, p.in[r].data(), p.bytes(), to_host));
  for (size_t r = 0; r < p.in.size(); ++r)
    LAB_CHECK(cudaMemcpy(p.out[r].data(), p.pinned_sum.data(), p.bytes(), to_device));
}

inline void pinned_at_once(Vectors &p) {
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpyAsync(p.pinned_in.data() + rank * p.n,
                              p.in[rank].data(),
                              p.bytes(),
                              to_host,
                              p.team.stream(rank)));
  synchronize_all();
  for (int rank = 0; rank < p.ranks(); ++rank)
    LAB_CHECK(cudaMemcpyAsync(
        p.out[rank].data(), p.pinned_sum.data(), p.bytes(), to_device, p.team.stream(rank)));
  synchronize_all();
}

// The additions of v1, by one thread of the host.
inline void additions(Vectors &p) {
  const float *const h_in = p.pinned_in.data();
  for (size_t i = 0; i < p.n; ++i) {
    float sum = h_in[i];
    for (int rank = 1; rank < p.ranks(); ++rank)
      sum += h_in[rank * p.n + i];
    p.pinned_sum[i] = sum;
  }
}

struct Part {
  const char *what, *key;
  void (*go)(Vectors &);
};
constexpr Part all_parts[] = {{"copies, pageable, in turn", "pageable", pageable_in_turn},
                              {"copies, page-locked, in turn", "pinned", pinned_in_turn},
                              {"copies, page-locked, at once", "at_once", pinned_at_once},
                              {"additions, one thread", "additions", additions}};

inline void run(lab::Demo &demo) {
  Vectors p({.n = demo.timed() ? size_t{1} << 26 : 1025, .seed = demo.seed()});
  demo.say("%zu floats per device                %s\n", p.n, demo.timed() ? "ms" : "(ms on a GPU)");
  for (const Part &part : all_parts) {
    part.go(p); // warms up
    const auto ms = [&] { return lab::host_ms([&] { part.go(p); }); };
    demo.say("%-36s", part.what);
    demo.say_timed(
        std::string(part.key) + "_ms", " %7.1f\n", [&] { return lab::median_of(5, 0, ms); }, "\n");
  }
  // The last two parts together are v1: the sum that the copies before have brought.
  additions(p);
  demo.expect(lab::compare(std::vector<float>(p.pinned_sum.data(), p.pinned_sum.data() + p.n),
                           p.expected,
                           lab::tolerance_for_sum<float>(p.in.size() + 1, p.ranks())));
}

} // namespace demo_through_host
