#include "emu/memory/device_functions.hpp"

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "context/devices.hpp"
#include "emu/runtime/errors.hpp"
#include "engine/limits.hpp"

long long clock64() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// A kernel's clock() must be the device's. The name is the C library's, so this one takes its place
// in the whole program and does what that one did wherever no kernel runs.
extern "C" clock_t clock() noexcept {
  if (emu::in_kernel())
    return static_cast<clock_t>(clock64());
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<clock_t>(used.tv_sec) * CLOCKS_PER_SEC +
         used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

namespace {

// A fault of a kernel's that it meets in printf, an address without a text, must not leave stdout locked for ever:
// so it is met before.
int print(const char *format, va_list arguments) {
  if (!emu::in_kernel())
    return std::vprintf(format, arguments);
  va_list again;
  va_copy(again, arguments);
  char text[512];
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  if (length < static_cast<int>(sizeof text)) {
    std::fputs(text, stdout);
  } else {
    std::string all(static_cast<size_t>(length) + 1, '\0');
    std::vsnprintf(all.data(), all.size(), format, again);
    std::fputs(all.c_str(), stdout);
  }
  va_end(again);
  return length;
}

} // namespace

// The same goes for printf, and for what it is where the compiler checks sizes (_FORTIFY_SOURCE).
extern "C" int printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(format, arguments);
  va_end(arguments);
  return length;
}
extern "C" int __printf_chk(int, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = print(format, arguments);
  va_end(arguments);
  return length;
}

void emu::trap(Site site) {
  if (in_kernel())
    fail_launch(cudaErrorLaunchFailure, "trap", "the kernel stopped itself", site);
  std::fprintf(stderr, "%s:%d: __trap() was called outside a kernel\n", site.file, site.line);
  std::abort();
}

namespace {

[[noreturn]] void end_for_ptx(const char *text, const char *file, int line) {
  if (emu::in_kernel())
    emu::fail_launch(cudaErrorNotSupported, "inline_ptx", text, {file, line});
  std::fprintf(stderr, "%s:%d: %s\n", file, line, text);
  std::abort();
}

} // namespace

void emu::inline_ptx(const char *instructions, const char *file, int line) {
  char text[300];
  std::snprintf(text,
                sizeof text,
                "inline PTX does not run on the CPU: asm(\"%.120s\"); try: guard it with #ifndef "
                "BUILD_FIRST_EMULATOR and write the same in C++ beside it",
                instructions);
  end_for_ptx(text, file, line);
}

void emu::absent_ptx(const char *name, const char *instead, const char *file, int line) {
  char text[300];
  std::snprintf(text,
                sizeof text,
                "PTX's %s is not in the emulator%s%s",
                name,
                *instead ? "; try: " : "",
                instead);
  end_for_ptx(text, file, line);
}

void emu::misfit_ptx(const char *name, size_t operands, const char *file, int line) {
  char text[300];
  std::snprintf(
      text,
      sizeof text,
      "PTX's %s is not in the emulator with %zu operand%s; try: as many operands, and the "
      "modifiers, that the PTX ISA has for it",
      name,
      operands,
      operands == 1 ? "" : "s");
  end_for_ptx(text, file, line);
}

unsigned emu::ptx::nsmid() { return static_cast<unsigned>(sm_count(running_device)); }
unsigned emu::ptx::smid() {
  return static_cast<unsigned>(
      ((static_cast<uint64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) %
      nsmid());
}
