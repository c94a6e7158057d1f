"""What the core of a chapter owes to the learner's hands."""

import unittest

from support import LessonTest
from core import BUDGETS, breaches_of_boxes, breaches_of_budget, breaches_of_core, pace_table
from markers import find_blocks

BOX = "> **Now you: 05.1 · Sum · 10 minutes.** Add them.\n\n"
CARD = 'title = "Sum"\nnumber = 1\nminutes = 10\nsection = "Sums"\n'


class Core(LessonTest):
    def owed(self, text, lines=100, chapter=5):
        return [message for _, message in breaches_of_core(text, find_blocks(text), lines, chapter)]

    def fine(self, text):
        self.assertEqual(self.owed(text), [])

    def test_words_are_counted_without_code_tables_pictures_and_generated_text(self):
        text = BOX + ("word " * 246 + "\n**Run** it.\n") * 10
        self.fine(text)
        for unread in ("| a b c |\n", "![a b c](d e f)\n", "<!-- note: a b c -->\n"):
            self.fine(text + unread * 100)
        self.fine(text + "```cuda\n" + "a b c\n" * 100 + "```\n")
        self.fine(text + "<!-- idea a.cuh -->\n" + "a b c\n" * 100 + "<!-- /idea -->\n")
        self.assertIn("words of prose; a core has at most 2500", self.owed(text + "word " * 20)[0])

    def test_a_core_has_only_so_many_lines(self):
        self.assertEqual(self.owed(BOX, 701), ["701 lines; a core has at most 700"])

    def test_the_first_exercise_comes_early(self):
        self.fine("\n" * 25 + BOX + "\n" * 78)
        late = "the first exercise comes after 35% of the page"
        self.assertEqual(self.owed("\n" * 35 + BOX + "\n" * 63), [late])

    def test_hands_are_never_idle_for_long(self):
        asked = [f"**{word}.** What?\n" for word in ("Reckon", "Predict", "Bet")]
        for to_do in ("```console\n$ ls\n```\n", *asked, "**Change** it.\n"):
            self.fine(BOX + "word " * 480 + "\n" + to_do + "word " * 480)
        self.assertIn("words with nothing to do; 500 at most", self.owed(BOX + "word " * 500)[0])

    def test_figures_are_few(self):
        self.fine(BOX + "Some words here " * 9 + "take 1.5 ms.\n")
        self.assertEqual(
            self.owed(BOX + "It takes 1.5 ms.\n"),
            ["1 figures in 12 words; one in 25 at most"],
        )

    def test_a_core_takes_only_so_many_minutes(self):
        command, change = "```console\n$ ls\n```\n", "**Change** it, and observe again.\n"
        generated = "<!-- output a -->\n$ ls\n<!-- /output -->\n"
        box = BOX.replace("10 m", "80 m")
        text = f"{box}{command * 18}**Predict.** What?\n{command}{generated}"  # 1 + 19 + 80
        self.fine(text)
        changes = [change, change + generated, change + command, "**Bet, then run.** Who?\n"]
        for more in (command, *changes, BOX, "word " * 180):
            self.assertIn("minutes; this core takes at most 100", self.owed(text + more)[0])
            self.assertEqual(self.owed(text + more, chapter=9), [])
        over = "10 words / 180 + 20 commands + 80 on exercises = 101 minutes"
        self.assertEqual(self.owed(text + command), [f"{over}; this core takes at most 100"])
        self.write("chapters/05_sum/README.md", text)
        self.assertEqual(
            pace_table(self.folder),
            "| core | exercises | reading | commands | on exercises | minutes | at most |\n"
            "| ---- | --------: | ------: | -------: | -----------: | ------: | ------: |\n"
            "| 05   |         1 |       1 |       19 |           80 |     100 |     100 |\n",
        )

    def test_a_chapter_keeps_to_its_budget_side_pages_too(self):
        self.assertEqual(sum(BUDGETS.values()), 41000)

        def owed(chapter, *texts):
            return [*breaches_of_budget(self.folder / chapter, texts)]

        for chapter, most in (("04_banks", 2600), ("12_gpus", 3700), ("13_stencil", 3400)):
            core, page = "word " * 2000, "word " * (most - 2000)
            self.assertEqual(owed(chapter, core, page + "\n| a b |\n"), [])
            over = "words of prose with its side pages; this chapter has at most"
            self.assertEqual(owed(chapter, core, page, "word"), [f"{most + 1} {over} {most}"])

    def test_each_exercise_has_its_box_in_its_cards_section(self):
        def boxes(*texts):
            return [*breaches_of_boxes(self.folder / "chapters/05_sum", texts)]

        self.write("exercises/05_sum/sum/card.toml", CARD)
        self.assertEqual(boxes("# A\n\n", f"# B\n\n## Sums\n\n{BOX}"), [])
        self.assertEqual(boxes(f"# Sums\n\n{BOX}"), [])
        box = "'> **Now you: 05.1 · Sum · 10 minutes.**'"
        wanted = f"sum: one box {box} in its card's section 'Sums'"
        for wrong in (f"# Sums\n\n## Others\n\n{BOX}", "# Sums\n", f"# Sums\n\n{BOX}{BOX}"):
            self.assertEqual(boxes(wrong), [wanted])
        shorter = BOX.replace("10", "5")
        stray = "a box names 05.1 · Sum · 5 minutes, which no card does"
        self.assertEqual(boxes(f"# Sums\n\n{shorter}"), [wanted, stray])
        for name in ("a", "b", "c"):
            self.write(f"exercises/05_sum/{name}/card.toml", CARD)
        few = "3 of 4 exercises in the core; at least 4"
        self.assertEqual(boxes(f"# Sums\n\n{BOX * 3}", f"# A\n\n{BOX}")[0], few)
        self.assertNotIn(few, boxes(f"# Sums\n\n{BOX * 4}"))


if __name__ == "__main__":
    unittest.main()
