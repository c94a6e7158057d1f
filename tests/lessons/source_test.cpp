#include "lessons/source.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

using namespace tutor::lessons;

namespace {

const std::string step = R"(// Was:   the loop ran on one
//        thread.
// Now:   one thread per element.
// Watch: the number of threads.
#pragma once

#include "problem.hpp"

namespace v1 {

/// Adds; "}" and '{' in a comment mean nothing.
template <class T>
__global__ void add(const T *a, T *sum) {
  const char *brace = "}";
  // }
  if (a[0] == '}') {
    sum[0] = a[0];
  }
}

inline void run(Problem &problem) {
  add<<<1, 1>>>(problem.a, problem.sum);
}

} // namespace v1
)";

} // namespace

TEST_CASE("the idea is read from the opening comment, continued lines joined") {
  const Idea idea = read_idea(step);
  CHECK(idea.was == "the loop ran on one thread.");
  CHECK(idea.now == "one thread per element.");
  CHECK(idea.watch == "the number of threads.");
}

TEST_CASE("a missing part of the idea is an error") {
  CHECK(thrown_by([] { read_idea("// Was: a\n// Now: b\nint x;\n// Watch: c\n"); }) ==
        "the file's opening comment lacks '// Watch: …': add it");
}

TEST_CASE("whole code leaves out the opening comment and the includes") {
  const std::string code = whole_code(step);
  CHECK(code.starts_with("namespace v1 {\n"));
  CHECK(code.ends_with("} // namespace v1\n"));
  CHECK(whole_code("#include <x>\n\n// kept with\nint a;\n") == "// kept with\nint a;\n");
  CHECK(thrown_by([] { whole_code("// only words\n"); }) == "the file holds no code");
}

TEST_CASE("code between two expressions, both lines included, indentation taken away") {
  CHECK(code_between(step, "if \\(a", "^  \\}") == "if (a[0] == '}') {\n  sum[0] = a[0];\n}\n");
  CHECK(code_between(step, "brace =", "brace =") == "const char *brace = \"}\";\n");
  CHECK(thrown_by([] {
          code_between(step, "nowhere", "x");
        }).starts_with("no line matches \"nowhere\""));
  CHECK(thrown_by([] {
          code_between(step, "brace =", "Was:");
        }).starts_with("no line matches \"Was:\""));
  CHECK(
      thrown_by([] { code_between(step, "(", "x"); }).starts_with("'(' is no regular expression"));
}

TEST_CASE("a function comes with its comment and template line, and ends at its own brace") {
  const std::string add = code_of_function(step, "add");
  CHECK(add.starts_with("/// Adds;"));
  CHECK(add.ends_with("    sum[0] = a[0];\n  }\n}\n"));
  CHECK(code_of_function(step, "run").starts_with("inline void run"));
}

TEST_CASE("calls, declarations and parts of longer names are no definitions") {
  const std::string source =
      "void f();\nvoid deaf() {}\nvoid g() {\n  if (f()) {\n  }\n}\nint f() {\n  return 1;\n}\n";
  CHECK(code_of_function(source, "f") == "int f() {\n  return 1;\n}\n");
  CHECK(thrown_by([&] { code_of_function(source, "h"); }) ==
        "no function 'h' is defined there: name one that is");
}
