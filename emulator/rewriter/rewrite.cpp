#include "rewrite.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "code.hpp"
#include "device_variables.hpp"
#include "inline_ptx.hpp"
#include "scopes.hpp"
#include "shared_declaration.hpp"
#include "shared_in_lambdas.hpp"

namespace rewriter {

namespace {

class Rewriter {
public:
  Rewriter(std::string_view source, const IncludeHandler &include)
      : source_(source), include_(include), code_(source) {}

  std::string run() {
    find_kernels();
    for (size_t i = 0; i < code_.size(); ++i) {
      scopes_.follow(i);
      shared_.follow(i);
      if (code_[i].kind == Kind::include)
        replace(i, i, include_(code_.text(i)));
      else if (code_.is_launch_operator(i))
        i = rewrite_launch(i);
      else if (code_.is(i, "__shared__"))
        i = rewrite_shared(i);
      else if (code_.is(i, "{"))
        open_lambda(i);
      else if (code_.is(i, "}") && lambda_ends_.count(i))
        replace(i, i, "}}");
      else if (code_.is(i, "__noinline__") && !(i > 0 && code_.is(i - 1, "(")))
        replace(i, i, "EMU_NOINLINE");
      else if (code_.is(i, "__constant__") && declares_const(i))
        replace(i, i, "");
      else if (code_.is(i, "__device__") || code_.is(i, "__constant__"))
        find_variables(i);
      else if (i == variables_.semicolon && !variables_.names.empty())
        replace(i, i, ";" + variables_.registrations());
      else if (i > 0 && code_.is(i, "__CUDA_ARCH__"))
        i = rewrite_arch(i);
      else if (casts_kernel(i))
        i = rewrite_kernel_cast(i);
      else if (code_.is(i, "asm") || code_.is(i, "__asm__") || code_.is(i, "__asm"))
        i = rewrite_asm(i);
    }
    out_ += source_.substr(done_);
    return std::move(out_);
  }

private:
  // --------------------------------------------------------------------------- writing

  std::string_view between(size_t begin, size_t end) const {
    return source_.substr(begin, end - begin);
  }

  // Writes the source up to token `first`, then `with` for the tokens [first, last], and as many
  // line breaks as these held and `with` does not.
  void replace(size_t first, size_t last, const std::string &with) {
    const size_t begin = code_[first].begin, end = code_[last].end;
    out_ += between(done_, begin);
    out_ += with;
    const std::string_view old = between(begin, end);
    auto lines =
        std::count(old.begin(), old.end(), '\n') - std::count(with.begin(), with.end(), '\n');
    for (; lines > 0; --lines)
      out_ += code_[first].directive ? "\\\n" : "\n";
    done_ = end;
  }

  // --------------------------------------------------------------------------- __CUDA_ARCH__

  // nvcc compiles a source once for the host and once for the device; here both are one. So the
  // macro is there where only a device goes: in functions for the device and in comparisons outside
  // functions, which choose between definitions for devices. Functions for both take their host's
  // way.
  bool is_device_code() const { return scopes_.side() == Scopes::Side::device; }

  size_t rewrite_arch(size_t i) {
    const bool directive = code_[i].directive != 0;
    const auto in_same_line = [&](size_t k) { return code_[k].directive == code_[i].directive; };
    if (directive && (code_.is(i - 1, "ifdef") || code_.is(i - 1, "ifndef"))) {
      if (is_device_code())
        replace(i - 1, i, code_.is(i - 1, "ifdef") ? "if 1" : "if 0");
      return i;
    }
    const size_t name = code_.is(i - 1, "(") ? i - 2 : i - 1;
    if (directive && in_same_line(name) && code_.is(name, "defined")) {
      const size_t last = name == i - 1 ? i : i + 1;
      if (is_device_code())
        replace(name, last, "1");
      return last;
    }
    const bool condition = directive && is_condition(i);
    if (is_device_code() ? condition || !directive : condition && !scopes_.in_function())
      replace(i, i, "EMU_CUDA_ARCH");
    return i;
  }

  // Whether the directive of token i is an #if or #elif.
  bool is_condition(size_t i) const {
    while (i > 0 && code_[i - 1].directive == code_[i].directive)
      --i;
    return code_.is(i + 1, "if") || code_.is(i + 1, "elif");
  }

  // --------------------------------------------------------------------------- launches

  // The first token of the expression before <<<: name, ns::name, name<args>, (*pointer),
  // kernels[i], object.member.
  size_t kernel_begin(size_t launch) const {
    size_t k = launch;
    for (;;) {
      if (k == 0)
        code_.fail(launch, "no kernel name before <<<");
      --k;
      if (code_.is(k, ">"))
        k = code_.matching_less(k) - 1;
      else if (code_.is(k, "]"))
        k = code_.matching_open(k) - 1;
      if (code_.is(k, ")")) {
        k = code_.matching_open(k);
        if (k == 0 || !code_.is_name(k - 1) || code_.is(k - 1, "return") || code_.is(k - 1, "else"))
          return k;
        --k; // a call or an operator: its name belongs to the expression
      }
      if (!code_.is_name(k))
        code_.fail(launch, "no kernel name before <<<");
      if (k > 0 && code_.is(k - 1, "template"))
        --k;
      if (k > 0 && code_.is(k - 1, "::")) {
        --k;
        if (k > 0 && (code_.is_name(k - 1) || code_.is(k - 1, ">")) && !code_.is(k - 1, "return") &&
            !code_.is(k - 1, "else"))
          continue;
        return k;
      }
      if (k > 0 && (code_.is(k - 1, ".") || code_.is(k - 1, "->"))) {
        --k;
        continue;
      }
      return k;
    }
  }

  // The first of the three > that end the configuration.
  size_t config_end(size_t launch) const {
    for (size_t k = launch + 1; k < code_.size(); ++k) {
      if (code_.opens(k)) {
        k = code_.matching_close(k);
        continue;
      }
      if (code_.is(k, ";"))
        break;
      size_t run = 0;
      while (code_.is(k + run, ">"))
        ++run;
      if (run >= 3 && code_.is(k + run, "("))
        return k + run - 3;
      if (run > 0)
        k += run - 1;
    }
    code_.fail(launch, "this <<< has no >>> followed by an argument list");
  }

  // Arguments that must not be copied through a template: a braced list has no type, and 0, NULL
  // and the like must stay null pointer constants.
  bool stays_in_place(size_t first, size_t last) const {
    if (code_.is(first, "{"))
      return true;
    if (first + 1 != last)
      return false;
    return code_[first].kind == Kind::number || code_[first].kind == Kind::string ||
           code_.is(first, "NULL") || code_.is(first, "nullptr") || code_.is(first, "true") ||
           code_.is(first, "false");
  }

  // kernel<<<config>>>(a, 0, b) becomes
  // ::emu::launch("kernel", EMU_ADDRESS(kernel), ::emu::config(config),
  //               [=](auto emu_0, auto emu_1) { kernel(emu_0, 0, emu_1); }, a, b)
  size_t rewrite_launch(size_t launch) {
    const size_t begin = kernel_begin(launch);
    const size_t config_close = config_end(launch);
    const size_t open = config_close + 3, close = code_.matching_close(open);
    const std::string kernel = code_.flat(begin, launch - 1);

    std::string parameters, call, arguments;
    int count = 0;
    for (const auto &[first, last] : code_.split(open + 1, close)) {
      if (!call.empty())
        call += ", ";
      if (stays_in_place(first, last)) {
        const std::string text = code_.flat(first, last - 1);
        call += text;
        // A value is handed over, too, for those who want to know what the arguments were.
        if (!code_.is(first, "{") && code_[first].kind != Kind::string) {
          parameters += parameters.empty() ? "const auto&" : ", const auto&";
          arguments += ", " + (text == "NULL" ? "nullptr" : text);
        }
        continue;
      }
      const bool pack = last - first >= 3 && code_.is(last - 1, ".") && code_.is(last - 2, ".");
      const bool variadic = pack || code_.is(first, "__VA_ARGS__");
      const std::string name = "emu_" + std::to_string(count++);
      parameters += (parameters.empty() ? "const auto&" : ", const auto&") +
                    std::string(variadic ? "... " : " ") + name;
      call += name + (variadic ? "..." : "");
      // The arguments as they stand, line breaks and all: a message about one names its line.
      arguments += variadic && !pack && code_.is(first, "__VA_ARGS__") ? " __VA_OPT__(,) " : ", ";
      arguments += between(code_[first].begin, code_[last - 1].end);
    }
    replace(begin,
            close,
            "::emu::launch(EMU_NAME(" + kernel + "), EMU_ADDRESS(" + kernel + "), ::emu::config(" +
                std::string(between(code_[launch].end, code_[config_close].begin)) + "), [=](" +
                parameters + ") { " + kernel + "(" + call + "); }" + arguments + ")");
    return close;
  }

  // --------------------------------------------------------------------------- kernels as void *

  // The names of the kernels in this file: what stands before the parameters after __global__.
  void find_kernels() {
    for (size_t i = 0; i < code_.size(); ++i) {
      if (!code_.is(i, "__global__"))
        continue;
      for (size_t k = i + 1; k + 1 < code_.size() && !code_.is(k, ";") && !code_.is(k, "{"); ++k) {
        const bool attribute = code_.is(k, "__launch_bounds__") || code_.is(k, "__attribute__") ||
                               code_.is(k, "__maxnreg__") || code_.is(k, "__cluster_dims__");
        if (!code_.is_name(k) || !code_.is(k + 1, "("))
          continue;
        if (!attribute) {
          kernels_.insert(code_.text(k));
          break;
        }
        k = code_.matching_close(k + 1);
      }
    }
  }

  // (void *)name, (const void *)name or reinterpret_cast<void *>(name): the token of the cast's
  // closing bracket is `close`, the kernel's name comes after it.
  bool casts_kernel(size_t close) const {
    if (!code_.is(close, ")") && !code_.is(close, ">"))
      return false;
    size_t type = close;
    if (close < 4 || !code_.is(--type, "*") ||
        !(code_.is(--type, "void") || code_.is(type, "char")))
      return false;
    if (code_.is(type - 1, "const"))
      --type;
    const bool c_cast = code_.is(close, ")") && code_.is(type - 1, "(");
    const bool named_cast = code_.is(close, ">") && code_.is(type - 1, "<") &&
                            code_.is(type - 2, "reinterpret_cast") && code_.is(close + 1, "(");
    if (!c_cast && !named_cast)
      return false;
    // The first argument of a launch is a kernel too, of another file perhaps.
    const bool launched = c_cast && type >= 3 && code_.is(type - 2, "(") &&
                          (code_.is(type - 3, "cudaLaunchKernel") ||
                           code_.is(type - 3, "cudaLaunchCooperativeKernel"));
    const size_t name = kernel_name_after(close);
    return name < code_.size() && (launched || kernels_.count(code_.text(name)) > 0);
  }

  // The last part of the qualified name after a cast.
  size_t kernel_name_after(size_t close) const {
    size_t k = close + 1;
    while (code_.is(k, "(") || code_.is(k, "&"))
      ++k;
    while (code_.is_name(k) && code_.is(k + 1, "::"))
      k += 2;
    return code_.is_name(k) ? k : code_.size();
  }

  // Whoever gets the address must be able to find out how to call it.
  size_t rewrite_kernel_cast(size_t close) {
    size_t first = close + 1, last = kernel_name_after(close);
    while (code_.is(first, "("))
      ++first;
    if (code_.is(last + 1, "<"))
      last = matching_greater(last + 1);
    replace(first, last, "::emu::known_kernel(" + code_.flat(first, last) + ")");
    return last;
  }

  // The > that ends the template arguments which begin at i.
  size_t matching_greater(size_t i) const {
    int depth = 0;
    for (size_t k = i; k < code_.size(); ++k) {
      if (code_.opens(k))
        k = code_.matching_close(k);
      depth += code_.is(k, "<") - code_.is(k, ">");
      if (depth == 0)
        return k;
    }
    code_.fail(i, "this template argument list is not closed");
  }

  size_t rewrite_shared(size_t keyword) {
    const Replacement declaration = replace_shared(code_, keyword, scopes_.in_function());
    replace(declaration.first, declaration.last, declaration.with);
    shared_.declared(declaration.names);
    return declaration.last;
  }

  // The body becomes a block within, which may have variables of the same name.
  void open_lambda(size_t brace) {
    const std::string declarations = shared_.declarations(brace);
    if (declarations.empty())
      return;
    replace(brace, brace, "{ " + declarations + " {");
    lambda_ends_.insert(code_.matching_close(brace));
  }

  // Whether the variable that is declared around the keyword at `i` is const for the host, too. The
  // compiler puts such variables with others of their kind and refuses to put them elsewhere.
  bool declares_const(size_t i) const {
    size_t k = i;
    while (k > 0 && code_.is_name(k - 1))
      --k;
    bool is_const = false;
    for (; k < code_.size() && !code_.is(k, ";") && !code_.is(k, "=") && !code_.opens(k); ++k) {
      if (code_.is(k, "const") || code_.is(k, "constexpr"))
        is_const = true;
      else if (code_.is(k, "*") || code_.is(k, "&"))
        is_const = false; // so far it was what it points to
    }
    return is_const;
  }

  // Of `__device__ __constant__` the first one has found them already.
  void find_variables(size_t keyword) {
    if (scopes_.in_function() || keyword < variables_.semicolon || declares_const(keyword))
      return;
    const DeviceVariables found = DeviceVariableFinder(code_).find(keyword);
    if (!found.names.empty())
      variables_ = found;
  }

  // --------------------------------------------------------------------------- inline PTX

  // Kept where it is an empty string (a compiler barrier) or meant for the host.
  size_t rewrite_asm(size_t i) {
    const InlineAsm statement(code_, i);
    if (!statement.is_statement())
      return i;
    const bool for_device = code_[i].directive || scopes_.side() == Scopes::Side::device ||
                            scopes_.side() == Scopes::Side::both;
    if (!statement.is_empty() && (for_device || statement.looks_like_ptx()))
      replace(i, statement.close(), statement.replacement());
    return statement.close();
  }

  std::string_view source_;
  const IncludeHandler &include_;
  const Code code_;
  std::set<std::string_view> kernels_; // names of those in this file
  Scopes scopes_{code_};
  SharedInLambdas shared_{code_};
  DeviceVariables variables_; // the last that were found
  std::set<size_t> lambda_ends_; // braces that close two blocks
  std::string out_;
  size_t done_ = 0;
};

} // namespace

std::string rewrite(std::string_view source, const IncludeHandler &include) {
  const std::string_view mark = "\xef\xbb\xbf"; // a byte-order mark, as some editors write
  if (source.substr(0, mark.size()) == mark) // it would no longer be the first thing in its file
    source.remove_prefix(mark.size());
  return Rewriter(source, include).run();
}

} // namespace rewriter
