"""Code out of source files, and the difference between two of them."""

import random
import unittest

from support import LessonTest
from difference import unified
from source import code_between, code_of_function, read_idea, whole_code

STEP = """\
// Was:   the loop ran on one
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
"""


class Source(LessonTest):
    def test_the_idea_is_read_from_the_opening_comment_continued_lines_joined(self):
        idea = ["the loop ran on one thread.", "one thread per element.", "the number of threads."]
        self.assertEqual([*read_idea(STEP).values()], idea)

    def test_a_missing_part_of_the_idea_is_an_error(self):
        source = "// Was: a\n// Now: b\nint x;\n// Watch: c\n"
        self.refused("the file's opening comment lacks '// Watch: …': add it", read_idea, source)

    def test_whole_code_leaves_out_the_opening_comment_and_the_includes(self):
        self.assertTrue(whole_code(STEP).startswith("namespace v1 {\n"))
        self.assertTrue(whole_code(STEP).endswith("} // namespace v1\n"))
        kept = "// kept with\nint a;\n"
        self.assertEqual(whole_code(f"#include <x>\n\n{kept}"), kept)
        self.refused("the file holds no code", whole_code, "// only words\n")

    def test_code_between_two_expressions_both_lines_included_indentation_taken_away(self):
        found = code_between(STEP, r"if \(a", r"^  \}")
        self.assertEqual(found, "if (a[0] == '}') {\n  sum[0] = a[0];\n}\n")
        found = code_between(STEP, "brace =", "brace =")
        self.assertEqual(found, 'const char *brace = "}";\n')
        self.refused('no line matches "nowhere"', code_between, STEP, "nowhere", "x")
        self.refused('no line matches "Was:"', code_between, STEP, "brace =", "Was:")
        self.refused("'(' is no regular expression", code_between, STEP, "(", "x")

    def test_a_function_comes_with_comment_and_template_line_and_ends_at_its_own_brace(self):
        add = code_of_function(STEP, "add")
        self.assertTrue(add.startswith("/// Adds;"))
        self.assertTrue(add.endswith("    sum[0] = a[0];\n  }\n}\n"))
        self.assertTrue(code_of_function(STEP, "run").startswith("inline void run"))

    def test_calls_declarations_and_parts_of_longer_names_are_no_definitions(self):
        definition = "int f() {\n  return 1;\n}\n"
        source = f"void f();\nvoid deaf() {{}}\nvoid g() {{\n  if (f()) {{\n  }}\n}}\n{definition}"
        self.assertEqual(code_of_function(source, "f"), definition)
        self.refused("no function 'h' is defined there", code_of_function, source, "h")


class Difference(unittest.TestCase):
    def test_it_is_what_the_tutor_prints(self):
        self.assertEqual(unified("a\nb\nc\n", "a\nB\nc\n", 3), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")
        self.assertEqual(unified("a\n", "a\n", 3), "")
        self.assertEqual(unified("", "a\n", 3), "@@ -0,0 +1 @@\n+a\n")
        self.assertEqual(unified("a\n", "", 3), "@@ -1 +0,0 @@\n-a\n")
        self.assertEqual(unified("a\nb\n", "a\nx\nb\n", 0), "@@ -1,0 +2 @@\n+x\n")
        self.assertEqual(unified("a\n", "b\n", 3, (10, 20)), "@@ -11 +21 @@\n-a\n+b\n")
        unterminated = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
        self.assertEqual(unified("a", "a\n", 3), unterminated)

    def test_changes_far_apart_get_hunks_of_their_own(self):
        old, new = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n"
        self.assertEqual([unified(old, new, n).count("@@ -") for n in (3, 4)], [2, 1])

    def test_both_sides_are_kept_exactly_and_the_difference_is_the_shortest(self):
        draw = random.Random(20240611)
        for _ in range(100):
            old, new = ([draw.choice("abcd") for _ in range(draw.randrange(1, 25))] for _ in "ab")
            text = unified("\n".join(old) + "\n", "\n".join(new) + "\n", 99)
            lines = text.splitlines()[1:]
            if old != new:
                self.assertEqual([line[1:] for line in lines if line[0] != "+"], old)
                self.assertEqual([line[1:] for line in lines if line[0] != "-"], new)
                self.assertEqual(len(lines), len(old) + len(new) - common_lines(old, new))


def common_lines(a, b):
    """Length of the longest common subsequence by the textbook table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            same, other = table[i - 1][j - 1] + 1, max(table[i - 1][j], table[i][j - 1])
            table[i][j] = same if x == y else other
    return table[-1][-1]


if __name__ == "__main__":
    unittest.main()
