#include "checker/own_numbers.hpp"

#include "checker/channel.hpp"
#include "checker/checker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <type_traits>

namespace checker {
namespace {

struct Asked {
  Sizes::Size tried{0};
  bool at_all = false;
};

Asked &asked_here() {
  static Asked instance;
  return instance;
}

const std::vector<double> &numbers() {
  static const std::vector<double> read = [] {
    std::vector<double> all;
    const char *text = detail::channel_numbers();
    for (char *end = nullptr;; text = end) {
      const double number = std::strtod(text, &end);
      if (end == text)
        return all;
      all.push_back(number);
    }
  }();
  return read;
}

/// Whether no other input comes to it, and it is more likely meant as a value than as a size.
bool is_exotic(double number) {
  return number < -64 || number > 4100 || number != std::floor(number);
}

/// Those of own_sizes(), and not one of `but`.
std::vector<Sizes::Size>
beside_own(const std::vector<int> &but, int low, int high, long long most) {
  asked_here().at_all = true;
  std::vector<Sizes::Size> sizes;
  if (!detail::runs_first())
    return sizes;
  std::set<int> there(but.begin(), but.end());
  // The last of these tells of who counts halves.
  for (const auto &[times, by] :
       {std::pair(1, 1), std::pair(1, 0), std::pair(1, -1), std::pair(2, 1)})
    for (const double number : numbers()) {
      const double n = times * number + by;
      if (number != std::floor(number) || n < low || n > high || n > static_cast<double>(most) ||
          !there.insert(static_cast<int>(n)).second)
        continue;
      sizes.push_back({static_cast<int>(n), number});
      most -= static_cast<long long>(n);
    }
  return sizes;
}

} // namespace

const std::vector<double> &own_numbers() {
  asked_here().at_all = true;
  return numbers();
}

Sizes::~Sizes() { asked_here().tried = {0}; }

int Sizes::Iterator::operator*() const {
  asked_here().tried = *at_;
  return at_->n;
}

Sizes own_sizes(int low, int high, long long most) {
  return Sizes(beside_own({}, low, high, most));
}

namespace detail {

Sizes with_own_sizes(const std::vector<int> &plain, int high, long long most) {
  std::vector<Sizes::Size> sizes;
  for (const int n : plain)
    sizes.push_back({n});
  const auto own = beside_own(plain, 0, high, most);
  sizes.insert(sizes.end(), own.begin(), own.end());
  // What is none of a size may be one of a value.
  const auto value = std::ranges::find_if(numbers(), is_exotic);
  if (own.empty() && value != numbers().end() && runs_first())
    sizes.push_back({100, *value});
  return Sizes(std::move(sizes));
}

Sizes own_blocks(std::initializer_list<int> others) {
  const auto [least, most] = std::minmax(others);
  const bool odd = std::ranges::any_of(others, [](int n) { return n % 32 != 0; });
  const bool any_warps = std::ranges::any_of(others, [](int n) { return (n & (n - 1)) != 0; });
  std::vector<Sizes::Size> sizes;
  for (const Sizes::Size &size : beside_own(others, least, most, 4000)) {
    const int n = odd ? size.n : size.n % 32 == 1 ? size.n + 31 : size.n;
    if (any_warps && (odd || n % 32 == 0) && n <= most)
      sizes.push_back({n, size.beside});
  }
  return Sizes(std::move(sizes));
}

std::string written(double number) {
  char text[40];
  const bool whole = number == std::floor(number) && std::fabs(number) < 1e15;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.9g", number);
  return text;
}

bool tries_own_size() { return asked_here().tried.beside.has_value(); }

std::string with_own_number(std::string text) {
  if (!tries_own_size())
    return text;
  const std::string why = " (your code names " + written(*asked_here().tried.beside) + ")";
  const std::string n = std::to_string(asked_here().tried.n);
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && '0' <= text[at] && text[at] <= '9';
  };
  for (std::size_t at = 0; (at = text.find(n, at)) != text.npos; at += n.size())
    if (!(at > 0 && is_digit(at - 1)) && !is_digit(at + n.size()))
      return text.insert(at + n.size(), why);
  return text.insert(std::min(text.find(": "), text.size()), why);
}

bool asked_for_own_numbers() { return asked_here().at_all; }

template <class T>
std::size_t put_own_numbers(T *values, std::size_t n, T low, T high, bool exotic) {
  std::size_t put = 0;
  for (const double number : numbers()) {
    const bool can_be = static_cast<double>(low) <= number && number <= static_cast<double>(high) &&
                        (std::is_floating_point_v<T> || number == std::floor(number));
    const std::size_t at = n / 4 + 3 * put; // in the midst, where no end is
    if (!can_be || (exotic && !is_exotic(number)) || at >= n / 2)
      continue;
    values[at] = static_cast<T>(number);
    ++put;
  }
  return put;
}
template std::size_t put_own_numbers(float *, std::size_t, float, float, bool);
template std::size_t put_own_numbers(int *, std::size_t, int, int, bool);
template std::size_t put_own_numbers(unsigned *, std::size_t, unsigned, unsigned, bool);

} // namespace detail
} // namespace checker
