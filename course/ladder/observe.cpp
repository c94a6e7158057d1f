#include "ladder/observe.hpp"
#include "common/check.hpp"
#include "common/device.hpp"

#include <cstdlib>
#ifdef BF_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace lab {

bool can_observe() { return emu::observing(); }

bool being_observed() {
  static const bool asked = emu::observing() && std::getenv("EMU_OBSERVE") != nullptr;
  return asked;
}

bool being_modelled() {
  static const bool asked = on_emulator() && std::getenv("EMU_MODEL_DRY") != nullptr;
  return asked;
}

ObservedPart::ObservedPart(const std::string &name) {
  emu::begin_part(name);
#ifdef BF_HAVE_NVTX
  nvtxRangePushA(name.c_str());
#endif
}

ObservedPart::~ObservedPart() {
  emu::begin_part("");
#ifdef BF_HAVE_NVTX
  nvtxRangePop();
#endif
}

namespace detail {

ObservedScope::ObservedScope() : on_(emu::observing()) {
  if (on_)
    emu::start_observing();
}

ObservedScope::~ObservedScope() {
  if (on_)
    (void)emu::stop_observing();
}

std::optional<emu::Observation> ObservedScope::stop() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (!on_) {
    LAB_CHECK(error);
    return std::nullopt;
  }
  on_ = false;
  emu::Observation seen = emu::stop_observing();
  if (error == cudaSuccess)
    return seen;
  if (!seen.has_errors())
    LAB_CHECK(error);
  (void)cudaGetLastError(); // the hazard tells more than the error
  return seen;
}

} // namespace detail
} // namespace lab
