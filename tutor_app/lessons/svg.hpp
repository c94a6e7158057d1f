#pragma once

#include <cstddef>
#include <string>

/// @file
/// The few shapes that charts are made of, collected into a file.

namespace tutor::lessons {

inline constexpr double svg_width = 460; ///< of the picture's own coordinates
inline constexpr double svg_margin = 14;

/// Number of characters of UTF-8 text.
std::size_t characters(const std::string &text);

/// Text as it stands between tags.
std::string xml_escaped(const std::string &text);

/// A picture that grows downwards. Classes name the styles in svg.cpp.
class Svg {
public:
  void text(double x, double y, const std::string &text, const std::string &classes);
  void line(double x1, double y1, double x2, double y2, const std::string &classes);
  void rect(double x, double y, double width, double height, const std::string &classes);
  void path(const std::string &data, const std::string &classes);
  /// A dot; each colour has a shape of its own.
  void mark(double x, double y, unsigned colour);
  /// The whole file, `height` high.
  std::string finish(const std::string &title, const std::string &description, double height) const;

private:
  std::string body_;
};

} // namespace tutor::lessons
