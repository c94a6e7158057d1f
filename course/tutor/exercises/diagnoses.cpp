#include "exercises/diagnoses.hpp"

#include "base/files.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace tutor {
namespace {

/// The call that a place in a source is an argument of, and which one.
struct Argument {
  std::string_view function;
  std::size_t number = 0;
};

Argument argument_at(std::string_view before) {
  Argument found;
  int depth = 0;
  for (std::size_t i = before.size(); i-- > 0;) {
    const char c = before[i];
    if (c == ')' || c == ']' || c == '}') {
      ++depth;
    } else if (c == '(' || c == '[' || c == '{') {
      if (depth-- > 0) {
        continue;
      }
      std::size_t begin = i;
      while (begin > 0 && is_of_word(before[begin - 1])) {
        --begin;
      }
      found.function = before.substr(begin, i - begin);
      return found;
    } else if (depth == 0 && c == ';') {
      return {};
    } else if (depth == 0 && c == ',') {
      ++found.number;
    }
  }
  return {};
}

/// Whether a text in quotes behind this is the diagnosis that a checker offers.
bool is_diagnosis(std::string_view before) {
  static const std::map<std::string_view, std::size_t> places{{"diagnose", 0},
                                                              {"end_case", 0},
                                                              {"note_failure", 0},
                                                              {"expect", 1},
                                                              {"expect_at_most", 3},
                                                              {"expect_at_least", 3},
                                                              {"expect_cost_at_most", 3}};
  const Argument argument = argument_at(before);
  const auto place = places.find(argument.function);
  return place != places.end() && place->second == argument.number;
}

/// Reads a checker's source and what it includes, as far as that is the exercises' or the checker
/// library's own.
class Sources {
public:
  /// @param library  of what checkers include; empty: what they include is not read
  Sources(fs::path library, Names &words) : library_(std::move(library)), words_(words) {}

  void read(const fs::path &file) {
    if (!fs::is_regular_file(file) || !seen_.insert(file.lexically_normal()).second) {
      return;
    }
    const std::string text = read_file(file);
    for (std::size_t begin = 0; (begin = text.find('"', begin)) != std::string::npos;) {
      std::size_t end = begin + 1;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      if (end >= text.size() || text[end] == '\n') { // one of a comment, or a character
        ++begin;
        continue;
      }
      const std::string quoted = text.substr(begin + 1, end - begin - 1);
      const std::string_view before = std::string_view(text).substr(0, begin);
      if (before.ends_with("#include ")) {
        include(quoted, file);
      } else if (!quoted.empty() && std::ranges::all_of(quoted, is_of_word) &&
                 is_diagnosis(before)) {
        words_.insert(quoted);
      }
      begin = end + 1;
    }
  }

private:
  void include(const std::string &name, const fs::path &from) {
    if (library_.empty()) {
      return;
    }
    read(from.parent_path() / name);
    if (name != "checker/checker.hpp") { // says what is common to all
      read(library_ / name);
      read((library_ / name).replace_extension(".cu"));
    }
  }

  fs::path library_;
  Names &words_;
  std::set<fs::path> seen_;
};

} // namespace

const Names &mismatch_diagnoses() {
  static const Names all = names_in(
      "added_several_times all_zero backwards bounds_changed_about bytes_forgotten divided "
      "first_block_only left_at_zero misplaced multiplied neighbour_left "
      "neighbour_right none_of_them nothing_written off_by_constant off_by_one "
      "one_left_out one_number one_round_only one_thread_wrong one_too_many one_twice "
      "partly_written "
      "reaches_no_further right_in_first_block rounded_otherwise same_part_wrong tail_not_added "
      "tail_not_written too_little_added too_much_added turned wrong_at_the_end");
  return all;
}

const Names &common_diagnoses() {
  static const std::string of_the_instruments =
      "absent_lanes deadlock device_pointer_on_host divergent_barrier division_by_zero "
      "endless_loop exited_at_barrier first_look global_race host_pointer host_race "
      "invalid_barrier "
      "invalid_cluster_barrier invalid_rank invalid_shuffle invalid_tensor_map leak "
      "local_pointer misaligned misplaced_box nccl_mismatch out_of_bounds peer_exited "
      "peer_not_started stale_read other_rank "
      "peer_pointer "
      "same_value_race shadow_used "
      "shared_race stack_overflow stream_race undefined_shift uninitialised unobserved "
      "use_after_free ";
  static const std::string of_the_checker_library =
      "active_mask came_between cuda_error exception idle_lanes idle_warps impossible_bandwidth "
      "out_of_memory "
      "slow slow_elsewhere through_shared worked_on_the_host wrong_result ";
  static const std::string of_the_tutor =
      "compile_error crash ended_early forbidden_call link_error output_limit time_limit";
  static const Names all = [] {
    Names names = names_in(of_the_instruments + of_the_checker_library + of_the_tutor);
    names.insert(mismatch_diagnoses().begin(), mismatch_diagnoses().end());
    return names;
  }();
  return all;
}

Names checker_diagnoses(const Exercise &exercise) {
  Names own;
  Sources(exercise.root / "course" / "grading", own).read(exercise.checker);
  return own;
}

Names own_diagnoses(const Exercise &exercise) {
  Names own;
  Sources({}, own).read(exercise.checker);
  return own;
}

} // namespace tutor
