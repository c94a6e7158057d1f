#include "merge.hpp"

#include "difference.hpp"
#include "edits.hpp"
#include "structure.hpp"

namespace rewriter {

namespace {

// One of the two sources.
struct Pass {
  explicit Pass(std::string_view text) : code(text), structure(code) {}

  // What a range consists of: tokens, and the bodies of the outermost functions in it.
  struct Element {
    Range tokens;
    size_t function = none; // whose body it is
  };
  std::vector<Element> elements(Range range, size_t parent) const {
    std::vector<Element> found;
    size_t next = 0;
    const auto &functions = structure.functions;
    for (size_t i = range.begin; i < range.end; ++i) {
      while (next < functions.size() && (functions[next].body == none || functions[next].body < i ||
                                         functions[next].parent != parent))
        ++next;
      if (next < functions.size() && functions[next].body == i) {
        found.push_back({{i, functions[next].end}, next});
        i = functions[next].end - 1;
      } else {
        found.push_back({{i, i + 1}, none});
      }
    }
    return found;
  }

  std::string text(Range range) const {
    if (range.empty())
      return "";
    return std::string(code.source().substr(code[range.begin].begin,
                                            code[range.end - 1].end - code[range.begin].begin));
  }
  // With its own lines in front.
  std::string with_lines(Range range) const {
    return range.empty() ? "" : Edits(code).marker(range.begin) + text(range);
  }

  Code code;
  Structure structure;
};

bool same_tokens(const Pass &a, Range in_a, const Pass &b, Range in_b) {
  if (in_a.end - in_a.begin != in_b.end - in_b.begin)
    return false;
  for (size_t i = 0; i < in_a.end - in_a.begin; ++i)
    if (a.code.text(in_a.begin + i) != b.code.text(in_b.begin + i))
      return false;
  return true;
}

class Merger {
public:
  Merger(const Pass &host, const Pass &device) : host_(host), device_(device), edits_(host.code) {}

  std::string run() {
    sequence({0, host_.code.size()}, none, {0, device_.code.size()}, none, false);
    return edits_.apply();
  }

private:
  const Function &of_host(size_t f) const { return host_.structure.functions[f]; }
  const Function &of_device(size_t f) const { return device_.structure.functions[f]; }

  // \param is_host_code  outside lambdas everything is the host's
  void sequence(
      Range in_host, size_t host_parent, Range in_device, size_t device_parent, bool is_host_code) {
    const auto a = host_.elements(in_host, host_parent);
    const auto b = device_.elements(in_device, device_parent);
    const auto steps = difference(a.size(), b.size(), [&](size_t i, size_t k) {
      if (a[i].function != none || b[k].function != none)
        return a[i].function != none && b[k].function != none;
      return host_.code.text(a[i].tokens.begin) == device_.code.text(b[k].tokens.begin);
    });
    for (const Step &step : steps) {
      if (!step.equal) {
        if (!is_host_code)
          hunk(tokens_of(a, step.a, in_host), tokens_of(b, step.b, in_device));
      } else if (a[step.a.begin].function != none) {
        bodies(a[step.a.begin].function, b[step.b.begin].function);
      }
    }
  }

  static Range tokens_of(const std::vector<Pass::Element> &elements, Range range, Range all) {
    if (range.empty()) {
      const size_t at =
          range.begin < elements.size() ? elements[range.begin].tokens.begin : all.end;
      return {at, at};
    }
    return {elements[range.begin].tokens.begin, elements[range.end - 1].tokens.end};
  }

  // Outside functions: each side keeps what is not for the other one alone.
  void hunk(Range in_host, Range in_device) {
    std::string kept = without(host_, in_host, Side::device),
                more = without(device_, in_device, Side::host);
    if (!is_complete(host_, in_host))
      kept.clear();
    write(in_host, more.empty() ? kept : is_whole(host_, in_host) ? kept + more : more);
  }
  // The text of a range without its functions for `side`.
  std::string without(const Pass &pass, Range range, Side side) const {
    std::string text;
    size_t done = range.begin;
    for (const Function &f : pass.structure.functions) {
      if (f.first < done || f.end > range.end || f.side != side || f.is_lambda)
        continue;
      text += pass.with_lines({done, f.first});
      done = f.end;
    }
    return text + pass.with_lines({done, range.end});
  }
  // Whether a range is declarations from their beginnings to their ends.
  static bool is_complete(const Pass &pass, Range range) {
    for (size_t i = range.begin; i < range.end; ++i)
      if ((pass.code.opens(i) || pass.code.closes(i)) && !range.holds(pass.code.partner(i)))
        return false;
    return range.empty() || pass.code.is_one_of(range.end - 1, "; }");
  }
  // Whether a range is functions and nothing else.
  bool is_whole(const Pass &pass, Range range) const {
    size_t done = range.begin;
    for (const Function &f : pass.structure.functions)
      if (f.first == done && f.end <= range.end)
        done = f.end;
    return done == range.end;
  }

  void bodies(size_t host, size_t device) {
    const Function &h = of_host(host), &d = of_device(device);
    const Range in_host{h.body + 1, h.end - 1}, in_device{d.body + 1, d.end - 1};
    if (same_tokens(host_, in_host, device_, in_device))
      return;
    if (h.side == Side::host && d.side == Side::host) {
      sequence(in_host, host, in_device, device, true);
    } else if (h.side == Side::device && d.side == Side::device) {
      write(in_host, device_.with_lines(in_device));
    } else {
      if (h.side != Side::both)
        edits_.before(h.begin, "__host__ __device__ ");
      const std::string condition = h.is_constexpr
                                        ? "!__builtin_is_constant_evaluated() && ::emu::in_kernel()"
                                        : "::emu::in_kernel()";
      write(in_host,
            "if (" + condition + ") {" + device_.with_lines(in_device) + "} else {" +
                host_.with_lines(in_host) + "}");
    }
  }

  void write(Range in_host, const std::string &text) {
    if (!in_host.empty()) {
      edits_.replace(in_host, "");
    }
    if (in_host.begin < host_.code.size())
      edits_.before(in_host.begin, text + edits_.marker(in_host.begin));
    else if (host_.code.size() > 0)
      edits_.behind(host_.code.size() - 1, text);
  }

  const Pass &host_, &device_;
  Edits edits_;
};

} // namespace

std::string merge(std::string_view host, std::string_view device) {
  const Pass of_host(host), of_device(device);
  return Merger(of_host, of_device).run();
}

} // namespace rewriter
