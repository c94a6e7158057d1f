#include "passes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace rewriter {

namespace {

// Functions of the C library that nvcc has for the host alone, of those that beginners call.
constexpr std::string_view host_only_in_c =
    "rand srand exit getenv system fopen fclose fprintf fputs puts putchar scanf fscanf sscanf "
    "getchar "
    "sprintf snprintf atoi atof strtol qsort sleep usleep time fflush calloc realloc";

// Of those, what reads or writes memory that it is handed, or keeps what it is handed for whoever asks: no instrument
// sees it, whatever it is called by.
constexpr std::string_view memory_in_c =
    "strlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr memcmp memchr "
    "sprintf snprintf vsprintf vsnprintf strtod strtof strtol strtoul strtoll strtoull atoi atof "
    "atol qsort bsearch fwrite fputs puts "
    "rand srand rand_r setlocale __errno_location set_new_handler get_new_handler set_terminate "
    "get_terminate";

// CUDA's own copies are the host's: a kernel makes assignments.
bool copies_in_cuda(std::string_view name) {
  return (name.starts_with("cudaMemcpy") || name.starts_with("cudaMemset")) &&
         !has_word("cudaMemcpyKind cudaMemcpyDefault cudaMemcpyHostToHost cudaMemcpyHostToDevice "
                   "cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaMemcpy3DParms "
                   "cudaMemcpy3DPeerParms cudaMemcpyNodeParams cudaMemsetParams",
                   name);
}

// Of the standard library, what nvcc refuses in device code: the constexpr functions without
// --expt-relaxed-constexpr, the others always.
constexpr std::string_view constexpr_in_std = "max min clamp swap sort accumulate reduce iota fill "
                                              "fill_n copy copy_n find find_if count count_if "
                                              "transform for_each minmax max_element min_element "
                                              "reverse rotate lower_bound upper_bound unique "
                                              "exchange gcd lcm midpoint make_pair make_tuple tie "
                                              "get popcount countl_zero countr_zero bit_cast "
                                              "has_single_bit bit_ceil inner_product partial_sum "
                                              "next_permutation none_of any_of all_of equal "
                                              "distance advance next prev";
constexpr std::string_view never_in_std = "stable_sort to_string stoi cout cerr endl clog cin "
                                          "string vector map set unordered_map list deque "
                                          "queue stack function make_unique make_shared unique_ptr "
                                          "shared_ptr ostringstream stringstream thread "
                                          "mutex rand exit";

bool is_host_only_in_std(std::string_view name) {
  return has_word(constexpr_in_std, name) || has_word(never_in_std, name);
}

// Functions of CUDA's own that are for devices alone.
bool is_device_only_in_cuda(std::string_view name) {
  static const char *const starts[] = {
      "__syncthreads", "__syncwarp", "__shfl_",      "__ballot_sync", "__any_sync", "__all_sync",
      "__match_",      "__reduce_",  "__activemask", "__threadfence", "__cluster",  "atomicAdd",
      "atomicSub",     "atomicMin",  "atomicMax",    "atomicExch",    "atomicCAS",  "atomicOr",
      "atomicAnd",     "atomicXor",  "atomicInc"};
  return std::any_of(std::begin(starts), std::end(starts), [&](std::string_view start) {
    return name.starts_with(start);
  });
}

class Sides {
public:
  explicit Sides(const Unit &unit) : unit_(unit), code_(unit.code) {}

  void run() {
    if (code_.size() > 0) // marks mean nothing where nothing else is said
      unit_.edits.before(0,
                         "\n#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"" +
                             unit_.edits.marker(0));
    for (const Function &f : unit_.structure.functions) {
      learn(f);
      mark_function(f);
    }
    for (const Declaration &d : unit_.structure.declarations)
      mark_variable(d);
    for (const Function &f : unit_.structure.functions)
      if (f.body != none &&
          !(f.parent != none && unit_.structure.functions[f.parent].side == f.side))
        check_body(f);
    for (size_t k = 2; k + 1 < code_.size(); ++k)
      if (code_.is_index(k))
        make_constant(k);
  }

private:
  // ------------------------------------------------------------ what the compiler has to find
  // A use is resolved by the compiler alone: overloads, constructors, operators. So what is for the host
  // is marked, and marks mean an error within functions for the device.

  void mark_function(const Function &f) {
    if (f.side != Side::host || f.is_lambda || f.is_constexpr || f.is_friend ||
        f.deleted_or_defaulted || f.parent != none || f.name.empty() ||
        plain_name(code_, f) == "main" || code_.is(f.name.begin, "~") || is_guide(f))
      return;
    mark(f.begin, host_function_mark);
  }
  // A deduction guide: behind its parameters an arrow, in front of its name nothing.
  bool is_guide(const Function &f) const {
    return f.name.begin == f.begin && !f.in_class && f.body == none;
  }

  void mark_variable(const Declaration &d) {
    if (d.in_class || d.is_template())
      return;
    bool is_const = false, is_array = false, is_named = false;
    for (size_t k = d.first; k < d.end && !code_.is_one_of(k, "= {"); ++k) {
      if (code_.is_one_of(k,
                          "constexpr constinit __device__ __constant__ __managed__ __shared__ "
                          "friend concept operator goto export import module __extension__"))
        return;
      if (code_.is(k, "const"))
        is_const = true;
      else if (code_.is_one_of(k, "* &"))
        is_const = false;
      if (code_.is(k, "[") && !code_.is(k + 1, "["))
        is_array = true;
      if (code_.opens(k))
        k = code_.partner(k);
      is_named |= k > d.first && code_.is_name(k);
    }
    if (!is_named || (is_const && !is_array))
      return;
    mark(d.first, host_variable_mark);
    for (size_t k = d.first + 1; k < d.end; ++k)
      if (code_.is_name(k) && code_.is_one_of(k + 1, "[ = { ;")) {
        host_variables_.emplace(code_.text(k), d.end);
        return;
      }
  }

  // sizeof(a) reads nothing: `a` becomes something of its type.
  void allow_in_sizeof(size_t sizeof_at, const Function &f) {
    for (size_t k = sizeof_at + 2; k < code_.partner(sizeof_at + 1); ++k) {
      const auto [first, end] = host_variables_.equal_range(code_.text(k));
      if (first == end || code_.is_one_of(k - 1, ". -> ::") || is_shadowed(code_.text(k), f))
        continue;
      const std::string name(code_.text(k)), type = "emu_type_of_" + name;
      unit_.edits.replace({k, k + 1},
                          "(*static_cast<::std::remove_reference_t<" + type + "> *>(nullptr))");
      for (auto variable = first; variable != end; ++variable)
        if (typed_.insert(variable->second).second)
          unit_.edits.behind(variable->second, " using " + type + " = decltype(" + name + ");");
    }
  }

  void mark(size_t i, std::string_view what) {
    while (code_.is(i, "[")) // attributes
      i = code_.partner(i) + 1;
    if (code_.is(i, "extern") && code_[i + 1].kind == Kind::string)
      i += 2;
    unit_.edits.before(i, "__attribute__((deprecated(\"" + std::string(what) + "\"))) ");
  }

  void guard(const Function &f) {
    const std::string pragma = "\n#pragma GCC diagnostic ";
    unit_.edits.behind(f.body,
                       pragma + "error \"-Wdeprecated-declarations\"" + unit_.edits.marker(f.body),
                       Layer::middle);
    unit_.edits.before(f.end - 1,
                       pragma + "ignored \"-Wdeprecated-declarations\"" +
                           unit_.edits.marker(f.end - 1),
                       Layer::middle);
    unit_.result.device_functions.push_back(
        {code_.file(f.body), code_[f.first].line, code_[f.end - 1].line, described(f)});
  }

  std::string described(const Function &f) const {
    const std::string kind = f.is_kernel              ? "__global__"
                             : f.side == Side::device ? "__device__"
                             : f.side == Side::both   ? "__host__ __device__"
                                                      : "__host__";
    return kind + " function(\"" + (f.is_lambda ? "lambda" : code_.flat(f.name)) + "\")";
  }

  // ------------------------------------------------------------ what names alone tell

  // For whom the functions of a name are, over all overloads.
  struct Sorts {
    bool kernel = false, device = false, host = false;
    size_t parameters = 0; // of the kernel
  };

  void learn(const Function &f) {
    if (f.is_lambda || f.name.empty())
      return;
    Sorts &sorts = sorts_[plain_name(code_, f)];
    if (f.is_kernel) {
      sorts.kernel = true;
      sorts.parameters = code_.split({f.open + 1, code_.partner(f.open)}).size();
    } else if (f.side == Side::device && !f.in_class && f.parent == none) {
      sorts.device = true;
    } else {
      sorts.host = true;
    }
  }

  void check_body(const Function &f) {
    if (f.side == Side::device)
      guard(f);
    for (size_t k = f.body + 1; k + 1 < f.end; ++k) {
      if (const size_t inner = other_side_at(k, f); inner != k) {
        k = inner;
        continue;
      }
      if (f.side == Side::device && code_.is(k, "sizeof") && code_.is(k + 1, "("))
        allow_in_sizeof(k, f);
      if (code_.is_name(k))
        check_name(k, f);
    }
  }

  // The end of a lambda of another side that begins at `k`, which is looked at on its own.
  size_t other_side_at(size_t k, const Function &f) const {
    if (code_.is(k, "{"))
      for (const Function &g : unit_.structure.functions)
        if (g.body == k && g.side != f.side)
          return g.end - 1;
    return k;
  }

  void check_name(size_t k, const Function &f) {
    const std::string_view name = code_.text(k);
    if (touches_memory(k, f)) {
      refuse_call(k, std::string(name), "__host__", f);
      return;
    }
    if (f.side == Side::device && code_.is(k - 1, "::") && code_.is(k - 2, "std") &&
        !(code_.is(k - 3, "::") && code_.is(k - 4, "cuda"))) {
      check_std(k, f);
      return;
    }
    if (code_.is_one_of(k - 1, ". -> ::"))
      return;
    if (f.side == Side::host && code_.is_index(k) && code_.is(k + 1, ".") && !is_shadowed(name, f))
      unit_.refuse(k,
                   "identifier \"" + std::string(name) + "\" is undefined in host code: is " +
                       described(f) + " a kernel without __global__, or a __device__ function?");
    if (!is_call(k))
      return;
    const auto known = sorts_.find(name);
    if (known == sorts_.end()) {
      if (f.side == Side::device && has_word(host_only_in_c, name) && !is_shadowed(name, f))
        refuse_call(k, std::string(name), "__host__", f);
      else if (f.side == Side::host && is_device_only_in_cuda(name))
        refuse_call(k, std::string(name), "__device__", f);
      return;
    }
    const Sorts &sorts = known->second;
    // `max` may be the standard's, too, and so may `distance(a, b)`, but for a kernel of four parameters.
    if (is_shadowed(name, f) ||
        (is_host_only_in_std(name) && (!sorts.kernel || arguments_at(k) != sorts.parameters)))
      return;
    if (sorts.kernel && !sorts.host && !sorts.device)
      unit_.refuse(k, "a __global__ function call must be configured");
    else if (f.side == Side::host && sorts.device && !sorts.host && !sorts.kernel)
      refuse_call(k, std::string(name), "__device__", f);
  }

  // Of a stranger's file in what a device may come to, too, though nvcc but warns of it.
  bool touches_memory(size_t k, const Function &f) const {
    const bool for_device = f.side == Side::device ||
                            (unit_.options.guarded && (f.side == Side::both || f.is_constexpr));
    const std::string_view name = code_.text(k);
    if (!for_device || !(has_word(memory_in_c, name) || copies_in_cuda(name)) ||
        code_.is_one_of(k - 1, ". ->") || sorts_.contains(name) || is_shadowed(name, f))
      return false;
    const bool in_a_scope = code_.is(k - 1, "::") && code_.is_name(k - 2) &&
                            !code_.is_one_of(k - 2, "std return else do case throw");
    return !in_a_scope;
  }

  // Nobody but the engine sets threadIdx and its kin: for the program they are const. (Declared so, the compiler would
  // not read them anew for the next thread. Of a kernel's parameter decltype is a reference, and clang warns of its
  // const.)
  void make_constant(size_t k) {
    const auto is_operand = [&](size_t i) {
      return code_.is_name(i) && !code_.is_one_of(i, "return else do case throw");
    };
    const size_t first = code_.is(k - 1, "::") ? k - 1 : k;
    const bool is_member = code_.is_one_of(k - 1, ". ->") || (first < k && is_operand(first - 1));
    const bool is_declared = is_operand(k - 1) || code_.is_one_of(k + 1, "( {");
    if (is_member || is_declared || (code_.is(first - 1, "(") && code_.is(first - 2, "decltype")))
      return;
    const size_t innermost = unit_.structure.function_at(k, code_);
    if (innermost == none && code_.is_one_of(k + 1, "= , )"))
      return; // an enumerator, a parameter
    for (size_t i = innermost; i != none; i = unit_.structure.functions[i].parent) {
      const Function &f = unit_.structure.functions[i];
      if ((f.side == Side::host && !f.is_constexpr) || is_hidden_by_another(k, f))
        return;
    }
    const std::string name = code_.flat({first, k + 1});
    unit_.edits.replace({first, k + 1},
                        "static_cast<__typeof__(" + name + ") const &>(" + name + ")");
  }

  // By a parameter, or a variable of braces around it.
  bool is_hidden_by_another(size_t k, const Function &f) const {
    for (size_t i = f.first + 1; i < k; ++i) {
      if (code_.text(i) != code_.text(k))
        continue;
      size_t type = i - 1;
      while (code_.is_one_of(type, "* & const"))
        --type;
      const bool is_type = (code_.is_name(type) || code_.is(type, ">")) &&
                           !code_.is_one_of(type, "return else do case throw");
      const Braces *const around = unit_.structure.braces_at(i, code_);
      const bool in_head = code_.is(type - 1, "("); // of a loop: hidden there alone
      if (is_type && (i < f.body || (!in_head && around && k < code_.partner(around->open))))
        return true;
    }
    return false;
  }

  void refuse_call(size_t k,
                   const std::string &name,
                   const std::string &kind,
                   const Function &f,
                   const std::string &instead = {}) {
    unit_.refuse(k,
                 "calling a " + kind + " function(\"" + name + "\") from a " + described(f) +
                     " is not allowed" + instead);
  }

  void check_std(size_t k, const Function &f) {
    const bool relaxed = unit_.options.relaxed_constexpr;
    if (code_.is(k, "numeric_limits") && !relaxed) {
      size_t call = code_.angle_close(k + 1, f.end) + 1;
      if (code_.is(call, "::") && code_.is(call + 2, "("))
        refuse_call(k,
                    "std::numeric_limits::" + std::string(code_.text(call + 1)),
                    "constexpr __host__",
                    f,
                    "; there are INFINITY (<cmath>), FLT_MAX (<cfloat>) and INT_MAX (<climits>)");
    } else if (relaxed ? has_word(never_in_std, code_.text(k))
                       : is_host_only_in_std(code_.text(k))) {
      refuse_call(k, "std::" + std::string(code_.text(k)), "__host__", f);
    }
  }

  size_t arguments_at(size_t k) const {
    const size_t open = code_.behind_name(k);
    return code_.split({open + 1, code_.partner(open)}).size();
  }

  // name( or name<…>(, unless it is launched or declared.
  bool is_call(size_t k) const {
    if (!code_.is(code_.behind_name(k), "("))
      return false;
    const bool behind_type =
        code_.is_name(k - 1) &&
        !code_.is_one_of(k - 1, "return else do case throw co_return and or not");
    return !behind_type && !code_.is(k - 1, ">") && !code_.is_later_declarator(k);
  }

  // Whether the function has a variable or parameter of that name.
  bool is_shadowed(std::string_view name, const Function &f) const {
    for (size_t k = f.first; k < f.end; ++k)
      if (code_.is(k, name) && k != f.name.end - 1 && k > f.first &&
          (code_.is_name(k - 1) || code_.is_one_of(k - 1, "* & >")) &&
          !code_.is_one_of(k - 1, "return else do case throw new") &&
          (code_.is_one_of(k + 1, "= ; , ) { [ :") ||
           (code_.is_name(k - 1) && code_.is(k + 1, "(")))) // dim3 name(1, 2)
        return true;
    return false;
  }

  const Unit &unit_;
  const Code &code_;
  std::map<std::string_view, Sorts> sorts_;
  std::multimap<std::string_view, size_t> host_variables_; // the semicolons of their declarations
  std::set<size_t> typed_; // of those, the ones whose types have names
};

} // namespace

void check_sides(const Unit &unit) { Sides(unit).run(); }

} // namespace rewriter
