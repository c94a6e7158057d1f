#include "exercises/check_messages.hpp"

#include "exercises/diagnoses.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <utility>

namespace tutor {
namespace {

std::vector<std::string> fields_of(std::string_view packet) {
  std::vector<std::string> fields(1);
  for (std::size_t at = 0; at < packet.size(); ++at) {
    if (packet[at] == '\t') {
      fields.emplace_back();
    } else if (packet[at] == '\\' && at + 1 < packet.size()) {
      char c = packet[++at];
      fields.back() += c == 't' ? '\t' : c == 'n' ? '\n' : c;
    } else {
      fields.back() += packet[at];
    }
  }
  return fields;
}

/// \param axes  becomes how many there are
std::array<unsigned, 3> triple(const std::string &text, int &axes) {
  std::array<unsigned, 3> v{};
  axes = std::max(1, std::sscanf(text.c_str(), "%u,%u,%u", &v[0], &v[1], &v[2]));
  return v;
}

/// What goes wrong with no elements is seldom the whole mistake: any other case tells more of it.
bool is_of_nothing(const std::string &message) {
  static const std::regex nothing(
      "(^|[^a-z])(no (elements?|numbers?|points?|values?|rows?|columns?|ints?|floats?|tiles?|"
      "bytes?|jobs?|words?)|0 x|n = 0)([^a-z]|$)");
  return std::regex_search(message.substr(0, message.find(": ")), nothing);
}

/// A terminal obeys what a program could put into a name; it gets no control characters.
void make_harmless(std::string &text) {
  for (char &c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f ? '?' : c;
  }
}

/// Advice names the chapter that teaches what it says: of no use to those who have not come so far.
void forget_later_chapters(std::string &text, int chapter) {
  if (text.find(" (chapter") == std::string::npos) {
    return; // nearly always, and an expression takes its time over a long text
  }
  static const std::regex named(R"( \(chapters? (\d\d)(?: and (\d\d))?\))");
  std::smatch found;
  std::string kept;
  for (; std::regex_search(text, found, named); text = found.suffix()) {
    const int first = std::stoi(found[1]), last = found[2].matched ? std::stoi(found[2]) : first;
    kept += found.prefix().str() + (last > chapter ? "" : found.str());
  }
  text = kept + text;
}

} // namespace

bool CheckMessages::take(std::string_view packet) {
  if (!packet.starts_with(nonce_ + "\t")) {
    return false;
  }
  std::vector<std::string> fields = fields_of(packet.substr(nonce_.size() + 1));
  for (std::string &field : fields) {
    make_harmless(field);
    forget_later_chapters(field, chapter_);
  }
  std::string kind = fields.front();
  fields.resize(std::max<std::size_t>(fields.size(), 13));
  if (kind == "case_begin") {
    running_case_ = fields[1];
    thrown_ = false;
  } else if (kind == "case_end" && keep(packet.size())) {
    cases_.push_back({fields[1],
                      fields[2] == "1",
                      (thrown_ ? thrown_text : "") + fields[3],
                      std::exchange(case_diagnosis_, {}),
                      std::exchange(case_of_numbers_, false)});
    running_case_.clear();
  } else if (kind == "fail") {
    thrown_ = thrown_ || fields[1] == "exception";
    case_diagnosis_ = fields[1];
    case_of_numbers_ = fields[7] == "result";
    if (tells_more(fields)) {
      failure_places_.clear();
      failure_ = fields[1];
      failure_basis_ = fields[7];
      failure_message_ = (thrown_ ? thrown_text : "") + fields[2];
      note_place(failure_places_, fields[3], fields[4], "", "");
      if (fields[5] == "kernel") {
        picture_ = fields[6];
        for (Place &place : failure_places_) {
          place.by = Doer::kernel;
          place.what = fields[8];
        }
      }
    }
  } else if (kind == "picture" && keep(packet.size())) {
    picture_svg_ += fields[1];
  } else if (kind == "hazard" && hazard_.empty() &&
             (failure_basis_ != "stated" || failure_ == "wrong_result" ||
              is_of_nothing(failure_message_))) {
    take_hazard(fields);
  } else if (kind == "counter" && (counters_.contains(fields[1]) || keep(packet.size()))) {
    counters_[fields[1]] = std::strtod(fields[2].c_str(), nullptr);
  } else if (kind == "inputs" && keep(packet.size())) {
    inputs_ = names_in(fields[1]);
    inputs_missing_ = names_in(fields[2]);
  } else if (kind == "note" && std::ranges::find(notes_, fields[1]) == notes_.end() &&
             keep(packet.size())) {
    notes_.push_back(fields[1]);
  } else if (kind == "protocol") {
    lie_ = fields[1];
  } else if (kind == "too_much") {
    too_much_ = fields[1];
  } else if (kind == "other_build") {
    other_build_ = true;
  } else if (kind == "end") {
    counted_cases_ = std::strtoul(fields[1].c_str(), nullptr, 10);
    counted_failures_ = std::strtoul(fields[2].c_str(), nullptr, 10);
    finished_ = true;
    return fields[3].empty(); // else more may follow
  }
  return false;
}

bool CheckMessages::tells_more(const std::vector<std::string> &fields) const {
  if (fields[2].starts_with("not tried: ")) {
    return failure_.empty();
  }
  if (failure_.empty() || is_of_nothing(failure_message_) != is_of_nothing(fields[2])) {
    return failure_.empty() || is_of_nothing(failure_message_);
  }
  const bool both_results = failure_basis_ == "result" && fields[7] == "result";
  // These only say which numbers are wrong, as other mismatches say what all look like.
  static const Names bare = names_in("wrong_result left_at_zero misplaced partly_written "
                                     "too_little_added too_much_added wrong_at_the_end");
  return both_results && bare.contains(failure_) && fields[1] != "wrong_result" &&
         !mismatch_diagnoses().contains(fields[1]);
}

bool CheckMessages::keep(std::size_t bytes) {
  constexpr std::size_t most = 256 << 10;
  kept_bytes_ = std::min(kept_bytes_ + bytes, most + 1);
  return kept_bytes_ <= most;
}

void CheckMessages::take_hazard(const std::vector<std::string> &fields) {
  hazard_ = fields[1];
  hazard_message_ = fields[2];
  for (std::size_t side = 3; side <= 7; side += 4) {
    const std::size_t before = hazard_places_.size();
    note_place(hazard_places_, fields[side], fields[side + 1], fields[side + 2], fields[side + 3]);
    if (hazard_places_.size() > before) {
      hazard_places_.back().what = fields[side == 3 ? 11 : 12];
    }
  }
}

void CheckMessages::note_place(std::vector<Place> &places,
                               const std::string &path,
                               const std::string &number,
                               const std::string &thread,
                               const std::string &block) const {
  const std::string file = fs::path(path).filename().string();
  const int line = std::atoi(number.c_str());
  if (line > 0 && file == file_name_) {
    Place &place = places.emplace_back();
    place.file = file;
    place.line = line;
    place.thread = triple(thread, place.thread_axes);
    place.block = triple(block, place.block_axes);
    place.by = thread.empty() ? Doer::host : Doer::thread;
  }
}

bool CheckMessages::complete() const {
  return finished_ && counted_cases_ > 0 && cases_.size() == counted_cases_ &&
         counted_failures_ == failed_cases();
}

std::size_t CheckMessages::failed_cases() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cases_, [](const CaseResult &c) { return !c.passed; }));
}

void CheckMessages::tell(Result &result) const {
  result.cases = cases_;
  result.counters = counters_;
  result.inputs = inputs_;
  result.inputs_missing = inputs_missing_;
  if (!hazard_.empty()) {
    result.judge(Verdict::hazard, hazard_, hazard_message_);
    result.where = hazard_places_;
  } else if (!failure_.empty()) {
    result.judge(Verdict::fail, failure_, failure_message_);
    result.where = failure_places_;
    result.picture = picture_;
    result.picture_svg = picture_svg_;
  } else if (result.verdict == Verdict::pass) {
    for (const std::string &note : notes_) {
      result.message += (result.message.empty() ? "" : "\n") + note;
    }
  }
}

} // namespace tutor
