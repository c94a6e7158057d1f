#pragma once

#include "problem.hpp"

#include <cstring>
#include <string>

namespace demo_links {

// Loads all words, and stores nothing unless one of them is a value that none has.
__global__ void load_all(const uint4 *words, size_t n, uint4 *never) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  unsigned bits = 0;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    bits |= words[i].x & words[i].y & words[i].z & words[i].w;
  if (bits == 0xFFFFFFFFu)
    never->x = bits;
}

__global__ void store_all(uint4 *words, size_t n) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    words[i] = make_uint4(1, 2, 3, 4);
}

// One thread follows a chain of places, each of which says where the next one is.
__global__ void follow(const unsigned *next, unsigned hops, unsigned *end, long long *cycles) {
  const volatile unsigned *const place = next; // else a second walk would find all in the L1
  const long long start = clock64();
  unsigned at = 0;
  for (unsigned hop = 0; hop < hops; ++hop)
    at = place[at];
  *cycles = clock64() - start;
  *end = at;
}

struct Buffers {
  Team team{2};
  lab::DeviceBuffer<uint4> own[2], second[2]; // [rank]
  lab::PinnedBuffer<unsigned char> pinned;
  std::vector<unsigned char> pageable;
  size_t bytes;

  explicit Buffers(size_t n) : pinned(n), pageable(n), bytes(n) {
    std::memset(pinned.data(), 1, n);
    std::memset(pageable.data(), 1, n);
    for (int r = 0; r < 2; ++r) {
      own[r] = on_device<uint4>(team.device(r), n / sizeof(uint4));
      second[r] = on_device<uint4>(team.device(r), n / sizeof(uint4));
      const OnDevice current(team.device(r));
      LAB_CHECK(cudaMemset(own[r].data(), 1, n));
      LAB_CHECK(cudaMemset(second[r].data(), 2, n));
    }
    synchronize_all();
  }

  // `of` loads from or stores to the memory `at`, with a device full of threads.
  void load(int of, const uint4 *at, size_t n) {
    const OnDevice current(team.device(of));
    load_all<<<blocks_for(n / sizeof(uint4)), block, 0, team.stream(of)>>>(
        at, n / sizeof(uint4), second[of].data());
    LAB_CHECK_LAUNCH();
  }
  void store(int of, uint4 *at, size_t n) {
    const OnDevice current(team.device(of));
    store_all<<<blocks_for(n / sizeof(uint4)), block, 0, team.stream(of)>>>(at, n / sizeof(uint4));
    LAB_CHECK_LAUNCH();
  }
  void peer_copy(int from, size_t n) {
    const int to = 1 - from;
    LAB_CHECK(cudaMemcpyPeerAsync(second[to].data(),
                                  team.device(to),
                                  own[from].data(),
                                  team.device(from),
                                  n,
                                  team.stream(from)));
  }
  // From device 0 to device 1 by way of the host's memory, once what went that way before has left it.
  void through(unsigned char *host, size_t n) {
    team.wait(0, 1);
    LAB_CHECK(cudaMemcpyAsync(host, own[0].data(), n, cudaMemcpyDeviceToHost, team.stream(0)));
    team.wait(1, 0);
    LAB_CHECK(cudaMemcpyAsync(second[1].data(), host, n, cudaMemcpyHostToDevice, team.stream(1)));
  }
};

// One way to bring bytes from a device to the next, or to and fro.
struct Way {
  const char *what, *key;
  int directions;
  void (*go)(Buffers &, size_t n);
};

constexpr Way ways[] = {
    {"through the host, pageable",
     "pageable",
     1,
     [](Buffers &b, size_t n) { b.through(b.pageable.data(), n); }},
    {"through the host, page-locked",
     "pinned",
     1,
     [](Buffers &b, size_t n) { b.through(b.pinned.data(), n); }},
    {"cudaMemcpyPeer", "copy", 1, [](Buffers &b, size_t n) { b.peer_copy(0, n); }},
    {"cudaMemcpyPeer, both ways at once",
     "copy_both",
     2,
     [](Buffers &b, size_t n) { b.peer_copy(0, n), b.peer_copy(1, n); }},
    {"a kernel loads", "load", 1, [](Buffers &b, size_t n) { b.load(0, b.own[1].data(), n); }},
    {"kernels load, both ways at once",
     "load_both",
     2,
     [](Buffers &b, size_t n) { b.load(0, b.own[1].data(), n), b.load(1, b.own[0].data(), n); }},
    {"a kernel stores",
     "store",
     1,
     [](Buffers &b, size_t n) { b.store(0, b.second[1].data(), n); }},
    {"kernels store, both ways at once",
     "store_both",
     2,
     [](Buffers &b, size_t n) {
       b.store(0, b.second[1].data(), n), b.store(1, b.second[0].data(), n);
     }},
    {"a kernel loads its own memory",
     "own",
     1,
     [](Buffers &b, size_t n) { b.load(0, b.own[0].data(), n); }},
};

// GB/s, all directions together, of so many in a row.
inline double rate(Buffers &b, const Way &way, size_t n, int times = 1) {
  const double ms = lab::median_of(7, 1, [&] {
    for (int hold = 0; hold < 3 * times; ++hold) // until the host has asked for all
      lab::hold_device();
    return lab::event_ms([&] {
      b.team.fork();
      for (int time = 0; time < times; ++time)
        way.go(b, n);
      b.team.join();
    });
  });
  return way.directions * times * static_cast<double>(n) / ms * 1e-6;
}

inline void show_rates(lab::Demo &demo, Buffers &b) {
  for (const Way &way : ways) {
    const double gbps = rate(b, way, b.bytes);
    demo.say("%-36s %7.1f GB/s\n", way.what, gbps);
    demo.value(way.key, gbps);
  }
  demo.say("\nin a row, as many as make 16 MiB, 100 at most: GB/s\n"
           "      KiB   through the host   cudaMemcpyPeer   a kernel loads   a kernel stores\n");
  for (size_t n = 4096; n <= b.bytes; n *= 4) {
    demo.say("%9zu", n / 1024);
    const size_t fill = (size_t{1} << 24) / n;
    const int times = fill > 100 ? 100 : fill > 0 ? static_cast<int>(fill) : 1;
    for (const Way &way : ways)
      for (const char *key : {"pinned", "copy", "load", "store"})
        if (way.key == std::string(key)) {
          const double gbps = rate(b, way, n, times);
          demo.say("%17.1f", gbps);
          demo.value("row_" + std::string(key) + "_" + std::to_string(n / 1024), gbps);
        }
    demo.say("\n");
  }
}

// A device that may not reach another one is served through the host, by the driver.
inline void show_without_access(lab::Demo &demo, Buffers &b) {
  for (int r = 0; r < 2; ++r) {
    const OnDevice current(b.team.device(r));
    LAB_CHECK(cudaDeviceDisablePeerAccess(b.team.device(1 - r)));
  }
  const double gbps = rate(b, ways[2], b.bytes);
  for (int r = 0; r < 2; ++r) {
    const OnDevice current(b.team.device(r));
    LAB_CHECK(cudaDeviceEnablePeerAccess(b.team.device(1 - r), 0));
  }
  demo.say("\ncudaMemcpyPeer without peer access   %7.1f GB/s\n", gbps);
  demo.value("copy_no_access", gbps);
}

// Nanoseconds that one load takes, of memory of either device: a chain through 32 MiB. First all of it is
// in the L2 of the device that has it; then that L2 has just been filled with other memory.
inline void show_latency(lab::Demo &demo, Buffers &b) {
  constexpr unsigned places = 1u << 18, stride = 32, hops = 4096; // a place every 128 bytes
  std::vector<unsigned> next(size_t{places} * stride);
  for (unsigned k = 0; k < places; ++k) // a full cycle: an odd step, modulo a power of two
    next[size_t{k} * stride] = ((k + 98765u) % places) * stride;
  const lab::DeviceBuffer<unsigned> end(1);
  const lab::DeviceBuffer<long long> cycles(1);
  const int khz = lab::device_attribute(cudaDevAttrClockRate, 0);
  const char *keys[] = {"latency_own", "latency_peer"};
  for (int r = 0; r < 2; ++r) {
    auto *const chain = reinterpret_cast<unsigned *>(b.second[r].data());
    LAB_CHECK(
        cudaMemcpy(chain, next.data(), next.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
    for (int turn = 0; turn < 3; ++turn) { // the first one warms up
      if (turn == 2) {
        const OnDevice current(b.team.device(r));
        LAB_CHECK(cudaMemset(b.own[r].data(), 1, b.bytes));
        LAB_CHECK(cudaDeviceSynchronize());
      }
      follow<<<1, 1>>>(chain, hops, end.data(), cycles.data());
      LAB_CHECK_LAUNCH();
      const double ns = 1e6 * static_cast<double>(cycles.at(0)) / hops / khz;
      if (turn == 0)
        continue;
      const std::string key = std::string(keys[r]) + (turn == 2 ? "_memory" : "");
      demo.say("a load of %s %s %6.0f ns\n",
               r == 0 ? "its own   " : "the other's",
               turn == 2 ? "memory" : "L2    ",
               ns);
      demo.value(key, ns);
    }
  }
}

inline void run(lab::Demo &demo) {
  Buffers b(demo.timed() ? size_t{1} << 28 : 65536);
  if (demo.timed() && ranks_have_devices()) {
    show_rates(demo, b);
    show_without_access(demo, b);
    demo.say("\n");
    show_latency(demo, b);
  } else {
    demo.say(
        "With two GPUs this prints how fast bytes get from one to the other, by each way.\n\n");
  }
  // Each way, a few bytes of it: what arrives is what was sent.
  for (const Way &way : {ways[0], ways[1], ways[2], ways[6]}) {
    for (int r = 0; r < 2; ++r)
      LAB_CHECK(cudaMemset(b.second[r].data(), 2, b.bytes));
    synchronize_all();
    b.team.fork();
    way.go(b, 65536);
    b.team.join();
    synchronize_all();
    const std::vector<uint4> there = b.second[1].download();
    const bool copied = way.go != ways[6].go;
    demo.say("%-36s %s\n", way.what, "has arrived");
    demo.expect(there[4095].x == (copied ? 0x01010101u : 1u), way.what);
  }
}

} // namespace demo_links
