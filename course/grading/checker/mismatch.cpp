#include "checker/mismatch.hpp"

#include "checker/checker.hpp"
#include "checker/detail.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

namespace checker::detail {
namespace {

class Looks {
public:
  Looks(const std::string &what, const Mismatch &m)
      : m_(m), n_(m.got.size()), what_(what + ": "), right_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      right_[i] = same(i, i);
      wrong_ += !right_[i];
      last_wrong_ = right_[i] ? last_wrong_ : i;
      unwritten_ += m.unwritten[i] && !right_[i];
    }
    first_wrong_ = static_cast<std::size_t>(std::ranges::find(right_, false) - right_.begin());
  }

  void explain() const {
    explain_bytes();
    if (unwritten_ == wrong_)
      explain_unwritten();
    else
      explain_written();
  }

private:
  // Right as far as n bytes reach, where n elements were meant.
  void explain_bytes() const {
    if (!launched_by_host_code())
      return;
    for (const std::size_t bytes : {4, 8})
      diagnose("bytes_forgotten",
               n_ > bytes && first_wrong_ == (n_ + bytes - 1) / bytes &&
                   10 * wrong_ >= 9 * (n_ - first_wrong_),
               what_ + "right only as far as " + place(first_wrong_ - 1) + ", which is as far as " +
                   std::to_string(n_) + " bytes reach: an element has " + std::to_string(bytes) +
                   ", and what copies or sets memory counts bytes");
  }

  bool close(long double a, long double b) const {
    const bool exact = m_.tolerance.absolute == 0 && m_.tolerance.relative == 0;
    return exact && !std::isnan(b)
               ? a == b
               : lab::close(static_cast<double>(a), static_cast<double>(b), m_.tolerance);
  }
  bool same(std::size_t i, std::size_t of) const { return close(m_.got[i], m_.expected[of]); }

  std::string place(std::size_t i) const {
    return m_.width == 0
               ? "element " + std::to_string(i)
               : "row " + std::to_string(i / m_.width) + ", column " + std::to_string(i % m_.width);
  }

  // All that is wrong was never written.
  void explain_unwritten() const {
    if (wrong_ == n_) {
      diagnose(
          "nothing_written",
          true,
          what_ + "nothing was written into the result, or only what was made of its old contents");
      return;
    }
    if (first_wrong_ == 0) {
      explain_holes();
      return;
    }
    const LaunchShape launch = last_launch();
    const std::size_t rows = m_.width == 0 ? 0 : n_ / m_.width;
    diagnose("bounds_changed_about",
             rows != m_.width && rows > 1 && m_.width > 1 && all_of([&](std::size_t i) {
               return right_[i] == (i / m_.width < m_.width && i % m_.width < rows);
             }),
             what_ + "what is written is right, but of " +
                 counted(static_cast<long long>(rows), "row") + " and " +
                 counted(static_cast<long long>(m_.width), "column") +
                 " only those are written whose row is below " + std::to_string(m_.width) +
                 " and whose column is below " + std::to_string(rows) +
                 ": does x count the rows, or is each of the two tested against the other's "
                 "number?");
    const std::string as_far =
        "what is written is right, but only as far as " + place(first_wrong_ - 1);
    diagnose("first_block_only",
             launch.blocks > 1 && is_corner(launch.rows, launch.cols),
             what_ + "written is only what the first block of " + std::to_string(launch.cols) +
                 " x " + std::to_string(launch.rows) +
                 " threads covers: where does a block begin?");
    const bool tail = first_wrong_ > 0 && wrong_ == n_ - first_wrong_;
    diagnose("first_block_only",
             tail && launch.blocks > 1 && first_wrong_ == launch.threads,
             what_ + as_far +
                 ", where the first block ends: the others write nothing of their own");
    diagnose("one_round_only",
             tail && first_wrong_ == launch.threads * launch.blocks,
             what_ + as_far + ": one element per thread of the grid");
    diagnose("tail_not_written", tail, what_ + as_far + "; nothing is written behind it");
    explain_holes();
  }

  /// Whether the first rows and columns of a matrix are right, as many as a block has, and nothing else.
  bool is_corner(std::size_t rows, std::size_t cols) const {
    return m_.width > cols && rows * cols > 0 && all_of([&](std::size_t i) {
             return right_[i] == (i / m_.width < rows && i % m_.width < cols);
           });
  }

  void explain_holes() const {
    const LaunchShape launch = last_launch();
    diagnose("first_block_only",
             launch.blocks > 1 && launch.threads > 0 && all_of([&](std::size_t i) {
               return right_[i] == (i % (launch.threads * launch.blocks) < launch.threads);
             }),
             what_ + "written is only what the first block of " + std::to_string(launch.threads) +
                 " threads takes on, in each round of the grid: where do the other blocks begin?");
    const std::string part = part_of_each();
    diagnose("partly_written",
             true,
             what_ + "what is written is right, but " + std::to_string(wrong_) + " of " +
                 counted(static_cast<long long>(n_), "element") + " were never written, " +
                 (part.empty() ? place(first_wrong_) + " first" : part));
  }

  void explain_written() const {
    const auto all = [&](auto of) { return n_ > 1 && all_of(of); };
    diagnose("all_zero",
             wrong_ > n_ / 2 && std::ranges::all_of(m_.got, [](auto value) { return value == 0; }),
             what_ + "the result is 0 everywhere");
    diagnose("neighbour_left",
             all([&](std::size_t i) { return i == 0 || same(i, i - 1); }) && differ(1),
             what_ + (m_.unwritten[0]
                          ? place(0) + " is never written, and each other one holds what belongs "
                                       "to the one before: the places begin with 1 instead of 0"
                          : "each element holds what belongs to the one before: off by one "
                            "element"));
    diagnose("neighbour_right",
             all([&](std::size_t i) { return i + 1 == n_ || same(i, i + 1); }) && differ(1),
             what_ + "each element holds what belongs to the one behind: off by one element");
    diagnose("backwards",
             all([&](std::size_t i) { return same(i, n_ - 1 - i); }),
             what_ + "the elements stand in reverse order");
    diagnose("part_backwards",
             m_.width == 0 && wrong_ > 1 && all([&](std::size_t i) {
               return i < first_wrong_ || i > last_wrong_ ||
                      same(i, first_wrong_ + last_wrong_ - i);
             }),
             what_ + "all is right but elements " + std::to_string(first_wrong_) +
                 (last_wrong_ == first_wrong_ + 1 ? " and " : " to ") +
                 std::to_string(last_wrong_) + ", which stand the wrong way round");
    const std::size_t rows = m_.width == 0 ? 0 : n_ / m_.width;
    diagnose("turned",
             rows > 1 && m_.width > 1 &&
                 all([&](std::size_t i) { return same(i, i % rows * m_.width + i / rows); }),
             what_ + "rows and columns are changed about: the result is the transposed one");
    explain_factor();
    explain_rounding();
    explain_addends();
    explain_one_of_each();
    explain_places();
    explain_blocks();
    explain_reach(32, "a warp");
    explain_reach(last_launch().threads, "a block");
    std::size_t zeros = 0, elsewhere = 0; // something where 0 was to be
    for (std::size_t i = 0; i < n_; ++i) {
      zeros += !right_[i] && m_.got[i] == 0;
      elsewhere += !right_[i] && m_.expected[i] == 0;
    }
    diagnose("left_at_zero",
             2 * zeros > wrong_ && elsewhere == 0,
             what_ + std::to_string(zeros) + " of " +
                 counted(static_cast<long long>(n_), "element") +
                 " are 0: nothing was put, or added, there");
    const std::string part = part_of_each();
    diagnose("same_part_wrong", !part.empty(), what_ + "wrong is " + part + ", and nothing else");
    const std::size_t from_end = n_ - 1 - std::min(first_wrong_, n_ - 1);
    const bool last = from_end < first_wrong_;
    const std::string end = last ? "last" : "first";
    diagnose("wrong_at_the_end",
             wrong_ == 1 && n_ > 8 && m_.width == 0 && std::min(first_wrong_, from_end) < 2 &&
                 one_for_each(),
             what_ + "wrong is only " + place(first_wrong_) + ", " +
                 (std::min(first_wrong_, from_end) == 0
                      ? "the " + end + " one"
                      : "next to the " + end + " one: does the test for that end miss it by one?"));
    explain_ends_of_blocks();
    explain_one_number();
  }

  // What has no neighbour on one side, and, round after round, what reads that.
  void explain_ends_of_blocks() const {
    const std::size_t threads = last_launch().threads;
    if (threads < 32 || n_ % threads != 0 || m_.width != 0 || !one_for_each())
      return;
    std::size_t deepest = 0;
    std::vector<bool> at_end(2);
    for (std::size_t i = 0; i < n_; ++i)
      if (const std::size_t at = i % threads, behind = threads - 1 - at; !right_[i]) {
        deepest = std::max(deepest, std::min(at, behind) + 1);
        at_end[at > behind] = true;
      }
    const std::string end = at_end[0] && at_end[1] ? "the ends"
                            : at_end[0]            ? "the front"
                                                   : "the end";
    diagnose("wrong_at_block_ends",
             wrong_ > 1 && 8 * deepest <= threads,
             what_ + "wrong is only what lies next to " + end + " of a block, at most " +
                 counted(static_cast<long long>(deepest), "element") +
                 " deep: what becomes of those there, who have no neighbour on one side?");
  }

  /// Whether the result has an element for each of an input, and not only as many as it began with.
  bool one_for_each() const {
    return std::ranges::any_of(last_inputs(), [&](const std::vector<long double> &values) {
      return values.size() == n_ &&
             std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
    });
  }

  /// Of each so many elements the same ones are wrong, side by side, at most half of them: which; else empty.
  std::string part_of_each(std::size_t of, const std::string &each, const std::string &one) const {
    if (of < 2 || n_ < 2 * of)
      return {};
    std::vector<bool> wrong(of);
    for (std::size_t i = 0; i < n_; ++i)
      if (!right_[i])
        wrong[i % of] = true;
    const auto first = std::ranges::find(wrong, true), end = std::find(first, wrong.end(), false);
    if (2 * (end - first) > static_cast<std::ptrdiff_t>(of) ||
        std::find(end, wrong.end(), true) != wrong.end() ||
        !all_of([&](std::size_t i) { return right_[i] != wrong[i % of]; }))
      return {};
    const auto from = first - wrong.begin(), last = end - wrong.begin() - 1;
    return one +
           (from == last ? " " + std::to_string(from)
                         : "s " + std::to_string(from) + " to " + std::to_string(last)) +
           each;
  }
  std::string part_of_each() const {
    std::string part = part_of_each(m_.width, " of each row", "column");
    const std::size_t threads = last_launch().threads;
    for (const std::size_t of : {2ul, 4ul, 8ul, 16ul, 32ul, threads})
      if (part.empty())
        part = part_of_each(of,
                            " of each " + std::to_string(of) +
                                (of == threads ? ", which is a block's threads" : ""),
                            "number");
    return part;
  }

  template <class Of> bool all_of(Of of) const {
    for (std::size_t i = 0; i < n_; ++i)
      if (!of(i))
        return false;
    return true;
  }
  /// Whether elements so far apart are told from each other.
  bool differ(std::size_t apart) const {
    std::size_t different = 0;
    for (std::size_t i = apart; i < n_; ++i)
      different += !close(m_.expected[i], m_.expected[i - apart]);
    return 2 * different > n_ - apart;
  }

  // Each element a multiple of what it should be, or too large by the same.
  void explain_factor() const {
    if (n_ < 3 || first_wrong_ == n_ || m_.expected[first_wrong_] == 0)
      return;
    const long double factor = m_.got[first_wrong_] / m_.expected[first_wrong_];
    const long double off = m_.got[first_wrong_] - m_.expected[first_wrong_];
    const auto text = [](long double value) { return figure(static_cast<double>(value)); };
    diagnose("multiplied",
             std::isfinite(factor) && std::round(factor) == factor &&
                 all_of([&](std::size_t i) { return close(m_.got[i], factor * m_.expected[i]); }),
             what_ + "each element is " + text(factor) + " times what it should be");
    diagnose("off_by_constant", // which says nothing of numbers that are all alike
             std::isfinite(off) &&
                 !all_of([&](std::size_t i) { return close(m_.expected[i], m_.expected[0]); }) &&
                 all_of([&](std::size_t i) { return close(m_.got[i], off + m_.expected[i]); }),
             what_ + "each element is too " + (off > 0 ? "large" : "small") + " by " +
                 text(std::fabs(off)));
  }

  // Right but for what floats round away.
  void explain_rounding() const {
    constexpr long double little = 1e-5L;
    const bool exact = m_.tolerance.absolute == 0 && m_.tolerance.relative == 0;
    const auto is_float = [](long double value) { return static_cast<float>(value) == value; };
    diagnose("rounded_otherwise",
             exact && all_of([&](std::size_t i) {
               const long double got = m_.got[i], expected = m_.expected[i];
               const bool whole = std::round(expected) == expected && std::fabs(expected) < 1 << 24;
               return right_[i] ||
                      (std::isfinite(expected) && is_float(got) && is_float(expected) && !whole &&
                       std::fabs(got - expected) <= little * std::fabs(expected));
             }),
             what_ + "right but for the last digits, which are to be the same, too: are all terms "
                     "added in the order that the task says, and in float?");
  }

  // Sums in which a number of the input is missing, or too many: of each the one that is as far away.
  void explain_addends() const {
    constexpr long reach = 64;
    for (const std::vector<long double> &input : last_inputs()) {
      if (wrong_ < 3 || input.size() != n_)
        continue;
      const auto number = [&](std::size_t i, long apart) {
        const long at = static_cast<long>(i) + apart;
        return at >= 0 && at < static_cast<long>(n_) ? input[static_cast<std::size_t>(at)] : 0;
      };
      for (long apart = 0; apart <= reach; apart = apart > 0 ? -apart : 1 - apart)
        for (const bool missing : {true, false}) {
          if (!all_of([&](std::size_t i) {
                const long double more = number(i, apart);
                return close(m_.got[i] + (missing ? more : -more), m_.expected[i]);
              }))
            continue;
          const std::string place = apart == 0 ? "its own"
                                    : apart > 0
                                        ? "that " + counted(apart, "place") + " behind its own"
                                        : "that " + counted(-apart, "place") + " before its own";
          const std::string number = std::to_string(static_cast<long>(first_wrong_) + apart);
          diagnose("one_left_out",
                   missing,
                   what_ + "each sum lacks one number, " + place + ": in element " +
                       std::to_string(first_wrong_) + " number " + number +
                       " of the input is left out");
          diagnose("one_too_many",
                   !missing,
                   what_ + "each sum has one number too many, " + place + ": in element " +
                       std::to_string(first_wrong_) + " number " + number +
                       " of the input is added, too");
          return;
        }
    }
  }

  // Sums of as many numbers each, of which one is missing or counts twice: always the same.
  void explain_one_of_each() const {
    const std::size_t threads = last_launch().threads;
    for (const std::vector<long double> &values : last_inputs())
      for (const std::size_t of : {threads, 2 * threads})
        if (first_wrong_ < n_ && of > 1 && values.size() > first_wrong_ * of &&
            enough_for(values.size(), of) && sum_of(values, first_wrong_, of))
          explain_one_of(values, of);
  }
  bool enough_for(std::size_t values, std::size_t of) const { return (values + of - 1) / of == n_; }
  /// Whether that is what is expected there.
  bool sum_of(const std::vector<long double> &values, std::size_t i, std::size_t of) const {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * of);
    const auto n = static_cast<std::ptrdiff_t>(std::min(of, values.size() - i * of));
    return congruent(std::accumulate(begin, begin + n, 0.0L), m_.expected[i]);
  }
  /// Of whole numbers: as far as 32 bits hold them.
  static bool congruent(long double a, long double b) {
    constexpr long double all = 4294967296.0L;
    return std::remainder(a - b, all) == 0;
  }
  void explain_one_of(const std::vector<long double> &values, std::size_t of) const {
    for (const bool twice : {false, true})
      for (std::size_t k = 0; k < of; ++k) {
        const bool holds = all_of([&](std::size_t i) {
          const long double one = i * of + k < values.size() ? values[i * of + k] : 0;
          return congruent(m_.got[i], m_.expected[i] + (twice ? one : -one));
        });
        const std::string which = k + 1 == of ? ", the last one,"
                                  : k == 0    ? ", the first one,"
                                              : "";
        diagnose(twice ? "one_twice" : "one_left_out",
                 holds,
                 what_ + "of each block's " + std::to_string(of) + " numbers number " +
                     std::to_string(k) + which + (twice ? " is added twice" : " is left out"));
      }
  }

  // Right numbers in wrong places.
  void explain_places() const {
    std::map<long double, std::size_t> places; // of each number, the first
    for (std::size_t i = 0; i < n_; ++i)
      if (!std::isnan(m_.expected[i]))
        places.try_emplace(m_.expected[i], i);
    if (places.empty() || wrong_ < 2) // one may hold anything
      return;
    // Few numbers, each in many places, and such as lie as close as is tolerated tell nothing.
    std::size_t close_ones = 0;
    for (auto one = places.begin(), next = std::next(one); next != places.end(); one = next++)
      close_ones += close(next->first, one->first);
    if (places.size() * 16 < n_ || 2 * close_ones > places.size())
      return;
    const auto place_of = [&](std::size_t i) {
      auto next = places.lower_bound(m_.got[i]);
      if (next == places.end() || !same(i, next->second))
        next = next == places.begin() ? places.end() : std::prev(next);
      return next != places.end() && same(i, next->second) ? next->second : n_;
    };
    // Where numbers lie close together one may be somewhere by chance, but not all of them.
    const long double range = places.rbegin()->first - places.begin()->first + 1;
    const bool apart = static_cast<long double>(wrong_) *
                           std::log(range / static_cast<long double>(places.size())) >
                       20;
    if ((2 * places.size() < n_ && !apart) || first_wrong_ == n_ || m_.unwritten[first_wrong_] ||
        std::isnan(m_.got[first_wrong_]) || !all_of([&](std::size_t i) {
          return right_[i] || (!std::isnan(m_.got[i]) && place_of(i) != n_);
        }))
      return;
    explain_one_number(); // which may be somebody's by chance
    constexpr int most = 3; // examples, which show a step, if there is one
    std::string examples;
    int shown = 0;
    for (std::size_t i = first_wrong_; i < n_ && shown < most; ++i)
      if (!right_[i]) {
        examples += (shown == 0 ? "" : "; ") + place(i) + (shown == 0 ? " holds" : "") +
                    " what belongs to " + place(place_of(i));
        ++shown;
      }
    diagnose(
        "misplaced", true, what_ + "the numbers are right, but stand in wrong places: " + examples);
  }

  // What all of it began with, perhaps.
  void explain_one_number() const {
    diagnose("one_number",
             wrong_ > 2 && m_.got[first_wrong_] != 0 && all_of([&](std::size_t i) {
               return right_[i] || m_.got[i] == m_.got[first_wrong_];
             }),
             what_ + "all elements that are wrong hold one number. Is it what they begin with, "
                     "and nothing else takes its place?");
  }

  // By blocks, or by threads that stand in the same place of each.
  void explain_blocks() const {
    const LaunchShape launch = last_launch();
    const std::size_t threads = launch.threads;
    if (threads < 2 || launch.blocks < 2 || n_ <= threads)
      return;
    std::vector<bool> wrong_thread(threads);
    for (std::size_t i = 0; i < n_; ++i)
      if (!right_[i])
        wrong_thread[i % threads] = true;
    diagnose("right_in_first_block",
             first_wrong_ >= threads && first_wrong_ % threads == 0 &&
                 wrong_ * 2 > n_ - first_wrong_,
             what_ + "right in the first " +
                 (first_wrong_ == threads
                      ? "block"
                      : counted(static_cast<long long>(first_wrong_ / threads), "block")) +
                 ", wrong from " + place(first_wrong_) +
                 " on. Where does a block begin, in all that it reads and writes? It is as far "
                 "from the block before "
                 "as a block has elements there");
    diagnose("one_thread_wrong",
             std::ranges::count(wrong_thread, true) == 1 && wrong_ > 1,
             what_ + "wrong is only what thread " + std::to_string(first_wrong_ % threads) +
                 " of a block writes, in " + counted(static_cast<long long>(wrong_), "block"));
  }

  // What goes on from element to element ends at the same place of each warp, or block: at a power of two, as rounds do.
  void explain_reach(std::size_t of, const std::string &whose) const {
    const std::size_t reach = first_wrong_ % std::max<std::size_t>(of, 1);
    if (!threads_meet() || reach == 0 || first_wrong_ >= of || (reach & (reach - 1)) != 0 ||
        wrong_ < 2)
      return;
    diagnose(
        "reaches_no_further",
        all_of([&](std::size_t i) { return right_[i] == (i % of < reach); }),
        what_ + "in " + whose + " the first " +
            (reach == 1 ? "element alone is"
                        : counted(static_cast<long long>(reach), "element") + " of " +
                              std::to_string(of) + " are") +
            " right, and then it ends: what is handed on from one to the next comes no further");
  }

  const Mismatch &m_;
  std::size_t n_;
  std::string what_;
  std::vector<bool> right_;
  std::size_t wrong_ = 0, unwritten_ = 0, first_wrong_ = 0, last_wrong_ = 0;
};

} // namespace

void explain(const std::string &what, const Mismatch &mismatch) { Looks(what, mismatch).explain(); }

namespace {

/// One number that is the smallest or the largest of an input.
bool explain_extreme(const std::string &what,
                     long double got,
                     long double expected,
                     const std::vector<long double> &values) {
  std::vector<long double> numbers;
  std::ranges::copy_if(
      values, std::back_inserter(numbers), [](auto value) { return !std::isnan(value); });
  if (numbers.size() < 2)
    return false;
  const auto [low, high] = std::ranges::minmax(numbers);
  if (low == high || (expected != low && expected != high))
    return false;
  const std::string wanted = expected == low ? "smallest" : "largest",
                    other = expected == low ? "largest" : "smallest";
  diagnose("other_extreme",
           got == (expected == low ? high : low),
           what + ": the " + other + " of them came out, where the " + wanted + " is asked for");
  const auto place = std::ranges::find(numbers, expected) - numbers.begin();
  diagnose("passed_over",
           std::ranges::find(numbers, got) != numbers.end(),
           what + ": one of them came out, but not the " + wanted + ", which is element " +
               std::to_string(place) + ": it was passed over, or lost again");
  diagnose("none_of_them", true, what + ": what came out is none of the numbers that went in");
  return true;
}

/// A whole number that is not large by chance.
void explain_count(const std::string &what, long double got, long double expected) {
  constexpr long double fewest = 4, most_times = 64;
  const long double less = std::min(got, expected), more = std::max(got, expected);
  if (!(less >= fewest) || std::round(less) != less || std::round(more) != more)
    return;
  diagnose("off_by_one",
           more - less == 1,
           what + (got > expected
                       ? ": one too many: is one counted twice, or does a count begin with 1?"
                       : ": one too few: is the first or the last one left out?"));
  const long double times = more / less;
  const std::string text = figure(static_cast<double>(times));
  diagnose(got > expected ? "multiplied" : "divided",
           std::round(times) == times && times > 1 && times <= most_times,
           what + (got > expected ? ": " + text + " times what it should be"
                                  : ": it should be " + text + " times as much"));
}

/// What comes of the numbers that went in.
void explain_by_inputs(const std::string &what,
                       long double got,
                       long double expected,
                       lab::Tolerance tolerance) {
  const auto close = [&](long double a, long double b) {
    return lab::close(static_cast<double>(a), static_cast<double>(b), tolerance);
  };
  for (const std::vector<long double> &values : last_inputs())
    if (explain_extreme(what, got, expected, values))
      return;
  for (const std::vector<long double> &values : last_inputs())
    for (const bool squared : {false, true}) {
      const auto term = [&](std::size_t i) { return squared ? values[i] * values[i] : values[i]; };
      long double all = 0, so_far = 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        all += term(i);
      if (!std::isfinite(all) || !close(all, expected) || all == 0)
        continue;
      for (std::size_t n = 0; n < values.size(); so_far += term(n++))
        if (n > 0 && close(so_far, got) && !close(so_far, expected)) {
          diagnose("tail_not_added",
                   true,
                   what + ": the sum of the first " + counted(static_cast<long long>(n), "number") +
                       " of " + std::to_string(values.size()) + ": as if there were no more");
          return;
        }
      const long double factor = got / expected;
      diagnose("added_several_times",
               factor > 1 && std::round(factor) == factor,
               what + ": each number is added " + figure(static_cast<double>(factor)) + " times");
      diagnose("too_little_added",
               got < expected && std::ranges::all_of(values, [](auto v) { return v >= 0; }) &&
                   (got == 0 || got >= *std::ranges::min_element(values)),
               what + ": the sum is too small, as if numbers were left out");
      diagnose("too_much_added",
               got > expected && std::ranges::all_of(values, [](auto v) { return v >= 0; }),
               what + ": numbers are added more than once, the sum is too large");
      return;
    }
}

} // namespace

void explain_number(const std::string &what,
                    long double got,
                    long double expected,
                    lab::Tolerance tolerance) {
  explain_by_inputs(what, got, expected, tolerance);
  explain_count(what, got, expected);
}

template <class T>
Mismatch mismatch_of(const std::vector<T> &got,
                     const std::vector<T> &expected,
                     lab::Tolerance tolerance,
                     std::size_t width) {
  Mismatch m{{got.begin(), got.end()}, {expected.begin(), expected.end()}, {}, tolerance, width};
  for (const T value : got)
    m.unwritten.push_back(lab::is_poison(value));
  return m;
}

#define CHECKER_MISMATCH_OF(T) \
  template Mismatch mismatch_of( \
      const std::vector<T> &, const std::vector<T> &, lab::Tolerance, std::size_t)
CHECKER_MISMATCH_OF(int);
CHECKER_MISMATCH_OF(unsigned);
CHECKER_MISMATCH_OF(long long);
CHECKER_MISMATCH_OF(unsigned long long);
CHECKER_MISMATCH_OF(unsigned char);
CHECKER_MISMATCH_OF(float);
CHECKER_MISMATCH_OF(double);
#undef CHECKER_MISMATCH_OF

} // namespace checker::detail
