"""What lessons owe their readers."""

import unittest

from support import LessonTest
from markers import find_blocks
from rules import breaches_of, breaches_of_chapter, evidence_in
from terms import glossary, read_terms

TABLE = "<!-- results x.json -->\n\n| a |\n\n<!-- /results -->\n\n"
EVIDENCE = "<!-- evidence v0 -->\n\n| a |\n\n<!-- /evidence -->\n"


class Rules(LessonTest):
    def setUp(self):
        super().setUp()
        self.write("chapters/01_first/terms.toml", '# sorted\n"warp" = "32 threads."\n')
        self.write("chapters/01_first/steps/v0_plain.cuh", "")
        self.write("chapters/02_second/terms.toml", '"grid-stride loop" = "A loop."\n')

    def owed(self, text, folder="chapters/01_first", page="README.md"):
        """The messages for a lesson, each with its line."""
        lesson = self.folder / folder / page
        breaches = breaches_of(self.folder, lesson, text, find_blocks(text))
        return [f"{line}: {message}" for line, message in breaches]

    def fine(self, text, *where):
        self.assertEqual(self.owed(text, *where), [])

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

    def test_a_line_that_is_drawn_accesses_memory(self):
        self.write("chapters/01_first/steps/v1_more.cuh", "int i;\nx[i] = 1;\n")
        self.fine("`./tutor observe 01 --picture v1_more.cuh:2 -- --only v1`\n")
        for place in ("v1_more.cuh:1", "v1_more.cuh:3", "gone.cuh:2"):
            file, _, line = place.partition(":")
            told = f"1: {file} has no access to memory in line {line} to be drawn"
            self.first(told, f"`./tutor observe 01 --picture {place}`\n")

    def test_a_lesson_is_not_too_long(self):
        side = ("chapters/01_first", "more/page.md")
        text = "x\n" * 1201
        self.assertEqual(self.owed(text, *side), ["1201: 1201 lines; a lesson has at most 1200"])
        self.write("card.json", '{"part": {"ms": 1}}')
        notes = "<!-- note: figures from card.json: part -->\n" * 2  # that nobody reads
        self.fine(f"{notes}\n{text[2:]}", *side)
        self.first("702: 701 lines; a core has at most 700", "\n" * 701)

    def test_evidence_is_there_for_each_step_and_recorded(self):
        def of_chapter(*texts, elsewhere=""):
            folder = self.folder / "chapters/01_first"
            breaches = breaches_of_chapter(folder, texts, evidence_in([elsewhere]))
            return [message for _, message in breaches]

        self.assertEqual(of_chapter(f"a *warp*\n{EVIDENCE}"), [])
        self.assertEqual(of_chapter("a *warp*\n", EVIDENCE), [])
        none = "v0_plain has no evidence: add <!-- evidence v0 -->"
        self.assertEqual(of_chapter("a *warp*\n"), [none])
        self.assertEqual(of_chapter("a *warp*\n", elsewhere=EVIDENCE), [none])
        told = EVIDENCE.replace("v0", "v0 of=01_first")
        self.assertEqual(of_chapter("a *warp*\n", elsewhere=told), [])
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
