// What errors are called. Also compiled into the judge, which has no engine.
#include "emu/runtime/errors.hpp"

namespace {
constexpr const char *unrecognized = "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define EMU_ERROR(name, value, text) \
  case name: \
    return #name;
#include "emu/runtime/error_list.def"
#undef EMU_ERROR
  default:
    return unrecognized;
  }
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define EMU_ERROR(name, value, text) \
  case name: \
    return text;
#include "emu/runtime/error_list.def"
#undef EMU_ERROR
  default:
    return unrecognized;
  }
}
