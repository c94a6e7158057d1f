/// @file
/// The numbers that an answer's own code names: a threshold, the size of an array, what stands for "not there". The tutor
/// reads them in its text (course/tutor/exercises/own_numbers.hpp), and what is wrong with an answer is so beside one of
/// them, often nowhere else. What the stub names is none of these.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace checker {

/// Sorted, each once; few at most.
const std::vector<double> &own_numbers();

/// Sizes for a loop: `for (int n : checker::sizes())`. As long as one of the answer's own is tried, messages say what
/// number it comes from, and random_values() have the answer's numbers among them.
class Sizes {
public:
  struct Size {
    int n;
    std::optional<double> beside = {}; ///< an own number
  };
  explicit Sizes(std::vector<Size> sizes) : sizes_(std::move(sizes)) {}
  ~Sizes();
  Sizes(const Sizes &) = delete;
  Sizes &operator=(const Sizes &) = delete;

  class Iterator {
  public:
    explicit Iterator(const Size *at) : at_(at) {}
    int operator*() const;
    Iterator &operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator &) const = default;

  private:
    const Size *at_;
  };
  Iterator begin() const { return Iterator(sizes_.data()); }
  Iterator end() const { return Iterator(sizes_.data() + sizes_.size()); }

private:
  std::vector<Size> sizes_;
};

/// c + 1, c, c - 1 and 2 c + 1 for each whole number c of the answer's own, within [low, high]: of the smallest ones first, and as
/// many as are `most` elements together. None where a run is repeated in another order.
Sizes own_sizes(int low, int high, long long most);

namespace detail {

/// The same behind these, without those that are among them.
Sizes with_own_sizes(const std::vector<int> &plain, int high, long long most);

/// Beside the answer's own numbers, of the kind that these are: any, whole warps; powers of two are none but these.
Sizes own_blocks(std::initializer_list<int> others);

/// Whether a size beside an own number is tried now.
bool tries_own_size();

/// Then behind that size, as it stands in what is said: " (your code names 4000)".
std::string with_own_number(std::string text);

/// As people write it.
std::string written(double number);

/// Wrong numbers of this case are told with a word of that.
void note_own_numbers_among_values();

/// Whether the checker has asked for them.
bool asked_for_own_numbers();

/// Puts those into n values that can be one of them.
/// @param exotic  those alone that hardly any other input comes to, and that are no likely sizes
/// @return how many
template <class T>
std::size_t put_own_numbers(T *values, std::size_t n, T low, T high, bool exotic);

} // namespace detail
} // namespace checker
