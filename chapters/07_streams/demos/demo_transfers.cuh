#pragma once

#include "steps/engines.hpp"

#include <cstring>
#include <string>

namespace demo_transfers {

struct Memories {
  explicit Memories(size_t bytes)
      : pageable(bytes, 1), pinned(bytes), pinned_out(bytes), device(bytes), second(bytes) {
    std::memset(pinned.data(), 3, bytes);
  }
  std::vector<unsigned char> pageable;
  lab::PinnedBuffer<unsigned char> pinned, pinned_out;
  lab::DeviceBuffer<unsigned char> device, second;
};

inline double gbps(size_t bytes, double ms) { return static_cast<double>(bytes) / ms * 1e-6; }

// GB/s of one copy, by the host's clock: until the copy is done, the call included.
inline double rate(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  LAB_CHECK(cudaDeviceSynchronize());
  return gbps(bytes, lab::median_of(15, 1, [&] {
                return lab::host_ms([&] {
                  LAB_CHECK(cudaMemcpyAsync(to, from, bytes, kind));
                  LAB_CHECK(cudaStreamSynchronize(nullptr));
                });
              }));
}

inline void show_sizes(lab::Demo &demo, Memories &m, size_t largest) {
  struct Column {
    const char *key;
    void *to;
    const void *from;
    cudaMemcpyKind kind;
  };
  const Column columns[] = {
      {"pageable_in", m.device.data(), m.pageable.data(), cudaMemcpyHostToDevice},
      {"pinned_in", m.device.data(), m.pinned.data(), cudaMemcpyHostToDevice},
      {"pageable_out", m.pageable.data(), m.device.data(), cudaMemcpyDeviceToHost},
      {"pinned_out", m.pinned_out.data(), m.device.data(), cudaMemcpyDeviceToHost}};
  demo.say("             to the device             to the host\n");
  demo.say("    KiB   pageable  page-locked   pageable  page-locked   GB/s\n");
  for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
    const size_t kib = bytes / 1024;
    double rates[4];
    for (int c = 0; c < 4; ++c) {
      rates[c] = rate(columns[c].to, columns[c].from, bytes, columns[c].kind);
      demo.value(columns[c].key + ("_" + std::to_string(kib)), rates[c]);
    }
    demo.say(
        "%7zu   %8.1f     %8.1f   %8.1f     %8.1f\n", kib, rates[0], rates[1], rates[2], rates[3]);
  }
}

inline void show_both_ways(lab::Demo &demo, Memories &m, size_t bytes) {
  const auto both = [&] {
    LAB_CHECK(cudaMemcpyAsync(
        m.device.data(), m.pinned.data(), bytes, cudaMemcpyHostToDevice, engines().there));
    LAB_CHECK(cudaMemcpyAsync(
        m.pinned_out.data(), m.second.data(), bytes, cudaMemcpyDeviceToHost, engines().back));
  };
  const double together = gbps(2 * bytes, lab::measure(both, {.reps = 7}).median_ms);
  demo.say("\nboth ways at once          %8.1f GB/s\n", together);
  demo.value("both_ways", together);
}

inline void show_price(lab::Demo &demo, size_t bytes) {
  const lab::HostTimer locking;
  { const lab::PinnedBuffer<unsigned char> fresh(bytes); }
  const double lock_ms = locking.ms();
  demo.say("page-locking %s and back %8.1f ms\n",
           lab::size_text(static_cast<double>(bytes)).c_str(),
           lock_ms);
  demo.value("lock_ms", lock_ms);
}

inline void run(lab::Demo &demo) {
  const size_t bytes = demo.timed() ? size_t{1} << 28 : 4096;
  Memories m(bytes);
  if (demo.timed()) {
    show_sizes(demo, m, bytes);
    show_both_ways(demo, m, bytes);
    show_price(demo, bytes);
  } else {
    demo.say("On a GPU this prints how fast each kind of memory is copied, by size.\n");
  }
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  LAB_CHECK(cudaMemcpy(m.device.data(), m.pinned.data(), bytes, in));
  LAB_CHECK(cudaMemcpy(m.pageable.data(), m.device.data(), bytes, out));
  bool same = true;
  for (unsigned char byte : m.pageable)
    same = same && byte == 3;
  demo.expect(same, "what was in page-locked memory has arrived");
}

} // namespace demo_transfers
