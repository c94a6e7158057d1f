// Maps of tensors, and the driver's functions by their names.
#include <cstring>
#include <string_view>

#include "context/api.hpp"
#include "cuda.h"
#include "emu/engine/tensors.hpp"
#include "emu/runtime/runtime_device.hpp"

namespace {

using emu::TensorMap;

uint8_t bytes_of(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 1;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 2;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 8;
  default:
    return 4;
  }
}

bool is_float(CUtensorMapDataType type) { return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

// The rules of cuTensorMapEncodeTiled (CUDA Driver API 13.0).
bool is_possible(const TensorMap &map) {
  const uint64_t row = uint64_t{map.box[0]} * map.element;
  bool possible = map.address != nullptr && reinterpret_cast<uintptr_t>(map.address) % 16 == 0 &&
                  row % 16 == 0 && (map.swizzle == 0 || row <= uint64_t{16} << map.swizzle);
  for (int i = 0; i < map.rank; ++i) {
    possible = possible && map.extent[i] >= 1 && map.extent[i] <= uint64_t{1} << 32 &&
               map.box[i] >= 1 && map.step[i] >= 1;
    if (i > 0)
      possible = possible && map.stride[i - 1] % 16 == 0 && map.stride[i - 1] < uint64_t{1} << 40 &&
                 map.stride[i - 1] >= (i == 1 ? map.extent[0] * map.element : map.stride[i - 2]);
  }
  return possible;
}

} // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap *map,
                                CUtensorMapDataType type,
                                cuuint32_t rank,
                                void *address,
                                const cuuint64_t *extent,
                                const cuuint64_t *stride,
                                const cuuint32_t *box,
                                const cuuint32_t *step,
                                CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill fill) {
  if (!map || !extent || !box || !step || rank < 1 || rank > TensorMap::most ||
      (rank > 1 && !stride) || type > CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ ||
      interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
      reinterpret_cast<uintptr_t>(map) % 64 != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const bool with_nan = fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  TensorMap made{};
  made.mark = TensorMap::made;
  made.rank = static_cast<uint8_t>(rank);
  made.element = bytes_of(type);
  made.swizzle = static_cast<uint8_t>(swizzle);
  made.fill = with_nan ? 0xff : 0; // a NaN of any type
  made.address = static_cast<const char *>(address);
  for (cuuint32_t i = 0; i < rank; ++i) {
    if (box[i] > 256 || step[i] > 8)
      return CUDA_ERROR_INVALID_VALUE;
    made.extent[i] = extent[i];
    made.box[i] = static_cast<uint16_t>(box[i]);
    made.step[i] = static_cast<uint8_t>(step[i]);
    if (i > 0)
      made.stride[i - 1] = stride[i - 1];
  }
  if (!is_possible(made) || (with_nan && !is_float(type)))
    return CUDA_ERROR_INVALID_VALUE;
  *map = {};
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol,
                                             void **function,
                                             unsigned int version,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *result) {
  return emu::device_call([&] {
    if (symbol == nullptr || function == nullptr)
      return cudaErrorInvalidValue;
    const bool known = std::string_view(symbol) == "cuTensorMapEncodeTiled";
    const bool enough = version >= 12000;
    *function = known && enough ? reinterpret_cast<void *>(&cuTensorMapEncodeTiled) : nullptr;
    if (result != nullptr)
      *result = !known   ? cudaDriverEntryPointSymbolNotFound
                : enough ? cudaDriverEntryPointSuccess
                         : cudaDriverEntryPointVersionNotSufficent;
    return cudaSuccess;
  });
}
