#include "ptx.hpp"
#include "ptx_words.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace model {
namespace {

using std::string;
using std::string_view;

class Parser {
public:
  explicit Parser(string_view text) : text_(text) {}

  Module run() {
    while (!rest().empty())
      top_level();
    return std::move(module_);
  }

private:
  // ------------------------------------------------------------------------------------- text

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  string_view rest() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
        ++at_;
      if (text_.substr(at_).starts_with("//"))
        skip_line();
      else
        return text_.substr(at_);
    }
  }
  /// Up to one of the ends, without comments; the end itself is left in `end`.
  string until(string_view ends, char &end) {
    string result;
    int depth = 0;
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("//")) {
        skip_line();
        continue;
      }
      const char c = text_[at_++];
      if (depth == 0 && ends.find(c) != string_view::npos) {
        end = c;
        return result;
      }
      depth += (c == '[' || c == '(') - (c == ']' || c == ')');
      result += std::isspace(static_cast<unsigned char>(c)) ? ' ' : c;
    }
    end = 0;
    return result;
  }

  // -------------------------------------------------------------------------------- top level

  void top_level() {
    const string_view here = rest();
    for (string_view word : {".version", ".target", ".address_size", ".file", ".section"})
      if (here.starts_with(word))
        return skip_line();
    char end = 0;
    const string head = until("{;=", end);
    if (end == '=') { // an initialiser may have braces
      char last = 0;
      const string values = until(";", last);
      variable(head + "=" + values);
    } else if (end == ';') {
      variable(head);
    } else if (end == '{') {
      function(head);
    }
  }

  void variable(const string &text) {
    for (string_view word : {".global ", ".shared ", ".const "})
      if (const size_t at = text.find(word);
          at != string::npos && text.find(".func") == string::npos) {
        const Symbol symbol = parse_variable(string_view(text).substr(at + word.size()),
                                             space_of(trim(word.substr(1))));
        globals_[symbol.name] = symbol;
        return;
      }
  }

  void function(const string &head) {
    f_ = {};
    registers_.clear();
    constants_.clear();
    rolled_.clear();
    place_ = -1;
    labels_.clear();
    jumps_.clear();
    symbols_.clear();
    const bool entry = head.find(".entry") != string::npos;
    const size_t open = head.find('(', entry ? head.find(".entry") : 0);
    const size_t close = head.find(')', open);
    string_view name = trim(string_view(head).substr(0, open));
    f_.name = name.substr(name.find_last_of(" \t") + 1);
    if (entry && open != string::npos) {
      parameters(string_view(head).substr(open + 1, close - open - 1));
      read_limits(f_, string_view(head).substr(close + 1));
    }
    body(1);
    if (!entry)
      return;
    for (auto &[instruction, label] : jumps_) {
      const auto found = labels_.find(label);
      if (found == labels_.end())
        throw std::runtime_error("a branch to nowhere: " + label);
      Instruction &branch = f_.code[static_cast<size_t>(instruction)];
      branch.target = found->second;
      branch.stays_rolled =
          std::find(rolled_.begin(), rolled_.end(), branch.target) != rolled_.end();
    }
    place_symbols(f_);
    module_.functions[f_.name] = std::move(f_);
  }

  void parameters(string_view text) {
    for (string_view one : split_operands(text)) {
      const size_t at = one.find(".param ");
      const Symbol symbol = parse_variable(one.substr(at + 7), Space::param);
      Parameter p;
      p.bytes = symbol.bytes;
      p.align = symbol.align;
      if (one.find('[') == string_view::npos)
        for (string_view word : split(one.substr(at + 7), ' '))
          if (word.starts_with('.'))
            if (const auto type = types.find(word.substr(1)); type != types.end())
              p.type = type->second;
      p.offset = round_up(f_.parameter_bytes, p.align);
      f_.parameter_bytes = p.offset + p.bytes;
      parameter_offsets_[symbol.name] = p.offset;
      f_.parameters.push_back(p);
    }
  }

  // ------------------------------------------------------------------------------- statements

  void body(int depth) {
    while (depth > 0) {
      const string_view here = rest();
      if (here.empty())
        throw std::runtime_error("a function without an end");
      if (here[0] == '{' || here[0] == '}') {
        depth += here[0] == '{' ? 1 : -1;
        ++at_;
        continue;
      }
      char end = 0;
      if (here.starts_with(".pragma \"nounroll\""))
        rolled_.push_back(static_cast<int>(f_.code.size()));
      const bool place = here.starts_with(".loc\t");
      if (place || here.starts_with(".pragma")) {
        const size_t begin = at_;
        skip_line();
        if (place)
          place_ = place_index(text_.substr(begin, at_ - begin));
        continue;
      }
      if (const size_t label = label_length(here)) {
        labels_[string(here.substr(0, label))] = static_cast<int>(f_.code.size());
        at_ += label + 1;
        continue;
      }
      const string text = until(";", end);
      statement(trim(text));
    }
  }

  int place_index(string_view place) {
    const auto index = std::find(f_.places.begin(), f_.places.end(), place) - f_.places.begin();
    if (static_cast<size_t>(index) == f_.places.size())
      f_.places.emplace_back(place);
    return static_cast<int>(index);
  }

  void statement(string_view text) {
    if (text.starts_with(".reg")) {
      declare_registers(text.substr(4));
    } else if (text.starts_with(".shared") || text.starts_with(".local")) {
      const bool shared = text[1] == 's';
      const Symbol symbol =
          parse_variable(text.substr(shared ? 7 : 6), shared ? Space::shared : Space::local);
      symbols_[symbol.name] = static_cast<int>(f_.symbols.size());
      f_.symbols.push_back(symbol);
    } else if (!text.starts_with(".")) { // .param of a call: what is stored there tells enough
      instruction(text);
    }
  }

  void declare_registers(string_view text) {
    for (string_view word : split(text, ' '))
      if (word.starts_with('.'))
        register_type_ = types.count(word.substr(1)) ? types.at(word.substr(1)) : Type::u64;
    const size_t percent = text.find('%');
    const string_view names =
        trim(text.substr(percent == string_view::npos ? text.size() : percent));
    for (string_view name : split_operands(names)) {
      const size_t open = name.find('<');
      if (open == string_view::npos) {
        declare(string(name));
        continue;
      }
      const uint64_t count = number(name.substr(open + 1));
      for (uint64_t i = 0; i < count; ++i)
        declare(string(name.substr(0, open)) + std::to_string(i));
    }
    if (percent == string_view::npos) // in inline assembly: names without %
      for (string_view word : split(text, ' '))
        for (string_view name : split_operands(word))
          if (!name.empty() && name[0] != '.')
            declare(string(name));
  }
  void declare(const string &name) {
    registers_[name] = static_cast<int>(f_.registers.size());
    f_.registers.push_back(register_type_);
  }

  int find_register(string_view name) const {
    const auto found = registers_.find(string(name));
    return found == registers_.end() ? -1 : found->second;
  }

  int symbol_index(const string &name) {
    if (const auto known = symbols_.find(name); known != symbols_.end())
      return known->second;
    Symbol symbol;
    symbol.name = name;
    if (const auto global = globals_.find(name); global != globals_.end())
      symbol = global->second;
    const int index = static_cast<int>(f_.symbols.size());
    symbols_[name] = index;
    f_.symbols.push_back(symbol);
    return index;
  }

  Operand operand(string_view text) {
    Operand o;
    if (const int reg = find_register(text); reg >= 0) {
      o.what = Operand::reg;
      o.reg_index = reg;
    } else if (text[0] == '%') {
      o.what = Operand::special;
      o.bits = static_cast<uint64_t>(special_of(text));
    } else if (is_number(text)) {
      o.what = Operand::value;
      o.bits = number(text);
    } else if (const auto parameter = parameter_offsets_.find(string(text));
               parameter != parameter_offsets_.end()) {
      o.what = Operand::value; // where it lies among the parameters
      o.bits = parameter->second;
    } else {
      if (text.starts_with("generic("))
        text = text.substr(8, text.size() - 9);
      o.what = Operand::symbol;
      o.symbol_index = symbol_index(string(text));
    }
    return o;
  }

  /// `[%rd1+8]`, `[name+4]`, `[param_0]`
  void address(Instruction &i, string_view text) {
    text = trim(text.substr(1, text.size() - 2));
    const size_t plus = text.find('+');
    if (plus != string_view::npos)
      i.offset = number(trim(text.substr(plus + 1)));
    i.from_operands.push_back(operand(trim(text.substr(0, plus))));
  }

  void add_from(Instruction &i, string_view text) {
    if (text[0] == '{') {
      for (string_view one : split_operands(text.substr(1, text.size() - 2)))
        i.from_operands.push_back(operand(one));
    } else if (text[0] == '[') {
      address(i, text);
    } else {
      i.from_operands.push_back(operand(text));
    }
  }
  void add_to(Instruction &i, string_view text) {
    if (text[0] == '{') {
      for (string_view one : split_operands(text.substr(1, text.size() - 2)))
        i.to.push_back(find_register(one));
      return;
    }
    for (string_view one : split(text, '|'))
      i.to.push_back(find_register(trim(one)));
  }

  void instruction(string_view text) {
    Instruction i;
    if (text[0] == '@') {
      text.remove_prefix(1);
      if (text[0] == '!') {
        i.negated = true;
        text.remove_prefix(1);
      }
      const size_t space = text.find(' ');
      i.guard = find_register(text.substr(0, space));
      text = trim(text.substr(space));
    }
    const size_t space = text.find(' ');
    const std::vector<string_view> words = split(text.substr(0, space), '.');
    const std::vector<string_view> operands =
        split_operands(space == string_view::npos ? "" : text.substr(space));
    if (words[0] == "call")
      return call(i, text.substr(space));
    if ((words[0] == "st" || words[0] == "ld") && words[1] == "param" && !operands.empty() &&
        in_call(words[0] == "st" ? operands[0] : operands[1]))
      return call_parameter(words[0] == "st", operands);
    if (words.size() > 1 && words[1] == "rp")
      return library_call(i, words[0] == "fma" ? 2 : 1, operands);
    decode(i, words);
    if (i.op == Op::none) {
      if (f_.unknown.empty())
        f_.unknown = joined(words);
      i.op = Op::nop;
    }
    if (i.op == Op::bra) {
      i.place = place_;
      jumps_.emplace_back(static_cast<int>(f_.code.size()), string(operands.back()));
    } else if (is_one_of(
                   i.op, Op::st, Op::red, Op::cp_async, Op::bar, Op::cp_wait, Op::warp_sync)) {
      for (string_view one : operands)
        add_from(i, one);
    } else if (i.op != Op::nop) {
      for (size_t k = 0; k < operands.size(); ++k)
        k == 0 ? add_to(i, operands[k]) : add_from(i, operands[k]);
    }
    tidy(i);
    if (i.op == Op::mov && i.from_operands[0].what == Operand::value)
      constants_[i.to[0]] = i.from_operands[0].bits;
    f_.code.push_back(std::move(i));
  }

  /// What prelude.hpp writes for a function of the mathematical library.
  void library_call(Instruction i, size_t arguments, const std::vector<string_view> &operands) {
    i.op = Op::call;
    add_to(i, operands[0]);
    for (size_t k = 1; k <= arguments; ++k)
      add_from(i, operands[k]);
    const Operand which = operand(operands[arguments + 1]);
    const uint64_t bits = which.what == Operand::reg ? constants_[which.reg_index] : which.bits;
    const bool wide = f_.registers[static_cast<size_t>(i.to[0])] == Type::f64;
    const double number =
        wide ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
    i.callee = static_cast<int>(f_.callees.size());
    f_.callees.push_back(library_call_name(static_cast<size_t>(number)));
    f_.code.push_back(std::move(i));
  }

  static bool in_call(string_view text) {
    return text.starts_with("[param") || text.starts_with("[retval");
  }
  void call_parameter(bool store, const std::vector<string_view> &operands) {
    if (store) {
      for (size_t k = 1; k < operands.size(); ++k) {
        Instruction holder;
        add_from(holder, operands[k]);
        for (const Operand &o : holder.from_operands)
          arguments_.push_back(o);
      }
    } else if (!f_.code.empty() &&
               (f_.code.back().op == Op::call || f_.code.back().op == Op::fma)) {
      add_to(f_.code.back(), operands[0]);
    }
  }
  void call(Instruction i, string_view text) {
    i.op = Op::call;
    for (string_view one : split_operands(text))
      if (one[0] != '(') {
        i.callee = static_cast<int>(f_.callees.size());
        f_.callees.emplace_back(trim(one));
        break;
      }
    i.from_operands = std::exchange(arguments_, {});
    const string &name = f_.callees.empty() ? f_.name : f_.callees.back();
    if (name == "fmaf" || name == "fma") { // one instruction
      i.op = Op::fma;
      i.type = name == "fma" ? Type::f64 : Type::f32;
    }
    f_.code.push_back(std::move(i));
  }

  string_view text_;
  size_t at_ = 0;
  Module module_;
  std::map<string, Symbol> globals_;
  Function f_;
  Type register_type_ = Type::u64;
  std::unordered_map<string, int> registers_, labels_, symbols_;
  std::unordered_map<string, size_t> parameter_offsets_;
  std::vector<std::pair<int, string>> jumps_;
  std::vector<Operand> arguments_;
  std::unordered_map<int, uint64_t> constants_; // by register
  std::vector<int> rolled_; // first instructions of loops with the pragma nounroll
  int place_ = -1; // where what comes next stands in the source
};

} // namespace

Module parse_ptx(string_view text) { return Parser(text).run(); }

} // namespace model
