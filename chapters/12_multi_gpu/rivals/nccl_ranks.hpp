/// @file
/// NCCL, where the program was built with it: a communicator for each rank, made once.
#pragma once

#include "steps/team.hpp"

#if defined(BF_HAVE_NCCL) || defined(BUILD_FIRST_EMULATOR)
#define HAVE_NCCL
#include <nccl.h>

namespace detail {
[[noreturn]] void throw_nccl_error(ncclResult_t code, const char *what, const char *file, int line);
}

/// Checks a call of NCCL's as LAB_CHECK does one of CUDA's.
#define NCCL_CHECK(call) \
  do { \
    if (const ncclResult_t code = (call); code != ncclSuccess) \
      ::detail::throw_nccl_error(code, #call, __FILE__, __LINE__); \
  } while (false)

/// One communicator for each rank, [rank]; all of them belong together.
const std::vector<ncclComm_t> &nccl_ranks();
#endif

/// Why NCCL can't be used here, in a few words; null where it can.
const char *no_nccl();
