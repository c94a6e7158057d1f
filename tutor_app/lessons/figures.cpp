#include "figures.hpp"

#include "arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tutor::lessons {
namespace {

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

/// What follows each number of a text that stands by itself: where it is, and how long.
template <class Action> void for_each_number(std::string_view text, const Action &action) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t length = number_length(text, at);
    if (length > 0 &&
        (at == 0 || !(is_word(text[at - 1]) ||
                      std::string_view("_.,^").find(text[at - 1]) != std::string_view::npos)))
      action(at, length);
    at += length;
  }
}

/// The numbers that the lesson's generated text shows: tables, evidence, outputs, values.
std::vector<Number> shown_numbers(const std::string &text, const std::vector<Block> &blocks) {
  std::vector<Number> numbers;
  for (const Block &block : blocks) {
    if (block.name == "diff" || block.name == "idea" || block.name == "explore" ||
        (block.name == "snippet" && block.arguments.find(".txt") == std::string::npos &&
         block.arguments.find("sass/") == std::string::npos))
      continue; // code's constants prove nothing
    const std::string_view body =
        std::string_view(text).substr(block.body_begin, block.body_end - block.body_begin);
    for_each_number(body, [&](std::size_t at, std::size_t length) {
      numbers.push_back(number_of(body.substr(at, length)));
      at += block.body_begin;
      std::size_t after = at + length;
      if (after == block.body_end && block.in_prose)
        after = text.find("-->", after) + 3;
      numbers.back().share = text.compare(after, 2, " %") == 0 || text[after] == '%' ||
                             heads_shares(column_of(text, at));
    });
  }
  return numbers;
}

/// The unit of a figure that begins `text`; nothing where none does.
std::string_view unit_of(std::string_view text) {
  static constexpr std::array names{"%",
                                    "ms",
                                    "µs",
                                    "ns",
                                    "seconds",
                                    "s",
                                    "TB/s",
                                    "GB/s",
                                    "MB/s",
                                    "TFLOP/s",
                                    "GFLOP/s",
                                    "cycles",
                                    "times",
                                    "x"};
  for (const std::string_view name : names)
    if (text.starts_with(name) && (name == "%" || name.size() == text.size() ||
                                   !(is_word(text[name.size()]) || text[name.size()] == '/')))
      return text.substr(0, name.size());
  return {};
}

std::vector<Figure> figures_of(const std::string &text) {
  static const std::array<std::string_view, 3> joins{" and ", " to ", " or "};
  std::vector<Figure> figures;
  std::size_t last = 0,
              last_end = 0; // the number before, which may share the unit: "0.3 and 0.6 ms"
  for_each_number(text, [&](std::size_t at, std::size_t length) {
    const std::string_view rest = std::string_view(text).substr(at + length);
    const bool spaced = rest.starts_with(' ');
    const std::string_view unit = unit_of(rest.substr(spaced ? 1 : 0));
    const std::string number = text.substr(at, length);
    const std::string_view next = rest.substr(spaced + unit.size());
    const bool factor =
        unit == "times" || unit == "x"; // "three times" may be a count, 2.1 x 10 a product
    const bool product = next.size() > 1 && next[0] == ' ' &&
                         (std::isdigit(static_cast<unsigned char>(next[1])) || next[1] == '(');
    if (!unit.empty() && !(factor && (product || number.find('.') == std::string::npos))) {
      const std::string with_unit = (spaced ? " " : "") + std::string(unit);
      figures.push_back({at, number, number + with_unit});
      const std::string between = text.substr(last_end, at - last_end);
      if (std::find(joins.begin(), joins.end(), between) != joins.end())
        figures.push_back({last,
                           text.substr(last, last_end - last),
                           text.substr(last, last_end - last) + with_unit});
    }
    last = at;
    last_end = at + length;
  });
  return figures;
}

constexpr std::array<std::string_view, 7> operations{" - ", " x ", "·", "−", "²", "³", "root"};

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

/// Not a lone number: "n = 7" states no arithmetic.
bool has_operation(std::string_view text) {
  return text.find_first_of("+/*^") != std::string_view::npos ||
         std::any_of(operations.begin(), operations.end(), [&](std::string_view sign) {
           return text.find(sign) != std::string_view::npos;
         });
}

std::vector<Equation> equations_of(const std::string &text) {
  std::vector<Equation> equations;
  for (std::size_t sign = text.find('='); sign != std::string::npos;
       sign = text.find('=', sign + 1)) {
    const auto left = before(text, sign), right = after(text, sign + 1);
    if (left && right && has_operation(left->first))
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
  static constexpr std::string_view begin = "<!-- note: figures of ";
  std::vector<Number> numbers;
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos; ++at) {
    const std::string_view note = std::string_view(text).substr(at, text.find("-->", at) - at);
    const std::size_t colon = note.find(": ", begin.size());
    if (colon == std::string_view::npos)
      continue;
    const std::string_view list = note.substr(colon);
    for_each_number(list, [&](std::size_t place, std::size_t length) {
      numbers.push_back(number_of(list.substr(place, length)));
    });
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
  std::vector<Unproven> unproven;
  for (const Equation &equation : equations_of(plain.text))
    if (!agree(equation.value, equation.stated))
      unproven.push_back({plain.from[equation.sign],
                          fmt::format("{}= {} does not come out", equation.left, equation.right)});
    else if (const std::size_t length = number_length(equation.right, 0))
      proven.push_back(number_of(std::string_view(equation.right).substr(0, length)));
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
