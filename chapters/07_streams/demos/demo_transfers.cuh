#pragma once

#include "steps/engines.hpp"

#include <cstring>
#include <string>

namespace demo_transfers {

// Page-locked memory that the host's caches leave alone.
class WriteCombined {
public:
  explicit WriteCombined(size_t bytes) {
    LAB_CHECK(cudaHostAlloc(&data_, bytes, cudaHostAllocWriteCombined));
  }
  ~WriteCombined() { cudaFreeHost(data_); }
  WriteCombined(const WriteCombined &) = delete;
  WriteCombined &operator=(const WriteCombined &) = delete;
  unsigned char *data() const { return data_; }

private:
  unsigned char *data_ = nullptr;
};

struct Memories {
  explicit Memories(size_t bytes)
      : pageable(bytes, 1), pinned(bytes), combined(bytes), device(bytes), second(bytes) {
    std::memset(pinned.data(), 2, bytes);
    std::memset(combined.data(), 3, bytes);
  }
  std::vector<unsigned char> pageable;
  lab::PinnedBuffer<unsigned char> pinned;
  WriteCombined combined;
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

// GB/s at which the host reads memory.
inline double read_rate(const unsigned char *memory, size_t bytes) {
  const lab::HostTimer timer;
  const volatile Word *const words = reinterpret_cast<const volatile Word *>(memory);
  Word sum = 0;
  for (size_t i = 0; i < bytes / sizeof(Word); ++i)
    sum += words[i];
  static_cast<void>(sum);
  return gbps(bytes, timer.ms());
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
      {"combined_in", m.device.data(), m.combined.data(), cudaMemcpyHostToDevice},
      {"pageable_out", m.pageable.data(), m.device.data(), cudaMemcpyDeviceToHost},
      {"pinned_out", m.pinned.data(), m.device.data(), cudaMemcpyDeviceToHost}};
  demo.say("                        to the device                    to the host\n");
  demo.say("    KiB   pageable  page-locked  write-combined   pageable  page-locked   GB/s\n");
  for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
    const size_t kib = bytes / 1024;
    double rates[5];
    for (int c = 0; c < 5; ++c) {
      rates[c] = rate(columns[c].to, columns[c].from, bytes, columns[c].kind);
      demo.value(columns[c].key + ("_" + std::to_string(kib)), rates[c]);
    }
    demo.say("%7zu   %8.1f     %8.1f        %8.1f   %8.1f     %8.1f\n",
             kib,
             rates[0],
             rates[1],
             rates[2],
             rates[3],
             rates[4]);
  }
}

// Pageable memory once more: the same piece each time, or another piece of 1 GiB each time.
inline void show_moving_on(lab::Demo &demo, Memories &m) {
  const std::vector<unsigned char> large(size_t{1} << 30, 1);
  demo.say("\npageable, to the device: the same piece each time, or another each time\n");
  for (const size_t bytes :
       {size_t{4} << 20, size_t{16} << 20, size_t{64} << 20, size_t{256} << 20}) {
    std::vector<double> same, other;
    for (size_t turn = 0; turn < 16; ++turn)
      for (const size_t at : {size_t{0}, turn * bytes % large.size()}) {
        LAB_CHECK(cudaDeviceSynchronize());
        const lab::HostTimer timer;
        LAB_CHECK(cudaMemcpy(m.device.data(),
                             at == 0 ? m.pageable.data() : large.data() + at,
                             bytes,
                             cudaMemcpyHostToDevice));
        if (turn > 0)
          (at == 0 ? same : other).push_back(timer.ms());
      }
    const double same_gbps = gbps(bytes, lab::summarize(same).median_ms);
    const double other_gbps = gbps(bytes, lab::summarize(other).median_ms);
    demo.say("%7zu   %8.1f     %8.1f   GB/s\n", bytes >> 10, same_gbps, other_gbps);
    demo.value("same_" + std::to_string(bytes >> 10), same_gbps);
    demo.value("other_" + std::to_string(bytes >> 10), other_gbps);
  }
}

inline void show_both_ways(lab::Demo &demo, Memories &m, size_t bytes) {
  const auto both = [&] {
    LAB_CHECK(cudaMemcpyAsync(
        m.device.data(), m.combined.data(), bytes, cudaMemcpyHostToDevice, engines().there));
    LAB_CHECK(cudaMemcpyAsync(
        m.pinned.data(), m.second.data(), bytes, cudaMemcpyDeviceToHost, engines().back));
  };
  const double together = gbps(2 * bytes, lab::measure(both, {.reps = 7}).median_ms);
  demo.say("\nboth ways at once          %8.1f GB/s\n", together);
  demo.value("both_ways", together);
}

inline void show_price(lab::Demo &demo, Memories &m, size_t bytes) {
  const lab::HostTimer locking;
  { const lab::PinnedBuffer<unsigned char> fresh(bytes); }
  const double lock_ms = locking.ms();
  const double pinned = read_rate(m.pinned.data(), 1u << 22);
  const double combined = read_rate(m.combined.data(), 1u << 22);
  demo.say("page-locking %s and back %8.1f ms\n",
           lab::size_text(static_cast<double>(bytes)).c_str(),
           lock_ms);
  demo.say("the host reads page-locked %8.2f GB/s\n", pinned);
  demo.say("      … and write-combined %8.2f GB/s\n", combined);
  demo.value("lock_ms", lock_ms);
  demo.value("read_pinned", pinned);
  demo.value("read_combined", combined);
}

inline void run(lab::Demo &demo) {
  const size_t bytes = demo.timed() ? size_t{1} << 28 : 4096;
  Memories m(bytes);
  if (demo.timed()) {
    show_sizes(demo, m, bytes);
    show_moving_on(demo, m);
    show_both_ways(demo, m, bytes);
    show_price(demo, m, bytes);
  } else {
    demo.say("On a GPU this prints how fast each kind of memory is copied, by size.\n");
  }
  const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;
  LAB_CHECK(cudaMemcpy(m.device.data(), m.combined.data(), bytes, in));
  LAB_CHECK(cudaMemcpy(m.pageable.data(), m.device.data(), bytes, out));
  bool same = true;
  for (unsigned char byte : m.pageable)
    same = same && byte == 3;
  demo.expect(same, "what was in write-combined memory has arrived");
}

} // namespace demo_transfers
