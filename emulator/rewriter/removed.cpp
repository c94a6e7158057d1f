#include "diagnostics.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace rewriter {

namespace {

struct Removed {
  std::string_view name, since, instead;
};

constexpr std::string_view textures =
    "use a texture object: cudaCreateTextureObject, and tex1Dfetch<T>(object, i) and its kin";

/// What programs name that CUDA 13 has no more.
constexpr std::array removed{
    Removed{"cudaThreadSynchronize", "in CUDA 13.0", "call cudaDeviceSynchronize"},
    Removed{"cudaThreadExit", "in CUDA 13.0", "call cudaDeviceReset"},
    Removed{"cudaThreadGetLimit", "in CUDA 13.0", "call cudaDeviceGetLimit"},
    Removed{"cudaThreadSetLimit", "in CUDA 13.0", "call cudaDeviceSetLimit"},
    Removed{"cudaThreadGetCacheConfig", "in CUDA 13.0", "call cudaDeviceGetCacheConfig"},
    Removed{"cudaThreadSetCacheConfig", "in CUDA 13.0", "call cudaDeviceSetCacheConfig"},
    Removed{"cudaLaunchCooperativeKernelMultiDevice",
            "in CUDA 13.0",
            "launch on each device by itself"},
    Removed{"cudaSetDoubleForDevice", "in CUDA 13.0", "leave it out: it does nothing"},
    Removed{"cudaSetDoubleForHost", "in CUDA 13.0", "leave it out: it does nothing"},
    Removed{"clockRate", "in CUDA 13.0", "ask cudaDeviceGetAttribute for cudaDevAttrClockRate"},
    Removed{"memoryClockRate",
            "in CUDA 13.0",
            "ask cudaDeviceGetAttribute for cudaDevAttrMemoryClockRate"},
    Removed{"computeMode", "in CUDA 13.0", "ask cudaDeviceGetAttribute for cudaDevAttrComputeMode"},
    Removed{"kernelExecTimeoutEnabled",
            "in CUDA 13.0",
            "ask cudaDeviceGetAttribute for cudaDevAttrKernelExecTimeout"},
    Removed{"singleToDoublePrecisionPerfRatio",
            "in CUDA 13.0",
            "ask cudaDeviceGetAttribute for cudaDevAttrSingleToDoublePrecisionPerfRatio"},
    Removed{"deviceOverlap", "in CUDA 13.0", "use asyncEngineCount"},
    Removed{
        "cooperativeMultiDeviceLaunch", "in CUDA 13.0", "leave it out: there are no such launches"},
    Removed{"texture", "in CUDA 12.0", textures},
    Removed{"surface", "in CUDA 12.0", "use a surface object: cudaCreateSurfaceObject"},
    Removed{"cudaBindTexture", "in CUDA 12.0", textures},
    Removed{"cudaBindTexture2D", "in CUDA 12.0", textures},
    Removed{"cudaBindTextureToArray", "in CUDA 12.0", textures},
    Removed{"cudaUnbindTexture", "in CUDA 12.0", textures},
    Removed{
        "cudaBindSurfaceToArray", "in CUDA 12.0", "use a surface object: cudaCreateSurfaceObject"},
    Removed{"__shfl",
            "for compute capability 7.0 and later",
            "call __shfl_sync, which names the lanes"},
    Removed{"__shfl_up",
            "for compute capability 7.0 and later",
            "call __shfl_up_sync, which names the lanes"},
    Removed{"__shfl_down",
            "for compute capability 7.0 and later",
            "call __shfl_down_sync, which names the lanes"},
    Removed{"__shfl_xor",
            "for compute capability 7.0 and later",
            "call __shfl_xor_sync, which names the lanes"},
    Removed{
        "__any", "for compute capability 7.0 and later", "call __any_sync, which names the lanes"},
    Removed{
        "__all", "for compute capability 7.0 and later", "call __all_sync, which names the lanes"},
    Removed{"__ballot",
            "for compute capability 7.0 and later",
            "call __ballot_sync, which names the lanes"}};

/// How compilers say that there is no such name.
constexpr std::array<std::string_view, 8> says_missing{"was not declared",
                                                       "has no member named",
                                                       "does not name a",
                                                       "there are no arguments to",
                                                       "undeclared identifier",
                                                       "no member named",
                                                       "unknown type name",
                                                       "no template named"};

} // namespace

std::string explain_removed(const std::string &line) {
  const size_t error = line.find(" error: ");
  const auto says = [&](std::string_view words) { return line.find(words) != std::string::npos; };
  if (error == std::string::npos)
    return line;
  if (says("could not convert") && says("to ‘cudaMemLocation’"))
    return line + "; since CUDA 13.0 this call takes a place: {cudaMemLocationTypeDevice, device}";
  if (std::ranges::none_of(says_missing, says))
    return line;
  for (const auto &[name, since, instead] : removed)
    for (const auto &[open, close] : {std::pair("‘", "’"), {"'", "'"}})
      if (says(open + std::string(name) + close))
        return line.substr(0, error) + " error: " + std::string(name) + " was removed " +
               std::string(since) + ": " + std::string(instead);
  return line;
}

} // namespace rewriter
