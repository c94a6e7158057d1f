#include "rivals/nccl_ranks.hpp"

#include <string>

#ifdef HAVE_NCCL
namespace detail {

void throw_nccl_error(ncclResult_t code, const char *what, const char *file, int line) {
  throw lab::Error(1,
                   std::string(file) + ":" + std::to_string(line) + ": " + what + "\n  " +
                       ncclGetErrorString(code) +
                       "\n  try: NCCL_DEBUG=WARN in front of the program");
}

} // namespace detail

const std::vector<ncclComm_t> &nccl_ranks() {
  static const std::vector<ncclComm_t> communicators = [] {
    const std::vector<int> &devices = devices_of_ranks();
    std::vector<ncclComm_t> made(devices.size());
    NCCL_CHECK(ncclCommInitAll(made.data(), static_cast<int>(devices.size()), devices.data()));
    return made;
  }();
  return communicators;
}

const char *no_nccl() {
  return ranks_have_devices() ? nullptr : "NCCL wants a device for each rank, and there is one";
}
#else
const char *no_nccl() { return "nccl.h and libnccl were not found when this program was built"; }
#endif
