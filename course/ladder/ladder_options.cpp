#include "ladder/detail/ladder_options.hpp"

#include "common/check.hpp"
#include "common/device.hpp"
#include "ladder/detail/ladder_result.hpp"
#include "ladder/observe.hpp"

#include <algorithm>
#include <charconv>

namespace lab::detail {
namespace {

[[noreturn]] void
refuse(const std::string &option, const std::string &text, const std::string &wanted) {
  throw UsageError(option + " takes " + wanted + ", not \"" + text + "\"");
}

// Digits only: no sign, no space, no exponent. False when it does not fit 64 bits, too.
bool parse_digits(const std::string &text, std::uint64_t &value) {
  if (text.empty())
    return false;
  value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    const std::uint64_t digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  return true;
}

// Digits or 2^k, in [low, high].
bool read_number(const std::string &text,
                 std::uint64_t low,
                 std::uint64_t high,
                 std::uint64_t &value) {
  std::uint64_t exponent = 0;
  bool good = parse_digits(text, value);
  if (text.starts_with("2^") && parse_digits(text.substr(2), exponent) && exponent < 64) {
    value = std::uint64_t{1} << exponent;
    good = true;
  }
  return good && value >= low && value <= high;
}

// Digits, perhaps with a decimal point, up to `high`.
double parse_decimal(const std::string &option, const std::string &text, double high) {
  double value = 0.0;
  const char *end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || read_to != end || !(value >= 0.0 && value <= high))
    refuse(option, text, "a number from 0 to " + std::to_string(static_cast<int>(high)));
  return value;
}

// "1023x1025", or "1024" for a square.
Shape parse_shape(const std::string &option, const std::string &text, std::uint64_t largest) {
  const auto times = text.find('x');
  std::uint64_t rows = 0, cols = 0;
  bool good = read_number(text.substr(0, times), 0, largest, rows);
  if (times == std::string::npos)
    cols = rows;
  else
    good = good && read_number(text.substr(times + 1), 0, largest, cols);
  if (!good)
    refuse(option, text, "an edge or ROWSxCOLS, each from 0 to " + std::to_string(largest));
  return {rows, cols};
}

std::string names(const std::vector<const Entry *> &entries) {
  std::string text;
  for (const Entry *entry : entries)
    text += (text.empty() ? "" : ", ") + entry->name;
  return text;
}

const Entry &find_entry(const LadderCore &ladder, const std::string &wanted) {
  std::vector<const Entry *> numbered, begins, all;
  for (const Entry &entry : ladder.entries) {
    if (entry.name == wanted)
      return entry;
    if (entry.name.starts_with(wanted + "_"))
      numbered.push_back(&entry);
    if (!wanted.empty() && entry.name.starts_with(wanted))
      begins.push_back(&entry);
    all.push_back(&entry);
  }
  if (numbered.size() == 1)
    return *numbered[0];
  if (begins.size() == 1)
    return *begins[0];
  if (begins.empty())
    throw UsageError("--only " + wanted + ": no such step; there are " + names(all));
  throw UsageError("--only " + wanted + " could mean any of " + names(begins));
}

} // namespace

std::uint64_t parse_number(const std::string &option,
                           const std::string &text,
                           std::uint64_t low,
                           std::uint64_t high) {
  std::uint64_t value = 0;
  if (!read_number(text, low, high, value))
    refuse(
        option, text, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return value;
}

Options parse_options(int argc, char **argv, const LadderCore &ladder) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    std::string attached;
    bool has_attached = false;
    if (const auto equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
      attached = name.substr(equals + 1);
      name.resize(equals);
      has_attached = true;
    }
    const auto value = [&]() -> std::string {
      if (has_attached)
        return attached;
      if (i + 1 >= argc)
        throw UsageError(name + " needs a value; --help shows all options");
      return argv[++i];
    };
    const auto flag = [&](bool &target) {
      if (has_attached)
        throw UsageError(name + " takes no value");
      target = true;
    };
    if (name == "--help" || name == "-h") {
      flag(options.help);
    } else if (name == "--list") {
      flag(options.list);
    } else if (name == "--check-only") {
      flag(options.check_only);
    } else if (name == "--traps") {
      flag(options.traps);
    } else if (name == "--hazards" && can_observe()) {
      flag(options.hazards);
    } else if (name == "--n") {
      const std::size_t largest = ladder.sizes.largest;
      options.n_text = value();
      if (ladder.sizes.shapes.empty()) {
        options.n = parse_number(name, options.n_text, 0, largest);
        options.shape = {options.n, options.n};
      } else {
        options.shape = parse_shape(name, options.n_text, largest);
        options.n = options.shape.square() ? options.shape.rows : 0;
      }
      options.n_given = true;
    } else if (name == "--reps") {
      options.reps = static_cast<int>(parse_number(name, value(), 1, 100000));
    } else if (name == "--min-time") {
      options.min_time_s = parse_decimal(name, value(), 3600);
    } else if (name == "--max-noise") {
      options.max_noise_percent = parse_decimal(name, value(), 1000);
    } else if (name == "--timeout") {
      options.timeout_s = parse_decimal(name, value(), 3600);
    } else if (name == "--seed") {
      options.seed = parse_number(name, value(), 0, UINT64_MAX);
    } else if (name == "--block" && !ladder.blocks.check.empty()) {
      const std::string text = value();
      const auto &sizes = ladder.blocks.check;
      std::string wanted;
      for (int size : sizes) {
        wanted += (wanted.empty() ? "one of " : ", ") + std::to_string(size);
        if (text == std::to_string(size))
          options.block = size;
      }
      if (options.block == 0)
        refuse(name, text, wanted);
    } else if (name == "--l2") {
      const std::string text = value();
      if (text != "warm" && text != "cold")
        refuse(name, text, "warm or cold");
      options.l2 = text == "warm" ? L2::warm : L2::cold;
    } else if (name == "--json") {
      options.json = value();
      if (options.json.empty())
        refuse(name, "", "the name of a file");
    } else if (name == "--counted-by" && on_emulator()) {
      options.counted_by = value();
    } else if (name == "--only") {
      options.only.push_back(value());
    } else {
      throw UsageError("unknown option " + name + "; --help shows what there is");
    }
  }
  return options;
}

std::vector<const Entry *> select_entries(const LadderCore &ladder, const Options &options) {
  std::vector<const Entry *> selected;
  for (const std::string &wanted : options.only) {
    const Entry *entry = &find_entry(ladder, wanted);
    if (std::find(selected.begin(), selected.end(), entry) == selected.end())
      selected.push_back(entry);
  }
  if (options.traps)
    for (const Entry &entry : ladder.entries)
      if (entry.kind == Kind::trap)
        selected.push_back(&entry);
  if (options.only.empty() && !options.traps)
    for (const Entry &entry : ladder.entries)
      if (entry.kind != Kind::trap && (entry.kind != Kind::demo || options.check_only))
        selected.push_back(&entry);
  // Rivals last, whatever the order of registration or of the options.
  std::vector<const Entry *> rivals;
  for (const Entry *entry : selected)
    if (entry->kind == Kind::rival)
      rivals.push_back(entry);
  std::erase_if(selected, [](const Entry *entry) { return entry->kind == Kind::rival; });
  selected.insert(selected.end(), rivals.begin(), rivals.end());
  return selected;
}

std::string help_text(const LadderCore &ladder) {
  const std::size_t standard = on_emulator() ? ladder.sizes.emulator : ladder.sizes.gpu;
  const std::string rectangles = ladder.sizes.shapes.empty() ? "" : ", or ROWSxCOLS";
  std::string text = ladder.chapter + ": " + ladder.title + "\n\n";
  text += "Verifies every step against the host, then times them and prints a table.\n\n"
          "  --n N         size of the steps, also written 2^28" +
          rectangles + " (default " + std::to_string(standard) +
          ");\n"
          "                traps, and most demos, have sizes of their own\n"
          "  --only STEP   this step alone: v3, or any beginning of a name; may be repeated\n"
          "  --traps       the mistakes, shown to be wrong\n"
          "  --list        the names of all steps, traps and demos; with --json, what is recorded\n"
          "                of each\n"
          "  --check-only  verify and time nothing (with --n: at that size only)\n";
  if (!ladder.blocks.check.empty())
    text += "  --block B     threads per block for the timed runs (default " +
            std::to_string(ladder.blocks.timed) + ")\n";
  text += "  --reps R      timed runs of each step, or a multiple where that is too few for:\n"
          "  --min-time S  seconds that they take together (default 0)\n"
          "  --max-noise P how much they may spread, in percent (default " +
          std::string(on_emulator() ? "any" : "5") +
          ")\n"
          "  --timeout S   seconds after which a step gets no more runs (default 1, or twice the\n"
          "                --min-time)\n"
          "  --l2 HOW      warm or cold: what the cache holds before each timed run (default:\n"
          "                cold where the data might fit the L2)\n"
          "  --seed S      of the random input (default " +
          std::to_string(default_seed) +
          ")\n"
          "  --json FILE   writes what was measured\n";
  if (on_emulator())
    text += "  --counted-by PROGRAM   the observed build of this program, for the counts in the "
            "table\n"
            "                (./tutor run builds and names it)\n";
  text += "  --help        this text\n\n"
          "Exit code: 0 all right, 1 a step is wrong, 2 wrong usage, 3 no usable device.\n";
  return text;
}

std::string list_text(const LadderCore &ladder) {
  std::size_t width = 0;
  for (const Entry &entry : ladder.entries)
    width = std::max(width, entry.name.size());
  std::string text;
  for (const Entry &entry : ladder.entries) {
    text += entry.name + std::string(width - entry.name.size() + 2, ' ') +
            (entry.kind == Kind::cpu ? "on the host" : kind_key(entry.kind));
    if (entry.kind == Kind::demo)
      text.append(": ").append(entry.why);
    if (!entry.skip_reason.empty())
      text.append(", skipped here: ").append(entry.skip_reason);
    text += "\n";
  }
  return text;
}

std::string more_text(const LadderCore &ladder) {
  std::vector<std::string> options;
  for (const Entry &entry : ladder.entries) {
    if (entry.kind == Kind::trap && (options.empty() || options[0] != "--traps"))
      options.insert(options.begin(), "--traps");
    if (entry.kind == Kind::demo)
      options.push_back("--only " + entry.name);
  }
  if (options.empty())
    return "";
  std::string text, line = "see also:";
  const char *separator = " ";
  for (const std::string &option : options) {
    if (line.size() + option.size() > 76) {
      text += line + "\n";
      line = "         ";
      separator = " ";
    }
    line += separator + option;
    separator = " · ";
  }
  return "\n" + text + line + "\n";
}

} // namespace lab::detail
