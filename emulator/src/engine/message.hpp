/// \file
/// A line that is put together while a kernel runs: by no function of the standard library's that the kernel's program,
/// and with it the instruments, might have a copy of.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace emu {

struct Message {
  char text[400] = "";
  size_t length = 0;

  __attribute__((format(printf, 2, 3))) Message &add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = std::vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    length += more > 0 ? static_cast<size_t>(more) : 0;
    if (length >= sizeof text)
      length = sizeof text - 1;
    return *this;
  }
};

} // namespace emu
