#pragma once

#include "problem.hpp"

namespace demo_orders {

constexpr size_t PAGE = 4096 / sizeof(double); // doubles in a page of the host

// Element i of page order(k) is added to sums[k]: a warp for each page, pages in the order asked for.
__global__ void walk(const double *in, size_t pages, size_t stride, double *sums) {
  const size_t warps = static_cast<size_t>(gridDim.x) * blockDim.x / 32;
  const unsigned lane = threadIdx.x % 32;
  for (size_t k = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32; k < pages;
       k += warps) {
    const size_t page = k * stride % pages; // stride and pages have no common divisor
    double sum = 0.0;
    for (unsigned i = lane; i < PAGE; i += 32)
      sum += in[page * PAGE + i];
    for (unsigned offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(~0u, sum, offset);
    if (lane == 0)
      sums[page] = sum;
  }
}

inline void run(lab::Demo &demo) {
  const size_t pages =
      demo.timed() ? 65536 : 64; // 256 MiB: a power of two, so that odd strides reach all
  ManagedBuffer memory(pages * PAGE);
  for (size_t i = 0; i < memory.size(); ++i)
    memory.data()[i] = 1.0;
  lab::DeviceBuffer<double> d_sums(pages);
  const std::vector<double> expected(pages, static_cast<double>(PAGE));
  const unsigned blocks =
      demo.timed() ? static_cast<unsigned>(lab::choose_device().resident_blocks(256)) : 2;
  struct Order {
    const char *name, *key;
    size_t stride;
  };
  demo.say("a kernel reads %s that lie on the host, page by page\n\n",
           lab::size_text(static_cast<double>(memory.bytes())).c_str());
  for (const Order &order : {Order{"one page after the other", "in_order", 1},
                             Order{"every 33rd page (132 KiB)", "every_33rd", 33},
                             Order{"every 513th page (2 MiB + 4 KiB)", "every_513th", 513},
                             Order{"pages far apart", "far_apart", 40503}}) {
    lab::poison(d_sums);
    const auto kernel = [&] {
      walk<<<blocks, 256>>>(memory.data(), pages, order.stride, d_sums.data());
      LAB_CHECK_LAUNCH();
    };
    kernel();
    demo.expect(lab::compare(d_sums.download(), expected));
    demo.say("%-36s", order.name);
    if (demo.timed()) {
      const double ms =
          median_ms([&] { prefetch(memory.data(), memory.bytes(), Place::host); }, kernel);
      const double gbps = static_cast<double>(memory.bytes()) / ms * 1e-6;
      demo.say("%9.3f ms%8.1f GB/s", ms, gbps);
      demo.value(std::string(order.key) + "_gbps", gbps);
    }
    demo.say("\n");
  }
  if (!demo.timed())
    demo.say("\nOn a GPU this prints how fast the pages come.\n");
}

} // namespace demo_orders
