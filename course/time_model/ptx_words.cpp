#include "ptx_words.hpp"

#include <algorithm>
#include <cctype>

#include "emu/ptx/opcodes.hpp"

namespace model {

using std::string;
using std::string_view;

const std::unordered_map<string_view, Type> types = {{"pred", Type::pred},
                                                     {"u8", Type::u8},
                                                     {"s8", Type::s8},
                                                     {"b8", Type::u8},
                                                     {"u16", Type::u16},
                                                     {"s16", Type::s16},
                                                     {"b16", Type::u16},
                                                     {"u32", Type::u32},
                                                     {"s32", Type::s32},
                                                     {"b32", Type::u32},
                                                     {"u64", Type::u64},
                                                     {"s64", Type::s64},
                                                     {"b64", Type::u64},
                                                     {"f16", Type::f16},
                                                     {"f32", Type::f32},
                                                     {"f64", Type::f64},
                                                     {"f16x2", Type::u32},
                                                     {"bf16", Type::f16}};

const std::unordered_map<string_view, Kind> kinds = {
    {"eq", Kind::eq},         {"ne", Kind::ne},    {"lt", Kind::lt},     {"le", Kind::le},
    {"gt", Kind::gt},         {"ge", Kind::ge},    {"lo", Kind::lt},     {"ls", Kind::le},
    {"hi", Kind::gt},         {"hs", Kind::ge},    {"num", Kind::num},   {"nan", Kind::nan_},
    {"equ", Kind::eq},        {"neu", Kind::ne},   {"ltu", Kind::lt},    {"leu", Kind::le},
    {"gtu", Kind::gt},        {"geu", Kind::ge},   {"add", Kind::add},   {"min", Kind::min},
    {"max", Kind::max},       {"inc", Kind::inc},  {"dec", Kind::dec},   {"exch", Kind::exch},
    {"cas", Kind::cas},       {"and", Kind::and_}, {"or", Kind::or_},    {"xor", Kind::xor_},
    {"popc", Kind::popc},     {"up", Kind::up},    {"down", Kind::down}, {"idx", Kind::idx},
    {"bfly", Kind::bfly},     {"all", Kind::all},  {"any", Kind::any},   {"uni", Kind::uni},
    {"ballot", Kind::ballot}, {"l", Kind::left},   {"r", Kind::right}};

Special special_of(string_view word) {
  // As Special lists them.
  static constexpr string_view words[] = {
      "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",
      "%ntid.z",      "%ctaid.x",     "%ctaid.y",     "%ctaid.z",     "%nctaid.x",
      "%nctaid.y",    "%nctaid.z",    "%laneid",      "%warpid",      "%clock",
      "%lanemask_lt", "%lanemask_le", "%lanemask_eq", "%lanemask_gt", "%lanemask_ge"};
  if (word == "%clock64" || word == "%globaltimer")
    return Special::clock;
  return static_cast<Special>(std::find(std::begin(words), std::end(words), word) - words);
}

std::vector<string_view> split(string_view text, char at) {
  std::vector<string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

string joined(const std::vector<string_view> &words) {
  string text;
  for (const string_view word : words)
    text += (text.empty() ? "" : ".") + string(word);
  return text;
}

string_view trim(string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

std::vector<string_view> split_operands(string_view text) {
  std::vector<string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (const string_view part = trim(text.substr(begin, i - begin)); !part.empty())
        parts.push_back(part);
      begin = i + 1;
    } else if (text[i] == '{' || text[i] == '[' || text[i] == '(') {
      ++depth;
    } else if (text[i] == '}' || text[i] == ']' || text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

bool is_number(string_view text) {
  return !text.empty() &&
         (std::isdigit(static_cast<unsigned char>(text[0])) || (text[0] == '-' && text.size() > 1));
}

uint64_t number(string_view text) {
  const string copy(text);
  if (copy.size() > 2 && (copy[1] == 'f' || copy[1] == 'F' || copy[1] == 'd' || copy[1] == 'D') &&
      copy[0] == '0')
    return std::strtoull(copy.c_str() + 2, nullptr, 16);
  return copy[0] == '-' ? static_cast<uint64_t>(std::strtoll(copy.c_str(), nullptr, 0))
                        : std::strtoull(copy.c_str(), nullptr, 0);
}

Space space_of(string_view word) {
  return word == "global"   ? Space::global
         : word == "shared" ? Space::shared
         : word == "local"  ? Space::local
         : word == "const"  ? Space::constant
         : word == "param"  ? Space::param
                            : Space::generic;
}

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

Symbol parse_variable(string_view text, Space space) {
  Symbol symbol;
  symbol.space = space;
  const size_t equals = text.find('=');
  string_view values = equals == string_view::npos ? "" : trim(text.substr(equals + 1));
  string_view declaration = trim(text.substr(0, equals));
  size_t element = 1, count = 1;
  if (const size_t bracket = declaration.find('['); bracket != string_view::npos) {
    const size_t end = declaration.find(']', bracket);
    const string_view inside = trim(declaration.substr(bracket + 1, end - bracket - 1));
    count = inside.empty() ? 0 : number(inside);
    declaration = trim(declaration.substr(0, bracket));
  }
  bool align_next = false;
  for (string_view word : split(declaration, ' ')) {
    word = trim(word);
    if (word.empty())
      continue;
    if (align_next) {
      symbol.align = number(word);
      align_next = false;
    } else if (word == ".align") {
      align_next = true;
    } else if (word[0] == '.') {
      if (const auto type = types.find(word.substr(1)); type != types.end())
        element = static_cast<size_t>(bytes_of(type->second));
    } else {
      symbol.name = word;
    }
  }
  symbol.bytes = element * count;
  symbol.align = std::max(symbol.align, element);
  if (values.starts_with('{'))
    values = values.substr(1, values.size() - 2);
  for (string_view one : split_operands(values)) {
    const uint64_t bits = is_number(one) ? number(one) : 0;
    for (size_t i = 0; i < element; ++i)
      symbol.values.push_back(static_cast<uint8_t>(bits >> 8 * i));
  }
  return symbol;
}

namespace {

// Of each row of the emulator's table of PTX.
constexpr Op ops[] = {
#define PTX_OPCODE(WORDS, RUNS, OP, INSTEAD) Op::OP,
#include "emu/ptx/opcodes.def"
#undef PTX_OPCODE
};

Op op_of(const std::vector<string_view> &words) {
  const size_t row = emu::ptx::find_opcode(joined(words));
  return row == emu::ptx::opcode_count ? Op::none : ops[row];
}

} // namespace

void decode(Instruction &i, const std::vector<string_view> &words) {
  i.op = op_of(words);
  const bool memory =
      i.op == Op::ld || i.op == Op::st || i.op == Op::atom || i.op == Op::red || i.op == Op::cvta;
  for (size_t k = 1; k < words.size(); ++k) {
    const string_view word = words[k];
    if (const auto type = types.find(word); type != types.end() && word != "pred") {
      (i.type == Type::none ? i.type : i.from) = type->second;
    } else if (word == "pred") {
      i.type = Type::pred;
    } else if (memory && space_of(word) != Space::generic) {
      i.space = space_of(word);
    } else if (word == "volatile" || word == "acquire" || word == "relaxed" || word == "release") {
      i.is_volatile = i.is_volatile || word == "volatile";
    } else if (word == "nc") {
      i.read_only = true;
    } else if (word == "approx") {
      i.approximate = true;
    } else if (const auto kind = kinds.find(word); kind != kinds.end() && i.kind == Kind::none) {
      i.kind = kind->second;
      i.unsigned_compare_float = word.size() == 3 && word[2] == 'u';
    }
  }
  if (i.op == Op::setp)
    i.from = i.type;
}

void tidy(Instruction &i) {
  if (i.op == Op::mov && i.to.size() > 1)
    i.op = Op::unpack;
  if (i.op == Op::mov && i.from_operands.size() > 1)
    i.op = Op::pack;
  if (i.op == Op::atom && i.to.size() == 1 && i.to[0] < 0)
    i.op = Op::red;
  std::erase_if(i.to, [](int reg) { return reg < 0; });
}

void place_symbols(Function &f) {
  for (Symbol &symbol : f.symbols) {
    size_t *total = symbol.space == Space::shared  ? &f.static_shared
                    : symbol.space == Space::local ? &f.local
                                                   : nullptr;
    if (total == nullptr || symbol.bytes == 0)
      continue;
    symbol.offset = round_up(*total, symbol.align);
    *total = symbol.offset + symbol.bytes;
  }
  for (Symbol &symbol : f.symbols)
    if (symbol.space == Space::shared && symbol.bytes == 0)
      symbol.offset = round_up(f.static_shared, 16);
}

size_t label_length(string_view text) {
  size_t i = 0;
  while (i < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '$'))
    ++i;
  return i > 0 && i < text.size() && text[i] == ':' ? i : 0;
}

void read_limits(Function &f, string_view text) {
  const auto value = [&](string_view word) {
    const size_t at = text.find(word);
    return at == string_view::npos ? 0
                                   : static_cast<int>(number(trim(text.substr(at + word.size()))));
  };
  f.max_threads = value(".maxntid ");
  f.min_blocks = value(".minnctapersm ");
}

int bytes_of(Type type) {
  switch (type) {
  case Type::u8:
  case Type::s8:
    return 1;
  case Type::u16:
  case Type::s16:
  case Type::f16:
    return 2;
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return 8;
  default:
    return 4;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool is_float(Type type) { return type == Type::f16 || type == Type::f32 || type == Type::f64; }

} // namespace model
