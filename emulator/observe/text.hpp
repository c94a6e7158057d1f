/// \file
/// Small tools of the reports for people.
#pragma once

#include <string>
#include <vector>

#include <observation/observe.hpp>

namespace emu {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

/// Columns a text takes: its UTF-8 characters.
size_t width(const std::string &text);
/// The text cut to at most `columns`, with … where something is missing.
std::string clipped(const std::string &text, size_t columns);
/// Broken at spaces; lines after the first begin with `indent` spaces.
std::string wrapped(const std::string &text, size_t columns, size_t indent);
/// As text of an SVG image.
std::string xml_escaped(const std::string &text);

std::string file_name(const std::string &path);
/// "file.cu:12", or "?" where the line is not known.
std::string place(const SourceLine &where);
/// "4096", "64x64": sizes of a grid or block.
std::string sizes_text(const unsigned (&sizes)[3]);
/// "reduce<<<4096, 256>>>", with the part of the program before it.
std::string launch_text(const KernelReport &kernel);
/// "global load"
std::string access_words(Access access);
/// "1" rather than "1.00", "6.25", "27.9": as many digits as help.
std::string number_text(double value);

/// Colours, or nothing where none are shown.
class Ink {
public:
  explicit Ink(const TextStyle &style) : on_(style.colours) {}
  std::string bold(const std::string &text) const { return paint(text, "1"); }
  std::string dim(const std::string &text) const { return paint(text, "2"); }
  std::string red(const std::string &text) const { return paint(text, "31"); }
  std::string green(const std::string &text) const { return paint(text, "32"); }
  std::string yellow(const std::string &text) const { return paint(text, "33"); }

private:
  std::string paint(const std::string &text, const char *code) const {
    return on_ ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
  bool on_;
};

} // namespace emu
