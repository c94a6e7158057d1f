#include "steps/stages.hpp"

#include <algorithm>
#include <cmath>

double Stages::longest_ms() const { return std::max({to_device_ms, kernel_ms, to_host_ms}); }

double Stages::limit_ms() const { return std::max(kernel_ms, both_ms); }

// The first part goes through all three stages; after that the one that limits has a part ready each
// time it has done one, and parts - 1 are left. A part takes fixed_ms in each stage that it goes through.
double Stages::total_ms(size_t parts) const {
  const double count = static_cast<double>(parts);
  const double first = sum_ms() / count + 3 * fixed_ms;
  const double each = limit_ms() / count + fixed_ms;
  return first + (count - 1) * each;
}

// total_ms() = limit + 2 fixed + (sum - limit) / parts + parts fixed: the last two terms add up to
// least where they are equal. Whole numbers lie on both sides of that.
size_t Stages::best_parts() const {
  const double equal = std::sqrt(std::max(sum_ms() - limit_ms(), 0.0) / fixed_ms);
  const auto below = static_cast<size_t>(std::clamp(equal, 1.0, 511.0));
  return total_ms(below) <= total_ms(below + 1) ? below : below + 1;
}
