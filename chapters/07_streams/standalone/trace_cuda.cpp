/// @file
/// A small tracer for any CUDA program: what the device did and when, and NVTX ranges. It reads
/// CUPTI's activity records, as Nsight Systems does.
///
///     g++ -O2 -std=c++20 -shared -fPIC trace_cuda.cpp -o trace_cuda.so
///         -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcupti
///     CUDA_INJECTION64_PATH=$PWD/trace_cuda.so NVTX_INJECTION64_PATH=/path/to/libcupti.so
///         TRACE_TO=trace.txt ./program
///
/// Microseconds count from the first record. It is no part of the course's build.

#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

struct Row {
  std::uint64_t begin, end; // ns
  std::string what;
  std::uint32_t stream; // 0: a range of the host
  std::uint64_t bytes;
};

std::vector<Row> rows;
std::map<std::uint32_t, Row> open_ranges; // by CUPTI's number of the range

void CUPTIAPI give_buffer(std::uint8_t **buffer, std::size_t *size, std::size_t *most_records) {
  *size = std::size_t{8} << 20;
  *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, *size));
  *most_records = 0; // as many as fit
}

std::string short_name(const char *mangled) {
  const std::string name = mangled; // _Z7advance…: a length, then so many characters
  const std::size_t first = name.find_first_of("123456789");
  if (!name.starts_with("_Z") || first == std::string::npos)
    return name;
  std::size_t used = 0;
  const std::size_t length = std::stoul(name.substr(first), &used);
  return name.substr(first + used, length);
}

void keep_copy(const CUpti_ActivityMemcpy6 &copy) {
  const char *const way = copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "copy to the device"
                          : copy.copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "copy to the host"
                                                                             : "copy";
  rows.push_back({copy.start, copy.end, way, copy.streamId, copy.bytes});
}

void keep_marker(const CUpti_ActivityMarker2 &marker) {
  if (marker.name != nullptr) {
    open_ranges[marker.id] = {marker.timestamp, 0, marker.name, 0, 0};
  } else if (const auto open = open_ranges.find(marker.id); open != open_ranges.end()) {
    open->second.end = marker.timestamp;
    rows.push_back(open->second);
  }
}

void CUPTIAPI
take_buffer(CUcontext, std::uint32_t, std::uint8_t *buffer, std::size_t, std::size_t valid) {
  CUpti_Activity *record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const void *const data = record;
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto &kernel = *static_cast<const CUpti_ActivityKernel10 *>(data);
      rows.push_back(
          {kernel.start, kernel.end, "kernel " + short_name(kernel.name), kernel.streamId, 0});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      keep_copy(*static_cast<const CUpti_ActivityMemcpy6 *>(data));
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MARKER) {
      keep_marker(*static_cast<const CUpti_ActivityMarker2 *>(data));
    }
  }
  std::free(buffer);
}

void write_trace() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char *const name = std::getenv("TRACE_TO");
  std::FILE *const file = name != nullptr ? std::fopen(name, "w") : stderr;
  if (file == nullptr)
    return;
  std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.begin < b.begin; });
  std::fprintf(file, "    begins        ends    stream       KiB\n");
  for (const Row &row : rows) {
    const auto us = [&](std::uint64_t ns) {
      return 1e-3 * static_cast<double>(ns - rows.front().begin);
    };
    std::fprintf(file, "%10.1f  %10.1f", us(row.begin), us(row.end));
    if (row.stream == 0)
      std::fprintf(file, "      host          -  [%s]\n", row.what.c_str());
    else
      std::fprintf(file,
                   "  %8u  %9llu  %s\n",
                   row.stream,
                   static_cast<unsigned long long>(row.bytes >> 10),
                   row.what.c_str());
  }
  if (file != stderr)
    std::fclose(file);
}

} // namespace

/// Called by the driver before the program's first call of CUDA takes effect.
extern "C" int InitializeInjection() {
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                          CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MARKER})
    cuptiActivityEnable(kind);
  std::atexit(write_trace);
  return 1;
}
