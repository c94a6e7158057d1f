"""The whole tool on a small course: one chapter with two steps, a recording and results."""

import contextlib
import io
import unittest

from support import LessonTest
from main import Lessons

HEAD = "# Hello\n\nFirst words,\nand more.\n\n"
LESSON = f"""\
{HEAD}<!-- idea steps/v1_b.cuh -->
<!-- /idea -->
<!-- snippet steps/v1_b.cuh -->
<!-- /snippet -->
<!-- snippet steps/v1_b.cuh from return to return -->
<!-- /snippet -->
<!-- snippet steps/v1_b.cuh function f -->
<!-- /snippet -->
<!-- diff steps/v0_a.cuh steps/v1_b.cuh context=0 -->
<!-- /diff -->
<!-- results docs/results/card.json columns=step,ms -->
<!-- /results -->

**What this shows.** Nothing.

<!-- note: evidence is not recorded, because there is no card -->
<!-- output run args="--n 8" -->
<!-- /output -->
It took 1.5 ms, {"and on " * 10}.
"""
AT = "chapters/01_hello/README.md"


def step(number, now):
    return (
        f"// Was: w{number}\n// Now: {now}\n// Watch: c{number}\n#pragma once\n\n"
        f"int f() {{\n  return {number};\n}}\n"
    )


def card(title, number, section=""):
    section = f'section = "{section}"\n' if section else ""
    return f'title = "{title}"\nnumber = {number}\nminutes = 15\n{section}'


class Course(LessonTest):
    def setUp(self):
        super().setUp()
        self.write("chapters/01_hello/steps/v0_a.cuh", step(0, "n0"))
        self.write("chapters/01_hello/steps/v1_b.cuh", step(1, "n1"))
        self.write("chapters/01_hello/recorded/outputs.txt", "==== run\nhello\n")
        results = '{"device": "Card", "n": 8, "steps": [{"name": "v0_a", "ok": true, "ms": 1.5}]}'
        self.write("docs/results/card.json", results)
        self.write("README.md", "# Course\n\n<!-- chapters -->\n<!-- /chapters -->\n")
        self.write(AT, LESSON)

    def process(self, **wanted):
        return Lessons(self.folder, self.folder / "build", **wanted)

    def filled(self, blocks):
        """The lesson with other blocks, once they are filled."""
        self.write(AT, HEAD + blocks)
        self.assertEqual(self.process().errors, [])
        return self.read(AT)

    def error(self, words, blocks):
        """The only error with other blocks, which begin in line 6."""
        self.write(AT, HEAD + blocks)
        (error,) = self.process(check=True).errors
        self.assertTrue(error.startswith(f"{AT}:6: {words}"), error)

    def program(self, says, code=0):
        script = f"#!/bin/sh\necho '{says}' $*\nexit {code}\n"
        self.write("build/chapters/01_hello/01_hello", script, executable=True)

    def test_what_a_tool_printed_is_shown_as_it_is(self):
        printed = "// begin\n  @P0 EXIT\n  end\n"
        self.write("chapters/01_hello/recorded/outputs.txt", "==== tool: by hand\n" + printed)
        text = self.filled("<!-- printed tool -->\n<!-- /printed -->\n")
        self.assertIn(f"```console\n{printed}```", text)
        text = self.filled('<!-- printed tool from "@P0" to EXIT -->\n<!-- /printed -->\n')
        self.assertIn("```console\n@P0 EXIT\n```", text)

    def test_of_a_program_of_one_file_even_the_includes_are_shown(self):
        source = "#include <cstdio>\n\nint main() {}\n"
        self.write("chapters/01_hello/standalone/first.cu", source)
        text = self.filled("<!-- snippet standalone/first.cu whole -->\n<!-- /snippet -->\n")
        self.assertIn(f"```cuda\n{source}```", text)

    def test_a_further_page_names_the_chapters_files_and_shows_its_outputs(self):
        page = "chapters/01_hello/more/why.md"
        self.write(
            page,
            "# Why\n\n<!-- idea steps/v1_b.cuh -->\n<!-- /idea -->\n"
            '<!-- output run args="--n 8" -->\n<!-- /output -->\n',
        )
        self.program("hello again")
        done = self.process(record=True)
        self.assertEqual(done.errors, [])
        self.assertIn("- **Was:** w1\n", self.read(page))
        self.assertIn("$ ./tutor run 01 -- --n 8\nhello again --n 8\n", self.read(page))
        self.assertEqual(self.process(check=True).stale, [])
        self.write(page, "# Why\n\nA *word*.\n")
        self.assertIn(f"{page}:3: 'word' stands in *italics*", self.process(check=True).breaches[0])

    def test_every_kind_of_block_is_filled(self):
        done = self.process()
        self.assertEqual((done.errors, done.blocks, len(done.changed)), ([], 8, 2))
        for words in (
            "- **Was:** w1\n- **Now:** n1\n- **Watch:** c1\n",
            "```cuda\nint f() {\n  return 1;\n}\n```\n",
            "```cuda\nreturn 1;\n```\n",
            "-  return 0;\n+  return 1;\n```\n",
            "| `v0_a` | 1.5000 |\n",
            "$ ./tutor run 01 -- --n 8\nhello\n",
        ):
            self.assertIn(words, self.read(AT))
        row = f"| 01  | [Hello]({AT}) | First words, and more. |"
        self.assertIn(row, self.read("README.md"))

    def test_filling_twice_changes_no_byte_and_then_nothing_is_stale(self):
        self.process()
        once = self.read(AT)
        self.assertEqual(self.process().changed, [])
        self.assertEqual(self.read(AT), once)
        self.assertEqual(self.process(check=True).stale, [])

    def test_check_changes_nothing_and_names_each_stale_block(self):
        self.assertEqual(len(self.process(check=True).stale), 8)
        self.assertEqual(self.read(AT), LESSON)
        self.process()
        self.write("chapters/01_hello/steps/v1_b.cuh", step(1, "new"))
        stale = self.process(check=True).stale
        self.assertEqual(len(stale), 2)  # the idea, and the diff that holds its comment
        how = "regenerate it with ./tutor author lessons"
        self.assertEqual(stale[0], f"{AT}:6: 'idea' is stale: {how}")

    def test_what_a_hand_changed_inside_a_block_is_put_right(self):
        self.process()
        right = self.read(AT)
        self.write(AT, right.replace("return 1;", "return 7;", 1))
        self.assertEqual(len(self.process(check=True).stale), 1)
        self.process()
        self.assertEqual(self.read(AT), right)

    def test_errors_name_file_and_line_and_leave_the_lesson_alone(self):
        for words, blocks in (
            ("cannot read", "<!-- snippet none.cuh -->\n<!-- /snippet -->\n"),
            (
                "marker lacks 'to \"REGEX\"' after from",
                "<!-- snippet steps/v0_a.cuh from f -->\n<!-- /snippet -->\n",
            ),
            (
                "marker has an unexpected word",
                "<!-- snippet steps/v0_a.cuh upto f -->\n<!-- /snippet -->\n",
            ),
            (
                "steps/v0_a.cuh and steps/v0_a.cuh do not differ",
                "<!-- diff steps/v0_a.cuh steps/v0_a.cuh -->\n<!-- /diff -->\n",
            ),
            (
                "'few' is no whole number",
                "<!-- diff steps/v0_a.cuh steps/v1_b.cuh context=few -->\n<!-- /diff -->\n",
            ),
            ("", "<!-- output other -->\n<!-- /output -->\n"),
            ("'snippet' is never closed", "<!-- snippet steps/v0_a.cuh -->\n"),
            ("carriage return", "text\r\n"),
        ):
            self.error(words, blocks)
            self.assertEqual(self.read(AT), (HEAD + blocks).replace("\r\n", "\n"))

    def test_a_lesson_with_errors_still_gets_its_good_blocks_and_its_bad_ones_stay(self):
        good, bad = "<!-- idea steps/v0_a.cuh -->\n<!-- /idea -->\n", "<!-- idea none -->\nkept\n"
        self.write(AT, f"{HEAD}{good}{bad}<!-- /idea -->\n")
        self.assertEqual(len(self.process().errors), 1)
        self.assertIn("**Now:** n0", self.read(AT))
        self.assertIn(bad, self.read(AT))

    def test_a_diff_may_be_of_one_function(self):
        marker = "<!-- diff steps/v0_a.cuh steps/v1_b.cuh function=f -->\n<!-- /diff -->\n"
        text = self.filled(marker)
        self.assertIn("@@ -1,3 +1,3 @@\n int f() {\n-  return 0;\n+  return 1;\n }\n", text)

    def test_a_diff_of_the_code_alone_leaves_out_the_opening_comments(self):
        marker = "<!-- diff steps/v0_a.cuh steps/v1_b.cuh code context=0 -->\n<!-- /diff -->\n"
        text = self.filled(marker)
        self.assertIn("@@ -7 +7 @@\n-  return 0;\n+  return 1;\n```\n", text)
        self.assertNotIn("n1", text)

    def test_an_idea_is_shown_as_it_was_written(self):
        self.write(
            "chapters/01_hello/steps/v1_b.cuh",
            "// Was: a * b\n// Now: f<<<1>>>\n// Watch: c\nint x;\n",
        )
        text = self.filled("<!-- idea steps/v1_b.cuh -->\n<!-- /idea -->\n")
        self.assertIn("- **Was:** a \\* b\n- **Now:** f&lt;&lt;&lt;1&gt;&gt;&gt;\n", text)

    def test_recording_runs_the_program_and_then_fills_the_block(self):
        self.program("took 12.5 ms")
        self.assertEqual(self.process(record=True).errors, [])
        recorded = self.read("chapters/01_hello/recorded/outputs.txt")
        self.assertEqual(recorded, "==== run: ./tutor run 01 -- --n 8\ntook … ms --n 8\n")
        self.assertIn("took … ms --n 8\n", self.read(AT))
        self.assertEqual(self.process(check=True, record=True).stale, [])
        self.program("said something else")
        (stale,) = self.process(check=True, record=True).stale
        how = "regenerate it with ./tutor author lessons --record"
        self.assertIn(f"'output' is stale: {how}", stale)

    def test_what_cannot_run_on_this_machine_is_left_out_by_name(self):
        self.program("took 12.5 ms")
        self.process(record=True)
        self.program("there is no MPI", code=3)
        for check in (True, False):
            lessons = self.process(check=check, record=True)
            self.assertEqual((lessons.stale, lessons.changed), ([], []))
            (left_out,) = lessons.left_out
            self.assertIn(": 'run' was left out: there is no MPI", left_out)
        self.program("it failed", code=1)
        self.assertEqual(len(self.process(check=True, record=True).stale), 1)

    def test_what_varies_is_not_compared_and_a_program_that_is_not_built_is_an_error(self):
        self.assertEqual(len(self.process(check=True, record=True).errors), 1)
        self.program("anything")
        self.filled("<!-- output run varies -->\n<!-- /output -->\n")
        self.assertEqual(self.process(check=True, record=True).stale, [])

    def test_exit_codes_are_0_fine_1_stale_2_wrong(self):
        none = self.folder / "none.md"
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.process(check=True).tell(), 1)
            self.assertEqual(self.process().tell(), 0)
            self.assertEqual(self.process(check=True).tell(), 0)
            self.assertEqual(self.process(check=True, files=[none]).tell(), 2)
            self.assertEqual(Lessons(self.folder / "build", check=True).tell(), 2)
            self.write(AT, self.read(AT).replace("**What this shows.**", "So"))
            self.assertEqual(self.process(check=True).tell(), 1)  # stale is nothing, but it owes

    def test_exercises_come_from_their_cards_in_the_order_of_their_numbers(self):
        block = "<!-- exercises -->\n<!-- /exercises -->\n\n## Traps\n"
        self.error("there is no exercise in exercises/01_hello", block)
        self.write("exercises/01_hello/later/card.toml", card("A * B", 2, "Traps"))
        self.write("exercises/01_hello/first/card.toml", card("First", 1))
        text = self.filled(block)
        first, later = "| 01.1 | `first.cu` | First  |      15 |", "| 01.2 | `later.cu` | A \\* B |"
        self.assertIn(f"{first}\n{later}", text)
        self.write("exercises/01_hello/first/card.toml", card("First", 1, "Gone"))
        self.error("first/card.toml names the section 'Gone'", block)


if __name__ == "__main__":
    unittest.main()
