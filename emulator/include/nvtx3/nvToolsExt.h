// NVTX: names for pieces of a program, for Nsight Systems to show. Nobody listens here, as on a GPU
// when no profiler does; ranges are still counted, so that one that was never closed is noticed.
#pragma once

#include <stdint.h>

#define NVTX_VERSION 3

enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB };
enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE };
enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
  NVTX_PAYLOAD_TYPE_INT64,
  NVTX_PAYLOAD_TYPE_DOUBLE,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
  NVTX_PAYLOAD_TYPE_INT32,
  NVTX_PAYLOAD_TYPE_FLOAT
};
union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
};
struct nvtxEventAttributes_t {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
};
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (static_cast<uint16_t>(sizeof(nvtxEventAttributes_t)))
typedef uint64_t nvtxRangeId_t;

namespace emu {

inline thread_local int open_ranges = 0;

} // namespace emu

/// Opens a range. \return how many were open before, or negative
inline int nvtxRangePushA(const char * /*name*/) { return emu::open_ranges++; }
inline int nvtxRangePushEx(const nvtxEventAttributes_t *) { return emu::open_ranges++; }
/// Closes the last one that was opened by this thread. \return how many are open still, or negative
inline int nvtxRangePop() { return emu::open_ranges > 0 ? --emu::open_ranges : -2; }
/// Ranges of a process, which other threads may close.
inline nvtxRangeId_t nvtxRangeStartA(const char * /*name*/) { return 1; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *) { return 1; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
/// Marks a moment.
inline void nvtxMarkA(const char * /*name*/) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t *) {}
inline void nvtxNameOsThreadA(uint32_t, const char * /*name*/) {}

#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
