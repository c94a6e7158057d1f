"""Tables and single figures out of recorded results."""

import json
import unittest

from support import LessonTest
from recorded import markdown_table
from results import results_table

STEPS = [
    {"name": "v0_plain", "ok": True, "ms": 2.0, "spread_percent": 1.25, "gbps": 100.0},
    {"name": "v1_fast", "ok": True, "ms": 0.5, "gbps": 400.0},
    {"name": "v10_other", "ok": False, "ms": None, "gbps": None, "skipped": "no library"},
]
STEPS[0]["percent_of_ceiling"], STEPS[1]["percent_of_ceiling"] = 25.0, 99.95
RUN = {"device": "Card", "driver": "580", "toolkit": "13.0", "n": 1024, "steps": STEPS}
RECORDED = {"date": "2026-11-20", "runs": [RUN, {"device": "Card", "n": 2048, "steps": []}]}


class Results(LessonTest):
    def setUp(self):
        super().setUp()
        self.file = self.write("card.json", json.dumps(RECORDED))

    def table(self, columns, steps=""):
        return results_table(self.file, columns, "n=1024", steps)

    def test_a_table_has_a_row_per_step_and_says_where_it_comes_from(self):
        self.assertEqual(
            self.table("step,ms,gbps,percent,times", "v0,v1"),
            "| step       |     ms |  GB/s | % of ceiling | x over the step before |\n"
            "| ---------- | -----: | ----: | -----------: | ---------------------: |\n"
            "| `v0_plain` | 2.0000 | 100.0 |         25.0 |                      – |\n"
            "| `v1_fast`  | 0.5000 | 400.0 |        100.0 |                   4.00 |\n"
            "\n*Card, driver 580, toolkit 13.0, n = 1024, recorded 2026-11-20.*\n",
        )

    def test_what_was_not_timed_has_no_figure(self):
        self.assertIn("| `v10_other` |      – |     – |", self.table("step,ms,gbps"))
        self.assertIn("| `v0_plain` |         1.2 |", self.table("step,spread", "v0"))

    def test_a_host_loop_has_no_ceiling_and_no_step_is_compared_with_it(self):
        rows = [
            ("host", "cpu", 8.0, 1.0),
            ("v0", "step", 2.0, 50.0),
            ("vendor", "rival", 1.0, 99.0),
        ]
        keys = ("name", "kind", "ms", "percent_of_ceiling")
        steps = [dict(zip(keys, row)) for row in rows]
        file = self.write("host.json", json.dumps({"device": "Card", "steps": steps}))
        self.assertEqual(
            results_table(file, "percent,times"),
            "| % of ceiling | x over the step before |\n"
            "| -----------: | ---------------------: |\n"
            "|            – |                      – |\n"
            "|         50.0 |                      – |\n"
            "|         99.0 |                      – |\n"
            "\n*Card.*\n",
        )

    def test_wrong_queries_are_refused(self):
        self.refused("unknown column 'colour'", self.table, "step,colour")
        self.refused("has no 'v7'", self.table, "step", "v7")
        self.refused("holds several runs", results_table, self.file, "step")
        self.refused("has no 'n=7'", results_table, self.file, "step", "n=7")
        self.refused("cannot read", results_table, self.folder / "none.json", "step")
        self.refused("not valid JSON", results_table, self.write("bad.json", "{"), "step")
        self.refused("has no 'steps'", results_table, self.write("empty.json", "{}"), "step")
        self.refused("a table without a row: step, >ms", markdown_table, ["step", ">ms"], [])

    def test_tables_are_padded_by_characters_not_bytes(self):
        table = "| µ   |     n |\n| --- | ----: |\n| –   | 10000 |\n"
        self.assertEqual(markdown_table(["µ", ">n"], [["–", "10000"]]), table)

    def test_a_matrix_that_is_not_square_is_named_by_its_rows_and_columns(self):
        run = {
            "device": "Card",
            "n": 0,
            "rows": 3,
            "cols": 5,
            "steps": [{"name": "v0", "ok": True}],
        }
        file = self.write("card.json", json.dumps({"date": "2026-11-20", "runs": [run]}))
        self.assertIn("*Card, 3 x 5, recorded", results_table(file, "step", "rows=3"))


if __name__ == "__main__":
    unittest.main()
