#include "demos/demos.hpp"
#include "demos/strided_reads.cuh"

#include <algorithm>
#include <string>

namespace {

constexpr size_t strides[] = {8, 16, 32, 64, 128, 256};
constexpr size_t pieces[] = {32, 64, 128};

/// Lets the L2 fetch from DRAM in pieces of so many bytes.
void fetch_in_pieces_of(lab::Demo &demo, size_t bytes) {
  size_t set = 0;
  LAB_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
  LAB_CHECK(cudaDeviceGetLimit(&set, cudaLimitMaxL2FetchGranularity));
  demo.expect(set == bytes, "the limit is what it was set to");
}

} // namespace

void show_granularity(lab::Demo &demo) {
  size_t before = 0;
  LAB_CHECK(cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity));
  strided_reads::Field field(demo.seed());
  demo.say("reads of 8 bytes, fetched in pieces of 32, 64 or 128 bytes (%zu at first)\n\n", before);
  demo.say("%9s   %s%s\n", "", "bytes from DRAM per read", demo.timed() ? "     useful GB/s" : "");
  demo.say("stride, B       32      64     128%s\n", demo.timed() ? "     32     64    128" : "");
  for (const size_t stride : strides) {
    demo.say("%9zu", stride);
    for (const size_t piece : pieces) // nearer than a piece, all of them are fetched; else one each
      demo.say("  %6zu", std::min(stride, piece));
    for (const size_t piece : pieces) {
      fetch_in_pieces_of(demo, piece);
      demo.expect(field.check<uint2>(stride / sizeof(uint2), 0));
      const std::string key =
          "stride_" + std::to_string(stride) + "_pieces_" + std::to_string(piece) + "_gbps";
      demo.say_timed(
          key, " %6.0f", [&] { return field.gbps<uint2>(stride / sizeof(uint2), 0); }, "");
    }
    demo.say("\n");
  }
  LAB_CHECK(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
}
