/// @file
/// Errors: every CUDA call is checked, and what goes wrong ends the program with one clear message.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace lab {

/// An error with the exit code its program should end with.
///
/// 1: something failed or was wrong. 2: wrong usage. 3: the environment lacks something.
class Error : public std::runtime_error {
public:
  Error(int exit_code, const std::string &message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

private:
  int exit_code_;
};

/// A CUDA call or launch failed. what() holds place, call, CUDA's name and text, and a hint.
class CudaError : public Error {
public:
  CudaError(cudaError_t code, const char *what, const char *file, int line);
  cudaError_t code() const noexcept { return code_; }

private:
  cudaError_t code_;
};

/// Wrong options on the command line (exit code 2).
class UsageError : public Error {
public:
  explicit UsageError(const std::string &message) : Error(2, message) {}
};

/// No driver, no device, too old a driver, … (exit code 3).
class EnvironmentError : public Error {
public:
  explicit EnvironmentError(const std::string &message) : Error(3, message) {}
};

/// What to try for this error code, or an empty string when there is no good general advice.
const char *advice_for(cudaError_t code) noexcept;

/// Runs body(argc, argv); an exception becomes one message on stderr and the right exit code.
///
/// A program that does not use lab::Ladder (which does this by itself) writes
/// `int main(int argc, char **argv) { return lab::guarded_main(body, argc, argv); }`.
int guarded_main(int (*body)(int, char **), int argc, char **argv);

namespace detail {

// Out of line, so that a check costs its caller one comparison.
[[noreturn]] void throw_cuda_error(cudaError_t code, const char *what, const char *file, int line);
[[noreturn]] void throw_error(const char *message); ///< an Error with exit code 1

inline void check(cudaError_t code, const char *what, const char *file, int line) {
  if (code != cudaSuccess)
    throw_cuda_error(code, what, file, line);
}

} // namespace detail
} // namespace lab

/// Checks a CUDA runtime call: `LAB_CHECK(cudaMalloc(&d_x, bytes));`. Throws lab::CudaError.
#define LAB_CHECK(call) ::lab::detail::check((call), #call, __FILE__, __LINE__)

/// Stands after each `kernel<<<…>>>(…)`: a launch returns nothing, its error has to be fetched.
///
/// Sees what the launch itself got wrong (shape, shared memory). What goes wrong while the kernel
/// runs shows up in a later call that waits for it, cudaDeviceSynchronize() for one.
#define LAB_CHECK_LAUNCH() \
  ::lab::detail::check(cudaGetLastError(), "the kernel launch above", __FILE__, __LINE__)
