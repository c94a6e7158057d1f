#include "json.hpp"

#include <charconv>
#include <cmath>

#include "text.hpp"

namespace emu {

namespace {

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr const char *special = "\"\\\b\f\n\r\t", *letters = "\"\\bfnrt";
    const char *const found = c ? std::char_traits<char>::find(special, 7, c) : nullptr;
    if (found)
      out += {'\\', letters[found - special]};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += format("\\u%04x", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

} // namespace

// JSON knows neither NaN nor infinity.
Json::Json(double value) {
  char digits[400]; // as many as the largest has
  if (std::isfinite(value))
    text_.assign(
        digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr);
  if (std::isfinite(value) && text_.find('.') == std::string::npos)
    text_ += ".0";
}

Json::Json(const std::string &text) : text_(quoted(text)) {}

Json::Json(std::initializer_list<Part> parts) : kind_(Kind::parts) {
  for (const Part &part : parts) {
    names_.push_back(quoted(part.name));
    values_.push_back(part.value);
  }
}

Json &Json::operator[](const std::string &name) {
  const std::string wanted = quoted(name);
  kind_ = Kind::parts;
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == wanted)
      return values_[i];
  names_.push_back(wanted);
  return values_.emplace_back();
}

void Json::write(std::string &out, bool indented, size_t column) const {
  if (kind_ == Kind::plain) {
    out += text_;
    return;
  }
  const bool parts = kind_ == Kind::parts;
  const std::string line = indented ? "\n" + std::string(column, ' ') : "";
  out += parts ? '{' : '[';
  for (size_t i = 0; i < values_.size(); ++i) {
    out += (i ? "," : "") + line + (indented ? "  " : "");
    if (parts)
      out += names_[i] + (indented ? ": " : ":");
    values_[i].write(out, indented, column + 2);
  }
  if (!values_.empty())
    out += line;
  out += parts ? '}' : ']';
}

std::string Json::text(bool indented) const {
  std::string out;
  write(out, indented, 0);
  return out;
}

} // namespace emu
