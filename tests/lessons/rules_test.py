"""What lessons owe their readers."""

import unittest

from support import LessonTest
from arithmetic import value_of
from markers import find_blocks
from rules import breaches_of, breaches_of_chapter
from terms import glossary, read_terms

TABLE = "<!-- results x.json -->\n\n| a |\n\n<!-- /results -->\n\n"
EVIDENCE = "<!-- evidence v0 -->\n\n| a |\n\n<!-- /evidence -->\n"
SHOWN = "<!-- output x -->\n\nv1 13.09 of 55.34\n\n<!-- /output -->\n"
SHEET = "<!-- note: figures of the chapter before: 55.3 GB/s -->\n"


class Rules(LessonTest):
    def setUp(self):
        super().setUp()
        self.write("chapters/01_first/terms.toml", '# sorted\n"warp" = "32 threads."\n')
        self.write("chapters/01_first/steps/v0_plain.cuh", "")
        self.write("chapters/02_second/terms.toml", '"grid-stride loop" = "A loop."\n')

    def owed(self, text, folder="chapters/01_first"):
        """The messages for a lesson, each with its line."""
        lesson = self.folder / folder / "README.md"
        breaches = breaches_of(self.folder, lesson, text, find_blocks(text))
        return [f"{line}: {message}" for line, message in breaches]

    def fine(self, text, folder="chapters/01_first"):
        self.assertEqual(self.owed(text, folder), [])

    def first(self, words, text):
        self.assertTrue(self.owed(text)[0].startswith(words), self.owed(text))

    def test_a_table_of_results_needs_its_conclusion_at_once(self):
        self.fine(f"{TABLE}**What this shows.** 1 + 1.\n")
        self.first("5: the paragraph after", f"{TABLE}Later.\n\n**What this shows.** 1 + 1.\n")
        self.first("5: the paragraph after", TABLE)

    def test_italics_are_terms_of_this_chapter_or_an_earlier_one(self):
        self.fine("A *warp*, two *Warps*, **bold**, 2 * 3 * 4, `*p = *q`, _emphasis_.\n")
        self.fine("```\n*p\n*q*\n```\n<!-- note: *thing* -->\n")
        loop = "one\na *grid-stride\nloop*\n"
        self.fine(loop, "chapters/02_second")
        self.first("2: 'grid-stride\nloop' stands in *italics*", loop)
        self.first("1: 'lane'", "a *lane* of a *warp*\n")

    def test_a_links_text_stands_on_one_line(self):
        self.fine("See\n[chapter 05](../05/README.md),\nor [1] and\n[2].\n")
        self.first("2: the text of a link", "one\nSee [chapter\n05](../05/README.md).\n")

    def test_a_lesson_is_not_too_long_and_says_itself_how_long_it_may_be(self):
        text = "x\n" * 1201
        self.assertEqual(self.owed(text), ["1201: 1201 lines; a lesson has at most 1200"])
        self.fine(f"<!-- note: at most 1500 lines -->\n{text}")

    def test_a_figure_that_was_measured_is_shown_by_something_generated(self):
        self.first("1: '13.1 ms' is shown by nothing generated", "13.1 ms\n")
        self.first("1: '670 cycles'", "some 670 cycles\n")
        self.fine(f"{SHOWN}It takes 13.09 ms, or 13.1 ms, at 55 GB/s.\n")
        self.first("6: '13.2 ms'", f"{SHOWN}It takes 13.2 ms.\n")
        self.fine("It is <!-- value x.json:a -->7.3<!-- /value --> ms, and 7.3 times so.\n")
        self.first("6: '14.5 ms'", f"{SHOWN}Between 13.1 and 14.5 ms.\n")
        self.first("6: '55 %'", f"{SHOWN}It is 55 % busy.\n")  # no share
        busy = "<!-- output x -->\n\nbusy 55 %\n\n<!-- /output -->\n"
        self.fine(f"{busy}It is 45 % idle.\n")
        code = "<!-- snippet x -->\n\nint n = 17;\n\n<!-- /snippet -->\n"
        self.first("6: '17 ms'", f"{code}17 ms\n")
        self.fine("<!-- note: figures of the data sheet: 4.8 TB/s -->\nof 4.8 TB/s\n")
        self.fine("`sleep 3 ms`, three times, 64 bytes, 2 x 8, v2 in 4096\n")

    def test_arithmetic_in_a_lesson_comes_out(self):
        self.fine(f"{SHEET}A copy takes 268 MB / 55.3 GB/s\n= 4.85 ms, so 4.85 ms in all.\n")
        wrong = f"{SHEET}A copy takes 268 MB / 55.3 GB/s = 5.1 ms.\n"
        self.first("2: 268 MB / 55.3 GB/s = 5.1 ms does not come out", wrong)
        wrong = "On 2 devices 3 + 4 = 8 of them, n = 7, x == 3.\n"
        self.first("1: 3 + 4 = 8 does not come out", wrong)

    def test_arithmetic_is_worth_what_it_says(self):
        for text, value in {
            "(16.4 - 13.1) ms / 512": 3.3e-3 / 512,
            "8192² / 32 requests x 32 lines / 132 SMs / 1.98 GHz": 67108864 / 132 / 1.98e9,
            "2^21 x 20 / 2.73 per nanosecond": 41943040 / 2.73e9,
            "the square root of 19.4 ms / 9.9 µs": 44.27,
            "1 / (1/55 + 1/55)": 27.5,
            "64 KiB / 50 GB/s": 65536 / 50e9,
        }.items():
            found = value_of(text)
            self.assertLessEqual(found.low, value * (1 + 1e-12), text)
            self.assertLessEqual(value, found.high * (1 + 1e-12), text)
        for text in ("", "ms", "3 +", "(3", "3 4 / 2 = 1", "1 / 0", "2^"):
            self.assertIsNone(value_of(text), text)

    def test_evidence_is_there_for_each_step_and_recorded(self):
        def of_chapter(*texts):
            breaches = breaches_of_chapter(self.folder / "chapters/01_first", texts)
            return [message for _, message in breaches]

        self.assertEqual(of_chapter(f"a *warp*\n{EVIDENCE}"), [])
        self.assertEqual(of_chapter("a *warp*\n", EVIDENCE), [])
        none = "v0_plain has no evidence: add <!-- evidence v0 -->"
        self.assertEqual(of_chapter("a *warp*\n"), [none])
        self.assertEqual(of_chapter(EVIDENCE), ["'warp' of terms.toml stands nowhere in *italics*"])
        missing = EVIDENCE.replace("| a |", "| not recorded |")
        self.first("1: evidence is not recorded", missing)
        gap = "<!-- note: evidence is not recorded, because it takes two GPUs -->\n"
        self.fine(gap + missing)

    def test_what_stands_outside_the_chapters_owes_nothing(self):
        self.fine(f"{TABLE}a *lane*\n", "docs")

    def test_the_glossary_has_all_terms_from_a_to_z_with_links(self):
        self.assertEqual(
            glossary(self.folder, self.folder / "docs/glossary.md"),
            "| term             | what it means | chapter                               |\n"
            "| ---------------- | ------------- | ------------------------------------- |\n"
            "| grid-stride loop | A loop.       | [02](../chapters/02_second/README.md) |\n"
            "| warp             | 32 threads.   | [01](../chapters/01_first/README.md)  |\n",
        )
        self.write("chapters/02_second/terms.toml", '"Warps" = "Again."\n')
        self.refused("the term 'Warps' stands in", read_terms, self.folder)
        self.write("chapters/02_second/terms.toml", "lane: one of 32\n")
        self.refused("terms.toml:1: write", read_terms, self.folder)


if __name__ == "__main__":
    unittest.main()
