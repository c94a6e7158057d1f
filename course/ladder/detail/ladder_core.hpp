/// @file
/// The part of the ladder that knows no Problem: what is registered, and the run itself.
/// lab/ladder.hpp is the interface; this header only keeps it a thin template.
#pragma once

#include "common/check.hpp"
#include "common/compare.hpp"
#include "ladder/case.hpp"
#include "ladder/ceiling.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// The sizes a chapter runs at.
struct Sizes {
  std::size_t emulator = 1u << 20; ///< default --n on the CPU
  std::size_t gpu = 1u << 26; ///< default --n on a GPU
  std::vector<std::size_t> check = {}; ///< verified before anything is timed
  /// Chapters about matrices: verified besides. With these, --n also takes ROWSxCOLS.
  std::vector<Shape> shapes = {};
  std::size_t largest = 1ull << 32; ///< --n beyond this is refused
};

/// The block sizes a chapter runs with.
struct Blocks {
  std::vector<int> check = {}; ///< verified, all of them
  int timed = 256; ///< default --block
};

/// What is recorded of a chapter on a GPU. Options stand as one types them, as literals.
struct Recorded {
  std::vector<std::string_view> timed = {""}; ///< a timed run with each
  std::string_view counted =
      {}; ///< of steps whose counts are held against the hardware's; "": of none
  std::string_view sanitized = "--n 1025"; ///< under compute-sanitizer, which takes its time
  bool predicted = true; ///< by the time model
  std::size_t largest_predicted = 0; ///< of the runs; 0: a GPU's default --n
};

/// The same of one step, where it is not what the ladder says, or of a demo, of which nothing is counted else.
struct RecordedPart {
  bool counted = true;
  std::string_view options = {}; ///< with these; "": those of the ladder's steps, none for a demo
  bool initcheck = true; ///< false: it reads, on purpose or in a library, what nobody wrote
};

/// What an entry of a ladder is.
enum class Kind { step, cpu, rival, trap, demo };

/// What a demo prints and finds. Its function is called with one of these.
class Demo {
public:
  Demo(bool quiet, bool quick, bool n_given, std::size_t n, std::uint64_t seed)
      : quiet_(quiet), quick_(quick), n_given_(n_given), n_(n), seed_(seed) {}

  /// True in --check-only, where say() prints nothing, and under observation: choose a small size,
  /// expect() as always.
  bool quick() const { return quick_; }
  /// Whether times are to be taken: on a GPU, and not in --check-only.
  bool timed() const;
  /// The size given with --n, else the demo's own default.
  std::size_t n_or(std::size_t fallback) const { return n_given_ ? n_ : fallback; }
  std::uint64_t seed() const { return seed_; }

  /// printf, for people.
  void say(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /// Records a figure: it goes into the JSON file, not to the screen.
  void value(const std::string &name, double figure);
  /// A claim the demo makes; when it does not hold the program ends with exit code 1.
  void expect(bool holds, const char *claim);
  /// The same for a comparison.
  void expect(const Verdict &verdict);
  /// Runs `work`, which launches, on a problem made ready for it, and expects the right result.
  template <class Problem, class Work> void check(Problem &problem, Work &&work) {
    problem.prepare();
    work();
    LAB_CHECK_LAUNCH();
    expect(problem.check());
  }
  /// Says by `format`, and records, the figure that figure() measures; where no times are to be taken, says `untimed`.
  template <class Figure>
  void say_timed(const std::string &key,
                 const char *format,
                 Figure &&figure,
                 const char *untimed = " right\n") {
    if (!timed())
      return say("%s", untimed);
    const double measured = figure();
    say_figure(format, measured);
    value(key, measured);
  }

  const std::vector<std::string> &broken() const { return broken_; }
  const std::vector<std::pair<std::string, double>> &values() const { return values_; }

private:
  void say_figure(const char *format, double figure);

  bool quiet_;
  bool quick_;
  bool n_given_;
  std::size_t n_;
  std::uint64_t seed_;
  std::vector<std::string> broken_;
  std::vector<std::pair<std::string, double>> values_;
};

/// A counted quantity of one step, from instruments: "sectors_per_request", 4.0.
struct Counter {
  std::string name;
  double value = 0.0;
};

namespace detail {

/// A function of a problem, with the problem's type hidden. (Not std::function: its header would
/// double the compile time of a chapter.)
template <class R> struct Hook {
  void (*function)() = nullptr;
  R (*invoke)(void (*)(), void *) = nullptr;
  explicit operator bool() const { return invoke != nullptr; }
  R operator()(void *problem) const { return invoke(function, problem); }
};

template <class Problem, class R> Hook<R> make_hook(R (*f)(Problem &)) {
  return {reinterpret_cast<void (*)()>(f), [](void (*g)(), void *p) -> R {
            return reinterpret_cast<R (*)(Problem &)>(g)(*static_cast<Problem *>(p));
          }};
}

template <class Problem> Hook<double> make_const_hook(double (*f)(const Problem &)) {
  return {reinterpret_cast<void (*)()>(f), [](void (*g)(), void *p) -> double {
            return reinterpret_cast<double (*)(const Problem &)>(g)(
                *static_cast<const Problem *>(p));
          }};
}

/// One registered step, baseline, rival, trap or demo. Its texts are literals.
struct Entry {
  std::string name;
  Kind kind = Kind::step;
  Hook<void> run;
  Hook<void> before;
  Hook<Verdict> check;
  Hook<double> bytes;
  Hook<double> flops;
  Ceiling ceiling = Ceiling::none;
  int fixed_block = 0; ///< not 0: the only block size it takes
  int timed_block = 0; ///< not 0: the block size it is timed with
  bool yardstick = false; ///< the last step is compared with it under the table
  bool aside = false; ///< beside the ladder, compared with no other step
  std::string_view skip_reason;
  std::string_view why; ///< what is wrong with a trap, what a demo shows
  Case exposed_by{};
  bool is_exposed = false; ///< somebody has said by what
  std::string_view hazard; ///< of a trap: what the instruments must find; empty: nothing
  bool may_be_right = false;
  int tries = 1;
  void (*demo)(Demo &) = nullptr;
  RecordedPart recorded;
};

/// Everything registered, and the functions that stand for the Problem type. What makes, copies and destroys its
/// members is compiled once, in ladder_run.cpp, and not in each chapter's main.
class LadderCore {
public:
  LadderCore(const char *chapter, const char *title);
  LadderCore(LadderCore &&);
  ~LadderCore();
  void set(const Sizes &sizes);
  void set(const Blocks &blocks);
  void set(const Recorded &recorded);

  std::string chapter;
  std::string title;
  Sizes sizes;
  Blocks blocks;
  Recorded recorded;
  Ceiling ceiling = Ceiling::none;
  Hook<double> bytes;
  Hook<double> flops;
  std::deque<Entry> entries; // a deque: references stay valid while steps are added

  void *(*create)(const Case &) = nullptr;
  void (*destroy)(void *) = nullptr;
  void (*prepare)(void *) = nullptr;
  Verdict (*check)(void *) = nullptr;
  void (*set_block)(void *, int) = nullptr;

  /// @throws Error when the name is taken: a name is also a key of the JSON file.
  Entry &add(Kind kind, const char *name);
  int main(int argc, char **argv);
};

} // namespace detail
} // namespace lab
