// CUDA's error codes and the calls that name and fetch them.
//
// Two kinds of error, as on a device:
//  - an ordinary one (a bad argument, say) belongs to the host thread whose call failed;
//    cudaGetLastError() returns it once and clears it;
//  - a sticky one (a kernel crashed) has ruined the device's context: every later call that needs
//    that device returns it, in every host thread, until cudaDeviceReset(). (cudaGetLastError()
//    itself does not: it reports, and clears, what such calls have recorded.)
#pragma once

enum cudaError : unsigned int {
#define EMU_ERROR(name, value, text) name = value,
#include "emu/runtime/error_list.def"
#undef EMU_ERROR
  cudaErrorApiFailureBase = 10000
};
using cudaError_t = enum cudaError;

/// The enumerator's name, "unrecognized error code" for a number that is none.
const char *cudaGetErrorName(cudaError_t error);
/// CUDA's description of the error.
const char *cudaGetErrorString(cudaError_t error);
/// The last error of this host thread; clears it.
cudaError_t cudaGetLastError();
/// The last error of this host thread; leaves it in place.
cudaError_t cudaPeekAtLastError();

namespace emu {

/// Records the outcome of a runtime call and returns it. Success never hides an earlier error.
cudaError_t set_error(cudaError_t error);

/// The last error of this host thread, which the program does not get to see; clears it.
cudaError_t take_last_error();

/// Records an error that ruins the device's context (a kernel failed) for all host threads. The
/// first one stands.
cudaError_t set_sticky_error(int device, cudaError_t error);

/// The sticky error of a device, or cudaSuccess while its context is sound.
cudaError_t sticky_error(int device);
/// Of the device that this host thread has chosen.
cudaError_t sticky_error();

/// Forgets every error, the chosen device's sticky one too: what cudaDeviceReset does.
void reset_errors();

} // namespace emu
