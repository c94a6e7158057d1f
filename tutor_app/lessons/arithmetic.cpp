#include "arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace tutor::lessons {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
/// Longer names before their beginnings.
constexpr std::array units{Unit{"per nanosecond", 1e9},
                           Unit{"per microsecond", 1e6},
                           Unit{"per millisecond", 1e3},
                           Unit{"TFLOP/s", 1e12},
                           Unit{"GFLOP/s", 1e9},
                           Unit{"million", 1e6},
                           Unit{"billion", 1e9},
                           Unit{"TB/s", 1e12},
                           Unit{"GB/s", 1e9},
                           Unit{"MB/s", 1e6},
                           Unit{"KiB", 1024},
                           Unit{"MiB", 1048576},
                           Unit{"GiB", 1073741824},
                           Unit{"GHz", 1e9},
                           Unit{"MHz", 1e6},
                           Unit{"KB", 1e3},
                           Unit{"MB", 1e6},
                           Unit{"GB", 1e9},
                           Unit{"TB", 1e12},
                           Unit{"ms", 1e-3},
                           Unit{"µs", 1e-6},
                           Unit{"ns", 1e-9},
                           Unit{"s", 1},
                           Unit{"B", 1},
                           Unit{"%", 0.01}};

/// Reads arithmetic from left to right: sums of products of numbers with units, brackets, powers.
class Reader {
public:
  /// `stated`: whole numbers are rounded ones, too.
  explicit Reader(std::string_view text, bool stated = false) : text_(text), stated_(stated) {}

  std::optional<Interval> all() {
    const std::optional<Interval> value = sum();
    words();
    space();
    return at_ == text_.size() ? value : std::nullopt;
  }

private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(std::string_view what) {
    space();
    if (!text_.substr(at_).starts_with(what) ||
        (is_word(what.back()) && at_ + what.size() < text_.size() &&
         is_word(text_[at_ + what.size()])))
      return false;
    at_ += what.size();
    return true;
  }
  /// What is counted: "32 lines / 132 multiprocessors".
  void words() {
    space();
    const std::size_t begin = at_;
    for (int word = 0; word < 5; ++word) {
      const std::size_t before = at_;
      if (take("x") && (space(), at_ < text_.size() && (text_[at_] == '(' || text_[at_] < 'A'))) {
        at_ = before;
        return;
      }
      while (
          at_ < text_.size() &&
          (is_word(text_[at_]) || (text_[at_] == '-' && at_ > begin && is_word(text_[at_ - 1]))) &&
          !(at_ == before && std::isdigit(static_cast<unsigned char>(text_[at_]))) &&
          !text_.substr(at_).starts_with("·"))
        ++at_;
      if (at_ == before)
        return;
      space();
    }
  }
  std::optional<Interval> unit(Interval value) {
    for (const Unit &unit : units)
      if (take(unit.name))
        return unit_found_ = true, Interval{value.low * unit.factor, value.high * unit.factor};
    return value;
  }
  std::optional<Interval> primary() {
    if (take("the square root of")) {
      const std::optional<Interval> under = product();
      if (!under || under->low < 0)
        return {};
      return Interval{std::sqrt(under->low), std::sqrt(under->high)};
    }
    std::optional<Interval> value;
    unit_found_ = false;
    if (take("(")) {
      value = sum();
      words();
      if (!value || !take(")"))
        return {};
      value = unit(*value);
    } else {
      space();
      const std::string_view written = text_.substr(at_, number_length(text_, at_));
      if (written.empty())
        return {};
      at_ += written.size();
      const Number number = number_of(written, stated_);
      double power = 1;
      if (take("²"))
        power = 2;
      else if (take("³"))
        power = 3;
      else if (take("^")) {
        const std::string_view exponent = text_.substr(at_, number_length(text_, at_));
        if (exponent.empty())
          return {};
        at_ += exponent.size();
        power = number_of(exponent, false).value;
      }
      const bool decimals = written.find('.') != std::string_view::npos;
      value = unit({number.value, number.value});
      const double half = stated_ || decimals || (unit_found_ && power == 1) ? number.half : 0;
      const double factor = number.value == 0 ? 1 : value->low / number.value;
      value = Interval{std::pow(number.value - half, power) * factor,
                       std::pow(number.value + half, power) * factor};
    }
    words();
    return value;
  }
  std::optional<Interval> product() {
    std::optional<Interval> value = primary();
    while (value) {
      const bool times = take("x") || take("·") || take("*");
      if (!times && !take("/"))
        return value;
      const std::optional<Interval> factor = primary();
      if (!factor || (!times && factor->low <= 0))
        return {};
      value = times ? Interval{value->low * factor->low, value->high * factor->high}
                    : Interval{value->low / factor->high, value->high / factor->low};
    }
    return value;
  }
  std::optional<Interval> sum() {
    std::optional<Interval> value = product();
    while (value) {
      const bool plus = take("+");
      if (!plus && !take("-") && !take("−"))
        return value;
      const std::optional<Interval> term = product();
      if (!term)
        return {};
      value = plus ? Interval{value->low + term->low, value->high + term->high}
                   : Interval{value->low - term->high, value->high - term->low};
    }
    return value;
  }

  std::string_view text_;
  bool stated_;
  std::size_t at_ = 0;
  bool unit_found_ = false;
};

} // namespace

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0; }

bool ends_with_unit(std::string_view text) {
  return std::any_of(
      units.begin(), units.end(), [&](const Unit &unit) { return text.ends_with(unit.name); });
}

std::size_t number_length(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t place) {
    return place < text.size() && std::isdigit(static_cast<unsigned char>(text[place]));
  };
  std::size_t end = at;
  while (digit(end))
    ++end;
  if (end == at)
    return 0;
  while (end < text.size() && text[end] == ',' && digit(end + 1) && digit(end + 2) &&
         digit(end + 3) && !digit(end + 4))
    end += 4;
  if (end < text.size() && text[end] == '.' && digit(end + 1))
    for (++end; digit(end);)
      ++end;
  return end - at;
}

Number number_of(std::string_view text, bool rounded) {
  std::string digits;
  for (const char c : text)
    if (c != ',' && c != ' ')
      digits += c;
  const std::size_t point = digits.find('.');
  if (point != std::string::npos)
    return {std::stod(digits), 0.5 * std::pow(10., -double(digits.size() - point - 1))};
  double half = 0.5;
  for (std::size_t left = digits.size(); rounded && left > 2 && digits[left - 1] == '0'; --left)
    half *= 10;
  return {std::stod(digits), half};
}

std::optional<Interval> value_of(std::string_view text, bool stated) {
  return Reader(text, stated).all();
}

} // namespace tutor::lessons
