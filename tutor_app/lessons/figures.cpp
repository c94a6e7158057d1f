#include "figures.hpp"

#include "arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <regex>

namespace tutor::lessons {
namespace {

const std::string number_pattern = R"([0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)";

/// A figure of the prose: where it stands in the readable text, and as it is written.
struct Figure {
  std::size_t position;
  std::string number;
  std::string shown;
};

/// The author's text without the marks around values, and where each letter comes from.
struct Readable {
  std::string text;
  std::vector<std::size_t> from;
  std::vector<bool> generated;
};

Readable
readable(const std::string &text, const std::string &prose, const std::vector<Block> &blocks) {
  Readable plain;
  std::size_t at = 0;
  const auto append = [&](const std::string &source, std::size_t end, bool generated) {
    for (; at < end; ++at) {
      plain.text += source[at] == '\n' ? ' ' : source[at];
      plain.from.push_back(at);
      plain.generated.push_back(generated);
    }
  };
  for (const Block &block : blocks)
    if (block.in_prose) {
      append(prose, text.rfind("<!--", block.body_begin), false);
      at = block.body_begin;
      append(text, block.body_end, true);
      at = text.find("-->", at) + 3;
    }
  append(prose, prose.size(), false);
  return plain;
}

/// The heading of the table's column in which `at` stands; empty outside of tables.
std::string column_of(const std::string &text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1;
  if (text[line] != '|')
    return "";
  const auto column = std::count(text.begin() + static_cast<std::ptrdiff_t>(line),
                                 text.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                 '|');
  const std::size_t first = text.rfind("\n\n", line) + 2;
  std::size_t begin = first;
  for (auto bar = column; bar > 0 && begin < line; --bar)
    begin = text.find('|', begin) + 1;
  return text.substr(begin, text.find_first_of("|\n", begin) - begin);
}

/// "% of ceiling", but not "spread, ± %".
bool heads_shares(const std::string &column) {
  return column.find('%') != std::string::npos && column.find("±") == std::string::npos;
}

/// The numbers that the lesson's generated text shows: tables, evidence, outputs, values.
std::vector<Number> shown_numbers(const std::string &text, const std::vector<Block> &blocks) {
  static const std::regex number("(?:^|[^0-9A-Za-z_.])(" + number_pattern + ")(?![0-9])");
  std::vector<Number> numbers;
  for (const Block &block : blocks) {
    if (block.name == "diff" || block.name == "idea" || block.name == "explore" ||
        (block.name == "snippet" && block.arguments.find(".txt") == std::string::npos &&
         block.arguments.find("sass/") == std::string::npos))
      continue; // code's constants prove nothing
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(block.body_begin);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(block.body_end);
    for (std::sregex_iterator found(begin, end, number), last; found != last; ++found) {
      const std::size_t at = block.body_begin + static_cast<std::size_t>(found->position());
      std::size_t after = at + static_cast<std::size_t>(found->length());
      if (after == block.body_end && block.in_prose)
        after = text.find("-->", after) + 3;
      numbers.push_back(number_of((*found)[1].str()));
      numbers.back().share = text.compare(after, 2, " %") == 0 || text[after] == '%' ||
                             heads_shares(column_of(text, at));
    }
  }
  return numbers;
}

std::vector<Figure> figures_of(const std::string &text) {
  static const std::regex figure(
      "(?:^|[^0-9A-Za-z_.^,])((" + number_pattern +
      ") ?(?:%|(?:ms|µs|ns|s|seconds|TB/s|GB/s|MB/s|TFLOP/s|GFLOP/s|cycles|(times|x)(?! "
      "[0-9(]))(?![A-Za-z0-9/])))");
  static const std::regex listed("(?:^|[^0-9A-Za-z_.^,])(" + number_pattern +
                                 ")(?: and | to | or )$");
  std::vector<Figure> figures;
  for (std::sregex_iterator found(text.begin(), text.end(), figure), last; found != last; ++found) {
    const std::string shown = (*found)[1], number = (*found)[2];
    if ((*found)[3].matched && number.find('.') == std::string::npos)
      continue; // "three times" may be a count
    std::size_t at = static_cast<std::size_t>(found->position(1));
    figures.push_back({at, number, shown});
    for (std::smatch before;;) { // "15.6, 15.7 and 18.3 ms"
      const std::size_t from = at > 24 ? at - 24 : 0;
      const std::string left = text.substr(from, at - from);
      if (!std::regex_search(left, before, listed))
        break;
      at = from + static_cast<std::size_t>(before.position(1));
      figures.push_back({at, before[1], before[1].str() + shown.substr(number.size())});
    }
  }
  return figures;
}

struct Equation {
  std::size_t sign; ///< where its "=" stands
  std::string left, right;
  Interval value;
  Interval stated;
};

/// The longest arithmetic that ends at `end`, and the longest that begins at `begin`.
std::optional<std::pair<std::string, Interval>> before(const std::string &text, std::size_t end) {
  std::optional<std::pair<std::string, Interval>> longest;
  for (std::size_t begin = end; begin-- > 0 && end - begin < 160;) {
    const char c = text[begin];
    if (c == '=' || c == '|' || c == ';' || ((c == '.' || c == ':') && text[begin + 1] == ' '))
      break;
    if ((std::isdigit(static_cast<unsigned char>(c)) || c == '(' ||
         text.compare(begin, 15, "the square root") == 0) &&
        (begin == 0 || text[begin - 1] == ' ' || text[begin - 1] == '(' || text[begin - 1] == '['))
      if (const auto value = value_of(std::string_view(text).substr(begin, end - begin)))
        longest = {text.substr(begin, end - begin), *value};
  }
  return longest;
}

std::optional<std::pair<std::string, Interval>> after(const std::string &text, std::size_t begin) {
  std::optional<std::pair<std::string, Interval>> longest;
  while (begin < text.size() && text[begin] == ' ')
    ++begin;
  for (const std::string_view word : {"about ", "some "})
    if (text.compare(begin, word.size(), word) == 0)
      begin += word.size();
  for (std::size_t end = begin + 1; end <= text.size() && end - begin < 80; ++end) {
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    if (part.back() == '=' || part.back() == '|')
      break;
    const bool number = std::isdigit(static_cast<unsigned char>(part.back())) || part.back() == ')';
    const bool unit = std::any_of(
        units.begin(), units.end(), [&](const Unit &known) { return part.ends_with(known.name); });
    if ((number || unit) && (end == text.size() || !is_word(text[end])))
      if (const auto value = value_of(part, true))
        longest = {std::string(part), *value};
  }
  return longest;
}

std::vector<Equation> equations_of(const std::string &text) {
  std::vector<Equation> equations;
  for (std::size_t sign = text.find('='); sign != std::string::npos;
       sign = text.find('=', sign + 1)) {
    const auto left = before(text, sign), right = after(text, sign + 1);
    static const std::regex operation("[0-9)A-Za-z%²] ?[-+/x·*−] ?[(0-9]|[0-9][²³^]|root");
    if (left && right && std::regex_search(left->first, operation))
      equations.push_back({sign, left->first, right->first, left->second, right->second});
  }
  return equations;
}

/// Whether both can be the same; a factor of a thousand is a unit that was left out.
bool agree(const Interval &left, const Interval &right) {
  for (double factor = 1e-15; factor < 1e16; factor *= 1000)
    if (left.low * factor <= right.high * (1 + 1e-9) &&
        right.low <= left.high * factor * (1 + 1e-9))
      return true;
  return false;
}

/// The figures that notes declare: "<!-- note: figures of SOURCE: 4.8 TB/s, 1008 GB/s -->".
std::vector<Number> declared_numbers(const std::string &text) {
  static const std::regex note("<!-- note: figures of [^:\n]{3,}: ([^\n]*?) -->");
  static const std::regex number(number_pattern);
  std::vector<Number> numbers;
  for (std::sregex_iterator found(text.begin(), text.end(), note), last; found != last; ++found) {
    const std::string list = (*found)[1];
    for (std::sregex_iterator each(list.begin(), list.end(), number); each != last; ++each)
      numbers.push_back(number_of(each->str()));
  }
  return numbers;
}

} // namespace

std::vector<Unproven> unproven_figures(const std::string &text,
                                       const std::string &prose,
                                       const std::vector<Block> &blocks) {
  const Readable plain = readable(text, prose, blocks);
  std::vector<Number> proven = shown_numbers(text, blocks);
  for (const Number &number : declared_numbers(text))
    proven.push_back(number);
  static const std::regex first_number(number_pattern);
  std::vector<Unproven> unproven;
  for (const Equation &equation : equations_of(plain.text))
    if (!agree(equation.value, equation.stated))
      unproven.push_back({plain.from[equation.sign],
                          fmt::format("{}= {} does not come out", equation.left, equation.right)});
    else if (std::smatch outcome; std::regex_search(equation.right, outcome, first_number))
      proven.push_back(number_of(outcome.str()));
  for (const Figure &figure : figures_of(plain.text)) {
    const Number wanted = number_of(figure.number, true);
    if (plain.generated[figure.position] ||
        std::any_of(proven.begin(), proven.end(), [&](const Number &number) {
          const bool same = std::abs(number.value - wanted.value) <= wanted.half * (1 + 1e-9);
          const bool rest = std::abs(100 - number.value - wanted.value) <= wanted.half * (1 + 1e-9);
          return figure.shown.ends_with('%') ? number.share && (same || rest) : same;
        }))
      continue;
    unproven.push_back(
        {plain.from[figure.position],
         fmt::format("'{}' is shown by nothing generated in this lesson: take it "
                     "from a recorded file by a value, show the arithmetic, or say whose it is",
                     figure.shown)});
  }
  return unproven;
}

} // namespace tutor::lessons
