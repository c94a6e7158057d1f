/// @file
/// The command line that all chapters share.
#pragma once

#include "ladder/detail/ladder_core.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::detail {

/// What --l2 asked for.
enum class L2 { automatic, warm, cold };

/// The options of a chapter's program, checked.
struct Options {
  bool help = false;
  bool list = false;
  bool check_only = false;
  bool traps = false;
  bool hazards = false;
  bool n_given = false;
  std::size_t n = 0;
  std::string n_text; // as it was written
  Shape shape; // n x n, or what --n ROWSxCOLS asked for
  int block = 0; // 0: not given
  int reps = 0; // 0: not given
  double min_time_s = 0.0;
  std::optional<double> max_noise_percent, timeout_s;
  std::uint64_t seed = default_seed;
  L2 l2 = L2::automatic;
  std::string json;
  std::string counted_by; // the observed build of this program
  std::vector<std::string> only;
};

/// @throws UsageError with one line that says what is wrong and what would be right.
Options parse_options(int argc, char **argv, const LadderCore &ladder);

/// A whole number written as digits or as 2^k, in [low, high].
/// @throws UsageError naming `option`, the text and the range.
std::uint64_t parse_number(const std::string &option,
                           const std::string &text,
                           std::uint64_t low,
                           std::uint64_t high);

/// The entries --only and --traps ask for; without either: all steps, baselines and rivals.
///
/// A name may be given in full, by its number (v3), or by any beginning that only one entry has.
/// @throws UsageError listing what there is.
std::vector<const Entry *> select_entries(const LadderCore &ladder, const Options &options);

/// The text of --help.
std::string help_text(const LadderCore &ladder);

/// The text of --list: one line per entry, with its kind.
std::string list_text(const LadderCore &ladder);

/// What there is besides the table, in one line for people who have just seen it.
std::string more_text(const LadderCore &ladder);

} // namespace lab::detail
