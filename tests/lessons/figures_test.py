"""Figures in a lesson's own words, and what proves them."""

import json
import unittest

from support import LessonTest
from arithmetic import statements_of, value_of
from figures import figures_of
from main import Lessons

NOTE = "<!-- note: figures from card.json: {} -->\n\n"
OUTPUT = "<!-- output x -->\n\nv1 13.09 of 55.34, busy 55 %\n\n<!-- /output -->\n\n"
CARD = """{
  "runs": [{"n": 1024, "copy_gbps": 4303.2, "steps": [
    {"name": "v0_plain", "ms": 1.577}, {"name": "v1_fast", "ms": 0.529}]}],
  "traps_and_demos": [
    {"demos": [{"name": "latency", "values": {"l1": 39.6, "l2": 287.4}}]},
    {"traps": [{"name": "trap_clock", "tries": 20, "mismatch": "stopped after 0.0303 ms"}]}]
}"""
LESSON = "chapters/01_first/more/page.md"  # of which no core is asked
BY_HAND = "docs/figures_by_hand.toml"


class Figures(LessonTest):
    def setUp(self):
        super().setUp()
        self.write("card.json", CARD)
        self.write("chapters/01_first/recorded/outputs.txt", "==== x\nv1 13.09\n")
        self.write("chapters/01_first/x", "int n = 17;\n")

    def told(self, text, lesson=LESSON):
        """What the tool says of a lesson, without the lesson's name."""
        lessons = Lessons(self.folder, files=[self.write(lesson, text)], check=True)
        messages = lessons.errors + lessons.breaches
        return [message.removeprefix(f"{lesson}:") for message in messages]

    def fine(self, text, lesson=LESSON):
        self.assertEqual(self.told(text, lesson), [])

    def first(self, words, text):
        first, *_ = self.told(text) or [""]
        self.assertTrue(first.startswith(words), first)

    def test_figures_have_units_decimal_points_or_three_digits(self):
        for text, figures in {
            "It takes 9.7 ms at 55 GB/s, or 12 % of it.": ["9.7 ms", "55 GB/s", "12 %"],
            "between 3, 4 and\n5 cycles": ["3 cycles", "4 cycles", "5 cycles"],
            "twice 1.98, of 8130195 and 6.31e-07": ["1.98", "8130195", "6.31e-07"],
            "2.5 times, three times, 3 times, 2.5 x 8": ["2.5 times"],
            "8.4 million requests, 7.9 million": ["7.9 million"],  # the first is a power of two
            "64 threads of 1024, 100,000 in 2024, 4.8 KB, 500 x 1028": [],
            "CUDA 12.4, capability 9.0, Exercise\n  05.2, version 6.1.24": [],
            "Now you: 12.10, with 05.2": [],
            "v12 and 2^21 in tile32, a11": [],
            "\n\n| n | ms | what |\n| -: | -: | - |\n| 7 ms | 4 | 8 |\n": ["4"],
            "\n\n| n | what |\n| -: | -: |\n| 131 | 131 |\n": ["131"],  # the first was chosen
        }.items():
            self.assertEqual([f.number + f.unit for f in figures_of(text)], figures)

    def test_a_figure_stands_in_a_table_or_output_of_its_section(self):
        self.fine(f"{OUTPUT}It takes 13.09 ms, or 13.1 ms, at 55 GB/s.\n")
        self.fine(f"{OUTPUT}It is 45 % idle.\n")  # the rest of a hundred
        self.first(
            "8: '13.2 ms' stands in no table or record of its section, nearest is 13.09 ('output' "
            "in line 1): It takes 13.2 ms.",
            f"{OUTPUT}So. It takes\n13.2 ms. Later.\n",
        )
        self.first("7: '14.5 ms'", f"{OUTPUT}Between 13.1 and 14.5 ms.\n")
        self.first("7: '13 %'", f"{OUTPUT}It is 13 % busy.\n")  # 13.09 is no share
        code = "<!-- snippet x -->\n\nint n = 17;\n\n<!-- /snippet -->\n"
        self.first("6: '17 ms'", f"{code}17 ms\n")

    def test_a_charts_description_proves_nothing(self):
        axis = {"label": "ms", "from": 0, "to": 1, "ticks": [0]}
        chart = {"kind": "plot", "title": "T", "description": "It takes 17 ms.", "series": []}
        self.write("chapters/01_first/x.json", json.dumps(chart | {"x": axis, "left": axis}))
        shown = self.write(LESSON, "<!-- chart x.json -->\n\n<!-- /chart -->\n\nIn 17 ms.\n")
        Lessons(self.folder, files=[shown])
        self.first("7: '17 ms' stands in no table", shown.read_text())

    def test_another_sections_tables_prove_nothing_unless_it_is_named(self):
        lesson = f"# T\n\n## The one\n\n{OUTPUT}## Other\n\n{{}}It takes 13.1 ms.\n"
        self.first("13: '13.1 ms'", lesson.format(""))
        self.fine(lesson.format("As [said](#the-one). "))
        self.fine(lesson.format("<!-- note: figures from #the-one -->\n\n"))
        self.first(
            "11: no section of this lesson is called '#gone'",
            lesson.format("<!-- note: figures from #gone -->\n\n"),
        )
        self.fine(f"# T\n\n{OUTPUT}## Inner\n\nIt takes 13.1 ms.\n")

    def test_a_record_is_named_by_the_parts_that_a_section_speaks_of(self):
        for part, words in {
            "latency": "40 cycles or 287.",
            "runs/0": "4303 GB/s, or 4300.",
            "n=1024": "4303 GB/s",
            "n=1024/steps/v1": "0.53 ms",
            "n=1024/steps": "1.58 ms and 0.529 ms",
            "trap_clock": "It stopped after 0.0303 ms.",
            "latency, n=1024/steps": "287 cycles, 1.58 ms",
        }.items():
            self.fine(f"{NOTE.format(part)}{words}\n")
        wrong = f"{NOTE.format('latency')}It takes 286 cycles.\n"
        self.first("3: '286 cycles' stands in no table or record of its section", wrong)
        self.assertIn("nearest is 287.4 (card.json: latency/l2): It takes 286", self.told(wrong)[0])
        self.first("3: '1.6 ms'", f"{NOTE.format('latency')}1.6 ms\n")  # another part's
        gone = self.told(f"a\n{NOTE.format('gone')}1 ms\n")[0]
        self.assertTrue(gone.startswith("2: ") and "has no part 'gone'" in gone, gone)
        lost = self.told("<!-- note: figures from none.json: latency -->\n")[0]
        self.assertIn("1: cannot read", lost)

    def test_when_a_record_changes_the_sentences_to_read_again_are_listed(self):
        lesson = f"{NOTE.format('latency')}A trip takes 287 cycles, in the L1\n40 cycles.\n"
        self.fine(lesson)
        self.write("card.json", CARD.replace("287.4", "291.7"))
        nearest = "nearest is 291.7 (card.json: latency/l2)"
        self.assertEqual(
            self.told(lesson),
            [
                f"3: '287 cycles' stands in no table or record of its section, {nearest}: "
                "A trip takes 287 cycles, in the L1 40 cycles."
            ],
        )

    def test_a_record_that_is_not_finite_is_refused(self):
        for number in ("NaN", "Infinity", "-Infinity"):
            self.write("card.json", CARD.replace("287.4", number))
            words = "card.json: latency/l2 is not finite: record it anew"
            (refused,) = self.told(f"{NOTE.format('latency')}It takes 40 cycles.\n")
            self.assertTrue(refused.startswith("1: ") and refused.endswith(words), refused)

    def test_arithmetic_comes_out_and_proves_its_outcome(self):
        rate = NOTE.format("runs/0")
        self.fine(f"{rate}It takes 268 MB / 4303 GB/s\n= 0.062 ms, so 0.062 ms in all.\n")
        wrong = f"{rate}It takes 268 MB / 4303 GB/s = 0.071 ms.\n"
        self.first("3: 268 MB / 4303 GB/s = 0.071 ms does not come out", wrong)
        self.first(
            "1: 3 + 4 = 8 does not come out", "2 devices, 3 + 4 = 8 of them, n = 7, x == 3\n"
        )
        self.fine("132 - 4 = 128\n")  # of counts what comes out holds them
        self.first("1: '16.4' stands in no table", "16.4 - 13.1 = 3.3\n")
        self.first("1: '16.4 ms'", "16.4 ms - 13.1 ms = 3.3 ms\n")

    def test_arithmetic_is_worth_what_it_says(self):
        for text, value in {
            "(16.4 - 13.1) ms / 512": 3.3e-3 / 512,
            "8192² / 32 requests x 32 lines / 132 SMs / 1.98 GHz": 67108864 / 132 / 1.98e9,
            "2^21 x 20 / 2.73 per nanosecond": 41943040 / 2.73e9,
            "the square root of 19.4 ms / 9.9 µs": 44.27,
            "1 / (1/55 + 1/55)": 27.5,
            "64 KiB / 50 GB/s": 65536 / 50e9,
            "12 multiply-adds per lane − 4": 8,
        }.items():
            found = value_of(text)
            self.assertLessEqual(found.low, value * (1 + 1e-12), text)
            self.assertLessEqual(value, found.high * (1 + 1e-12), text)
        for text in ("", "ms", "3 +", "(3", "3 4 / 2 = 1", "1 / 0", "2^", "one of the six words 3"):
            self.assertIsNone(value_of(text), text)
        (one,) = statements_of("So 3 x 4.9 ms = 14.7 ms | n = 7")
        self.assertEqual((one.begin, one.outcome, one.is_right), (3, 14.7, True))

    def test_what_nothing_proves_is_listed_by_its_words(self):
        self.write(BY_HAND, f'["{LESSON}"]\n"some 9 ms of `x`" = "as seen"\n')
        self.fine("# T\n\n## The one\n\nIt takes some\n9 ms of `x`.\n")
        vain = f"{BY_HAND} lists 'some 9 ms of `x`', "
        found = f"# T\n\n{OUTPUT.replace('55 %', '9 %')}## The one\n\nsome 9 ms of `x`\n"
        self.first(f"11: {vain}whose figures can be found: remove it", found)
        self.first(f"1: {vain}which stands nowhere there: remove it", "# T\n\n## The one\n\n")
        self.fine("# T\n\n## Other\n\nsome 9 ms of `x`\n")
        self.write(BY_HAND, '["gone.md"]\n"x" = "y"\n')
        self.first(f"1: {BY_HAND} speaks of gone.md, which is not there", "# T\n")
        self.write(BY_HAND, "one: two\n")
        self.first(f"1: {BY_HAND}: ", "# T\n")

    def test_other_pages_owe_proofs_only_where_they_name_records(self):
        self.fine("It takes 17 ms.\n", "docs/page.md")
        (owed,) = self.told(f"{NOTE.format('latency')}It takes 17 ms.\n", "docs/page.md")
        self.assertTrue(owed.startswith("3: '17 ms'"), owed)


if __name__ == "__main__":
    unittest.main()
