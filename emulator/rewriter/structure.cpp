#include "structure.hpp"

namespace rewriter {

namespace {

class Parser {
public:
  Parser(const Code &code, Structure &out) : code_(code), out_(out) {}

  void run() { items({0, code_.size()}, false, none); }

private:
  size_t close(size_t i) const { return code_.partner(i); }
  bool is(size_t i, std::string_view what) const { return code_.is(i, what); }

  // What stands outside functions: in a namespace, or in a class.
  void items(Range range, bool in_class, size_t parent) {
    for (size_t i = range.begin; i < range.end;)
      i = item(i, range.end, in_class, parent);
  }

  // One declaration, and the token behind it.
  size_t item(size_t i, size_t end, bool in_class, size_t parent) {
    if (is(i, ";"))
      return i + 1;
    if (code_.is_one_of(i, "public private protected") && is(i + 1, ":"))
      return i + 2;
    if (is(i, "namespace") || (is(i, "inline") && is(i + 1, "namespace")))
      return name_space(i, end);
    if (is(i, "extern") && is(i + 1, "template"))
      return statement_end(i, end);
    if (is(i, "extern") && i + 1 < end && code_[i + 1].kind == Kind::string && is(i + 2, "{")) {
      items({i + 3, close(i + 2)}, in_class, parent);
      return close(i + 2) + 1;
    }
    Function head;
    head.first = i;
    head.in_class = in_class;
    head.parent = parent;
    i = template_heads(i, end, head);
    head.begin = i;
    if (is(i, "typedef") && code_.is_one_of(i + 1, "struct class union"))
      if (const size_t brace = class_brace(i + 2, end); is(brace, "{"))
        class_body(i + 1, brace, parent);
    if (code_.is_one_of(i, "using typedef static_assert template asm __asm__"))
      return statement_end(i, end);
    return declaration(head, end);
  }

  size_t name_space(size_t i, size_t end) {
    const size_t k = code_.find("{ ;", i, end);
    if (!is(k, "{"))
      return k + 1;
    out_.namespaces.push_back(k);
    items({k + 1, close(k)}, false, none);
    return close(k) + 1;
  }

  size_t statement_end(size_t i, size_t end) const { return code_.find(";", i, end) + 1; }

  // Behind `template <…>` and its constraints.
  size_t template_heads(size_t i, size_t end, Function &head) const {
    while (is(i, "template") && is(i + 1, "<")) {
      const size_t last = code_.angle_close(i + 1, end);
      if (last == i + 1)
        break;
      head.templates.push_back({i + 2, last});
      i = last + 1;
      if (is(i, "requires"))
        i = constraint_end(i + 1, end);
    }
    return i;
  }

  // Behind the constraint of a requires-clause: names, calls and brackets that && and || join.
  size_t constraint_end(size_t i, size_t end) const {
    for (;;) {
      while (is(i, "!"))
        ++i;
      if (is(i, "requires")) {
        i = is(i + 1, "(") ? close(i + 1) + 1 : i + 1;
        i = is(i, "{") ? close(i) + 1 : i;
      } else if (is(i, "(")) {
        i = close(i) + 1;
      } else {
        while (true) {
          if (is(i + 1, "<"))
            i = code_.angle_close(i + 1, end);
          ++i;
          if (!is(i, "::"))
            break;
          ++i;
        }
      }
      if (!(is(i, "&") && is(i + 1, "&")) && !(is(i, "|") && is(i + 1, "|")))
        return i;
      i += 2;
    }
  }

  // A function, a class, an enumeration or variables.
  size_t declaration(Function &head, size_t end) {
    size_t class_at = none, op = none;
    bool assigned = false, initialises = false, has_operator = false;
    for (size_t k = head.begin; k < end; ++k) {
      if (is(k, ";"))
        return finish(head, k, class_at);
      if (is(k, "}"))
        return k + 1;
      if (is(k, "operator")) {
        has_operator = true;
        op = k;
        if (is(k + 1, "(") && is(k + 2, ")"))
          k += 2;
        else if (is(k + 1, "["))
          k += 2;
        else
          for (; k + 1 < end && !is(k + 1, "("); ++k) {
          }
      } else if (is(k, "(")) {
        if (head.open == none && !assigned && names_function(k, head.begin, has_operator)) {
          head.open = k;
          head.name = has_operator ? Range{op, k} : name_before(k, head.begin);
          if (has_operator)
            head.name.begin = qualified_begin(op, head.begin);
        }
        k = close(k);
      } else if (is(k, "[")) {
        if (assigned && head.open == none)
          if (const size_t behind = lambda(k, end, head.parent); behind != k) {
            k = behind - 1;
            continue;
          }
        k = close(k);
      } else if (is(k, "<") && (code_.is_name(k - 1))) {
        k = code_.angle_close(k, end);
      } else if (is(k, "=")) {
        if (head.open == none)
          assigned = true;
        else if (code_.is_one_of(k + 1, "delete default"))
          head.deleted_or_defaulted = true;
      } else if (is(k, ":") && head.open != none) {
        initialises = true;
      } else if (code_.is_one_of(k, "class struct union enum") && head.open == none && !assigned &&
                 class_at == none) {
        class_at = k;
      } else if (is(k, "{")) {
        if (head.open != none && !assigned && !(initialises && initialises_member(k))) {
          head.body = k;
          return finish(head, k, class_at);
        }
        if (class_at != none && head.open == none && !assigned)
          class_body(class_at, k, head.parent);
        k = close(k);
      }
    }
    return end;
  }

  // In `A() : a(1), b{2} {` the first brace follows a name.
  bool initialises_member(size_t brace) const {
    return code_.is_name(brace - 1) || is(brace - 1, ">");
  }

  void class_body(size_t keyword, size_t brace, size_t parent) {
    name_class(keyword, brace);
    if (!is(keyword, "enum"))
      items({brace + 1, close(brace)}, true, parent);
  }

  // The { of a class, behind its name, attributes and bases; another token if it has none.
  size_t class_brace(size_t i, size_t end) const {
    while (i < end && (code_.is_name(i) || code_.is_one_of(i, ": :: , < > ( [")))
      i = code_.next(i);
    return i;
  }

  // The last name in the head that is no attribute and not `final`, before any base.
  void name_class(size_t keyword, size_t brace) {
    if (is(keyword, "enum"))
      return;
    size_t name = none;
    for (size_t k = keyword + 1; k < brace && !code_.is_one_of(k, ": < final"); ++k) {
      if (code_.opens(k))
        k = close(k);
      else if (code_.is_name(k) && !code_.is_one_of(k, "alignas __attribute__ __attribute"))
        name = k;
    }
    if (name == none && code_.is_name(close(brace) + 1)) // typedef struct { … } Name;
      name = close(brace) + 1;
    if (name != none)
      out_.class_names.push_back(name);
  }

  // Whether the ( at `k` opens the parameters of a function that is declared.
  bool names_function(size_t k, size_t begin, bool has_operator) const {
    if (has_operator)
      return true;
    if (k == begin)
      return false;
    const size_t before = k - 1;
    if (is(k + 1, "*")) // a pointer to a function
      return false;
    if (is(before, ">"))
      return name_before(k, begin).begin > begin;
    return code_.is_name(before) &&
           !code_.is_one_of(before,
                            "__attribute__ __attribute __launch_bounds__ __cluster_dims__ alignas "
                            "decltype noexcept "
                            "explicit requires "
                            "typeof __typeof__ throw asm __asm__ void int auto char bool float "
                            "double long short unsigned signed const");
  }

  // Back from `k` over `A::B<int>::name<float>`.
  Range name_before(size_t k, size_t begin) const {
    size_t name = k - 1;
    if (is(name, ">"))
      name = name_of_arguments(name, begin);
    if (name > begin && is(name - 1, "~"))
      --name;
    return {qualified_begin(name, begin), k};
  }
  size_t qualified_begin(size_t name, size_t begin) const {
    while (name > begin + 1 && is(name - 1, "::")) {
      if (code_.is_name(name - 2))
        name -= 2;
      else if (is(name - 2, ">"))
        name = name_of_arguments(name - 2, begin);
      else
        return name - 1;
    }
    return name;
  }
  // The name in front of the template arguments that end at `greater`.
  size_t name_of_arguments(size_t greater, size_t begin) const {
    for (size_t k = greater; k-- > begin;)
      if (is(k, "<") && k > begin && code_.is_name(k - 1) &&
          code_.angle_close(k, greater + 1) == greater)
        return k - 1;
    return begin;
  }

  // A function has its body at `last`, other declarations their semicolon.
  size_t finish(Function &head, size_t last, size_t class_at) {
    if (head.open == none) {
      if (class_at == none)
        out_.declarations.push_back({head.first, last, head.in_class, head.begin, head.templates});
      return last + 1;
    }
    head.end = head.body == none ? last + 1 : close(last) + 1;
    read_specifiers(head);
    out_.functions.push_back(head);
    if (head.body != none)
      body(last, out_.functions.size() - 1);
    return head.end;
  }

  void read_specifiers(Function &f) const {
    bool host = false, device = false;
    const size_t end = f.is_lambda ? f.body : f.name.begin;
    for (size_t k = f.begin; k < end; ++k) {
      if (f.is_lambda && code_.opens(k)) {
        k = close(k);
        continue;
      }
      host |= is(k, "__host__");
      device |= is(k, "__device__");
      f.is_kernel |= is(k, "__global__");
      f.is_constexpr |= code_.is_one_of(k, "constexpr consteval");
      f.is_friend |= is(k, "friend");
    }
    if (f.is_kernel || (device && !host))
      f.side = Side::device;
    else if (device)
      f.side = Side::both;
    else if (!host && f.parent != none)
      f.side = out_.functions[f.parent].side;
  }

  // Statements, with the lambdas and classes in them.
  void body(size_t open, size_t function) {
    out_.braces.push_back({open, false});
    for (size_t k = open + 1; k < close(open); ++k) {
      if (is(k, "{")) {
        const bool is_switch = is(k - 1, ")") && is(close(k - 1) - 1, "switch");
        out_.braces.push_back({k, is_switch});
      } else if (is(k, "[")) {
        if (const size_t behind = lambda(k, close(open), function); behind != k)
          k = behind - 1;
      } else if (code_.is_one_of(k, "struct class union") && !is(k - 1, "enum")) {
        const size_t brace = class_brace(k + 1, close(open));
        if (is(brace, "{")) {
          class_body(k, brace, function);
          k = close(brace);
        }
      }
    }
  }

  // Whether the ) at `k` ends an expression, not the head of a statement.
  bool is_value(size_t k) const {
    return is(k, ")") &&
           !(close(k) > 0 && code_.is_one_of(close(k) - 1, "if for while switch constexpr"));
  }

  // The token behind the lambda that begins at the [ at `k`; `k` if none does.
  size_t lambda(size_t k, size_t end, size_t parent) {
    const bool behind_name =
        code_.is_name(k - 1) &&
        !code_.is_one_of(k - 1, "return else do case co_return co_yield co_await throw");
    if (k > 0 && (behind_name || is(k + 1, "[") || is(k - 1, "]") || is_value(k - 1) ||
                  code_[k - 1].kind == Kind::string))
      return k;
    Function found;
    found.is_lambda = true;
    found.parent = parent;
    found.first = found.begin = k;
    size_t i = close(k) + 1;
    if (is(i, "<")) {
      const size_t last = code_.angle_close(i, end);
      if (last == i)
        return k;
      i = last + 1;
      if (is(i, "requires"))
        i = constraint_end(i + 1, end);
    }
    for (bool behind_arrow = false; i < end && !is(i, "{"); ++i) {
      behind_arrow |= is(i, "->");
      if (is(i, "(") && found.open == none && !behind_arrow &&
          !code_.is_one_of(i - 1, "noexcept __attribute__"))
        found.open = i;
      if (is(i, "(") || is(i, "["))
        i = close(i);
      else if (behind_arrow && is(i, "<"))
        i = code_.angle_close(i, end);
      else if (!code_.is_name(i) && !(behind_arrow && code_.is_one_of(i, "-> :: * &")))
        return k;
    }
    if (!is(i, "{"))
      return k;
    found.body = i;
    found.end = close(i) + 1;
    read_specifiers(found);
    out_.functions.push_back(found);
    body(i, out_.functions.size() - 1);
    return found.end;
  }

  const Code &code_;
  Structure &out_;
};

} // namespace

Structure::Structure(const Code &code) { Parser(code, *this).run(); }

} // namespace rewriter
