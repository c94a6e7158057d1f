#include "exercises/wording.hpp"

#include "base/diff.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>

namespace tutor {
namespace {

bool finds(const std::string &text, const char *pattern) {
  return std::regex_search(text, std::regex(pattern));
}

/// The lines of `source`, from 1, that stand in a kernel or a device function.
std::set<int> device_lines(std::string_view source) {
  std::set<int> lines;
  int line = 0, depth = 0;
  bool begun = false, inside = false;
  for (const std::string &text : split(source, '\n')) {
    ++line;
    begun = begun || (depth == 0 && (text.find("__global__") != text.npos ||
                                     text.find("__device__") != text.npos));
    for (const char c : text) {
      inside = inside || (begun && c == '{');
      depth += (c == '{') - (c == '}');
      begun = begun && c != ';' && c != '{';
    }
    if (inside) {
      lines.insert(line);
    }
    inside = inside && depth > 0;
  }
  return lines;
}

/// The part of a message that says what to try.
std::string advice_in(const std::string &message) {
  const std::size_t at = message.find("Try: ");
  return at == std::string::npos ? "" : message.substr(at);
}

/// Pieces of code in a text: what stands between backticks, and calls.
std::vector<std::string> code_in(const std::string &text) {
  static const std::regex code("`([^`]+)`|\\b([A-Za-z_]\\w*\\(\\))");
  std::vector<std::string> found;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), code); i != std::sregex_iterator();
       ++i) {
    found.push_back((*i)[1].matched ? (*i)[1].str() : (*i)[2].str());
  }
  return found;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

/// Whether a line between the two places has the call that the advice would put there.
bool stands_between(const Result &result, std::string_view source, const std::string &call) {
  if (result.where.size() < 2) {
    return false;
  }
  const auto [first, last] = std::minmax(result.where[0].line, result.where[1].line);
  const std::vector<std::string> lines = split(source, '\n');
  for (int line = first + 1; line < last && static_cast<std::size_t>(line) <= lines.size();
       ++line) {
    if (lines[static_cast<std::size_t>(line) - 1].find(call) != std::string::npos) {
      return true;
    }
  }
  return false;
}

class Rules {
public:
  Rules(const Card &card, const Result &result, std::string_view source)
      : card_(card), result_(result), source_(source), message_(result.message) {}

  std::vector<std::string> faults() {
    of_figures();
    of_words();
    of_advice();
    of_places();
    return std::move(faults_);
  }

private:
  void forbid(bool broken, const char *rule) {
    if (broken) {
      faults_.emplace_back(rule);
    }
  }

  void of_figures() {
    forbid(finds(message_, R"((^|[^A-Za-z_`\d])-?(nan|inf)\b)"),
           "'nan' and 'inf' are C's words: say NaN, infinity, or that nothing was written");
    forbid(finds(message_, R"(0x[cC][dD][cC][dD]|\b34528\d{5}\b|-8421\d{5}\b)"),
           "the poison of a buffer stands in it: say that nothing was written");
    forbid(finds(message_, R"(elements? of \d+ bytes)"),
           "elements are counted by what an access takes: the declared type's, or bytes");
    forbid(
        finds(message_, R"(\b1 (bytes|elements|threads|lanes|(block|kernel|word)s? (are|have))\b)"),
        "one of a thing is no plural");
  }

  void of_words() {
    forbid(finds(message_, R"((^|: )([^:]+): \2: )"), "a prefix stands twice");
    forbid(finds(message_, R"([.;:,?] ?[.;,]|  |^$)"), "there is a hole in the sentence");
    forbid(message_.find("emu::") != std::string::npos, "a name of the emulator's stands in it");
  }

  void of_advice() {
    const std::string advice = advice_in(message_), program = without_blanks(std::string(source_));
    for (const std::string &code : code_in(advice)) {
      const bool expression = code.find_first_of("<>=") != std::string::npos;
      forbid(expression && program.find(without_blanks(code)) != std::string::npos,
             "what it says to try stands in the file already");
    }
    forbid(finds(advice, R"(__syncthreads\(\) between the two)") &&
               stands_between(result_, source_, "__syncthreads()"),
           "there is a __syncthreads() between the two lines already");
    for (const Hint &hint : card_.hints) {
      for (const std::string &code : code_in(advice)) {
        for (const char *no : {"no ", "not ", "without ", "instead of "}) {
          forbid((hint.when.empty() || hint.when == result_.diagnosis) &&
                     hint.text.find(no + code) != std::string::npos,
                 "a hint says the contrary of what it says to try");
        }
      }
    }
  }

  void of_places() {
    const std::set<int> of_kernels = device_lines(source_);
    std::set<int> shapes;
    for (const Place &place : result_.where) {
      forbid(place.by == Doer::host && of_kernels.contains(place.line),
             "a kernel's line is called one of host code");
      if (place.by == Doer::thread) {
        shapes.insert(place.thread_axes);
      }
    }
    forbid(finds(message_, R"(thread \d)") && finds(message_, R"(thread \()"),
           "threads are named in two styles");
    forbid(shapes.size() > 1, "threads are named in two styles");
  }

  const Card &card_;
  const Result &result_;
  std::string_view source_;
  const std::string &message_;
  std::vector<std::string> faults_;
};

} // namespace

std::vector<std::string>
wording_faults(const Card &card, const Result &result, std::string_view source) {
  if (result.verdict == Verdict::pass || result.verdict == Verdict::build_error) {
    return {};
  }
  return Rules(card, result, source).faults();
}

} // namespace tutor
