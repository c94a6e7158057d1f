#include "passes.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "parameters.hpp"

namespace rewriter {

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

void add_to_list(std::string &list, const std::string &item) {
  list += (list.empty() ? "" : ", ") + item;
}

class Kernels {
public:
  explicit Kernels(const Unit &unit) : unit_(unit), code_(unit.code) {}

  void run() {
    for (const Function &f : unit_.structure.functions) {
      if (!f.is_kernel)
        continue;
      names_.insert(plain_name(code_, f));
      check_result(f);
    }
    find_asked();
    for (const Function &f : unit_.structure.functions)
      if (f.is_kernel && f.body != none)
        open_entry(f);
    for (size_t i = 0; i < code_.size(); ++i)
      if (code_.is_launch_operator(i))
        rewrite_launch(i);
  }

private:
  // Kernels that are named for more than their definition and launches: each may become an untyped pointer.
  void find_asked() {
    std::set<size_t> definitions;
    for (const Function &f : unit_.structure.functions)
      if (f.is_kernel && f.body != none)
        definitions.insert(f.name.end - 1);
    for (size_t k = 0; k < code_.size(); ++k) {
      if (names_.count(code_.text(k)) == 0 || definitions.count(k) > 0)
        continue;
      const size_t behind = code_.behind_name(k);
      if (behind >= code_.size() || !code_.is_launch_operator(behind))
        asked_.insert(code_.text(k));
    }
  }

  // Whether it must be noted before main(): for its bounds, or because somebody may ask about it, in another file, too.
  bool is_noted(const Function &f) const {
    const bool is_template = !f.templates.empty() && !f.templates.back().empty();
    return !bounds(f).empty() || asked_.count(plain_name(code_, f)) > 0 ||
           !(is_template || unit_.options.guarded || is_local(f));
  }
  // Other files cannot name it.
  bool is_local(const Function &f) const {
    return (!f.in_class && code_.find("static", f.begin, f.name.begin) < f.name.begin) ||
           std::ranges::any_of(unit_.structure.namespaces, [&](size_t open) {
             return open < f.begin && f.begin < code_.partner(open) &&
                    code_.is(open - 1, "namespace");
           });
  }

  // `void k(T *p, int n) { … }` becomes a function that hands its arguments, which the caller has
  // converted, to a launch of its body.
  void open_entry(const Function &f) {
    const std::vector<Parameter> parameters =
        Parameters(code_).read({f.open + 1, code_.partner(f.open)}, "emu_p");
    std::string types, inner, arguments, names;
    bool has_pack = false;
    if (takes_indices(f, parameters))
      for (const auto &[type, name] : indices)
        add_to_list(inner,
                    "[[maybe_unused]] const " + std::string(type) + " &" + std::string(name));
    for (const Parameter &p : parameters) {
      if (p.unnamed_end != 0)
        unit_.edits.before(p.unnamed_end, " " + p.name);
      const std::string dots = p.is_pack ? "..." : "", type = "decltype(" + p.name + ")";
      add_to_list(types, "::emu::InType<" + type + ">" + dots);
      add_to_list(inner, "::emu::Parameter<" + type + ">" + dots + " " + p.name);
      arguments += ", " + p.name + dots;
      names += (names.empty() ? "" : ",") + p.name;
      has_pack |= p.is_pack;
    }
    if (has_pack)
      names.clear(); // nobody knows how many there are

    const std::string kernel = "static_cast<void (*)(" + types + ")>(" + own_name(f) + ")";
    const std::string note =
        is_noted(f) ? "static_cast<void>(&::emu::noted_kernel<" + kernel + bounds(f) + ">); " : "";
    // The call is no line of the program's: who asks where a launch stands looks further, to its caller.
    unit_.edits.behind(f.body,
                       "\n# 1 \"/emulator/include/emu/runtime/runtime_launch.hpp\" 3\n" + note +
                           "::emu::run_kernel(" + quoted(std::string(plain_name(code_, f))) +
                           ", reinterpret_cast<const void *>(" + kernel + "), " +
                           quoted(names + ';' + launch_memory(f)) + ", " +
                           unit_.edits.marker(f.body) + "[](" + inner + ") {");
    unit_.edits.before(f.end - 1, "}" + arguments + "); ");
  }

  // Whether threadIdx and its kin shall be parameters in the kernel's braces, which stay in registers. Where
  // threads wait, they would have to be kept on each one's stack; lambdas without captures and local types
  // would not reach them; somebody may have given something else their names; and the instruments know
  // that nobody else touches the variables, but not what a parameter refers to.
  bool takes_indices(const Function &f, const std::vector<Parameter> &parameters) const {
    const auto is_index = [](std::string_view text) {
      return std::any_of(std::begin(indices), std::end(indices), [&](const auto &index) {
        return index.second == text;
      });
    };
    if (unit_.options.observed || std::any_of(parameters.begin(),
                                              parameters.end(),
                                              [&](const auto &p) { return is_index(p.name); }))
      return false;
    for (size_t k = f.body + 1; k < f.end - 1; ++k)
      if (code_.is_one_of(k, "struct class union") || waits(code_.text(k)) ||
          (code_.is(k, "[") && !code_.is_name(k - 1) && !code_.closes(k - 1)) ||
          (is_index(code_.text(k)) && !code_.is(k + 1, ".")))
        return false;
    return true;
  }
  static bool waits(std::string_view name) { // __syncthreads, __shfl_down_sync, sync, …
    return name.find("sync") != name.npos;
  }
  static constexpr std::pair<const char *, std::string_view> indices[] = {{"::uint3", "threadIdx"},
                                                                          {"::uint3", "blockIdx"},
                                                                          {"::dim3", "blockDim"},
                                                                          {"::dim3", "gridDim"}};

  // ", (256), (4), (2), (1)", of a kernel with __launch_bounds__(256, 4) and __cluster_dims__(2, 1): so many threads a block
  // may have, so many blocks an SM has to hold, and so many a cluster has.
  std::string bounds(const Function &f) const {
    const std::vector<std::string> asked = in_brackets(f, "__launch_bounds__"),
                                   cluster = in_brackets(f, "__cluster_dims__");
    std::string text;
    for (size_t k = 0; k < 2; ++k)
      if (k < asked.size())
        text += ", (" + asked[k] + ")";
      else if (!cluster.empty())
        text += ", 0";
    for (const std::string &blocks : cluster)
      text += ", (" + blocks + ")";
    return text;
  }

  // What stands behind a word in front of the kernel's name.
  std::vector<std::string> in_brackets(const Function &f, std::string_view word) const {
    std::vector<std::string> found;
    const size_t at = code_.find(word, f.begin, f.name.begin);
    if (at < f.name.begin && code_.is(at + 1, "("))
      for (const Range &part : code_.split({at + 2, code_.partner(at + 1)}))
        found.push_back(code_.flat(part));
    return found;
  }

  // The array that stands for the launch's shared memory, "s_data:float"; empty if the body declares none.
  std::string launch_memory(const Function &f) const {
    for (size_t k = f.body; k < f.end; ++k) {
      if (!code_.is(k, "extern"))
        continue;
      size_t type = k + 1;
      while (k + 1 < f.end && !code_.is_one_of(k + 1, "[ ;"))
        if (code_.is(++k, "__shared__") || code_.closes(k)) // of __align__(16)
          type = k + 1;
      return std::string(code_.text(k)) + ':' + (type < k ? code_.flat({type, k}) : "");
    }
    return {};
  }

  // How a kernel names itself, with all its template arguments.
  std::string own_name(const Function &f) {
    std::string name = code_.flat(f.name);
    for (const Parameter &p : Parameters(code_).read({f.open + 1, code_.partner(f.open)}, "emu_p"))
      if (p.name == plain_name(code_, f)) // which hides the kernel
        name = unit_.structure.namespace_of(f.begin, code_) + name;
    if (f.templates.empty() || code_.is(f.name.end - 1, ">"))
      return name;
    std::string arguments;
    for (const Parameter &p : Parameters(code_).read(f.templates.back(), "emu_t")) {
      if (p.unnamed_end != 0)
        unit_.edits.before(p.unnamed_end, " " + p.name);
      add_to_list(arguments, p.name + (p.is_pack ? "..." : ""));
    }
    return arguments.empty() ? name : name + "<" + arguments + ">";
  }

  void check_result(const Function &f) const {
    bool wrong = false;
    for (size_t k = f.begin; k < f.name.begin; ++k) {
      if (code_.opens(k))
        k = code_.partner(k);
      else if (code_.is(k, "void"))
        wrong = false;
      else
        wrong |= code_.is_one_of(k, "int bool char short long unsigned signed float double * &");
      if (code_.is_one_of(k, "* &"))
        break;
    }
    if (wrong)
      unit_.refuse(f.name.begin, "a __global__ function must have a void return type");
  }

  // k<<<config>>>(a) becomes (::emu::configure("k", config), k(a)): the compiler chooses among
  // overloads and converts the arguments as for any call.
  void rewrite_launch(size_t launch) {
    const size_t begin = kernel_begin(launch);
    const size_t greater = config_end(launch);
    const size_t open = greater + 3;
    unit_.edits.before(begin,
                       "(::emu::configure(" + quoted(code_.flat({begin, launch})) + ", " +
                           unit_.edits.moved({launch + 1, greater}, begin) + "), ");
    unit_.edits.replace({launch, open}, "");
    unit_.edits.behind(code_.partner(open), ")");
  }

  // The first token of the expression before <<<: name, ns::name, name<args>, (*pointer),
  // kernels[i], object.member.
  size_t kernel_begin(size_t launch) const {
    size_t k = launch;
    for (;;) {
      if (k == 0)
        code_.fail(launch, "no kernel name before <<<");
      --k;
      if (code_.is(k, ">"))
        k = template_name(k) + 1;
      else if (code_.is(k, "]"))
        k = code_.partner(k);
      if (k > 0 && !code_.is(k, ")") && !code_.is_name(k))
        --k;
      if (code_.is(k, ")")) {
        k = code_.partner(k);
        if (k == 0 || !code_.is_name(k - 1) || is_keyword(k - 1))
          return k;
        --k; // a call or an operator: its name belongs to the expression
      }
      if (!code_.is_name(k))
        code_.fail(launch, "no kernel name before <<<");
      if (k > 0 && code_.is(k - 1, "template"))
        --k;
      if (k > 0 && code_.is(k - 1, "::")) {
        --k;
        if (k > 0 && (code_.is_name(k - 1) || code_.is(k - 1, ">")) && !is_keyword(k - 1))
          continue;
        return k;
      }
      if (k > 0 && code_.is_one_of(k - 1, ". ->")) {
        --k;
        continue;
      }
      return k;
    }
  }
  bool is_keyword(size_t i) const { return code_.is_one_of(i, "return else do case"); }

  // The name whose template arguments end at `greater`: of a kernel, if there is one.
  size_t template_name(size_t greater) const {
    size_t found = none;
    for (size_t k = greater; k-- > 0 && !code_.is_one_of(k, "; { } ( [");) {
      if (code_.closes(k))
        k = code_.partner(k);
      else if (code_.is(k, "<") && code_.is_name(k - 1)) {
        if (names_.count(code_.text(k - 1)) > 0)
          return k - 1;
        if (found == none && code_.angle_close(k, greater + 1) == greater)
          found = k - 1;
      }
    }
    if (found == none)
      code_.fail(greater, "this template argument list was not opened");
    return found;
  }

  // The first of the three > that end the configuration.
  size_t config_end(size_t launch) const {
    for (size_t k = launch + 1; k < code_.size() && !code_.is(k, ";") && !code_.closes(k); ++k) {
      size_t run = 0;
      while (code_.is(k + run, ">"))
        ++run;
      if (run >= 3 && code_.is(k + run, "("))
        return k + run - 3;
      if (run > 0)
        k += run - 1;
      else if (code_.opens(k))
        k = code_.partner(k);
    }
    code_.fail(launch, "this <<< has no >>> followed by an argument list");
  }

  const Unit &unit_;
  const Code &code_;
  std::set<std::string_view> names_, asked_;
};

} // namespace

void rewrite_kernels(const Unit &unit) { Kernels(unit).run(); }

} // namespace rewriter
