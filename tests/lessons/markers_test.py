"""Markers and their arguments."""

import unittest

from support import LessonTest
from markers import Arguments, find_blocks


class Markers(LessonTest):
    def test_blocks_are_found_with_name_arguments_line_and_body(self):
        text = "# T\n<!-- snippet a.cuh function f -->\nold\n<!-- /snippet -->\nend\n"
        (block,) = find_blocks(text)
        self.assertEqual((block.name, block.arguments), ("snippet", "a.cuh function f"))
        self.assertEqual((block.line, text[block.begin : block.end]), (2, "old\n"))

    def test_fences_quoted_markers_and_ordinary_comments_are_passed_over(self):
        for text in (
            "```\n<!-- snippet a -->\n```\n",
            "say `<!-- snippet f -->` and `<!-- /snippet -->`\n",
            "<!-- note: an ordinary comment -->\n",
            "<!--\n<!-- snippet a\n-->\n",
        ):
            self.assertEqual(find_blocks(text), [])

    def test_a_body_may_hold_anything_but_markers(self):
        text = "<!-- output x -->\n```\n<!-- other -->\n```\n<!-- /output -->\n"
        self.assertEqual(len(find_blocks(text)), 1)

    def test_broken_markers_are_refused_with_their_line(self):
        for text, words in {
            "a\n<!-- snippet a -->\ntext\n": "2: 'snippet' is never closed: add <!-- /snippet -->",
            "<!-- snippet a -->\n<!-- idea b -->\n<!-- /idea -->\n": "1: 'snippet' is never closed",
            "<!-- snipet a -->\n<!-- /snipet -->\n": "1: unknown marker 'snipet'",
            "a\n\n<!-- /diff -->\n": "3: '/diff' closes nothing",
            "  <!-- diff a b -->\n<!-- /diff -->\n": "1: marker 'diff' must stand alone",
            "<!-- diff a b --> x\n<!-- /diff -->\n": "1: marker 'diff' must stand alone",
            "<!-- half a comment\n": "1: comment is never closed",
            "```\ncode\n": "1: code fence is never closed",
            "one\ntwo\r\n": "2: carriage return",
        }.items():
            self.refused(words, find_blocks, text)

    def test_arguments_are_words_options_and_quotes(self):
        arguments = Arguments(r'a.cuh from "int tid" to "\s\"x\"" args="--n 33" run=n=1024')
        self.assertEqual(arguments.take("file"), "a.cuh")
        self.assertTrue(arguments.take_if("from"))
        self.assertEqual(arguments.take("from"), "int tid")
        self.assertFalse(arguments.take_if("until"))
        self.assertEqual([arguments.take("to"), arguments.take("to")], ["to", r'\s"x"'])
        self.assertEqual(arguments.option("args"), "--n 33")
        self.assertEqual(arguments.option("run"), "n=1024")
        self.assertEqual(arguments.option("run", "none"), "none")
        arguments.expect_end()

    def test_arguments_nobody_asked_for_missing_ones_and_open_quotes_are_errors(self):
        self.refused("unexpected word 'a': remove it", Arguments("a b").expect_end)
        self.refused("unknown option 'colour=': remove it", Arguments("colour=red").expect_end)
        self.refused("marker lacks a file", Arguments("").take, "a file")
        self.refused("a quote is not closed", Arguments, 'from "x')


if __name__ == "__main__":
    unittest.main()
